// The document beside the answer: opened at a place, the passage highlighted, pages to turn.

import { address, get } from "./api.js";
import { announce, button, fileName, fill, folderOf, h } from "./dom.js";
import { mark, markLines } from "./fold.js";
import { around, sectionsOf, sectionWith, textOf } from "./leaves.js";
import { markdown } from "./markdown.js";
import { plaintext } from "./plaintext.js";
import { flat } from "./snippets.js";
import { place as spot, say } from "./words.js";

const MARKDOWN = /\.(md|markdown|mdx|mdown|mkd|ipynb|rst|adoc|org)$/i;
const PDF = /\.pdf$/i;
const PICTURE = /\.(png|jpe?g|gif|webp|bmp|avif|svg)$/i;

const panel = () => document.getElementById("reader");
let view = null; // what is open: {place, sections, first, last, at, body, page}
let openedFrom = null; // where the focus goes back to

// `place`: {file_path, chunk_id, library, passage?, quote?, hash?, page?, newer_version?, cited?}
export async function openPlace(place) {
  if (!panel().contains(document.activeElement)) openedFrom = document.activeElement;
  const mine = (view = { place, page: place.page ?? null });
  panel().hidden = false;
  panel().setAttribute("aria-label", say("reader.label"));
  document.body.classList.add("reading");
  fill(panel(), head(place), h("p", { class: "loading" }, say("reader.loading")));
  try {
    mine.sections = await sectionsOf(place.file_path, place.library);
    if (view !== mine) return;
    mine.at = sectionWith(mine.sections, place.chunk_id);
    [mine.first, mine.last] = around(mine.sections, mine.at);
    await show(mine);
  } catch (error) {
    if (view === mine) fill(panel(), head(place), h("p", { class: "failed", role: "alert" }, error.message || say("error.unreachable")));
  }
}

export function closeReader() {
  if (panel().hidden) return false;
  panel().hidden = true;
  fill(panel());
  document.body.classList.remove("reading");
  view = null;
  if (openedFrom?.isConnected) openedFrom.focus();
  return true;
}

async function show(mine) {
  const { place, sections } = mine;
  mine.body = h("div", { class: "sheet", tabindex: "0", role: "document", "aria-label": fileName(place.file_path) });
  const leaves = await Promise.all(sections.slice(mine.first, mine.last + 1).map((section) => leaf(section, mine)));
  if (view !== mine) return;
  mine.body.append(h("div", { class: "leaves" }, leaves));
  const chunk = mine.chunk;
  fill(panel(), h("div", { class: "over" }, head(place, chunk), turner(mine), notices(mine)), pageImage(mine), mine.body);
  ends(mine);
  settle(mine);
  announce([fileName(place.file_path), ...(sections[mine.at]?.trail ?? [])].join(" › "));
}

function settle(mine) {
  const target = mine.body.querySelector("mark") ?? (mine.at > mine.first ? leafAt(mine) : null);
  mine.body.focus({ preventScroll: true });
  const scroller = panel();
  scroller.scrollTop = 0;
  if (target && !PDF.test(mine.place.file_path)) target.scrollIntoView({ block: "center" });
}

const leafAt = (mine) => mine.body.querySelector(`[data-section="${mine.at}"]`);

// ---------------------------------------------------------------- head

function head(place, chunk) {
  const folder = folderOf(place.file_path);
  const date = chunk?.date ? say("reader.dated", { date: chunk.date }) : "";
  const about = [folder, date].filter(Boolean).join(" · ");
  return h(
    "header",
    { class: "reading" },
    h("div", {}, h("h2", { dir: "auto" }, fileName(place.file_path)), about ? h("p", { class: "faint", dir: "auto" }, about) : null),
    h("a", { class: "original", href: address("v1/original", { path: place.file_path, library: place.library }), target: "_blank", rel: "noopener", title: say("reader.original") }, say("reader.original")),
    button("×", closeReader, { class: "close", "aria-label": say("reader.close"), title: `${say("reader.close")} (Esc)` }),
  );
}

function notices(mine) {
  const { place, chunk } = mine;
  const newer = chunk?.newer_version ?? place.newer_version;
  const go = () => openPlace({ file_path: newer, chunk_id: `${newer}#1`, library: place.library });
  return [
    newer ? h("p", { class: "notice newer" }, button(say("answer.newer", { file: fileName(newer) }), go, { class: "linklike" })) : null,
    place.hash && chunk && chunk.hash !== place.hash ? h("p", { class: "notice" }, say("reader.changed")) : null,
    place.cited && !mine.found ? h("p", { class: "notice" }, say("reader.moved")) : null,
  ];
}

function turner(mine) {
  const { sections, at } = mine;
  const choice = h("select", { "aria-label": say("reader.outline") }, sections.map((section, number) => h("option", { value: number, selected: number === at }, entryName(section))));
  choice.addEventListener("change", () => turnTo(Number(choice.value)));
  const arrow = (sign, label, to) => button(sign, () => turnTo(to), { "aria-label": say(label), title: say(label), disabled: !sections[to] });
  return h("nav", { class: "turner", "aria-label": say("reader.outline") }, arrow("‹", "reader.previous", at - 1), choice, arrow("›", "reader.next", at + 1));
}

function entryName(section) {
  const name = section.trail.at(-1) || say("reader.beginning");
  return `${"\u2003".repeat(Math.max(0, Math.min(section.trail.length, 5) - 1))}${name}`;
}

export function turn(by) {
  if (!view?.sections || !view.sections[view.at + by]) return false;
  turnTo(view.at + by);
  return true;
}

function turnTo(at) {
  const section = view.sections[at];
  const { file_path, library } = view.place;
  openPlace({ file_path, library, chunk_id: section.entries[0].chunk_id, page: section.page });
}

// ---------------------------------------------------------------- leaves

async function leaf(section, mine) {
  const { place, sections } = mine;
  const { chunks, carried, text } = await textOf(section, place.library);
  const at = sections.indexOf(section);
  const element = h("section", { class: at === mine.at ? "leaf here" : "leaf", "data-section": at, dir: "auto" });
  element.append(rendered(carried ? `${carried}\n${text}` : text, section, place));
  const shown = pictures(chunks.flatMap((chunk) => chunk.images ?? []), place.library);
  if (shown) element.append(shown);
  if (at === mine.at) {
    mine.chunk = chunks.find((chunk) => chunk.chunk_id === place.chunk_id) ?? chunks[0];
    mine.found = highlight(element, place);
    const where = place.cited ? spot(place.lines, place.page) : "";
    if (where) element.prepend(h("p", { class: "spot faint" }, say("reader.cited", { place: where })));
  }
  return element;
}

function rendered(text, section, place) {
  if (MARKDOWN.test(place.file_path)) return markdown(text, { headings: 2 });
  return plaintext(text, { heading: section.trail.at(-1) ?? "", level: Math.min(6, section.level + 2) });
}

function highlight(element, place) {
  if (!place.passage) return true;
  const plain = MARKDOWN.test(place.file_path) ? lines(place.passage) : place.passage;
  const marks = markLines(element, plain, "passage");
  const found = marks.length ? marks : markLines(element, place.quote || "", "passage");
  if (place.quote) mark(found, MARKDOWN.test(place.file_path) ? lines(place.quote) : place.quote, "quote");
  return found.length > 0;
}

// What of some lines of Markdown a page shows: no addresses of links, no marks.
const lines = (source) => source.split("\n").map((line) => h("div", {}, markdown(line)).textContent).join("\n");

function ends(mine) {
  const more = (at, label) => button(say(`${label}.named`, { name: mine.sections[at].trail.at(-1) || say("reader.beginning") }), () => extend(at), { class: "more" });
  const before = mine.first > 0 ? more(mine.first - 1, "reader.previous") : null;
  const after = mine.last + 1 < mine.sections.length ? more(mine.last + 1, "reader.next") : h("p", { class: "faint end" }, say("reader.end"));
  mine.body.querySelectorAll(":scope > .more, :scope > .end").forEach((one) => one.remove());
  if (before) mine.body.prepend(before);
  mine.body.append(after);
}

async function extend(at) {
  const mine = view;
  const element = await leaf(mine.sections[at], mine);
  if (view !== mine) return;
  const leaves = mine.body.querySelector(".leaves");
  if (at < mine.first) leaves.prepend(element);
  else leaves.append(element);
  mine.first = Math.min(at, mine.first);
  mine.last = Math.max(at, mine.last);
  ends(mine);
}

// ---------------------------------------------------------------- pages and pictures

function pageImage(mine) {
  const { place } = mine;
  mine.page ??= mine.chunk?.page ?? 1;
  if (!PDF.test(place.file_path)) return null;
  const last = Math.max(...mine.sections.map((section) => section.page ?? 1), mine.page);
  const image = h("img", { class: "page" });
  const label = h("span", { class: "faint" });
  const go = (to) => {
    mine.page = to;
    image.src = address("v1/page", { path: place.file_path, page: to, library: place.library });
    image.alt = say("reader.page", { page: to, file: fileName(place.file_path) });
    label.textContent = spot(null, to);
    back.disabled = to <= 1;
    on.disabled = to >= last;
  };
  const back = button("‹", () => go(mine.page - 1), { "aria-label": say("reader.page.previous"), title: say("reader.page.previous") });
  const on = button("›", () => go(mine.page + 1), { "aria-label": say("reader.page.next"), title: say("reader.page.next") });
  image.addEventListener("error", () => figure.remove());
  const figure = h("figure", { class: "paged" }, passageStrip(place), h("div", { class: "frame" }, image), h("figcaption", {}, back, label, on), h("p", { class: "kicker" }, say("reader.text")));
  go(mine.page);
  return figure;
}

function passageStrip(place) {
  if (!place.passage) return null;
  const strip = h("blockquote", { class: "strip", dir: "auto" }, flat(place.passage));
  mark([strip], place.quote || "");
  return strip;
}

// Pictures of a section that lie in the library; addresses elsewhere are never loaded.
export function pictures(targets, library) {
  const own = [...new Set(targets)].filter((target) => !/^[a-z][a-z0-9+.-]*:|^[/\\]/i.test(target) && PICTURE.test(target));
  if (!own.length) return null;
  return h("div", { class: "pictures" }, own.map((target) => picture(target, library)));
}

function picture(target, library) {
  const source = address("v1/image", { path: target, library });
  const image = h("img", { src: source, loading: "lazy", alt: `${say("answer.picture")}: ${fileName(target)}` });
  const link = h("a", { href: source, target: "_blank", rel: "noopener" }, image);
  image.addEventListener("error", () => link.remove());
  return link;
}
