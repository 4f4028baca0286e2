// The tree of files, the marks on files, and how diffs are shown.
"use strict";

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
