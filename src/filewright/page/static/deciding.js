// Deciding: hunks, files and prompts are accepted; what is decided folds to one line.
"use strict";

// The bar of the view: how much is open, and what to do with the rest.

async function bar() {
  const place = view.querySelector("[data-bar]");
  if (!place) return;
  const { text, ok } = await get(`${view.querySelector("section").dataset.address}?part=bar`);
  if (ok && place.isConnected) place.replaceChildren(parsed(text));
}

async function decide(button) {
  const { kind, name } = view.querySelector("section").dataset;
  const file = button.closest(".file");
  const place = button.closest("tbody.hunk") ?? file;
  const accept = !place?.classList.contains("accepted");
  const { hunks, files } = button.dataset;
  const wanted = hunks ? { path: file.dataset.path, hunks: hunks.split(" ") } : { files: files.split(" ") };
  const { text, ok } = await post({ kind, name, accept, ...wanted }, "decide");
  if (!ok) return say(parsed(text).textContent.trim());
  const decision = accept ? "accepted" : "";
  if (hunks) settleHunk(place, decision);
  else for (const each of view.querySelectorAll(".file")) if (wanted.files.includes(each.dataset.mark)) settleFile(each, decision);
  bar();
}

async function acceptRest() {
  const { kind, name, newest: seen } = view.querySelector("section").dataset;
  const { text, ok } = await post({ kind, name, newest: seen, accept: true }, "decide");
  if (!ok) return say(parsed(text).textContent.trim());
  say("Accepted all that was open.");
  if (kind === "new") return show(`${base}/`, { push: false });
  for (const file of view.querySelectorAll(".file:not(.undone)")) settleFile(file, "accepted");
  bar();
}

// The decision about a hunk or a file, as the page shows it at once.

function settleHunk(hunk, decision) {
  paint(hunk, decision, `hunk ${hunk.dataset.hunk}`);
  const file = hunk.closest(".file");
  const hunks = [...file.querySelectorAll("tbody.hunk[data-mark]")];
  const isWhole = !file.querySelector("[data-hidden]");
  if (!decision) paintFile(file, "");
  else if (isWhole && hunks.every((each) => each.matches(".accepted, .undone"))) paintFile(file, hunks.every((each) => each.matches(".undone")) ? "undone" : "accepted");
}

function settleFile(file, decision) {
  if (!file || (decision === "accepted" && file.classList.contains("undone"))) return;
  for (const hunk of file.querySelectorAll("tbody.hunk[data-mark]:not(.undone)")) paint(hunk, decision, `hunk ${hunk.dataset.hunk}`);
  paintFile(file, decision);
}

function paintFile(file, decision) {
  paint(file, decision, file.querySelector("h2").textContent.trim());
  file.classList.toggle("folded", decision !== "");
  file.querySelector(".fold").setAttribute("aria-expanded", decision === "");
  const link = view.querySelector(`.tree [data-index="${file.dataset.index}"]`);
  link?.classList.toggle("accepted", decision === "accepted");
  link?.classList.toggle("undone", decision === "undone");
}

function paint(place, decision, name) {
  place.classList.toggle("accepted", decision === "accepted");
  place.classList.toggle("undone", decision === "undone");
  place.classList.remove("shown");
  const head = place.querySelector(place.matches(".hunk") ? ".head" : "header");
  const said = head?.querySelector("[data-decided]");
  if (!said) return;
  said.textContent = { accepted: "Accepted", undone: "Undone" }[decision] ?? "";
  const button = head.querySelector("[data-accept]");
  if (button) {
    const open = place.matches(".hunk") ? "Accept" : "Accept file";
    button.textContent = decision ? "Reopen" : open;
    button.setAttribute("aria-label", `${button.textContent} ${name}`);
    button.hidden = decision === "undone";
  }
  const undo = head.querySelector("[data-act]:not([data-force])");
  if (undo) undo.hidden = decision === "undone";
}

// What was undone by the dialog: a hunk or a file folds; a larger part is shown anew.

function settleUndo(action) {
  const { kind, name } = view.querySelector("section")?.dataset ?? {};
  const file = action.path && [...view.querySelectorAll(".file")].find((each) => each.dataset.path === action.path);
  if (!file || action.force || kind !== action.kind || name !== action.name) {
    if (action.kind === "new" || kind === "new") show(`${base}/`, { push: false });
    else if (action.rest) show(location.href, { push: false });
    return;
  }
  const hunk = action.hunk && file.querySelector(`tbody[data-hunk="${action.hunk}"]`);
  if (kind === "new") show(location.href, { push: false, keep: true }); // its hunks have other numbers now
  else if (hunk) settleHunk(hunk, "undone");
  else settleFile(file, "undone");
  bar();
}

// Hunks by key: the one with the focus, else the first that is in view. A file without hunks of its own, such as a
// new one, is one stop: its head.

function stops() {
  const found = [];
  for (const file of view.querySelectorAll(".file:not(.bare)")) {
    const hunks = [...file.querySelectorAll("tbody.hunk:has(.head [data-accept])")].filter((each) => each.checkVisibility());
    found.push(...(hunks.length ? hunks : [file.querySelector("header")]));
  }
  return found;
}

function stopHere() {
  const all = stops();
  const focused = all.find((each) => each.contains(document.activeElement));
  const top = viewTop();
  return focused ?? all.find((each) => isOpen(each) && each.getBoundingClientRect().bottom > top);
}

function isOpen(stop) {
  return !(stop.matches(".hunk") ? stop : stop.closest(".file")).matches(".accepted, .undone");
}

function viewTop() {
  const about = view.querySelector(".about");
  const isSticky = about && getComputedStyle(about).position === "sticky";
  return view.getBoundingClientRect().top + (isSticky ? about.offsetHeight : 0);
}

function stepHunk(by) {
  const hunks = stops();
  const at = hunks.findIndex((each) => each.contains(document.activeElement));
  let next = hunks[at + by];
  if (at < 0) {
    const top = viewTop() + 4;
    const tops = hunks.map((each) => each.getBoundingClientRect().top - top);
    next = by > 0 ? hunks[tops.findIndex((each) => each >= 0)] : hunks[tops.findLastIndex((each) => each < 0)];
  }
  focusStop(next);
}

function focusStop(hunk) {
  if (!hunk) return;
  const target = hunk.querySelector("[data-accept]") ?? hunk.querySelector("button");
  target?.focus({ preventScroll: true });
  const box = hunk.getBoundingClientRect();
  const top = viewTop() + 8;
  if (box.top < top || box.bottom > innerHeight) view.scrollBy({ top: box.top - top });
}

function decideHunk(selector) {
  const hunk = stopHere();
  if (!hunk) return;
  const hunks = stops();
  const next = hunks.slice(hunks.indexOf(hunk) + 1).find(isOpen);
  const wasOpen = isOpen(hunk);
  hunk.querySelector(selector)?.click();
  if (selector === "[data-accept]" && wasOpen) focusStop(next);
}
