// One finding: what is wrong, how sure, its passages side by side, and how to leave it out.

import { address } from "./api.js";
import { button, copied, fileName, folderOf, h } from "./dom.js";
import { asMarkdown, ignoring, messageOf } from "./findingtext.js";
import { folded } from "./fold.js";
import { openPlace } from "./reader.js";
import { readable } from "./snippets.js";
import { number, place, say } from "./words.js";

const [BEGINS, ENDS] = ["\u{F0000}", "\u{F0001}"]; // stand around what is marked; no document holds them
const SHORT = 20; // characters of a mark that stay on one line
const LEADING = /^\s*(?:#+ +|[-+*] +|\| *)?/; // of a line, no part of what it says

export function findingElement(finding, library) {
  const { sides, more, level } = finding;
  const text = sides.some((side) => side.text.trim());
  return h(
    "article",
    { class: `finding ${level}` },
    h("header", {}, h("h3", { dir: "auto" }, messageOf(finding)), h("span", { class: "sure", title: say("check.sure.means") }, say(`check.sure.${level}`))),
    h("div", { class: `passages${sides.length > 1 ? "" : " one"}${text ? "" : " files"}` }, sides.map((side) => sideElement(side, finding, library))),
    more ? h("p", { class: "faint" }, say("check.places", { count: number(more) })) : null,
    foot(finding),
  );
}

// ---------------------------------------------------------------- passages

function sideElement(side, finding, library) {
  const readableFile = finding.kind !== "unreadable";
  const where = [...side.section_path, place(side.lines, side.page)].filter(Boolean).join(" › ") || folderOf(side.file_path);
  const label = say("check.open", { place: [side.file_path, where].filter(Boolean).join(" › ") });
  const alike = finding.sides.some((one) => one.file_path !== side.file_path && fileName(one.file_path) === fileName(side.file_path));
  const name = [h("span", { class: "file", dir: "auto" }, alike ? side.file_path : fileName(side.file_path)), h("span", { class: "trail", dir: "auto" }, where)];
  const go = () => openPlace({ file_path: side.file_path, chunk_id: side.chunk_id || `${side.file_path}#1`, library, page: side.page, lines: side.lines, passage: side.text, quote: markedText(side) });
  const opener = readableFile
    ? h("button", { type: "button", class: "open", "aria-label": label, title: side.file_path, onclick: go }, name)
    : h("a", { class: "open", href: address("v1/original", { path: side.file_path, library }), target: "_blank", rel: "noopener", title: side.file_path }, name);
  return h("section", { class: "passage-card" }, opener, passage(side));
}

// A heading alone says nothing that the trail above it does not.
function passage(side) {
  if (folded(side.text) === folded(side.section_path.at(-1) ?? "")) return null;
  const lines = withMarks(side).split("\n").map(readable).filter((line) => line.trim() && !/^[\s|:-]+$/.test(line));
  if (!lines.length) return null;
  let open = false; // a mark may reach over several lines
  const pieces = (line) => line.split(new RegExp(`(${BEGINS}|${ENDS})`, "u")).map((piece) => {
    if (piece === BEGINS || piece === ENDS) open = piece === BEGINS;
    else return open ? h("mark", { class: piece.length > SHORT ? "quote" : "quote short" }, piece) : piece;
    return null;
  });
  return h("blockquote", { dir: "auto" }, lines.map((line) => h("p", {}, pieces(line))));
}

// The spans in code points. Where a whole sentence is marked for the value in it, the value alone.
function spans({ text, marked, value }) {
  const signs = Array.from(text);
  return marked.map(([a, b]) => {
    const piece = signs.slice(a, b).join("");
    const at = value ? piece.indexOf(value) : -1;
    const from = at < 0 ? a + Array.from(piece.match(LEADING)[0]).length : a + Array.from(piece.slice(0, at)).length;
    return [from, at < 0 ? b : from + Array.from(value).length];
  });
}

function withMarks(side) {
  const signs = Array.from(side.text);
  for (const [a, b] of spans(side).sort((one, other) => other[0] - one[0])) {
    signs.splice(b, 0, ENDS);
    signs.splice(a, 0, BEGINS);
  }
  return signs.join("");
}

function markedText(side) {
  const [first] = spans(side);
  return first ? Array.from(side.text).slice(...first).join("") : "";
}

// ---------------------------------------------------------------- what to do with it

function foot(finding) {
  const copy = button(say("answer.copy"), async () => {
    if (await copied(asMarkdown(finding))) copy.textContent = say("answer.copied");
    setTimeout(() => (copy.textContent = say("answer.copy")), 2000);
  });
  return h("footer", {}, leaveOut(finding), copy);
}

function leaveOut(finding) {
  const text = ignoring(finding);
  const copy = button(say("check.copy_rule"), async () => {
    if (await copied(text)) copy.textContent = say("answer.copied");
  });
  return h("details", { class: "leave-out" }, h("summary", {}, say("check.ignore")), h("p", {}, say("check.ignore.how"), " ", h("code", {}, ".fanshu/check-ignore.toml")), h("pre", { tabindex: "0" }, h("code", {}, text)), copy);
}
