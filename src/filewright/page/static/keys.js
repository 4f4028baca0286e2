// Clicks and keys.
"use strict";

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
  const button = event.target.closest("button");
  if (!button) return;
  if ("act" in button.dataset) preview(wish(button));
  else if ("close" in button.dataset) button.closest("dialog").close();
  else if ("accept" in button.dataset) decide(button);
  else if ("home" in button.dataset) show(`${base}/`, { push: false });
  else if ("acceptRest" in button.dataset) acceptRest();
  else if ("showHunk" in button.dataset) button.closest("tbody").classList.toggle("shown");
  else if (button.dataset.fold) foldPrompt(button);
  else if (button.dataset.copy) navigator.clipboard.writeText(button.dataset.copy).then(() => say(button.dataset.copied ?? "The path was copied."));
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
  v: () => fileHere()?.querySelector("header [data-accept]")?.click(),
  y: () => decideHunk("[data-accept]"),
  x: () => decideHunk("[data-act]:not([data-force])"),
  Y: () => view.querySelector("[data-accept]") && acceptRest(),
  "]": () => stepHunk(1),
  "[": () => stepHunk(-1),
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
  if (event.target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])")) return;
  const wanted = keys[event.key];
  if (wanted) {
    event.preventDefault();
    wanted();
  }
});

window.addEventListener("popstate", () => {
  if (!location.hash) show(location.href, { push: false }); // else somebody has only skipped to the change
});
