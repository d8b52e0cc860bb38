// The text of a document as it is read: its sections in order, loaded a few at a time.

import { get } from "./api.js";

const ENOUGH = 1_600; // characters to be shown around a place, about a screen
const PARTS = 12; // of one section at most in one go; a longer one goes on at a click

// Sections of a file, each the chunks (parts) that make it up.
export async function sectionsOf(path, library) {
  const told = await get("v1/outline", { path, library });
  const entries = (told.entries ?? []).filter((entry) => entry.file_path === path);
  const sections = [];
  for (const entry of entries) {
    const last = sections.at(-1);
    if (last && entry.part[0] > 1 && last.entries.length < PARTS) last.entries.push(entry);
    else sections.push({ entries: [entry], trail: entry.section_path, level: entry.level, page: entry.page });
  }
  return sections.map((section) => ({ ...section, size: section.entries.reduce((sum, one) => sum + one.size, 0) }));
}

export function sectionWith(sections, chunkId) {
  const at = sections.findIndex((section) => section.entries.some((entry) => entry.chunk_id === chunkId));
  return Math.max(0, at);
}

// Which sections to show around one: it, the lines before it, and what follows up to a screen.
export function around(sections, at) {
  let [first, last] = [at, at];
  let size = sections[at]?.size ?? 0;
  if (first > 0 && sections[first - 1].size < ENOUGH / 2) size += sections[--first].size;
  while (last + 1 < sections.length && size + sections[last + 1].size <= ENOUGH) size += sections[++last].size;
  return [first, last];
}

// The chunks of a section, and its text: their texts joined are that of the document.
export async function textOf(section, library) {
  const chunks = await Promise.all(section.entries.map((entry) => get("v1/chunk", { id: entry.chunk_id, library })));
  const [first] = chunks;
  const carried = first.part[0] > 1 ? first.carried : "";
  return { chunks, carried, text: chunks.map((chunk) => chunk.text).join("") };
}
