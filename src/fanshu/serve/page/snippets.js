// Pieces of documents in one line: without the marks of a markup, the words looked for marked.

import { h } from "./dom.js";
import { folded } from "./fold.js";

const BEGINNING = 140; // characters of a section that was read
const EXCERPT = 96; // characters of a hit in one step: a line
const BEFORE = 24; // of them before the first word that was looked for

// A line of a source as people read it; the cells of a row stand apart.
export function readable(line) {
  const cells = line.replace(/^\s*\||\|\s*$/g, "").split(/\s*\|\s*/).filter((cell) => cell.trim());
  return cells.join("\u2003").replace(/[`*]+|^\s*(?:#+|[-+]) +/g, "").trim();
}

export const flat = (text) => text.split("\n").map(readable).filter(Boolean).join(" ");

// How a section begins, without its heading.
export function beginning(text, heading) {
  const lines = text.split("\n").filter((line) => folded(line) && folded(line) !== folded(heading));
  return cut(flat(lines.join("\n")), 0, BEGINNING);
}

// The piece of a snippet around the first word that was looked for.
export function excerpt(snippet, words) {
  const text = flat(snippet);
  const lower = text.toLowerCase();
  const places = (words ?? []).map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const first = places.length ? Math.min(...places) : 0;
  return cut(text, first + BEFORE > EXCERPT ? first - BEFORE : 0, EXCERPT);
}

function cut(text, from, length) {
  const piece = text.slice(from, from + length);
  return `${from ? "…" : ""}${piece}${text.length > from + length ? "…" : ""}`;
}

export function shown(snippet, words) {
  const text = flat(snippet);
  const wanted = [...new Set(words ?? [])].filter(Boolean).sort((a, b) => b.length - a.length);
  if (!wanted.length) return [text];
  const escaped = wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
  return parts.map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}
