// The view: a change, or several as one, and the parts that are loaded when they come into sight.
"use strict";

let loading = null;

async function show(address, { push = true, focus = false, keep: keepsPlace = false } = {}) {
  const mine = ++asked;
  loading?.abort(); // another is chosen: the answer is not waited for
  loading = new AbortController();
  const url = new URL(address, location.href);
  url.searchParams.set("part", "view");
  markRow(url.pathname);
  const late = setTimeout(wait, 150);
  try {
    const { text } = await get(url, { signal: loading.signal });
    if (mine !== asked) return;
    const { scrollTop } = view;
    view.replaceChildren(parsed(text));
    view.scrollTop = keepsPlace ? scrollTop : 0;
    if (push) history.pushState(null, "", address);
    settle();
    // What is new, or the last prompt, will soon be another.
    if (url.pathname === `${base}/` && body.dataset.chosen) history.replaceState(null, "", body.dataset.chosen);
    if (focus) view.focus({ preventScroll: true });
  } catch (error) {
    if (mine === asked) say(error.message);
  } finally {
    clearTimeout(late);
    if (mine === asked) view.removeAttribute("aria-busy");
  }
}

// The row that is chosen is marked at once, and after a moment the view says that it waits.
function markRow(address) {
  body.dataset.chosen = address;
  for (const row of rows.querySelectorAll("a")) {
    if (row.getAttribute("href") === address) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function wait() {
  view.setAttribute("aria-busy", "true");
}

function settle() {
  const chosen = view.querySelector("section")?.dataset.address ?? "";
  markRow(chosen);
  rows.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  body.classList.remove("listing");
  total();
  for (const later of view.querySelectorAll(LATER)) soon.observe(later);
  remarks();
  tree();
  bar();
}

function total() {
  const place = view.querySelector(".about .totals");
  if (!place) return;
  const files = [...view.querySelectorAll(".change .file")];
  const sum = (name) => files.reduce((all, file) => all + Number(file.dataset[name]), 0).toLocaleString("en");
  const more = view.querySelector("[data-load]") ? " so far, scroll for more" : "";
  const [plus, minus] = ["span", "span"].map((name) => document.createElement(name));
  plus.className = "plus";
  minus.className = "minus";
  plus.textContent = `+${sum("added")}`;
  minus.textContent = ` −${sum("removed")}`;
  place.className = "totals counts";
  place.replaceChildren(plus, minus, more);
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
