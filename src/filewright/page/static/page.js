// The page: its elements, a message at its edge, and requests with the key of this tab.
// Nothing of a file or a name is ever made into HTML by a script.
"use strict";

const body = document.body;
const base = body.dataset.base;
const kept = `filewright ${base}`; // the tab's own storage: it is of this port alone, and ends with the tab
let key = sessionStorage.getItem(kept);
const view = document.getElementById("view");
const rows = document.getElementById("rows");
const filter = document.getElementById("filter");
const live = document.getElementById("live");
const dialog = document.getElementById("ask");
let asked = 0;

// A message for a moment; one about an undo has the change that can be undone in turn.
function say(text, undone = "") {
  if (!text) return;
  const said = document.getElementById("said");
  said.replaceChildren(text);
  if (undone) {
    const button = document.createElement("button");
    button.textContent = "Undo this";
    Object.assign(button.dataset, { act: "", kind: "change", name: undone });
    said.append(" ", button);
  }
  said.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), undone ? 12000 : 5000);
}

function ask(address, options = {}) {
  return fetch(address, { ...options, headers: { ...options.headers, "x-filewright-key": key } });
}

async function get(address, options = {}) {
  const answer = await ask(address, options);
  const text = await answer.text();
  if (answer.status === 403 && !options.method) {
    shut("The server no longer knows this page.");
    throw new Error("The server no longer knows this page.");
  }
  return { text, ok: answer.ok };
}

function keep(name, value) {
  document.cookie = `filewright_${name}=${value}; path=${base || "/"}; SameSite=Strict; max-age=31536000`;
}
