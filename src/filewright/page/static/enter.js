// Brings an access token to the server, which answers with a cookie.
"use strict";

document.getElementById("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { base } = document.body.dataset;
  const body = JSON.stringify({ token: document.getElementById("token").value });
  const answer = await fetch(`${base}/enter`, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (answer.ok) location.assign(`${base}/`);
  else document.getElementById("said").textContent = (await answer.json()).message;
});
