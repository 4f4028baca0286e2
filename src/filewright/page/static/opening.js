// Opening: the token behind `#` is exchanged for the key, without which the server shows nothing.
"use strict";

async function enter(token) {
  const body = JSON.stringify({ token });
  const answer = await fetch(`${base}/enter`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const given = await answer.json();
  return answer.ok ? unlock(given.key) : shut(given.message);
}

function unlock(given) {
  key = given;
  sessionStorage.setItem(kept, key);
  return open();
}

function shut(why) {
  sessionStorage.removeItem(kept);
  key = null;
  stream?.abort();
  stream = null;
  const door = document.getElementById("enter");
  body.classList.add("entering");
  door.hidden = false;
  door.querySelector(".why").textContent = why;
  door.querySelector("input")?.focus();
}

async function open() {
  try {
    const { roots, viewed } = JSON.parse((await get(`${base}/about`)).text);
    const names = roots.map((root) => root.split("/").pop() || root);
    const place = document.querySelector(".root");
    place.textContent = names.join(", ");
    place.title = roots.join(", ");
    document.title = named = `${names[0]} · filewright review`;
    viewedUntil = viewed ?? "";
    await list();
    newest = [...rows.querySelectorAll(".row")].map((row) => row.dataset.change).sort().at(-1) ?? "";
    await show(location.href, { push: false });
  } catch {
    return; // what is wrong was said
  }
  document.getElementById("enter").hidden = true;
  body.classList.remove("entering");
  tellViewed();
  listen();
}

// A change opened in a new tab asks the other tabs of this page, which are of the same origin, this port included.
const tabs = new BroadcastChannel(kept);
tabs.addEventListener("message", ({ data }) => {
  if (data.asked && key) tabs.postMessage({ key });
  else if (data.key && !key) unlock(data.key);
});

function begin() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null && key) return open();
  if (token === null) {
    shut("");
    return tabs.postMessage({ asked: true });
  }
  history.replaceState(null, "", location.pathname);
  return enter(token);
}

document.querySelector("#enter form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(event.target.elements.token.value);
});
window.addEventListener("hashchange", () => location.hash.includes("token=") && begin());
begin();
