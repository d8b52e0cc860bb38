// The library: folders and files with sizes, dates and states, and the search over them.

import { get } from "./api.js";
import { arrows, button, fileName, fill, folderOf, h } from "./dom.js";
import { openPlace } from "./reader.js";
import { shown } from "./snippets.js";
import { number, place, say, size, when } from "./words.js";

const HITS = 20;
const OPEN = 40; // files of a library whose folders all stand open
const BATCH = 200; // files of a folder shown at once

export async function libraryView(context, folder = "") {
  const results = h("div", { class: "results", "aria-live": "polite" });
  const tree = h("div", { class: "tree" });
  const view = h("div", { class: "library" }, h("h1", {}, say("library.title")));
  const status = await get("v1/documents");
  const files = status.documents;
  const box = searchBox(files, results, tree, context);
  const troubled = files.filter((file) => !["ok", "skipped"].includes(file.state));
  view.append(summary(status, files), box, troubles(troubled, files, tree, folder) ?? "", results, tree);
  drawTree(tree, files, folder);
  return view;
}

function summary(status, files) {
  const readable = files.filter((file) => file.chunks).length;
  const told = say("library.summary", { files: number(readable), sections: number(status.chunks), characters: number(status.characters) });
  const synced = status.synced ? ` · ${say("library.synced", { when: when(status.synced) })}` : "";
  return h("p", { class: "faint" }, told + synced);
}

function troubles(troubled, files, tree, folder) {
  if (!troubled.length) return null;
  const only = button(say("library.only"), () => {
    const pressed = only.getAttribute("aria-pressed") !== "true";
    only.setAttribute("aria-pressed", pressed);
    only.textContent = say(pressed ? "library.all" : "library.only");
    drawTree(tree, pressed ? troubled : files, pressed ? "" : folder, pressed || files.length <= OPEN);
  }, { class: "linklike", "aria-pressed": "false" });
  return h("p", { class: "notice" }, say("library.troubled", { count: number(troubled.length) }), " ", only);
}

// ---------------------------------------------------------------- tree

function drawTree(tree, files, folder, open = files.length <= OPEN) {
  if (!files.length) return fill(tree, h("p", { class: "faint" }, say("library.none")));
  const wanted = files.filter((file) => !folder || file.path.startsWith(`${folder}/`));
  return arrows(fill(tree, folderElement(nested(wanted), "", open || Boolean(folder))), "summary, button.file");
}

function nested(files) {
  const root = { folders: new Map(), files: [], count: files.length };
  for (const file of files) {
    let at = root;
    for (const name of folderOf(file.path).split("/").filter(Boolean)) {
      if (!at.folders.has(name)) at.folders.set(name, { folders: new Map(), files: [], count: 0 });
      at = at.folders.get(name);
      at.count += 1;
    }
    at.files.push(file);
  }
  return root;
}

function folderElement(held, name, open) {
  const list = h("ul", {});
  for (const [below, inside] of held.folders) list.append(h("li", {}, folderElement(inside, below, open)));
  more(list, held.files, 0);
  if (!name) return list;
  return h("details", { open }, h("summary", {}, h("span", { class: "name", dir: "auto" }, name), h("span", { class: "faint" }, say("library.files", { count: number(held.count) }))), list);
}

function more(list, files, from) {
  list.append(...files.slice(from, from + BATCH).map(fileElement));
  if (files.length <= from + BATCH) return;
  const rest = h("li", {}, button(say("step.more", { count: number(files.length - from - BATCH) }), () => {
    rest.remove();
    more(list, files, from + BATCH);
  }, { class: "linklike" }));
  list.append(rest);
}

function fileElement(file) {
  const about = [
    fileName(file.path).startsWith(file.title) ? "" : file.title,
    file.newer_version ? say("library.newer") : "",
  ].filter(Boolean);
  const state = file.state === "ok" ? null : h("span", { class: `state ${file.state}`, title: file.reason ?? "" }, say(`state.${file.state}`));
  const inside = [h("span", { class: "name", dir: "auto" }, fileName(file.path)), about.length ? h("span", { class: "about faint", dir: "auto" }, about.join(" · ")) : null, state, h("span", { class: "date faint" }, file.date ?? ""), h("span", { class: "size faint" }, size(file.size))];
  const reason = file.reason ? h("p", { class: "reason faint", dir: "auto" }, file.reason) : null;
  const go = () => openPlace({ file_path: file.path, chunk_id: `${file.path}#1` });
  return h("li", {}, file.chunks ? h("button", { type: "button", class: "file", title: file.path, onclick: go }, inside) : h("div", { class: "file", title: file.path }, inside), reason);
}

// ---------------------------------------------------------------- search

function searchBox(files, results, tree, context) {
  const field = h("input", { type: "search", id: "search", "aria-label": say("library.filter"), placeholder: say("library.filter"), autocomplete: "off", maxlength: "400" });
  const form = h("form", { class: "find", role: "search" }, field, h("button", { type: "submit", class: "primary" }, say("library.search")));
  const run = async (words) => {
    field.value = words;
    tree.hidden = Boolean(words);
    if (!words) return fill(results);
    fill(results, h("p", { class: "faint" }, say("reader.loading")));
    const found = await get("v1/search", { q: words, k: HITS }).catch((error) => fill(results, h("p", { class: "failed", role: "alert" }, error.message)));
    if (found.hits) showResults(results, found, words, files, context, run);
    return results;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(field.value.trim());
  });
  field.addEventListener("input", () => field.value || run(""));
  if (context.words) run(context.words);
  return form;
}

function showResults(results, found, words, files, context, again) {
  const named = files.filter((file) => file.chunks && file.path.toLowerCase().includes(words.toLowerCase())).slice(0, 8);
  fill(
    results,
    told(found, words),
    named.length ? h("section", {}, h("h2", { class: "kicker" }, say("search.files")), h("ul", { class: "plain" }, named.map(fileElement))) : null,
    arrows(h("ol", { class: "found" }, found.hits.map(hitElement)), "button.place"),
    found.other_files.length ? h("p", { class: "faint others" }, say("search.more"), " ", found.other_files.map((one) => `${one.file_path} (${number(one.count)})`).join(" · ")) : null,
    tries(found, again),
    h("p", {}, h("a", { href: `#/ask/${encodeURIComponent(words)}` }, say("search.ask"))),
  );
}

function told(found, words) {
  if (!found.hits.length) return h("p", {}, say("search.none", { words }));
  const lines = [say("search.found", { total: number(found.total), files: number(found.files) })];
  if (found.level === "some") lines.push(say("search.some"));
  if (found.missing.length) lines.push(say("search.missing", { words: found.missing.join(" · ") }));
  return h("p", { class: "faint" }, lines.join(" "));
}

function tries(found, again) {
  const words = [...found.suggestions, ...found.others.map((one) => one.other)];
  if (!words.length) return null;
  return h("p", { class: "chips" }, h("span", { class: "faint" }, say("search.try")), [...new Set(words)].map((one) => button(one, () => again(one), { class: "chip" })));
}

function hitElement(hit) {
  const go = () => openPlace({ ...hit, passage: hit.snippet });
  const where = [...hit.section_path, place(hit.lines, hit.page)].filter(Boolean).join(" › ");
  return h("li", {}, h("button", { type: "button", class: "place", title: hit.file_path, dir: "auto", onclick: go }, hit.file_path), h("span", { class: "trail faint", dir: "auto" }, where), h("p", { class: "snippet", dir: "auto" }, shown(hit.snippet, hit.matched)));
}
