// The view: a change, or several as one, and the parts that are loaded when they come into sight.
"use strict";

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
