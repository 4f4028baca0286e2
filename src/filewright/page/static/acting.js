// Acting: first what would happen, then, at the person's word, that.
"use strict";

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
    rest: "rest" in button.dataset,
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
    const action = wanted;
    const { text, ok } = word
      ? await post({ ...action, ...answered(word) }, "word")
      : await post({ ...action, preview: false, newest: button.dataset.newest });
    if (!ok) return dialog.replaceChildren(parsed(text));
    dialog.close();
    const { said, change_id: undone } = JSON.parse(text);
    say(said, undone);
    if (undone) settleUndo(action);
  } catch (error) {
    button.disabled = false;
    say(error.message);
  }
}

dialog.addEventListener("close", () => {
  wanted = null;
});
