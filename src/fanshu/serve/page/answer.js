// An answer: what it says, how far it was checked, where each fact stands, and what to do next.

import { get, post } from "./api.js";
import { approving, badge, underReview } from "./approving.js";
import { asMarkdown, nameOf, numbered, sourcesOf, spanOf } from "./citing.js";
import { arrows, button, copied, fileName, h } from "./dom.js";
import { mark } from "./fold.js";
import { markdown } from "./markdown.js";
import { openPlace, pictures } from "./reader.js";
import { flat, readable } from "./snippets.js";
import { known, number, place, say } from "./words.js";

// `context`: {library, runId, search(words), again()}; without runId there is nothing to mark.
export function answerElement(answer, context) {
  const sources = sourcesOf(answer);
  const open = (at) => openSource(sources[at], context.library);
  return h(
    "section",
    { class: `answer ${answer.status}`, "aria-label": say("answer.label") },
    said(answer, sources, open),
    badge(answer),
    verdict(answer),
    underReview(answer),
    remarks(answer),
    sources.length ? sourceList(answer, sources, open, context.library) : null,
    nearest(answer, context),
    unverified(answer),
    foot(answer, context),
  );
}

function said(answer, sources, open) {
  if (answer.error) return h("p", { class: "failed", dir: "auto" }, answer.error);
  if (!answer.answer || answer.status === "passages") return null;
  const text = h("div", { class: "said", dir: "auto" }, markdown(answer.answer, { headings: 2 }));
  numbered(text, sources, open);
  return text;
}

function verdict(answer) {
  const unfinished = answer.status === "partial" && !answer.citations.length;
  const key = unfinished ? "unfinished" : answer.status;
  const words = [say(`status.${key}`)];
  if (!["answered", "not_found"].includes(answer.stop_reason) && known(`stop.${answer.stop_reason}`)) words.push(say(`stop.${answer.stop_reason}`));
  if (answer.cached) words.push(say("answer.cached"));
  if (answer.as_of) words.push(say("answer.as_of", { time: new Date(answer.as_of).toLocaleString() }));
  return h("details", { class: "verdict" }, h("summary", {}, h("span", { class: "status" }, words.join(" · ")), " ", h("span", { class: "ask" }, say("means.ask"))), h("p", {}, say(`means.${answer.status}`)));
}

function remarks(answer) {
  const told = [
    ...(answer.derived ?? []).map((one) => `${one.figure} = ${one.arithmetic}`),
    ...(answer.unsupported ?? []).map((item) => say("answer.unsupported", { item })),
    ...(answer.citations_rejected ? [say("answer.rejected", { count: answer.citations_rejected })] : []),
    ...(answer.warnings ?? []),
    ...(answer.note ? answer.note.split("\n") : []),
  ];
  return told.length ? h("ul", { class: "remarks" }, told.map((one) => h("li", { dir: "auto" }, one))) : null;
}

// ---------------------------------------------------------------- sources

function sourceList(answer, sources, open, library) {
  const items = sources.map((source, at) => sourceItem(source, at, open, library));
  return h("section", { class: "sources", "aria-label": say("answer.sources") }, h("h3", {}, say("answer.sources")), arrows(h("ol", {}, items), "button.open"));
}

function sourceItem(source, at, open, library) {
  const { file_path: path, section_path: trail, page, newer_version: newer } = source[0];
  const spot = place(spanOf(source), page);
  const label = say("answer.open", { number: at + 1, place: nameOf(source) });
  return h(
    "li",
    { class: "source" },
    h("button", { type: "button", class: "open", "aria-label": label, onclick: () => open(at) }, h("span", { class: "number", "aria-hidden": "true" }, at + 1), h("span", { class: "where" }, h("span", { class: "file", dir: "auto" }, fileName(path)), h("span", { class: "trail", dir: "auto" }, [...trail, spot].filter(Boolean).join(" › ")))),
    h("blockquote", { dir: "auto" }, quoted(source)),
    newer ? h("p", { class: "newer" }, newerButton(newer, library)) : null,
    source.some((one) => one.verified === "located") ? h("p", { class: "faint" }, say("answer.located")) : null,
    pictures(source.flatMap((one) => one.images ?? []), library),
  );
}

export function newerButton(path, library) {
  return button(say("answer.newer", { file: fileName(path) }), () => openPlace({ file_path: path, chunk_id: `${path}#1`, library }), { class: "linklike", title: path });
}

// The passages, each line of a source once, with the quotes in them marked.
function quoted(source) {
  const shown = new Set();
  return source.flatMap((one) => {
    const lines = (one.passage || one.quote).split("\n").filter((line) => line.trim() && !/^[\s|:-]+$/.test(line) && !shown.has(line));
    lines.forEach((line) => shown.add(line));
    const element = h("div", {}, lines.map((line) => h("p", {}, readable(line))));
    mark([element], one.quote);
    return element;
  });
}

function openSource(source, library) {
  const first = source[0];
  openPlace({ ...first, library, passage: source.map((one) => one.passage).join("\n"), quote: first.quote, cited: true });
}

// ---------------------------------------------------------------- what was not found

function nearest(answer, context) {
  if (["answered", "passages"].includes(answer.status)) return null;
  const searched = [...new Set((answer.searches ?? []).map((one) => one.keyword).filter(Boolean))];
  return [
    answer.related?.length ? h("section", { class: "related" }, h("h3", {}, say("answer.related")), h("ul", {}, answer.related.map((one) => relatedItem(one, context.library)))) : null,
    searched.length ? h("p", { class: "searched faint" }, say("answer.searched"), " ", searched.map((words) => h("q", { dir: "auto" }, words)).flatMap((one) => [one, " "])) : null,
    suggestions(answer.question, context),
  ];
}

function relatedItem(one, library) {
  const label = [fileName(one.file_path), ...one.section_path.slice(-1)].join(" › ");
  const go = () => openPlace({ ...one, library, passage: one.text });
  return h("li", {}, h("button", { type: "button", class: "place", dir: "auto", onclick: go }, label), h("p", { dir: "auto" }, flat(one.text)));
}

function suggestions(question, context) {
  const row = h("p", { class: "chips", hidden: true });
  get("v1/suggest", { q: question, library: context.library })
    .then((found) => {
      const list = found.suggestions;
      row.append(h("span", { class: "faint" }, say("answer.suggest")), ...list.map((one) => button(one.words, () => context.search(one.words), { class: "chip" })));
      row.hidden = !list.length;
    })
    .catch(() => row.remove());
  return row;
}

function unverified(answer) {
  return answer.unverified_text ? h("details", { class: "unverified" }, h("summary", {}, say("answer.unverified")), h("p", { dir: "auto" }, answer.unverified_text)) : null;
}

// ---------------------------------------------------------------- what to do with it

function foot(answer, context) {
  const tokens = (answer.usage?.prompt ?? 0) + (answer.usage?.completion ?? 0);
  const stats = [
    answer.reader === "extractive" ? "" : answer.reader,
    answer.rounds ? say("stats.rounds", { rounds: answer.rounds }) : "",
    tokens ? say("stats.tokens", { tokens: number(tokens) }) : "",
    answer.usage?.cost ? `$${answer.usage.cost.toFixed(4)}` : "",
    say("stats.seconds", { seconds: answer.seconds.toFixed(1) }),
  ];
  const copy = button(say("answer.copy"), async () => {
    if (await copied(asMarkdown(answer))) copy.textContent = say("answer.copied");
    setTimeout(() => (copy.textContent = say("answer.copy")), 2000);
  });
  return h(
    "footer",
    {},
    h("div", { class: "actions" }, copy, context.again ? button(say("ask.again"), context.again) : null, context.runId ? h("a", { href: `#/run/${encodeURIComponent(context.runId)}` }, say("answer.replay")) : null, approving(answer, context.runId), context.runId ? marks(context) : null),
    h("p", { class: "stats faint" }, stats.filter(Boolean).join(" · ")),
  );
}

function marks({ runId, good = null, note = "" }) {
  const thanks = h("span", { class: "faint", role: "status" });
  const send = async (value, words) => {
    await post(`v1/runs/${encodeURIComponent(runId)}/feedback`, { good: value, note: words });
    thanks.textContent = say("answer.thanks");
    up.setAttribute("aria-pressed", value);
    down.setAttribute("aria-pressed", !value);
  };
  const field = h("input", { type: "text", name: "note", maxlength: "1000", "aria-label": say("answer.note"), placeholder: say("answer.note"), value: note });
  const form = h("form", { class: "noting", hidden: true }, field, h("button", { type: "submit" }, say("answer.send")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    form.hidden = true;
    send(false, field.value.trim());
  });
  const up = thumb("up", "answer.good", good === true, () => {
    form.hidden = true;
    send(true, "");
  });
  const down = thumb("down", "answer.bad", good === false, () => {
    send(false, field.value.trim());
    form.hidden = false;
    field.focus();
  });
  return [h("span", { class: "thumbs" }, up, down, thanks), form];
}

function thumb(direction, label, pressed, onclick) {
  return button("", onclick, { class: `thumb ${direction}`, "aria-label": say(label), title: say(label), "aria-pressed": String(pressed) });
}
