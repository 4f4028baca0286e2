// Comments: each below the last of its lines.
"use strict";

async function remarks() {
  const address = view.querySelector("section")?.dataset.address;
  if (!address) return;
  const { text, ok } = await get(`${address}?part=comments`);
  if (!ok || address !== view.querySelector("section")?.dataset.address) return;
  for (const old of view.querySelectorAll(".remarked, .comment")) old.remove();
  for (const comment of parsed(text).querySelectorAll(".comment")) {
    const file = [...view.querySelectorAll(".file")].find((each) => each.dataset.path === comment.dataset.path);
    const row = [...(file?.querySelectorAll("tr:not(.head)") ?? [])].find((each) => lineOf(each, "beforeChange" in comment.dataset) === Number(comment.dataset.line));
    if (!row) {
      (file?.querySelector(".body") ?? view.querySelector("section")).append(comment);
      continue;
    }
    const below = document.createElement("tr");
    below.className = "remarked";
    below.insertCell().colSpan = 4;
    below.cells[0].append(comment);
    row.after(below);
  }
}

function lineOf(row, before) {
  const column = before ? 0 : row.closest("table").classList.contains("split") ? 2 : 1;
  return Number(row.cells[column]?.textContent || 0);
}

// The lines that are selected, or `row`, else the first that changed.
function comment(file, row) {
  const selected = getSelection();
  const lines = [...file.querySelectorAll("tr:not(.head, .remarked)")];
  let chosen = selected.isCollapsed ? [] : lines.filter((each) => selected.containsNode(each, true));
  if (row) chosen = [row];
  if (!chosen.length) chosen = lines.filter((each) => each.querySelector(".new, .old")).slice(0, 1);
  const before = !chosen.some((each) => lineOf(each, false));
  const numbers = chosen.map((each) => lineOf(each, before)).filter(Boolean);
  const form = saying.querySelector("form");
  saying.querySelector(".path").textContent = file.dataset.path;
  saying.dataset.index = file.querySelector("[data-say]").dataset.say;
  form.first.value = Math.min(...numbers, numbers.length ? Infinity : 1);
  form.last.value = Math.max(...numbers, 1);
  form.before.checked = before && numbers.length > 0;
  form.words.value = "";
  saying.showModal();
  form.words.focus();
}

saying.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { first, last, before, words } = event.target;
  const { kind, name } = view.querySelector("section").dataset;
  const lines = { first: Number(first.value), last: Number(last.value), before: before.checked };
  const { text, ok } = await post({ kind, name, index: Number(saying.dataset.index), ...lines, words: words.value }, "comment");
  if (ok) saying.close();
  say(ok ? JSON.parse(text).said : parsed(text).textContent.trim());
  remarks();
});

async function resolve(button) {
  const { text, ok } = await post({ comment: button.dataset.comment, done: button.dataset.done === "true" }, "resolve");
  if (ok) say(JSON.parse(text).said);
  remarks();
}
