// Changes to take away: copied, or saved as a file.
"use strict";

view.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-take]");
  if (!button) return;
  const { take, how } = button.dataset;
  const { address, name } = button.closest("section").dataset;
  button.closest("details").open = false;
  const answer = await ask(`${address}?part=${take}`);
  if (!answer.ok) return say(parsed(await answer.text()).textContent.trim());
  const content = await answer.blob();
  if (how === "save") return save(content, `${name.replace(/[^\w.-]+/g, "-")}.patch`);
  await navigator.clipboard.writeText(await content.text());
  return say(take === "message" ? "The draft of a commit message was copied." : take === "patch" ? "The patch was copied: git apply takes it." : "The Markdown was copied.");
});

function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.take[open]")) if (!menu.contains(event.target)) menu.open = false;
});
view.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details.take[open]");
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
