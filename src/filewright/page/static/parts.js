// Parts of what was changed that are not shown at once: each comes in the place of what stands for it.
// The page and the app in a conversation share this, and have their own `get`, `say`, `loaded` and `picture`.
"use strict";

const LATER = "[data-file], [data-load], [data-src]";

// What a button brings; whether it is one that does.
function part(button) {
  if (button.dataset.file || button.dataset.load) load(button);
  else if (button.dataset.hidden) reveal(button);
  else if (button.dataset.lines) unfold(button);
  else if (button.classList.contains("fold")) fold(button);
  else return false;
  return true;
}

function parsed(html) {
  const made = document.createElement("template");
  made.innerHTML = html; // made and escaped by the server
  return made.content;
}

async function load(button) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    const { text, ok } = await get(button.dataset.file ?? button.dataset.load);
    if (!ok) throw new Error("That could not be loaded.");
    const made = parsed(text);
    const later = made.querySelectorAll(LATER);
    const file = button.dataset.file ? button.closest(".file") : null;
    if (file) {
      // What was folded at first was opened to be loaded, and stays open.
      const loaded = made.querySelector(".file");
      loaded.classList.toggle("folded", file.classList.contains("folded"));
      loaded.querySelector(".fold")?.setAttribute("aria-expanded", !loaded.classList.contains("folded"));
      file.replaceWith(made);
    } else button.replaceWith(made);
    loaded(later);
  } catch (error) {
    button.disabled = false;
    say(error.message);
  }
}

async function unfold(button) {
  const { from, to, shift, lines } = button.dataset;
  const last = Math.min(Number(to), Number(from) + 199);
  const { text, ok } = await get(`${lines}&from=${from}&to=${last}&shift=${shift}`);
  if (!ok) return say("These lines are not stored.");
  const group = button.closest("tbody");
  const table = document.createElement("template");
  table.innerHTML = `<table><tbody>${text}</tbody></table>`;
  const shown = table.content.querySelector("tbody");
  group.before(shown);
  if (last >= Number(to)) return group.classList.contains("hunk") ? button.remove() : group.remove();
  button.dataset.from = last + 1;
  button.textContent = `⋯ ${Number(to) - last} unchanged lines`;
}

// Lines, or changes, that are not shown yet: they come in the place of the row that stands for them.
async function reveal(button) {
  const { text, ok } = await get(button.dataset.hidden);
  if (!ok) return say("These lines are not stored.");
  const made = document.createElement("template");
  made.innerHTML = `<table>${text}</table>`;
  const groups = made.content.querySelectorAll("tbody.hunk, tbody.hunk ~ tbody");
  if (groups.length) button.closest("tbody").replaceWith(...groups);
  else button.closest("tr").replaceWith(...made.content.querySelectorAll("tr"));
  loaded([]);
}

function fold(button) {
  const folded = button.closest(".file").classList.toggle("folded");
  button.setAttribute("aria-expanded", !folded);
}
