// Comments: each below the last of its lines, and the form for a new one there.
"use strict";

async function remarks() {
  const address = view.querySelector("section")?.dataset.address;
  if (!address) return;
  const { text, ok } = await get(`${address}?part=comments`);
  if (!ok || address !== view.querySelector("section")?.dataset.address) return;
  for (const old of view.querySelectorAll(".remarked, .comment, .comments-bar")) if (!old.querySelector(".saying")) old.remove();
  const made = parsed(text);
  for (const comment of made.querySelectorAll(".comment")) {
    const file = [...view.querySelectorAll(".file")].find((each) => each.dataset.path === comment.dataset.path);
    const row = [...(file?.querySelectorAll(LINES) ?? [])].find((each) => lineOf(each, "beforeChange" in comment.dataset) === Number(comment.dataset.line));
    if (row) rowBelow(row, "remarked").append(comment);
    else (file?.querySelector(".body") ?? view.querySelector("section")).append(comment);
  }
  const bar = made.querySelector(".comments-bar");
  if (bar) view.querySelector(".files")?.before(bar);
}

const LINES = "tr:not(.head, .remarked)";

// A row of the table below another one, which holds something else than a line.
function rowBelow(row, name) {
  const below = document.createElement("tr");
  below.className = name;
  below.insertCell().colSpan = 4;
  let last = row;
  while (last.nextElementSibling?.classList.contains("remarked")) last = last.nextElementSibling;
  last.after(below);
  return below.cells[0];
}

function lineOf(row, before) {
  const column = before ? 0 : row.closest("table").classList.contains("split") ? 2 : 1;
  return Number(row.cells[column]?.textContent || 0);
}

// Choosing lines: a click on the gutter, a drag over it, or with Shift from the last one.

let dragged = null;
let lastClicked = null;

function rowsBetween(one, other) {
  const lines = [...one.closest(".file").querySelectorAll(LINES)];
  const [from, to] = [lines.indexOf(one), lines.indexOf(other)].sort((a, b) => a - b);
  return from < 0 ? [one] : lines.slice(from, to + 1);
}

function choose(chosen) {
  for (const row of view.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  for (const row of chosen) row.classList.add("chosen");
}

function canComment(cell) {
  return cell?.closest(".file")?.querySelector("[data-say]") && cell.closest(LINES);
}

view.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest(".change td.num");
  if (event.button !== 0 || !canComment(cell)) return;
  event.preventDefault();
  const row = cell.closest("tr");
  const from = event.shiftKey && lastClicked?.isConnected && lastClicked.closest(".file") === row.closest(".file") ? lastClicked : row;
  dragged = { from, to: row, isOld: cell.cellIndex === 0 && row.closest("table").classList.contains("split") };
  choose(rowsBetween(from, row));
});
view.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest(LINES);
  if (!row || row.closest(".file") !== dragged.from.closest(".file") || row === dragged.to) return;
  dragged.to = row;
  choose(rowsBetween(dragged.from, row));
});
document.addEventListener("pointerup", () => {
  if (!dragged) return;
  const { from, to, isOld } = dragged;
  dragged = null;
  lastClicked = from;
  openSaying(from.closest(".file"), rowsBetween(from, to), isOld);
});
document.addEventListener("pointercancel", () => {
  dragged = null;
  choose([]);
});

// The lines that are selected, else the first that changed.
function comment(file) {
  const selected = getSelection();
  const lines = [...file.querySelectorAll(LINES)];
  let chosen = selected.isCollapsed ? [] : lines.filter((each) => selected.containsNode(each, true));
  if (!chosen.length) chosen = lines.filter((each) => each.querySelector(".new, .old")).slice(0, 1);
  openSaying(file, chosen, false);
}

function closeSaying() {
  const form = view.querySelector(".saying");
  const row = form?.closest("tr.remarked");
  choose([]);
  form?.remove();
  if (row && !row.querySelector(".comment")) row.remove();
}

function openSaying(file, chosen, isOld) {
  closeSaying();
  file.classList.remove("folded"); // what is hidden cannot have the focus
  file.querySelector(".fold")?.setAttribute("aria-expanded", true);
  const before = isOld || !chosen.some((each) => lineOf(each, false));
  const numbers = chosen.map((each) => lineOf(each, before)).filter(Boolean);
  const form = document.getElementById("saying").content.firstElementChild.cloneNode(true);
  const [first, last] = numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [1, 1];
  const where = `${file.dataset.path}, ${first === last ? `line ${first}` : `lines ${first}–${last}`}${before && numbers.length ? " before the change" : ""}`;
  Object.assign(form.dataset, { index: file.querySelector("[data-say]").dataset.say, first, last, before: before && numbers.length > 0 });
  form.querySelector(".lines").textContent = where;
  form.setAttribute("aria-label", `Comment on ${where}`);
  choose(chosen);
  const end = chosen.at(-1);
  if (end) rowBelow(end, "remarked").append(form);
  else file.querySelector(".body").append(form);
  form.elements.words.focus();
  form.scrollIntoView({ block: "nearest" });
}

async function sendComment(form) {
  const words = form.elements.words.value;
  const editing = form.dataset.comment;
  const { kind, name } = view.querySelector("section").dataset;
  const { index, first, last, before } = form.dataset;
  const lines = { index: Number(index), first: Number(first), last: Number(last), before: before === "true" };
  const { text, ok } = editing
    ? await post({ comment: editing, words }, "edit-comment")
    : await post({ kind, name, ...lines, words }, "comment");
  say(ok ? JSON.parse(text).said : parsed(text).textContent.trim());
  if (!ok) return;
  closeSaying();
  remarks();
}

view.addEventListener("submit", (event) => {
  if (!event.target.matches(".saying")) return;
  event.preventDefault();
  sendComment(event.target);
});
view.addEventListener("keydown", (event) => {
  const form = event.target.closest?.(".saying");
  if (!form) return;
  event.stopPropagation();
  if (event.key === "Escape") {
    const file = form.closest(".file");
    closeSaying();
    file?.querySelector("[data-say]")?.focus();
    remarks();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

function editComment(button) {
  const place = button.closest(".comment");
  const form = document.getElementById("saying").content.firstElementChild.cloneNode(true);
  closeSaying();
  form.dataset.comment = button.dataset.editComment;
  form.setAttribute("aria-label", place.getAttribute("aria-label"));
  form.querySelector(".lines").textContent = place.getAttribute("aria-label");
  form.querySelector(".button.first").textContent = "Save";
  form.elements.words.value = place.querySelector(".words").textContent;
  place.replaceWith(form);
  form.elements.words.focus();
}

view.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("closeSaying" in button.dataset) {
    closeSaying();
    remarks();
  } else if (button.dataset.editComment) editComment(button);
  else if (button.dataset.deleteComment) {
    const { text, ok } = await post({ comment: button.dataset.deleteComment, words: "" }, "edit-comment");
    say(ok ? JSON.parse(text).said : parsed(text).textContent.trim());
    remarks();
  } else if ("commentsAsPrompt" in button.dataset) {
    const { text, ok } = await get(`${base}/comments-as-prompt`);
    if (!ok) return;
    await navigator.clipboard.writeText(text);
    say("Copied: paste it as a prompt.");
  }
});

async function resolve(button) {
  const { text, ok } = await post({ comment: button.dataset.comment, done: button.dataset.done === "true" }, "resolve");
  if (ok) say(JSON.parse(text).said);
  remarks();
}
