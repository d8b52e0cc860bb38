// Elements, made one by one: text never becomes markup, so nothing in a document can run.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
  return element;
}

function set(element, name, value) {
  if (value == null || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "class") element.className = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

// What a screen reader says without moving the focus.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// Arrow keys move between the items of a list; Home and End go to its ends.
export function arrows(list, selector) {
  list.addEventListener("keydown", (event) => {
    const items = [...list.querySelectorAll(selector)].filter((item) => item.offsetParent);
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || to === undefined || !items[to]) return;
    event.preventDefault();
    items[to].focus();
  });
  return list;
}

export function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text); // without TLS browsers offer no clipboard
  }
}

function copiedBySelection(text) {
  const area = h("textarea", { class: "unseen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
