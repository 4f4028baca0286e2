// The page's script: it puts parts that the server made where they belong, and follows the keyboard.
// Nothing of a file or a name is ever made into HTML here.
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
const saying = document.getElementById("say");
let asked = 0;

function say(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 5000);
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

// The view

async function show(address, { push = true, focus = false } = {}) {
  const mine = ++asked;
  const url = new URL(address, location.href);
  url.searchParams.set("part", "view");
  try {
    const { text } = await get(url);
    if (mine !== asked) return; // somebody has chosen another meanwhile
    view.replaceChildren(parsed(text));
    view.scrollTop = 0;
    if (push) history.pushState(null, "", address);
    settle();
    if (focus) view.focus({ preventScroll: true });
  } catch (error) {
    say(error.message);
  }
}

function settle() {
  const chosen = view.querySelector("section")?.dataset.address ?? "";
  body.dataset.chosen = chosen;
  for (const row of rows.querySelectorAll("a")) {
    if (row.getAttribute("href") === chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  rows.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  body.classList.remove("listing");
  total();
  for (const later of view.querySelectorAll(LATER)) soon.observe(later);
  remarks();
  tree();
}

function total() {
  const place = view.querySelector(".about .totals");
  if (!place) return;
  const files = [...view.querySelectorAll(".change .file")];
  const sum = (name) => files.reduce((all, file) => all + Number(file.dataset[name]), 0).toLocaleString("en");
  const more = view.querySelector("[data-load]") ? "≥ " : "";
  const [plus, minus] = ["span", "span"].map((name) => document.createElement(name));
  plus.className = "plus";
  minus.className = "minus";
  plus.textContent = `${more}+${sum("added")}`;
  minus.textContent = ` −${sum("removed")}`;
  place.className = "totals counts";
  place.replaceChildren(plus, minus);
}

// What is loaded when it comes into sight

const soon = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    soon.unobserve(target);
    if (target.dataset.src) picture(target);
    else load(target);
  }
}, { rootMargin: "600px" });

async function picture(image) {
  const answer = await ask(image.dataset.src); // no browser sends the key for an image by itself
  if (!answer.ok) return;
  const reader = new FileReader();
  reader.addEventListener("load", () => (image.src = reader.result));
  reader.readAsDataURL(await answer.blob());
}

function loaded(made) {
  for (const later of made) soon.observe(later);
  total();
  remarks();
}

// The list

let listed = 0;
async function list() {
  const mine = ++listed;
  const wanted = new URLSearchParams({ q: filter.q.value, chosen: body.dataset.chosen });
  try {
    const { text } = await get(`${base}/list?${wanted}`);
    if (mine === listed) rows.replaceChildren(parsed(text));
    const older = rows.querySelector(".more");
    if (older) down.observe(older);
  } catch (error) {
    say(error.message);
  }
}

async function older(button) {
  if (button.disabled) return;
  button.disabled = true;
  const wanted = new URLSearchParams({ q: filter.q.value, chosen: body.dataset.chosen, before: button.dataset.before });
  const { text } = await get(`${base}/list?${wanted}`);
  const made = parsed(text);
  const next = made.querySelector(".more");
  button.replaceWith(made);
  if (next) down.observe(next);
}

const down = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    down.unobserve(target);
    older(target);
  }
}, { root: document.getElementById("list"), rootMargin: "400px" });

filter.addEventListener("submit", (event) => event.preventDefault());
filter.addEventListener("input", () => {
  clearTimeout(filter.timer);
  filter.timer = setTimeout(list, 120);
});

// News

let named = document.title;
let stream = null;
let newest = "";
let waiting = 0;
let told = "";

async function listen() {
  if (stream || document.hidden) return;
  const mine = (stream = new AbortController());
  try {
    const { body: news } = await ask(`${base}/events`, { signal: mine.signal });
    alive(true);
    const reader = news.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", read = {}; !read.done; read = await reader.read()) {
      const lines = (text + (read.value ?? "")).split("\n");
      text = lines.pop();
      for (const line of lines) if (line) await learn(JSON.parse(line));
    }
  } catch {
    // It ended: tried again below.
  }
  if (stream !== mine) return;
  stream = null;
  alive(false);
  setTimeout(listen, 2000);
}

async function learn(news) {
  if (news.waiting || waiting) {
    document.title = `${news.waiting ? `(${news.waiting}) ` : ""}${named}`;
    const { text, ok } = await get(`${base}/waiting`);
    if (ok) document.getElementById("waiting").replaceChildren(parsed(text));
    document.getElementById("show-list").dataset.count = news.waiting || "";
  }
  waiting = news.waiting;
  if (news.comments !== told) remarks();
  told = news.comments;
  if (news.newest === newest) return;
  const known = newest;
  newest = news.newest;
  const at = rows.parentElement.scrollTop;
  await list();
  for (const row of rows.querySelectorAll(".row")) if (row.dataset.change > known) row.classList.add("fresh");
  rows.parentElement.scrollTop = at;
  if (!view.querySelector("section")) show(`${base}/`, { push: false });
  else refresh();
}

// What is shown may be undone by what came: its head says so; the diff that somebody reads is left alone.
async function refresh() {
  const about = view.querySelector(".about");
  if (!about) return;
  const { text, ok } = await get(`${view.querySelector("section").dataset.address}?part=view`);
  if (!ok || !about.isConnected) return;
  const fresh = parsed(text).querySelector(".about");
  if (fresh) about.replaceWith(fresh);
  total();
}

function alive(is) {
  live.classList.toggle("off", !is);
  live.querySelector("span").textContent = is ? "live" : "not connected";
  document.getElementById("gone").hidden = is;
}

document.addEventListener("visibilitychange", () => {
  // A browser has six connections to a server: hidden pages must not hold them.
  if (document.hidden) {
    stream?.abort();
    stream = null;
  } else listen();
});

// Acting: first what would happen, then, at the person's word, that

let wanted = null;

function wish(button) {
  const file = button.closest(".file");
  const section = button.closest("section");
  const hunk = button.closest(".hunk")?.dataset.hunk;
  return {
    kind: button.dataset.kind ?? section.dataset.kind,
    name: button.dataset.name ?? section.dataset.name,
    path: button.dataset.path ?? (hunk ? file.dataset.path : null),
    hunk: hunk ? Number(hunk) : null,
    force: "force" in button.dataset,
  };
}

function post(action, to = "act") {
  const headers = { "content-type": "application/json" };
  return get(`${base}/${to}`, { method: "POST", headers, body: JSON.stringify(action) });
}

function openDialog(html) {
  dialog.replaceChildren(parsed(html));
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[autofocus]")?.focus();
}

async function preview(action) {
  wanted = action;
  try {
    const { text } = await post({ ...action, preview: true });
    if (wanted !== action) return;
    openDialog(text);
  } catch (error) {
    say(error.message);
  }
}

async function look(button) {
  try {
    wanted = { call: button.dataset.waiting };
    openDialog((await get(`${base}/waiting/${button.dataset.waiting}`)).text);
  } catch (error) {
    say(error.message);
  }
}

async function act(button) {
  button.disabled = true;
  const { word } = button.dataset;
  try {
    const { text, ok } = word
      ? await post({ ...wanted, allow: word === "allow" }, "word")
      : await post({ ...wanted, preview: false });
    if (!ok) return dialog.replaceChildren(parsed(text));
    dialog.close();
    say(JSON.parse(text).said);
  } catch (error) {
    button.disabled = false;
    say(error.message);
  }
}

dialog.addEventListener("close", () => {
  wanted = null;
});

// The tree of files, and which of them were seen

async function tree() {
  const place = view.querySelector(".tree");
  if (!place) return;
  const { text, ok } = await get(`${view.querySelector("section").dataset.address}?part=tree`);
  if (ok && place.isConnected) place.replaceChildren(parsed(text));
}

async function jump(link) {
  const name = `file-${link.dataset.index}`;
  // The files that come before it are loaded first, a page at a time.
  for (let next; !document.getElementById(name) && (next = view.querySelector("[data-load]")); ) await load(next);
  const file = document.getElementById(name);
  file?.scrollIntoView();
  file?.querySelector(".fold").focus({ preventScroll: true });
}

async function mark(box) {
  const file = box.closest(".file");
  await post({ path: file.dataset.path, version: box.checked ? box.dataset.seen : "" }, "seen");
  file.classList.toggle("folded", box.checked);
  file.querySelector(".fold").setAttribute("aria-expanded", !box.checked);
  view.querySelector(`.tree [data-index="${file.id.slice(5)}"]`)?.classList.toggle("seen", box.checked);
}

function toggle(name) {
  const on = body.classList.toggle(name);
  localStorage.setItem(`filewright ${name}`, on ? "1" : "");
  document.querySelector(`[data-toggle="${name}"]`).setAttribute("aria-pressed", on);
}
for (const { dataset } of document.querySelectorAll("[data-toggle]")) if (localStorage.getItem(`filewright ${dataset.toggle}`)) toggle(dataset.toggle);

// Comments: each below the last of its lines

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

// Clicks and keys

document.addEventListener("click", (event) => {
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  const link = event.target.closest("a[data-change], a[data-view]");
  if (link && plain) {
    event.preventDefault();
    show(link.getAttribute("href"));
    return;
  }
  const inTree = event.target.closest(".tree a");
  if (inTree && plain) {
    event.preventDefault();
    jump(inTree);
    return;
  }
  if (event.target.dataset.seen) mark(event.target);
  const number = event.target.closest(".change td.num:not(:empty)");
  const button = event.target.closest("button");
  if (number?.closest(".file")?.querySelector("[data-say]")) comment(number.closest(".file"), number.closest("tr"));
  if (!button) return;
  if ("act" in button.dataset) preview(wish(button));
  else if ("close" in button.dataset) button.closest("dialog").close();
  else if (button.dataset.copy) navigator.clipboard.writeText(button.dataset.copy).then(() => say("The path was copied."));
  else if (button.dataset.toggle) toggle(button.dataset.toggle);
  else if (button.dataset.say) comment(button.closest(".file"));
  else if (button.dataset.comment) resolve(button);
  else if ("do" in button.dataset || button.dataset.word) act(button);
  else if (button.dataset.waiting) look(button);
  else if (button.closest("#ask") && "force" in button.dataset) preview({ ...wanted, force: true });
  else if (part(button)) return;
  else if (button.dataset.before) older(button);
  else if (button.dataset.split) split(button.dataset.split);
  else if (button.id === "theme") theme(button);
  else if (button.id === "help") document.getElementById("shortcuts").showModal();
  else if (button.id === "show-list") button.setAttribute("aria-expanded", body.classList.toggle("listing"));
});

function split(value) {
  keep("split", value);
  for (const each of document.querySelectorAll("[data-split]")) each.setAttribute("aria-pressed", each.dataset.split === value);
  show(location.href, { push: false });
}

function theme(button) {
  const names = ["auto", "light", "dark"];
  const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % 3];
  document.documentElement.dataset.theme = next;
  button.setAttribute("aria-label", `Theme: ${next}`);
  keep("theme", next);
  say(next === "auto" ? "Theme: as the system" : `Theme: ${next}`);
}

function step(by) {
  const all = [...rows.querySelectorAll(".row, .prompt")];
  const at = all.findIndex((row) => row.getAttribute("href") === body.dataset.chosen);
  const next = all[at < 0 ? 0 : at + by];
  if (next) show(next.getAttribute("href"));
}

// The file at the top of the view, or the one in which the focus or the selection is.
function fileHere() {
  const inside = [document.activeElement, getSelection().anchorNode?.parentElement].map((each) => each?.closest(".change .file"));
  const files = [...view.querySelectorAll(".file")];
  const top = view.getBoundingClientRect().top + (view.querySelector(".about")?.offsetHeight ?? 0);
  return inside.find(Boolean) ?? files.find((file) => file.getBoundingClientRect().bottom > top) ?? files.at(-1);
}

function stepFile(by) {
  const files = [...view.querySelectorAll(".file")];
  const top = view.getBoundingClientRect().top + (view.querySelector(".about")?.offsetHeight ?? 0) + 12;
  const tops = files.map((file) => file.getBoundingClientRect().top - top);
  const next = by > 0 ? tops.findIndex((each) => each > 4) : tops.findLastIndex((each) => each < -4);
  if (next >= 0) {
    view.scrollBy({ top: tops[next] });
    files[next].querySelector(".fold").focus({ preventScroll: true });
  }
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  n: () => stepFile(1),
  p: () => stepFile(-1),
  u: () => view.querySelector(".actions [data-act]")?.click(),
  v: () => fileHere()?.querySelector("[data-seen]")?.click(),
  w: () => toggle("quiet"),
  l: () => toggle("unwrapped"),
  c: () => fileHere()?.querySelector("[data-say]") && comment(fileHere()),
  s: () => split(document.querySelector('[data-split="1"]').getAttribute("aria-pressed") === "true" ? "0" : "1"),
  "/": () => {
    body.classList.add("listing");
    filter.q.focus();
  },
  "?": () => document.getElementById("shortcuts").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.target === filter.q) {
    if (event.key === "Escape") {
      filter.q.value = "";
      filter.q.blur();
      list();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const wanted = keys[event.key];
  if (wanted) {
    event.preventDefault();
    wanted();
  }
});

window.addEventListener("popstate", () => {
  if (!location.hash) show(location.href, { push: false }); // else somebody has only skipped to the change
});

// Opening: the token behind `#` is exchanged for the key, without which the server shows nothing

async function enter(token) {
  const body = JSON.stringify({ token });
  const answer = await fetch(`${base}/enter`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const given = await answer.json();
  return answer.ok ? unlock(given.key) : shut(given.message);
}

function unlock(given) {
  key = given;
  sessionStorage.setItem(kept, key);
  return open();
}

function shut(why) {
  sessionStorage.removeItem(kept);
  key = null;
  stream?.abort();
  stream = null;
  const door = document.getElementById("enter");
  body.classList.add("entering");
  door.hidden = false;
  door.querySelector(".why").textContent = why;
  door.querySelector("input")?.focus();
}

async function open() {
  try {
    const { roots } = JSON.parse((await get(`${base}/about`)).text);
    const names = roots.map((root) => root.split("/").pop() || root);
    const place = document.querySelector(".root");
    place.textContent = names.join(", ");
    place.title = roots.join(", ");
    document.title = named = `${names[0]} · filewright review`;
    await list();
    newest = [...rows.querySelectorAll(".row")].map((row) => row.dataset.change).sort().at(-1) ?? "";
    await show(location.href, { push: false });
  } catch {
    return; // what is wrong was said
  }
  const address = view.querySelector("section")?.dataset.address;
  if (address) history.replaceState(null, "", address); // the newest change will soon be another
  document.getElementById("enter").hidden = true;
  body.classList.remove("entering");
  listen();
}

// A change opened in a new tab asks the other tabs of this page, which are of the same origin, this port included.
const tabs = new BroadcastChannel(kept);
tabs.addEventListener("message", ({ data }) => {
  if (data.asked && key) tabs.postMessage({ key });
  else if (data.key && !key) unlock(data.key);
});

function begin() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null && key) return open();
  if (token === null) {
    shut("");
    return tabs.postMessage({ asked: true });
  }
  history.replaceState(null, "", location.pathname);
  return enter(token);
}

document.querySelector("#enter form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(event.target.elements.token.value);
});
window.addEventListener("hashchange", () => location.hash.includes("token=") && begin());
begin();
