// Markdown → elements. `marked` only reads it; elements are made here, from the short list
// below, and none gets an attribute of the document's but spans of cells and checked links.

import { Lexer } from "./vendor/marked.js";
import { h } from "./dom.js";

const PLAIN = new Set(
  "p div span br hr b strong i em u s del sub sup code pre kbd blockquote ul ol li dl dt dd table thead tbody tfoot tr th td caption h1 h2 h3 h4 h5 h6 details summary figure figcaption".split(" "),
);
const DROPPED = new Set("script style template iframe object embed noscript svg math head title textarea select".split(" "));
const DEPTH = 40; // no real document nests deeper; a hostile one must not exhaust the stack

// `picture(target, alt)` gives an element for an image, `headings` how much lower headings begin.
export function markdown(text, { picture = () => null, headings = 0 } = {}) {
  const view = { picture, headings };
  const fragment = document.createDocumentFragment();
  try {
    fragment.append(...blocks(new Lexer({ gfm: true }).lex(text), view, 0));
  } catch {
    fragment.append(h("pre", {}, text)); // nothing is hidden because it is written strangely
  }
  return fragment;
}

const blocks = (tokens, view, depth) => tokens.flatMap((token) => block(token, view, depth + 1) ?? []);
const inlines = (tokens, view, depth) => (tokens ?? []).flatMap((token) => inline(token, view, depth + 1) ?? []);

function block(token, view, depth) {
  if (depth > DEPTH) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return h("hr");
    case "heading":
      return h(`h${Math.min(6, token.depth + view.headings)}`, {}, inlines(token.tokens, view, depth));
    case "code":
      return h("pre", { tabindex: "0" }, h("code", {}, token.text));
    case "blockquote":
      return h("blockquote", {}, blocks(token.tokens, view, depth));
    case "list":
      return h(token.ordered ? "ol" : "ul", { start: token.ordered && token.start !== 1 ? token.start : null }, token.items.map((item) => listItem(item, view, depth)));
    case "table":
      return table(token, view, depth);
    case "html":
      return html(token.raw, view);
    case "text":
      return token.tokens ? inlines(token.tokens, view, depth) : token.text;
    case "paragraph":
      return h("p", {}, inlines(token.tokens, view, depth));
    default:
      return h("p", {}, token.raw);
  }
}

function listItem(item, view, depth) {
  const box = item.task ? h("span", { class: "task" }, item.checked ? "☑ " : "☐ ") : null;
  const inside = item.tokens.filter((token) => token.type !== "checkbox");
  return h("li", {}, box, blocks(inside, view, depth));
}

function table(token, view, depth) {
  const row = (cells, tag) => h("tr", {}, cells.map((cell) => h(tag, { class: cell.align ? `to-${cell.align}` : null, scope: tag === "th" ? "col" : null }, inlines(cell.tokens, view, depth))));
  return scrolling(h("table", {}, h("thead", {}, row(token.header, "th")), h("tbody", {}, token.rows.map((cells) => row(cells, "td")))));
}

export function scrolling(element) {
  return h("div", { class: "scroll", tabindex: "0", role: "group" }, element);
}

function inline(token, view, depth) {
  if (depth > DEPTH) return token.raw;
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return h(token.type, {}, inlines(token.tokens, view, depth));
    case "codespan":
      return h("code", {}, token.text);
    case "br":
      return h("br");
    case "link":
      return link(token.href, inlines(token.tokens, view, depth));
    case "image":
      return view.picture(token.href, token.text) ?? h("span", { class: "missing" }, token.text || token.href);
    case "html":
      return /^<br\b/i.test(token.raw) ? h("br") : null;
    case "checkbox":
      return null;
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? inlines(token.tokens, view, depth) : entities(token.text);
    default:
      return token.raw;
  }
}

// Only addresses that open a page leave the document; everything else is its text alone.
function link(target, inside) {
  return /^https?:\/\//i.test(target)
    ? h("a", { href: target, target: "_blank", rel: "noopener noreferrer nofollow" }, inside)
    : h("span", { class: "link" }, inside);
}

function entities(text) {
  return text.includes("&") ? inert(text.replaceAll("<", "&lt;")).textContent : text;
}

// A document that is parsed but never shown: nothing in it loads or runs. What the policy of the
// page would complain of while parsing goes before; safety does not rest on that.
const inert = (source) => new DOMParser().parseFromString(quiet(source), "text/html").body;
const quiet = (source) => source.replace(/<style\b[^]*?<\/style\s*>/gi, "").replace(/<(?:base|meta|link|style)\b/gi, "<x").replace(/([\s"'/])(on\w+|style)(\s*=)/gi, "$1x-$2$3");

function html(source, view) {
  return [...inert(source).childNodes].flatMap((node) => kept(node, view, 0) ?? []);
}

function kept(node, view, depth) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE || depth > DEPTH) return null;
  const name = node.localName;
  if (DROPPED.has(name)) return null;
  if (name === "img") return view.picture(node.getAttribute("src") ?? "", node.getAttribute("alt") ?? "");
  const inside = [...node.childNodes].flatMap((child) => kept(child, view, depth + 1) ?? []);
  if (name === "a") return link(node.getAttribute("href") ?? "", inside);
  if (!PLAIN.has(name)) return inside;
  const made = h(lowered(name, view), spans(node), inside);
  return name === "table" ? scrolling(made) : made;
}

const lowered = (name, view) => (/^h\d$/.test(name) ? `h${Math.min(6, Number(name[1]) + view.headings)}` : name);

function spans(node) {
  const attributes = {};
  for (const name of ["colspan", "rowspan"]) {
    const value = Number.parseInt(node.getAttribute(name) ?? "", 10);
    if (value > 1 && value <= 100) attributes[name] = value;
  }
  return attributes;
}
