// The export of changes: copied, or saved as a file.
"use strict";

const copied = {
  patch: "The patch was copied: git apply takes it.",
  markdown: "The Markdown was copied.",
  message: "The draft of a commit message was copied.",
};

view.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-export]");
  if (!button) return;
  const { export: form, how } = button.dataset;
  const { address, name } = button.closest("section").dataset;
  button.closest("details").open = false;
  const answer = await ask(`${address}?part=${form}`);
  if (!answer.ok) return say(parsed(await answer.text()).textContent.trim());
  const content = await answer.blob();
  if (how === "save") return save(content, `${name.replace(/[^\w.-]+/g, "-")}.patch`);
  await navigator.clipboard.writeText(await content.text());
  return say(copied[form]);
});

function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.export[open]")) if (!menu.contains(event.target)) menu.open = false;
});
view.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details.export[open]");
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
