// Asking: the box, the conversation so far, and the run as it unfolds.

import { answerElement } from "./answer.js";
import { ask, chosen, get } from "./api.js";
import { announce, button, fill, h } from "./dom.js";
import { Steps } from "./steps.js";
import { current, number, say, when } from "./words.js";

const EARLIER = 10; // questions of a conversation that a follow-up is told of
const RECENT = 4;
const LONGEST = 4_000; // characters of a question

const conversation = { turns: [], element: null, running: null, language: "", refresh: () => {} };

export function newConversation() {
  conversation.running?.abort();
  conversation.turns = [];
  conversation.element = null;
}

export const stop = () => {
  if (!conversation.running) return false;
  conversation.running.abort();
  return true;
};

// The view of asking: kept as it is while somebody looks elsewhere.
export function askingView(context, question = "") {
  conversation.element ??= h("div", { class: "turns" });
  if (conversation.language !== current()) conversation.turns.forEach((turn) => turn.redraw?.());
  conversation.language = current();
  const box = form(context);
  const view = h("div", { class: "asking" });
  conversation.refresh = box.refresh;
  context.drawAsking = () => {
    const begun = conversation.turns.length > 0;
    view.classList.toggle("begun", begun);
    fill(view, begun ? conversation.element : welcome(), box.element);
    box.refresh();
  };
  context.drawAsking();
  if (question) begin(question, context);
  else requestAnimationFrame(() => conversation.element?.lastElementChild?.scrollIntoView({ block: "start" }));
  return view;
}

function form(context) {
  const text = h("textarea", { id: "question", rows: "1", maxlength: LONGEST, "aria-label": say("ask.label"), autocomplete: "off", enterkeyhint: "send", spellcheck: "false" });
  const send = h("button", { type: "submit", class: "primary" }, say("ask.submit"));
  const halt = button(say("ask.stop"), stop, { class: "primary stop", hidden: true });
  const anew = button(say("ask.new"), () => {
    newConversation();
    context.go("#/");
    context.drawAsking();
    text.focus();
  }, { class: "linklike anew" });
  const element = h("form", { class: "ask" }, h("div", { class: "box" }, text, send, halt), h("p", { class: "hint faint" }, anew, h("span", {}, say("keys.hint"))));
  const box = {
    element,
    refresh() {
      const begun = conversation.turns.length > 0;
      text.placeholder = say(begun ? "ask.followup" : "ask.placeholder");
      anew.hidden = !begun;
      send.hidden = Boolean(conversation.running);
      halt.hidden = !conversation.running;
    },
  };
  const grow = () => {
    text.style.height = "auto";
    text.style.height = `${Math.min(text.scrollHeight, 200)}px`;
  };
  text.addEventListener("input", grow);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    element.requestSubmit();
  });
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = text.value.trim();
    if (!question || conversation.running) return;
    text.value = "";
    grow();
    begin(question, context);
  });
  return box;
}

// ---------------------------------------------------------------- a run

async function begin(question, context, fresh = false) {
  if (conversation.running) return;
  const turn = { question, answer: null, library: chosen(), runId: null };
  const steps = new Steps(turn.library);
  const place = h("div", {}, steps.element);
  const earlier = exchanges();
  conversation.turns.push(turn);
  conversation.element.append(h("article", { class: "turn" }, h("h2", { dir: "auto" }, question), place));
  const running = (conversation.running = new AbortController());
  context.drawAsking();
  place.closest("article").scrollIntoView({ block: "start" });
  const began = performance.now();
  const told = (name, data) => {
    turn.runId ??= data.run_id ?? null;
    steps.tell(name, data);
  };
  try {
    turn.answer = await ask(body(question, earlier, fresh), told, running.signal);
    announce(say(`status.${turn.answer.status}`));
  } catch (error) {
    turn.failed = error;
  }
  if (conversation.running === running) conversation.running = null;
  ended(turn, place, steps, (performance.now() - began) / 1000, context);
  conversation.refresh();
  inSight(place.closest("article"));
}

function body(question, earlier, fresh) {
  return { question, ...(earlier.length ? { earlier } : {}), ...(fresh ? { fresh } : {}) };
}

// What a run has come to, under its steps; drawn anew when the language changes.
function ended(turn, place, steps, seconds, context) {
  const outcome = () => {
    if (!turn.answer) return failure(turn.failed, () => begin(turn.question, context));
    const { library, runId } = turn;
    const again = () => begin(turn.question, context, true);
    return answerElement(turn.answer, { library, runId: runId ?? turn.answer.trace_id, search: context.search, again });
  };
  turn.redraw = () => {
    const anew = new Steps(turn.library);
    steps.entries.forEach((entry) => anew.add(entry, false));
    fill(place, anew.element, outcome());
    anew.done(seconds, !turn.answer);
  };
  place.append(outcome());
  steps.done(seconds, !turn.answer);
}

// Whoever followed the steps is shown the answer from its beginning; whoever reads further up is
// left alone.
function inSight(article) {
  if (article.isConnected && article.getBoundingClientRect().top < innerHeight) article.scrollIntoView({ block: "start" });
}

function failure(error, retry) {
  if (error.name === "AbortError") return h("p", { class: "failed" }, say("ask.stopped"));
  const known = ["unreachable", "cut_off"].includes(error.code);
  const words = known ? say(`error.${error.code}`) : error.message;
  return h("div", { class: "failed", role: "alert" }, h("p", {}, h("strong", {}, say("ask.failed")), " ", words), button(say("error.retry"), retry));
}

// What a follow-up is told of: what was answered, with the places it rests on.
function exchanges() {
  const told = conversation.turns.filter((turn) => turn.answer?.answer && turn.answer.status !== "error");
  return told.slice(-EARLIER).map(({ question, answer }) => ({ question, answer: answer.answer.slice(0, 20_000), places: [...new Set(answer.citations.map((one) => one.chunk_id))].slice(0, 50) }));
}

// ---------------------------------------------------------------- before the first question

function welcome() {
  const lead = h("p", { class: "lead" });
  const folders = h("p", { class: "chips" });
  const recent = h("div", { class: "recent" });
  const element = h("div", { class: "welcome" }, h("h1", {}, say("ask.title")), lead);
  get("v1/documents").then((told) => describe(told, lead, folders), () => {});
  get("v1/runs").then((told) => lately(told.runs, recent), () => {});
  return [element, h("div", { class: "below" }, folders, recent)];
}

function describe(told, lead, folders) {
  const readable = told.documents.filter((file) => file.chunks);
  lead.textContent = readable.length ? say("ask.lead", { files: number(readable.length) }) : say("ask.empty");
  const names = [...new Set(readable.map((file) => file.path).filter((path) => path.includes("/")).map((path) => path.slice(0, path.indexOf("/"))))];
  if (names.length) folders.append(h("span", { class: "faint" }, say("ask.folders")), ...names.slice(0, 8).map((name) => h("a", { class: "chip", href: `#/library/${encodeURIComponent(name)}` }, name)));
}

function lately(runs, recent) {
  const seen = new Set();
  const shown = runs.filter((run) => !seen.has(run.question) && seen.add(run.question)).slice(0, RECENT);
  if (!shown.length) return;
  recent.append(h("h2", { class: "kicker" }, say("ask.recent")), h("ul", {}, shown.map((run) => h("li", {}, h("a", { href: `#/run/${encodeURIComponent(run.id)}`, dir: "auto" }, run.question), h("span", { class: "faint" }, when(run.when))))));
}
