// Approved answers: the badge of one, the form that approves, and the list of those that wait.

import { address, get, may, send } from "./api.js";
import { announce, button, fileName, fill, h } from "./dom.js";
import { openPlace } from "./reader.js";
import { place, say, when } from "./words.js";

// ---------------------------------------------------------------- on an answer

export function badge({ approved }) {
  return approved ? h("p", { class: "approved" }, h("span", { class: "seal", "aria-hidden": "true" }, "✓"), say("approved.by", { by: approved.by, when: when(approved.at) })) : null;
}

export function underReview({ under_review: waits }) {
  if (!waits) return null;
  const fields = { by: waits.by, when: when(waits.at), state: say(`approved.state.${waits.state}`) };
  return h("p", { class: "notice newer" }, say("approved.waits", fields), " ", may("approves") ? h("a", { href: `#/approved/${encodeURIComponent(waits.id)}` }, say("approved.review")) : null);
}

// Approving what a run answered; what is approved already leads to its place in the list.
export function approving(answer, runId) {
  if (!may("approves") || !runId || !answer.citations?.length) return null;
  if (answer.approved) return h("a", { href: `#/approved/${encodeURIComponent(answer.approved.id)}` }, say("approved.open"));
  const text = answer.status === "passages" ? "" : answer.answer;
  const opener = button(say("approved.approve"), () => {
    form.hidden = !form.hidden;
    opener.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) form.querySelector("textarea").focus();
  }, { "aria-expanded": "false" });
  const form = textForm(text, say("approved.approve"), async (body) => {
    await send("POST", "v1/approved", { run_id: runId, ...body });
    form.hidden = true;
    opener.replaceWith(h("span", { class: "approved", role: "status" }, say("approved.done")));
    announce(say("approved.done"));
  });
  form.hidden = true;
  return [opener, form];
}

// A text with a note. What its evidence does not hold is named, and can be insisted on.
function textForm(text, label, submit) {
  const area = h("textarea", { rows: "4", maxlength: "8000", "aria-label": say("approved.text"), placeholder: say("approved.text"), dir: "auto" });
  area.value = text;
  const note = h("input", { type: "text", maxlength: "1000", "aria-label": say("approved.note"), placeholder: say("approved.note") });
  const wrong = h("div", { class: "wrong", role: "alert" });
  const form = h("form", { class: "approving" }, area, note, wrong, h("button", { type: "submit", class: "primary" }, label));
  const attempt = async (force) => {
    const own = area.value.trim();
    const body = { ...(own && own !== text.trim() ? { answer: own } : {}), note: note.value.trim(), force };
    fill(wrong);
    try {
      await submit(body);
    } catch (error) {
      fill(wrong, refusal(error, () => attempt(true)));
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(false);
  });
  return form;
}

function refusal(error, insist) {
  const items = error.body?.unsupported ?? [];
  if (error.code !== "approval_unchecked") return h("p", { class: "failed" }, error.message);
  return [h("p", {}, say("approved.unchecked")), h("ul", {}, items.map((item) => h("li", { dir: "auto" }, item))), button(say("approved.insist"), insist)];
}

// ---------------------------------------------------------------- all of them

export async function approvedView(wanted) {
  const view = h("div", { class: "past" });
  const draw = async () => {
    const { approved } = await get("v1/approved");
    const waiting = approved.filter((one) => one.waits);
    const others = approved.filter((one) => !one.waits);
    const again = () => draw().catch((error) => fill(view, h("p", { class: "failed" }, error.message)));
    fill(
      view,
      h("h1", {}, say("approved.title")),
      h("p", { class: "faint" }, say("approved.lead")),
      waiting.length ? [h("h2", {}, say("approved.waiting", { count: waiting.length })), list(waiting, again, wanted)] : h("p", { class: "faint" }, say("approved.none_waits")),
      others.length ? [h("h2", {}, say("approved.others")), list(others, again, wanted)] : null,
    );
  };
  await draw();
  requestAnimationFrame(() => view.querySelector("details[data-wanted]")?.scrollIntoView({ block: "start" }));
  return view;
}

function list(found, again, wanted) {
  return h("ul", { class: "runs approvals" }, found.map((one) => h("li", {}, item(one, again, one.id === wanted || one.waits, one.id === wanted))));
}

function item(one, again, open, isWanted) {
  const state = h("span", { class: one.waits ? "status" : "status fine" }, say(`approved.state.${one.state}`));
  const about = [one.by, when(one.at), one.edited ? say("approved.edited") : ""].filter(Boolean).join(" · ");
  return h(
    "details",
    { open, "data-wanted": isWanted || null },
    h("summary", {}, h("span", { class: "question", dir: "auto" }, one.question), h("p", { class: "faint" }, state, " · ", about)),
    h("p", { class: "said", dir: "auto" }, one.answer),
    one.note ? h("p", { class: "note", dir: "auto" }, one.note) : null,
    one.wordings.slice(1).map((text) => h("p", { class: "faint", dir: "auto" }, say("approved.also", { text }))),
    one.unsupported.map((text) => h("p", { class: "newer", dir: "auto" }, say("answer.unsupported", { item: text }))),
    one.no_longer_supported.map((text) => h("p", { class: "newer", dir: "auto" }, say("approved.no_longer", { item: text }))),
    one.evidence.map(evidence),
    one.contradictions.map(contradiction),
    actions(one, again),
  );
}

function evidence(one) {
  const label = [fileName(one.file_path ?? one.chunk_id), ...one.section_path.slice(-1), place(one.lines, one.page)].filter(Boolean).join(" › ");
  const go = () => openPlace({ file_path: one.file_path, chunk_id: one.now, passage: one.passage_now ?? one.passage, cited: true });
  return h(
    "section",
    { class: "standing" },
    h("p", { class: "faint" }, `[${one.number}] `, say(`approved.state.${one.state}`), " · ", one.now ? h("button", { type: "button", class: "place", dir: "auto", onclick: go }, label) : one.chunk_id),
    one.state === "changed" ? sides(one) : one.state === "gone" ? h("blockquote", { dir: "auto" }, h("del", {}, one.passage)) : null,
    one.superseded ? h("p", { class: "newer" }, one.newer_version ? say("answer.newer", { file: one.newer_version }) : say("approved.state.superseded")) : null,
  );
}

// The passage then and now; the words that differ are marked.
function sides(one) {
  const side = (key, pieces, whole, tag) => h("div", {}, h("p", { class: "kicker" }, say(key)), h("blockquote", { dir: "auto" }, pieces.length ? pieces.map(([text, differs]) => (differs ? h(tag, {}, text) : text)) : whole));
  return h("div", { class: "sides" }, side("approved.then", one.before, one.passage, "del"), one.passage_now ? side("approved.now", one.after, one.passage_now, "ins") : null);
}

function contradiction(one) {
  const go = () => openPlace({ file_path: one.file_path, chunk_id: one.chunk_id, passage: one.passage });
  const fields = { says: one.says, said: one.said };
  return h("section", { class: "standing" }, h("p", { class: "newer" }, h("button", { type: "button", class: "place", onclick: go }, [fileName(one.file_path), ...one.section_path.slice(-1)].join(" › ")), " ", say("approved.against", fields)), h("blockquote", { dir: "auto" }, one.passage));
}

function actions(one, again) {
  const path = address(`v1/approved/${encodeURIComponent(one.id)}`);
  const form = textForm(one.answer, say("approved.keep"), async (body) => {
    await send("PATCH", path, { ...body, keep: true });
    announce(say("approved.kept"));
    again();
  });
  form.hidden = true;
  const edit = button(say(one.waits ? "approved.keep_edit" : "approved.edit"), () => {
    form.hidden = !form.hidden;
    edit.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) form.querySelector("textarea").focus();
  }, { "aria-expanded": "false" });
  const drop = button(say("approved.drop"), async () => {
    if (drop.dataset.sure) {
      await send("DELETE", path).catch((error) => announce(error.message));
      again();
    } else {
      drop.dataset.sure = "yes";
      drop.textContent = say("approved.drop_sure");
    }
  });
  return h("div", {}, h("div", { class: "actions" }, edit, drop), form);
}
