// What was asked before: the history, each run step by step again, and what went unanswered.

import { answerElement } from "./answer.js";
import { get } from "./api.js";
import { arrows, button, fill, h } from "./dom.js";
import { entriesOf, stepElement } from "./steps.js";
import { say, when } from "./words.js";

const PACE = 1_400; // milliseconds a step when a run plays by itself

export async function historyView() {
  const told = await get("v1/runs");
  const { runs } = told;
  const rows = runs.length ? list(runs) : h("p", { class: "faint" }, say("history.empty"));
  get("v1/runs/states").then(({ states }) => mark(rows, states), () => {});
  return h("div", { class: "past" }, h("h1", {}, say("history.title")), rows);
}

// Says which old answers rest on text that is no longer there as it was.
function mark(rows, states) {
  for (const row of rows.querySelectorAll("li[data-run]")) {
    const state = states[row.dataset.run];
    if (state && !["unchanged", "moved"].includes(state)) row.querySelector("p").append(h("span", { class: "past-state" }, " · ", say("history.state", { state: say(`approved.state.${state}`) })));
  }
}

export async function unansweredView() {
  const told = await get("v1/unanswered");
  const runs = told.unanswered;
  return h("div", { class: "past" }, h("h1", {}, say("unanswered.title")), h("p", { class: "faint" }, say("unanswered.lead")), runs.length ? list(runs, true) : h("p", { class: "faint" }, say("unanswered.empty")));
}

function list(runs, unanswered = false) {
  return arrows(h("ul", { class: "runs" }, runs.map((run) => row(run, unanswered))), "a");
}

function row(run, unanswered) {
  const question = unanswered ? h("span", { class: "question", dir: "auto" }, run.question) : h("a", { class: "question", href: `#/run/${encodeURIComponent(run.id)}`, dir: "auto" }, run.question);
  const mark = run.good === true ? h("span", { class: "thumb up small", role: "img", "aria-label": say("answer.good") }) : run.good === false ? h("span", { class: "thumb down small", role: "img", "aria-label": say("answer.bad") }) : null;
  return h("li", { class: run.status, "data-run": run.id }, question, h("p", { class: "faint" }, h("span", { class: "status" }, say(`status.${run.status}`)), " · ", when(run.when), run.who && !run.who.startsWith("local:") ? ` · ${run.who.replace(/^user:/, "")}` : null, mark), run.note ? h("p", { class: "note", dir: "auto" }, run.note) : null);
}

// ---------------------------------------------------------------- one run again

export async function runView(id, context) {
  const run = await get(`v1/runs/${encodeURIComponent(id)}`);
  const { answer } = run;
  if (!answer) return unended(run);
  const entries = run.trace ? entriesOf(run.trace) : [];
  const view = h("div", { class: "replay turn" }, h("p", { class: "kicker" }, say("history.replay"), " · ", when(run.when)), h("h1", { dir: "auto" }, run.question));
  const shown = answerElement(answer, { library: run.library, runId: id, good: run.good, note: run.note, search: context.search });
  if (entries.length) view.append(...scrubbed(entries, run.library, shown));
  else view.append(h("p", { class: "faint" }, say("history.gone")), shown);
  shown.querySelector("footer .actions a")?.remove(); // it leads here
  return view;
}

// A run that goes on, perhaps on another machine, or that was cut off with its service.
function unended(run) {
  const steps = run.steps.map((step) => h("li", { dir: "auto" }, [step.tool, ...Object.values(step.arguments)].join(" ")));
  return h("div", { class: "replay turn" }, h("p", { class: "kicker" }, say("history.replay"), " · ", when(run.when)), h("h1", { dir: "auto" }, run.question), h("p", { class: "faint", role: "status" }, say(`status.${run.status}`)), steps.length ? h("ol", { class: "steps" }, steps) : null);
}

// Steps up to one of them; after the last comes the answer.
function scrubbed(entries, library, answer) {
  const steps = h("ol", { class: "steps" });
  const label = h("span", { class: "faint", role: "status" });
  const range = h("input", { type: "range", min: "1", max: entries.length + 1, "aria-label": say("steps.label") });
  let at = entries.length + 1;
  let playing = null;
  const show = (to) => {
    at = Math.max(1, Math.min(entries.length + 1, to));
    fill(steps, entries.slice(0, at).map((entry) => stepElement(entry, library)));
    const ended = at > entries.length;
    steps.lastElementChild?.classList.toggle("latest", !ended);
    answer.hidden = !ended;
    label.textContent = ended ? say("answer.label") : say("history.step", { at, steps: entries.length });
    range.value = at;
    range.setAttribute("aria-valuetext", label.textContent);
    if (ended) pause();
  };
  const pause = () => {
    clearInterval(playing);
    playing = null;
    play.textContent = say("history.play");
  };
  const start = () => {
    if (at > entries.length) show(1);
    playing = setInterval(() => (steps.isConnected ? show(at + 1) : pause()), PACE);
    play.textContent = say("history.pause");
  };
  const play = button(say("history.play"), () => (playing ? pause() : start()), { class: "play" });
  range.addEventListener("input", () => {
    pause();
    show(Number(range.value));
  });
  const step = (by) => () => {
    pause();
    show(at + by);
  };
  const bar = h("div", { class: "scrubber", role: "group", "aria-label": say("history.replay") }, button("‹", step(-1), { "aria-label": say("history.back"), title: say("history.back") }), play, button("›", step(1), { "aria-label": say("history.forward"), title: say("history.forward") }), range, label);
  show(at);
  return [bar, steps, answer];
}
