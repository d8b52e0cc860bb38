// Numbers in the answer that lead to its sources, and the answer as Markdown.

import { h } from "./dom.js";
import { place, say } from "./words.js";

const FIGURE = /\d+(?:[.,:]\d+)*/g;
const SENTENCE_ENDS = /[。！？；;!?\n]|\.\s/;
const WRITTEN = /\[(\d{1,2})\]/;

// What stands under one number: a citation; of passages, neighbours of one section together.
export function sourcesOf(answer) {
  const sources = [];
  for (const cited of answer.citations ?? []) {
    const last = sources.at(-1);
    if (answer.status === "passages" && last?.at(-1).chunk_id === cited.chunk_id) last.push(cited);
    else sources.push([cited]);
  }
  return sources;
}

export function spanOf(source) {
  const lines = source.map((one) => one.lines).filter(Boolean);
  return lines.length ? [Math.min(...lines.map(([a]) => a)), Math.max(...lines.map(([, b]) => b))] : null;
}

export function nameOf(source) {
  const { file_path: path, section_path: trail, page } = source[0];
  const spot = place(spanOf(source), page);
  return [[path, ...trail].join(" › "), spot].filter(Boolean).join(", ");
}

// Puts a number behind the first figures that stand in each source, at their last in a sentence;
// one that shares no figure with the answer is named at its end. Numbers that the answer itself
// writes become the same.
export function numbered(root, sources, open) {
  const named = new Set();
  for (const node of textNodes(root)) written(node, sources, open, named);
  sources.forEach((source, at) => {
    if (!named.has(at) && behindFigure(root, source, marker(at, source, open))) named.add(at);
  });
  const left = sources.flatMap((source, at) => (named.has(at) ? [] : [marker(at, source, open)]));
  if (left.length) (lastBlock(root) ?? root).append(...left);
}

function marker(at, source, open) {
  const label = say("answer.open", { number: at + 1, place: nameOf(source) });
  return h("button", { type: "button", class: "cite", "aria-label": label, title: nameOf(source), onclick: () => open(at) }, String(at + 1));
}

function written(node, sources, open, named) {
  for (let match; (match = node.data.match(WRITTEN)); ) {
    const at = Number(match[1]) - 1;
    const rest = node.splitText(match.index);
    if (!sources[at]) return;
    rest.data = rest.data.slice(match[0].length);
    rest.before(marker(at, sources[at], open));
    named.add(at);
    node = rest;
  }
}

function behindFigure(root, source, element) {
  const stands = new Set(source.flatMap((one) => one.passage.match(FIGURE) ?? []));
  for (const node of textNodes(root)) {
    const matches = [...node.data.matchAll(FIGURE)].filter((match) => stands.has(match[0]));
    if (!matches.length) continue;
    const match = matches.findLast((one) => !SENTENCE_ENDS.test(node.data.slice(matches[0].index, one.index)));
    const code = node.parentElement.closest("code");
    if (code) code.after(element);
    else node.splitText(match.index + match[0].length + unitBehind(node.data, match)).before(element);
    return true;
  }
  return false;
}

// A unit belongs to its figure: the number stands behind both.
function unitBehind(text, match) {
  const rest = text.slice(match.index + match[0].length);
  return rest.match(/^(?:%|\s?(?:[A-Za-z]{1,8}\b)|\s?(?:个工作日|工作日|分钟|小时|毫秒|[秒天次个月年元轮%条页]))?/u)[0].length;
}

function textNodes(root) {
  const nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest("button, pre") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

function lastBlock(root) {
  const blocks = [...root.querySelectorAll("p, li, td")];
  return blocks.at(-1) ?? null;
}

// The answer with its sources, to be pasted elsewhere.
export function asMarkdown(answer) {
  const status = [say(`status.${answer.status}`), ...(answer.unsupported ?? []).map((item) => say("answer.unsupported", { item }))];
  const sources = sourcesOf(answer).map((source, at) => {
    const quoted = source.map((one) => one.passage || one.quote).join("\n").trim().split("\n");
    return `[${at + 1}] ${nameOf(source)}\n\n${quoted.map((line) => `> ${line}`).join("\n")}`;
  });
  const said = answer.status === "passages" ? "" : answer.answer;
  return `${[`**${answer.question}**`, said, `*${status.join(" · ")}*`, ...sources].filter(Boolean).join("\n\n")}\n`;
}
