// The steps of a run, as a person leafing through documents: live, or from its trace.

import { announce, fileName, h } from "./dom.js";
import { openPlace } from "./reader.js";
import { beginning, excerpt, shown } from "./snippets.js";
import { number, say } from "./words.js";

const HITS = 3; // of a search, in one step
const LONGEST = 160; // characters of a note or of what an answer was sent back for

// One entry for each thing that happened, from events as they come over the wire.
export function entryOf(name, data) {
  if (name === "step") return { kind: kindOf(data), round: data.round, call: data.call, given: data.observation };
  if (name === "bounced") return { kind: "bounced", round: data.round, objections: data.objections };
  return null;
}

// The entries of a trace: the same as its events were.
export function entriesOf(trace) {
  const opening = trace.opening;
  const ahead = opening?.search
    ? [{ kind: "ahead", round: 0, call: { name: "search", arguments: { keyword: opening.search.query || trace.question } }, given: { data: opening.search } }]
    : [];
  const read = (opening?.read ?? []).map((chunk) => ({ kind: "read", round: 0, call: { name: "read", arguments: { chunk_id: chunk.chunk_id } }, given: { data: chunk } }));
  return [...ahead, ...read, ...(trace.rounds ?? []).flatMap(ofRound)];
}

function ofRound(step) {
  const given = new Map(step.observations.map((one) => [one.call_id, one]));
  return step.calls.flatMap((call) => {
    const entry = { kind: call.name, round: step.round, call, given: given.get(call.id) };
    const objections = call.name === "answer" ? entry.given?.data?.objections : null;
    return objections?.length ? [entry, { kind: "bounced", round: step.round, objections }] : [entry];
  });
}

const kindOf = (step) => (step.round === 0 && step.call.name === "search" ? "ahead" : step.call.name);

export function stepElement(entry, library) {
  return h("li", { class: `step is-${entry.kind}` }, body(entry, library));
}

function body(entry, library) {
  const { data, error } = entry.given ?? {};
  switch (entry.kind) {
    case "ahead":
    case "search":
      return [line(entry.kind, wordsOf(entry), cameOf(entry)), hits(data, library)];
    case "read":
    case "next_chunk":
    case "prev_chunk":
      return data?.chunk_id && data.text !== undefined
        ? [line(entry.kind, "", ""), slip(data, library)]
        : line(entry.kind, entry.call.arguments?.chunk_id ?? "", say(error ? "step.failed" : "step.again"));
    case "outline":
      return line("outline", entry.call.arguments?.path || say("step.everything"), error ? say("step.failed") : "");
    case "summarize":
      return [line("summarize", "", ""), h("p", { class: "note", dir: "auto" }, short(entry.call.arguments?.summary))];
    case "answer":
      return line("answer", "", verdict(entry));
    case "bounced":
      return [line("bounced", "", ""), h("ul", { class: "objections" }, entry.objections.map((one) => h("li", { dir: "auto" }, short(one))))];
    default:
      return line(entry.kind, "", "");
  }
}

// The first search is made with the question, which stands above.
function wordsOf(entry) {
  return entry.kind === "ahead" ? say("step.ahead.words") : h("q", {}, entry.call.arguments?.keyword ?? "");
}

function verdict(entry) {
  const objections = entry.given?.data?.objections;
  if (!objections) return "";
  return say(objections.length ? "step.sent" : "step.passed");
}

function line(kind, what, came) {
  return h("p", { class: "did" }, h("span", { class: "verb" }, say(`step.${kind}`)), what ? [" ", h("span", { class: "what", dir: "auto" }, what)] : null, came ? h("span", { class: "came" }, came) : null);
}

function cameOf({ given }) {
  if (!given?.data?.hits) return say(given?.error ? "step.failed" : "step.again");
  const { total, hits: found } = given.data;
  return total || found.length ? say("step.found", { total: number(Math.max(total, found.length)) }) : say("step.nothing");
}

function hits(data, library) {
  if (!data?.hits?.length) return null;
  return h("ul", { class: "hits" }, data.hits.slice(0, HITS).map((hit) => h("li", {}, opener(hit, library, hit.snippet), " ", h("span", { class: "snippet", dir: "auto" }, shown(excerpt(hit.snippet, hit.matched), hit.matched)))));
}

function slip(chunk, library) {
  const heading = chunk.section_path.at(-1) ?? "";
  return h("div", { class: "slip" }, opener(chunk, library, ""), h("span", { class: "snippet", dir: "auto" }, beginning(chunk.text, heading)));
}

function opener(at, library, passage) {
  const label = [fileName(at.file_path), ...at.section_path.slice(-1)].join(" › ");
  const go = () => openPlace({ ...at, library, passage, quote: "" });
  return h("button", { type: "button", class: "place", title: at.file_path, dir: "auto", onclick: go }, label);
}

function short(value) {
  const text = String(value ?? "").replace(/\s+/g, " ").trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

// A run on the page: steps arrive, then fold away under one line when the answer is there.
export class Steps {
  constructor(library) {
    this.library = library;
    this.entries = [];
    this.list = h("ol", { class: "steps" });
    this.now = h("p", { class: "now" }, h("span", { class: "leaf", "aria-hidden": "true" }), h("span", {}, say("steps.starting")));
    this.summary = h("summary", {}, say("steps.label"));
    this.element = h("details", { class: "run", open: true }, this.summary, this.list, this.now);
  }

  tell(name, data) {
    if (name === "queued") this.#now(say("ask.queued", { place: data.place }));
    if (name === "round") this.#now(say("steps.thinking", { round: data.round, rounds: data.round + data.left - 1 }));
    const entry = entryOf(name, data);
    if (entry) this.add(entry);
  }

  add(entry, live = true) {
    this.entries.push(entry);
    const element = stepElement(entry, this.library);
    this.list.append(element);
    if (!live) return;
    this.#follow(element);
    announce(element.querySelector(".did").textContent);
  }

  // Keeps the newest step in sight for whoever watches the end of the list, and for nobody else.
  #follow(element) {
    const inSight = element.getBoundingClientRect().top < innerHeight;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    if (inSight) this.now.scrollIntoView({ block: "nearest", behavior });
  }

  #now(text) {
    this.now.lastChild.textContent = text;
  }

  done(seconds, open = false) {
    this.now.remove();
    const count = (...kinds) => this.entries.filter((one) => kinds.includes(one.kind)).length;
    const fields = { searches: count("ahead", "search"), reads: count("read", "next_chunk", "prev_chunk"), seconds: seconds.toFixed(1) };
    this.summary.textContent = say("steps.summary", fields);
    this.element.open = open;
    if (!this.entries.length) this.element.remove();
  }
}
