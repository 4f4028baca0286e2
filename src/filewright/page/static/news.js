// News: what others did while the page is open.
"use strict";

let named = document.title;
let stream = null;
let newest = "";
let calls = "";
let told = "";

async function listen() {
  if (stream || document.hidden) return;
  const mine = (stream = new AbortController());
  try {
    const { body: news } = await ask(`${base}/events`, { signal: mine.signal });
    alive(true);
    const reader = news.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", read = {}; !read.done; read = await reader.read()) {
      const lines = (text + (read.value ?? "")).split("\n");
      text = lines.pop();
      for (const line of lines) if (line) await learn(JSON.parse(line));
    }
  } catch {
    // It ended: tried again below.
  }
  if (stream !== mine) return;
  stream = null;
  alive(false);
  setTimeout(listen, 2000);
}

async function learn(news) {
  if (news.calls !== calls) {
    document.title = `${news.waiting ? `(${news.waiting}) ` : ""}${named}`;
    const { text, ok } = await get(`${base}/waiting`);
    const place = document.getElementById("waiting");
    if (ok) {
      place.replaceChildren(parsed(text));
      noticeCalls(place);
    }
    document.getElementById("show-list").dataset.count = news.waiting || "";
  }
  calls = news.calls;
  if (news.comments !== told) remarks();
  told = news.comments;
  if (news.newest === newest) return;
  const known = newest;
  newest = news.newest;
  tellViewed();
  const at = rows.parentElement.scrollTop;
  await list();
  for (const row of rows.querySelectorAll(".row")) if (row.dataset.change > known) row.classList.add("fresh");
  rows.parentElement.scrollTop = at;
  if (!view.querySelector("section")) show(`${base}/`, { push: false });
  else refresh();
}

// What is shown may be undone by what came: its head says so; the diff that somebody reads is left alone.
async function refresh() {
  const about = view.querySelector(".about");
  if (!about) return;
  const { text, ok } = await get(`${view.querySelector("section").dataset.address}?part=view`);
  if (!ok || !about.isConnected) return;
  const fresh = parsed(text).querySelector(".about");
  if (!fresh) return;
  if (view.querySelector("section").dataset.kind === "new") {
    const more = document.createElement("button");
    more.className = "button first";
    more.textContent = "Show new changes";
    more.dataset.home = "";
    fresh.append(more);
  }
  about.replaceWith(fresh);
  total();
  bar();
}

function alive(is) {
  live.classList.toggle("off", !is);
  live.querySelector("span").textContent = is ? "live" : "not connected";
  document.getElementById("gone").hidden = is;
}

document.addEventListener("visibilitychange", () => {
  // A browser has six connections to a server: hidden pages must not hold them.
  if (document.hidden) {
    stream?.abort();
    stream = null;
  } else listen();
});
