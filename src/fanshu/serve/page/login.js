// The login of people, where the service demands it.

import { post } from "./api.js";
import { h } from "./dom.js";
import { say } from "./words.js";

const FORM = "application/x-www-form-urlencoded";

export function loginView(done) {
  const name = h("input", { name: "name", id: "user", autocomplete: "username", required: true, autocapitalize: "none", spellcheck: "false" });
  const password = h("input", { name: "password", id: "password", type: "password", autocomplete: "current-password", required: true });
  const wrong = h("p", { class: "failed", role: "alert" });
  const form = h("form", { class: "login" }, h("h1", {}, say("login.title")), h("p", { class: "faint" }, say("login.lead")), h("label", { for: "user" }, say("login.name")), name, h("label", { for: "password" }, say("login.password")), password, wrong, h("button", { type: "submit", class: "primary" }, say("login.submit")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    try {
      await post("login", { name: name.value, password: password.value }, FORM);
      done();
    } catch (error) {
      wrong.textContent = error.status === 401 ? say("login.wrong") : error.message || say("error.unreachable");
      password.select();
    }
  });
  return form;
}
