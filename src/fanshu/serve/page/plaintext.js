// Extracted text → elements: a line is a paragraph, lines of cells are a table.

import { h } from "./dom.js";
import { scrolling } from "./markdown.js";

const CELLS = " | ";

// `heading`: the section's own, shown as such where the text begins with it.
export function plaintext(text, { heading = "", level = 3 } = {}) {
  const fragment = document.createDocumentFragment();
  const lines = text.split("\n");
  if (heading && same(lines[0], heading)) fragment.append(h(`h${level}`, {}, lines.shift().trim()));
  let rows = [];
  const flush = () => {
    if (rows.length) fragment.append(rows.length > 1 ? table(rows) : h("p", {}, rows[0]));
    rows = [];
  };
  for (const line of lines) {
    if (line.includes(CELLS)) rows.push(line);
    else {
      flush();
      if (line.trim()) fragment.append(h("p", {}, line.trim()));
    }
  }
  flush();
  return fragment;
}

const bare = (text) => (text ?? "").replace(/\s+/gu, "");
const same = (line, heading) => bare(line) === bare(heading);

function table(rows) {
  const cells = rows.map((row) => row.split(CELLS).map((cell) => cell.trim()));
  const row = (values, tag) => h("tr", {}, values.map((value) => h(tag, { scope: tag === "th" ? "col" : null }, value)));
  return scrolling(h("table", {}, h("thead", {}, row(cells[0], "th")), h("tbody", {}, cells.slice(1).map((values) => row(values, "td")))));
}
