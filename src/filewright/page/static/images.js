// Images: their dimensions, and one over the other.
"use strict";

// The load of an image does not bubble.
view.addEventListener("load", (event) => {
  const image = event.target;
  if (!image.matches?.(".images img")) return;
  const place = image.closest("figure").querySelector(".dimensions");
  place.textContent = image.naturalWidth ? ` · ${image.naturalWidth} × ${image.naturalHeight}` : "";
}, true);
view.addEventListener("error", (event) => {
  const image = event.target;
  if (image.matches?.(".images img")) image.closest("figure").querySelector(".dimensions").textContent = " · the browser cannot show it";
}, true);

view.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-image-mode]");
  if (!button) return;
  const images = button.closest(".images");
  images.dataset.images = button.dataset.imageMode;
  for (const other of images.querySelectorAll("[data-image-mode]")) other.setAttribute("aria-pressed", other === button);
  const slide = images.querySelector(".slide");
  slide.hidden = button.dataset.imageMode === "side";
  if (!slide.hidden) slide.querySelector("input").focus();
});
view.addEventListener("input", (event) => {
  const slide = event.target.closest(".slide");
  if (slide) slide.closest(".images").style.setProperty("--at", `${event.target.value}%`);
});
