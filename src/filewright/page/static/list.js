// The list of changes, and its filter.
"use strict";

let listed = 0;
let viewedUntil = ""; // the newest change when the person was here last
const foldedPrompts = new Set();

async function list() {
  const mine = ++listed;
  const wanted = new URLSearchParams({ q: filter.q.value, chosen: body.dataset.chosen ?? "", viewed: viewedUntil });
  try {
    const { text } = await get(`${base}/list?${wanted}`);
    if (mine === listed) rows.replaceChildren(parsed(text));
    foldAgain();
    const older = rows.querySelector(".more");
    if (older) down.observe(older);
  } catch (error) {
    say(error.message);
  }
}

async function older(button) {
  if (button.disabled) return;
  button.disabled = true;
  const wanted = new URLSearchParams({ q: filter.q.value, chosen: body.dataset.chosen ?? "", viewed: viewedUntil, before: button.dataset.before });
  const { text } = await get(`${base}/list?${wanted}`);
  const made = parsed(text);
  const next = made.querySelector(".more");
  button.replaceWith(made);
  foldAgain();
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

// A prompt folds to its heading, and stays so while the list is drawn anew.

function foldPrompt(button) {
  const prompt = button.dataset.fold;
  if (!foldedPrompts.delete(prompt)) foldedPrompts.add(prompt);
  foldAgain();
}

function foldAgain() {
  for (const row of rows.querySelectorAll("[data-of]")) row.hidden = foldedPrompts.has(row.dataset.of);
  for (const button of rows.querySelectorAll("[data-fold]")) button.setAttribute("aria-expanded", !foldedPrompts.has(button.dataset.fold));
}

// That the person was here is told when they look, and again when they leave.
function tellViewed() {
  if (key && newest && !document.hidden) post({ newest }, "viewed").catch(() => {});
}
