// The tree of files, the marks on files, and how diffs are shown.
"use strict";

async function tree() {
  const place = view.querySelector(".tree");
  if (!place) return;
  const { text, ok } = await get(`${view.querySelector("section").dataset.address}?part=tree`);
  if (!ok || !place.isConnected) return;
  place.replaceChildren(parsed(text));
  // On a narrow window the tree takes the place of the diffs: it is one line there.
  place.querySelector("details.all").open = !matchMedia("(max-width: 1100px)").matches;
}

view.addEventListener("input", (event) => {
  if (!event.target.closest(".find-file")) return;
  const text = event.target.value.trim().toLowerCase();
  for (const link of view.querySelectorAll(".tree a")) link.hidden = !link.dataset.filter.includes(text);
  for (const folder of view.querySelectorAll(".tree details details")) folder.hidden = !folder.querySelector("a:not([hidden])");
});

async function jump(link) {
  const name = `file-${link.dataset.index}`;
  // The files that come before it are loaded first, a page at a time.
  for (let next; !document.getElementById(name) && (next = view.querySelector("[data-load]")); ) await load(next);
  const file = document.getElementById(name);
  file?.scrollIntoView();
  file?.querySelector(".fold").focus({ preventScroll: true });
}

function toggle(name) {
  const on = body.classList.toggle(name);
  localStorage.setItem(`filewright ${name}`, on ? "1" : "");
  document.querySelector(`[data-toggle="${name}"]`).setAttribute("aria-pressed", on);
}
for (const { dataset } of document.querySelectorAll("[data-toggle]")) if (localStorage.getItem(`filewright ${dataset.toggle}`)) toggle(dataset.toggle);
