// The check-up: what is wrong in the documents, kind by kind, passages side by side.

import { chosen, get } from "./api.js";
import { findingElement } from "./finding.js";
import { asMarkdown } from "./findingtext.js";
import { announce, arrows, button, copied, fill, h } from "./dom.js";
import { current, number, say, when } from "./words.js";

const FIRST = 200; // findings fetched at first; each kind shows its first few
const SHOWN = 6; // of a kind before "more"
const MORE = 30; // shown at each click
const EVERY = 1_000; // milliseconds between looks at how far it is
const WAIT = 1; // seconds that the service may take before it says how far it is

export async function checkingView(kind = "") {
  const view = h("div", { class: "checkup" });
  const state = { view, kind, path: "", told: null };
  view.append(head(null));
  await load(state);
  return view;
}

// Fetches and draws; while a check-up is on its way, looks again until it is there.
async function load(state, { fresh = null, again = false } = {}) {
  const mine = (state.loading = {});
  const told = await get("v1/check", { limit: FIRST, path: state.path, wait: WAIT, fresh }).catch((error) => {
    if (!state.told) throw error;
    announce(error.message);
    return state.told;
  });
  if (state.loading !== mine) return;
  const began = !state.told;
  if (told.findings) {
    state.told = told;
    if (state.kind && !told.kinds.some((one) => one.kind === state.kind)) state.kind = "";
  }
  draw(state, told);
  if (told.working ?? !told.findings) follow(state, mine);
  else if (!began || again) announce(summary(told));
}

function follow(state, mine) {
  setTimeout(() => {
    if (state.view.isConnected && state.loading === mine) load(state, { again: true }).catch((error) => fill(state.view, head(null), h("p", { class: "failed", role: "alert" }, error.message)));
  }, EVERY);
}

function draw(state, told) {
  if (!told.findings) return fill(state.view, head(null), onItsWay(told));
  fill(state.view, head(told, () => load(state, { fresh: 1 })), notices(told), told.kinds.length || state.path ? [filters(state, told), groups(state, told)] : nothing(told));
  return state.view;
}

// ---------------------------------------------------------------- head

function head(told, again) {
  return h(
    "header",
    { class: "checked" },
    h("div", {}, h("h1", {}, say("check.title")), h("p", { class: "lead" }, say("check.lead"))),
    told ? h("p", { class: "faint" }, summary(told), " · ", when(told.at), told.working ? null : [" · ", button(say("check.again"), again, { class: "linklike" })]) : null,
  );
}

function summary(told) {
  const found = told.kinds.reduce((sum, one) => sum + one.count, 0);
  return say("check.summary", { found: number(found), files: number(told.files), sections: number(told.sections) });
}

function onItsWay(working) {
  const { state, done, total } = working;
  const words = state === "waiting" || !total ? say("check.waiting") : say("check.working", { done: number(done), total: number(total) });
  const bar = total ? h("progress", { max: total, value: done, "aria-label": say("check.title") }) : null;
  return h("div", { class: "on-its-way" }, h("p", { class: "now" }, h("span", { class: "leaf", "aria-hidden": "true" }), words), bar);
}

function notices(told) {
  return [
    told.working ? h("p", { class: "notice" }, say("check.renewing"), " ", told.working.total ? `${number(told.working.done)} / ${number(told.working.total)}` : null) : told.outdated ? h("p", { class: "notice" }, say("check.outdated")) : null,
    told.everything ? null : h("p", { class: "notice" }, say("check.partly")),
    told.rules_failed ? h("p", { class: "notice newer" }, say("check.rules_failed")) : null,
    told.unused_rules.map((rule) => h("p", { class: "notice" }, say("check.unused", { rule }))),
    told.ignored ? h("p", { class: "faint" }, say("check.ignored", { count: number(told.ignored) })) : null,
  ];
}

function nothing(told) {
  return h("div", { class: "nothing" }, h("p", { class: "mark", "aria-hidden": "true" }, "✓"), h("p", {}, say(told.files ? "check.none" : "library.none")), told.files ? h("p", { class: "faint" }, say("check.none.more")) : null);
}

// ---------------------------------------------------------------- filters

function filters(state, told) {
  const chip = (kind, label, count) => button([label, h("span", { class: "count" }, number(count))], () => {
    state.kind = kind;
    history.replaceState(null, "", kind ? `#/check/${kind}` : "#/check");
    draw(state, told);
    state.view.querySelector(`[data-kind="${kind}"]`)?.focus();
  }, { class: "chip", "data-kind": kind, "aria-pressed": String(state.kind === kind) });
  const all = told.kinds.reduce((sum, one) => sum + one.count, 0);
  return h("div", { class: "filters" }, h("div", { class: "chips", role: "group", "aria-label": say("check.kinds") }, chip("", say("check.all"), all), told.kinds.map((one) => chip(one.kind, say(`check.kind.${one.kind}`), one.count))), folders(state, told));
}

function folders(state, told) {
  if (told.folders.length < 2 && !state.path) return null;
  const option = (value, label) => h("option", { value, selected: value === state.path }, label);
  const select = h("select", { "aria-label": say("check.folder") }, option("", say("check.folders")), told.folders.map((one) => option(one.path, `${one.path} (${number(one.count)})`)));
  select.addEventListener("change", async () => {
    state.path = select.value;
    await load(state, { again: true });
    state.view.querySelector(".filters select")?.focus();
  });
  return select;
}

const title = (kind) => (current() === "zh" ? kind.title_zh : kind.title);

// ---------------------------------------------------------------- groups

function groups(state, told) {
  const kinds = told.kinds.filter((one) => !state.kind || one.kind === state.kind);
  if (!kinds.length) return h("p", { class: "faint" }, say("check.none.here"));
  return kinds.map((one) => group(state, one, told.findings.filter((finding) => finding.kind === one.kind)));
}

function group(state, kind, found) {
  const list = h("ol", { class: "findings" });
  const rest = h("p", {});
  let shown = 0;
  const show = async (count) => {
    const wanted = Math.min(kind.count, shown + count);
    if (found.length < wanted) found.push(...(await further(state, kind.kind, found.length)));
    const fresh = found.slice(shown, shown + count);
    list.append(...fresh.map((one) => h("li", {}, findingElement(one, chosen()))));
    shown += fresh.length;
    const left = fresh.length ? kind.count - shown : 0;
    fill(rest, left > 0 ? button(say("check.more", { count: number(left) }), () => onwards(shown), { class: "more" }) : null);
  };
  const onwards = async (at) => {
    await show(MORE).catch((error) => announce(error.message));
    list.children[at]?.querySelector("button")?.focus();
  };
  show(state.kind ? MORE : SHOWN).catch((error) => announce(error.message));
  const copy = button(say("check.copy_all"), async () => {
    if (await copied(found.slice(0, shown).map(asMarkdown).join("\n"))) copy.textContent = say("answer.copied");
    setTimeout(() => (copy.textContent = say("check.copy_all")), 2000);
  }, { class: "linklike", "aria-label": `${say("check.copy_all")}: ${title(kind)}` });
  return h("section", { class: `kind is-${kind.kind}`, "aria-label": title(kind) }, h("header", {}, h("h2", {}, title(kind), " ", h("span", { class: "count" }, number(kind.count))), copy), arrows(list, "button.open"), rest);
}

async function further(state, kind, offset) {
  const told = await get("v1/check", { kind, path: state.path, offset, limit: MORE * 2 });
  return told.findings ?? [];
}
