// The list of changes, and its filter.
"use strict";

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
