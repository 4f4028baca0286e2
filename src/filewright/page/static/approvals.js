// Calls that wait: the answer, the time that is left, and a notification by the browser.
"use strict";

const POLL_SECONDS = 10;
const knownCalls = new Set();
const icon = document.querySelector('link[rel="icon"]');

function answered(word) {
  const reason = word === "refuse" ? dialog.querySelector('[name="reason"]').value : "";
  return { allow: word !== "refuse", for_session: word === "session", reason };
}

function countDown() {
  for (const place of document.querySelectorAll(".countdown")) {
    const left = Math.max(0, Math.round(Number(place.dataset.until) - Date.now() / 1000));
    place.textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "no longer waits";
  }
}
setInterval(countDown, 1000);

// What waits was shown anew: the time at once, and a notification for what is new.
function noticeCalls(place) {
  countDown();
  const calls = [...place.querySelectorAll("[data-waiting]")];
  icon.href = icon.href.replace(/icon(-waiting)?\.svg/, calls.length ? "icon-waiting.svg" : "icon.svg");
  const canNotify = "Notification" in window;
  const offer = place.querySelector(".notify");
  if (offer) offer.hidden = !canNotify || Notification.permission !== "default";
  for (const call of calls) {
    const { waiting: id } = call.dataset;
    if (knownCalls.has(id)) continue;
    knownCalls.add(id);
    if (canNotify && Notification.permission === "granted" && document.hidden) notify(id, call.querySelector(".summary").textContent);
  }
}

function notify(id, sentence) {
  const shown = new Notification(named, { body: sentence, tag: id, requireInteraction: true });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
    document.querySelector(`[data-waiting="${CSS.escape(id)}"]`)?.click();
  });
}

// A hidden page holds no connection for news: it looks now and then, if it may notify.
setInterval(async () => {
  if (!document.hidden || !key || !("Notification" in window) || Notification.permission !== "granted") return;
  try {
    const { text, ok } = await get(`${base}/waiting`);
    if (!ok) return;
    const place = document.getElementById("waiting");
    place.replaceChildren(parsed(text));
    noticeCalls(place);
  } catch {
    // The server has ended: the page says so once it is looked at.
  }
}, POLL_SECONDS * 1000);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("notify" in button.dataset) {
    const permission = await Notification.requestPermission();
    button.parentElement.hidden = permission !== "default";
    say(permission === "granted" ? "You are notified while this page is in the background." : "The browser does not allow notifications.");
  } else if (button.dataset.askAgain) {
    const { text, ok } = await post({ allowance: button.dataset.askAgain }, "ask-again");
    say(ok ? JSON.parse(text).said : parsed(text).textContent.trim());
    if (ok) button.parentElement.remove();
  }
});
