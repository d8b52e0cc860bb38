// Finds a passage in what is shown: only letters and digits count, wherever they stand.
// White space, marks of a markup and borders of table cells differ between source and page.

const COUNTS = /[\p{L}\p{N}]/u;

// For every unit of the folded text: the unit, and where in `text` its character begins and ends.
function* units(text) {
  let at = 0;
  for (const sign of text) {
    if (COUNTS.test(sign)) {
      for (const unit of sign.normalize("NFKC").toLowerCase().split("")) yield [unit, at, at + sign.length];
    }
    at += sign.length;
  }
}

export const folded = (text) => Array.from(units(text), ([unit]) => unit).join("");

// Marks the passage in the text below `roots`; gives the marks, none when it stands nowhere there.
export function mark(roots, passage, className = "") {
  const wanted = folded(passage);
  if (!wanted) return [];
  const signs = [...roots].flatMap(textNodes).flatMap((node) => Array.from(units(node.data), ([unit, a, b]) => [unit, node, a, b]));
  const start = signs.map(([unit]) => unit).join("").indexOf(wanted);
  if (start < 0) return [];
  const found = signs.slice(start, start + wanted.length);
  reach(found, passage.trim());
  return wrapped(found, className);
}

// The same for a passage whose lines need not stand together, such as a table's header and a row.
export function markLines(root, passage, className = "") {
  const whole = mark([root], passage, className);
  if (whole.length) return whole;
  return passage.split("\n").filter((line) => folded(line).length > 1).flatMap((line) => mark([root], line, className));
}

// Brackets and stops at the ends of a passage belong to it, where the page has the same.
function reach(found, passage) {
  const before = passage.match(/^[^\p{L}\p{N}\s]*/u)[0];
  const after = passage.match(/[^\p{L}\p{N}\s]*$/u)[0];
  const [, node, start] = found[0];
  const last = found.at(-1);
  if (before && node.data.slice(0, start).endsWith(before)) found[0][2] = start - before.length;
  if (after && last[1].data.slice(last[3]).startsWith(after)) last[3] += after.length;
}

function textNodes(root) {
  const nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

function wrapped(signs, className) {
  const spans = new Map();
  for (const [, node, a, b] of signs) {
    const span = spans.get(node);
    if (span) span[1] = b;
    else spans.set(node, [a, b]);
  }
  const last = spans.size - 1;
  return Array.from(spans, ([node, [a, b]], at) => {
    if (at > 0 && !COUNTS.test(node.data.slice(0, a))) a = 0;
    if (at < last && !COUNTS.test(node.data.slice(b))) b = node.data.length;
    const range = document.createRange();
    range.setStart(node, a);
    range.setEnd(node, b);
    const marked = document.createElement("mark");
    if (className) marked.className = className;
    range.surroundContents(marked);
    return marked;
  });
}
