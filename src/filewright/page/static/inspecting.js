// Versions of a file, its lines, two moments, and the search in contents.
"use strict";

// Versions: two are chosen by buttons, or one after the other by the slider.

async function compare(form) {
  const { first, last } = form.elements;
  const place = form.parentElement.querySelector(".compared");
  const wanted = new URLSearchParams({ part: "compared", first: first.value, last: last.value });
  const { text } = await get(`${form.closest("section").dataset.address}?${wanted}`);
  if (form.elements.first.value !== wanted.get("first") || form.elements.last.value !== wanted.get("last")) return;
  place.replaceChildren(parsed(text));
}

function stepVersion(form) {
  const at = Number(form.elements.step.value);
  const newer = [...form.querySelectorAll('[name="last"]')].at(at);
  const older = [...form.querySelectorAll('[name="first"]')].at(at + 1);
  if (!newer || !older) return;
  newer.checked = older.checked = true;
  newer.closest("tr").scrollIntoView({ block: "nearest" });
  compare(form);
}

async function olderVersions(button) {
  if (button.disabled) return;
  button.disabled = true;
  const { text, ok } = await get(button.dataset.versions);
  if (!ok) return;
  const form = button.closest("form");
  const table = document.createElement("template");
  table.innerHTML = `<table>${text}</table>`; // made and escaped by the server
  button.closest("tr").replaceWith(...table.content.querySelectorAll("tr"));
  form.elements.step.max = form.querySelectorAll('[name="last"]').length - 2;
}

view.addEventListener("change", (event) => {
  const form = event.target.closest("form.versions");
  if (form && event.target.type === "radio") compare(form);
});
view.addEventListener("input", (event) => {
  if (event.target.name === "step") stepVersion(event.target.form);
});
view.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-versions]");
  if (button) olderVersions(button);
});

// Moments and texts

view.addEventListener("submit", (event) => {
  if (!event.target.matches(".moments, .find")) return;
  const { first, last, text } = event.target.elements;
  event.preventDefault();
  if (event.target.matches(".moments")) show(`${base}/between/${encodeURIComponent(`${first.value.trim() || "begin"}..${last.value.trim() || "now"}`)}`);
  else if (event.target.matches(".find")) show(`${base}/find/${encodeURIComponent(text.value)}`);
});

filter.addEventListener("submit", () => {
  if (filter.q.value.trim()) show(`${base}/find/${encodeURIComponent(filter.q.value)}`);
});

// A change that is clicked with Shift, and the next one so: what differs between them.
let momentChosen = null;
rows.addEventListener("click", (event) => {
  const row = event.target.closest("a[data-change]");
  if (!row || !event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  const chosen = row.dataset.change;
  if (!momentChosen || momentChosen === chosen) {
    momentChosen = chosen;
    say("Now click the other change, with Shift.");
    return;
  }
  const [first, last] = [momentChosen, chosen].sort();
  momentChosen = null;
  show(`${base}/between/${first}..${last}`);
});

keys.b = () => fileHere()?.querySelector("[data-blame]")?.click();
keys.t = () => fileHere()?.querySelector("[data-versions]")?.click();
