// The page as a whole: who is here, which view is shown, keys, language and light.

import { askingView, newConversation, stop } from "./asking.js";
import { allow, choose, chosen, get, post, whenLoginNeeded } from "./api.js";
import { approvedView } from "./approving.js";
import { checkingView } from "./checking.js";
import { button, fill, h } from "./dom.js";
import { loginView } from "./login.js";
import { historyView, runView, unansweredView } from "./past.js";
import { closeReader, openPlace, turn } from "./reader.js";
import { libraryView } from "./shelves.js";
import { current, say, speak } from "./words.js";

const main = document.getElementById("main");
const LIGHT = "fanshu.light";
const SHELF = "fanshu.library";
let me = null;
let drawn = 0; // of several views asked for, only the last is shown

const context = {
  words: "",
  go: (hash) => (location.hash = hash),
  search: (words) => (location.hash = `#/search/${encodeURIComponent(words)}`),
};

const VIEWS = {
  ask: (question) => askingView(context, question),
  library: (folder) => libraryView({ ...context, words: "" }, folder),
  search: (words) => libraryView({ ...context, words }),
  check: (kind) => checkingView(kind),
  history: () => historyView(),
  run: (id) => runView(id, context),
  place: (library, chunk, quote) => placeView(library, chunk, quote),
  unanswered: () => unansweredView(),
  approved: (id) => approvedView(id),
};

async function draw() {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const parts = name === "place" ? rest.map(decodeURIComponent) : [decodeURIComponent(rest.join("/"))];
  const known = Object.hasOwn(VIEWS, name) ? name : "ask";
  const number = ++drawn;
  if (known === "ask" && parts[0]) {
    newConversation();
    history.replaceState(null, "", "#/"); // a reload must not ask again
  }
  frame(known);
  try {
    const view = await VIEWS[known](...parts);
    if (number !== drawn) return;
    fill(main, view);
    scrollTo(0, 0);
  } catch (error) {
    if (number === drawn && error.status !== 401) fill(main, failed(error));
  }
  if (number === drawn && known === "ask" && !matchMedia("(pointer: coarse)").matches) document.getElementById("question")?.focus();
}

// A place of a library, as answers in chat clients link to it: #/place/LIBRARY/CHUNK/QUOTE
async function placeView(library, chunk = "", quote = "") {
  if (me.libraries.some((one) => one.name === library)) choose(library);
  frame("place");
  const view = await VIEWS.library("");
  const path = chunk.replace(/#\d+$/, "");
  queueMicrotask(() => openPlace({ file_path: path, chunk_id: chunk, library, passage: quote, quote }));
  return view;
}

function failed(error) {
  const words = error.code === "unreachable" ? say("error.unreachable") : error.message;
  return h("div", { class: "failed", role: "alert" }, h("p", {}, words), button(say("error.retry"), draw));
}

// ---------------------------------------------------------------- frame

function frame(view) {
  document.documentElement.lang = current() === "zh" ? "zh-CN" : "en";
  document.querySelector(".skip").textContent = say("skip");
  const places = [["ask", "#/"], ["library", "#/library"], ["check", "#/check"], ["history", "#/history"], ...(me?.keeps ? [["unanswered", "#/unanswered"]] : []), ...(me?.approves ? [["approved", "#/approved"]] : [])];
  const nav = document.querySelector("header.top nav");
  nav.setAttribute("aria-label", say("nav.label"));
  const here = { search: "library", place: "library", run: "history" }[view] ?? view;
  fill(nav, me ? places.map(([name, href]) => h("a", { href, "aria-current": name === here ? "page" : null }, say(`nav.${name}`))) : null);
  fill(document.querySelector("header.top .tools"), shelves(), lightButton(), languageButton(), logoutButton());
  document.querySelector("header.top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function shelves() {
  if (!me || me.libraries.length < 2) return null;
  const select = h("select", { "aria-label": say("tools.library") }, me.libraries.map((one) => h("option", { value: one.name, selected: one.name === chosen() }, one.title || one.name)));
  select.addEventListener("change", () => {
    choose(select.value);
    localStorage.setItem(SHELF, select.value);
    newConversation();
    closeReader();
    draw();
  });
  return select;
}

function languageButton() {
  return button(say("tools.language"), () => {
    speak(current() === "zh" ? "en" : "zh");
    closeReader();
    draw();
  }, { "aria-label": say("tools.language.label"), lang: current() === "zh" ? "en" : "zh" });
}

function lightButton() {
  const dark = isDark();
  return button("", () => {
    localStorage.setItem(LIGHT, dark ? "light" : "dark");
    light();
    draw();
  }, { class: `light ${dark ? "sun" : "moon"}`, "aria-label": say(dark ? "tools.light" : "tools.dark"), title: say(dark ? "tools.light" : "tools.dark") });
}

function isDark() {
  const kept = localStorage.getItem(LIGHT);
  return kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function light() {
  document.documentElement.dataset.light = isDark() ? "dark" : "light";
}

function logoutButton() {
  if (me?.kind !== "user") return null;
  return button(say("tools.logout"), async () => {
    await post("logout", {}).catch(() => null);
    me = null;
    start();
  }, { title: me.name });
}

// ---------------------------------------------------------------- keys

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape") {
    if (closeReader() || stop()) event.preventDefault();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    const field = document.getElementById("question") ?? document.getElementById("search");
    event.preventDefault();
    if (field) field.focus();
    else location.hash = "#/";
  }
  if (event.target.closest?.("#reader") && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
    if (turn(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
  }
});

// ---------------------------------------------------------------- start

let loggingIn = false;

function login() {
  if (loggingIn) return;
  loggingIn = true;
  me = null;
  drawn += 1;
  newConversation();
  closeReader();
  frame("login");
  fill(main, loginView(() => {
    loggingIn = false;
    start();
  }));
  document.getElementById("user").focus();
}

async function start() {
  light();
  frame("");
  try {
    me = await get("v1/me");
    allow(me);
  } catch (error) {
    if (error.status !== 401) fill(main, failed(error));
    return;
  }
  const kept = localStorage.getItem(SHELF);
  const names = me.libraries.map((one) => one.name);
  choose(names.includes(kept) ? kept : (names[0] ?? ""));
  draw();
}

whenLoginNeeded(login);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", light);
addEventListener("hashchange", draw);
start();
