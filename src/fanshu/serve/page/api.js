// The service: JSON over HTTP, and the events of a run as they come.

import { say } from "./words.js";

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.status = status;
    this.code = body.code || "";
    this.body = body;
  }
}

let library = "";
let rights = {};
let onLoginNeeded = () => {};

export const chosen = () => library;
export const choose = (name) => (library = name);
export const allow = (told) => (rights = told ?? {}); // what whoever is here may do
export const may = (name) => Boolean(rights[name]);
export const whenLoginNeeded = (action) => (onLoginNeeded = action);

export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  const named = { ...parameters, library: parameters.library ?? library };
  for (const [name, value] of Object.entries(named)) {
    if (value != null && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

export async function get(path, parameters = {}) {
  return (await sent(address(path, parameters), { headers: { Accept: "application/json" } })).json();
}

export async function post(path, body, type = "application/json") {
  const headers = { "Content-Type": type, Accept: "application/json" };
  const text = type === "application/json" ? JSON.stringify(body) : new URLSearchParams(body);
  const response = await sent(path, { method: "POST", headers, body: text });
  return response.status === 204 ? null : response.json().catch(() => null);
}

export async function send(method, path, body) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const response = await sent(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  return response.status === 204 ? null : response.json().catch(() => null);
}

async function sent(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { code: "unreachable", detail: say("error.unreachable") });
  }
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => ({})));
  if (response.status === 401) onLoginNeeded();
  throw problem;
}

// Asks, and calls `told(name, data)` for every event; ends with the answer or throws.
export async function ask(body, told, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const asked = JSON.stringify({ ...body, ...(library ? { library } : {}) });
  const response = await sent("v1/ask", { method: "POST", headers, body: asked, signal });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.json();
  for await (const [name, data] of events(response.body)) {
    if (name === "error") throw new Problem(data.status ?? 500, data);
    if (name === "answer") return data.answer?.status ? data.answer : data;
    told(name, data);
  }
  throw new Problem(0, { code: "cut_off", detail: say("error.cut_off") });
}

async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const event of blocks.map(parsed)) if (event) yield event;
  }
}

function parsed(block) {
  const fields = block.split("\n").map((line) => line.match(/^(\w*):? ?(.*)$/s)).filter(Boolean);
  const of = (name) => fields.filter((field) => field[1] === name).map((field) => field[2]).join("\n");
  const data = of("data");
  return data ? [of("event") || "message", JSON.parse(data)] : null;
}
