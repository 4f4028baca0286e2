// An MCP App (protocol 2026-01-26): shows what a call changed, and takes it back at the person's word.
// It talks to its host alone, by messages; what it shows as HTML was made and escaped by the server.
"use strict";

const KEY = "filewright/view";
const view = document.getElementById("view");
const acts = document.getElementById("acts");
const waiting = new Map();
let host = {};
let asked = 0;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  const id = ++asked;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) asker?.reject(new Error(data.error.message));
    else asker?.resolve(data.result);
  } else if (data.method === "ui/notifications/tool-result") show(data.params);
  else if (data.method === "ui/notifications/host-context-changed") dress(data.params);
  else if (data.method === "ui/notifications/tool-cancelled") note("The call was cancelled.");
  else if (data.id !== undefined) send({ id: data.id, result: {} }); // ping, and the end of this view
});

function dress(context) {
  const root = document.documentElement;
  if (context?.theme) root.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (name.startsWith("--") && value) root.style.setProperty(name, value);
  }
}

// What is shown; the host asks the server for its parts

async function read(uri) {
  try {
    return (await request("resources/read", { uri })).contents[0];
  } catch {
    return undefined; // no longer kept, or a host that asks for none
  }
}

async function get(address) {
  const made = await read(address);
  return { text: made?.text ?? "", ok: made !== undefined };
}

async function picture(image) {
  const made = await read(image.dataset.src);
  if (made?.blob) image.src = `data:${made.mimeType};base64,${made.blob}`;
}

function loaded(later) {
  for (const image of later) if (image.dataset.src) picture(image);
}

function say(text) {
  acts.hidden = false;
  acts.querySelector("span")?.remove();
  acts.prepend(line(`${text} filewright review shows them.`));
}

view.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button) part(button);
});

function text(result) {
  return (result.content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

function draw(result) {
  const made = result._meta?.[KEY];
  if (made?.html) {
    view.replaceChildren(parsed(made.html));
    loaded(view.querySelectorAll(LATER));
  } else {
    const plain = document.createElement("pre");
    plain.textContent = text(result);
    view.replaceChildren(plain);
  }
  return made;
}

function show(result) {
  const made = draw(result);
  const id = made?.change_id;
  if (!id || result.isError || !made.undo || !host.serverTools) return note("");
  offer(made.undoes ? "Taken back." : "", ["Undo", () => preview(made.undo, id, result)]);
}

function note(said) {
  acts.hidden = !said;
  acts.replaceChildren(line(said));
}

function line(said) {
  const made = document.createElement("span");
  made.textContent = said;
  return made;
}

function offer(said, ...choices) {
  acts.hidden = false;
  acts.replaceChildren(line(said));
  for (const [name, act, first] of choices) {
    const button = document.createElement("button");
    button.textContent = name;
    if (first) button.className = "first";
    button.addEventListener("click", () => {
      for (const each of acts.querySelectorAll("button")) each.disabled = true;
      act();
    });
    acts.append(button);
  }
}

// Undo: first what it would do, then at the person's word

async function call(name, args) {
  try {
    return await request("tools/call", { name, arguments: args });
  } catch (error) {
    return { isError: true, content: [{ type: "text", text: error.message }] };
  }
}

async function preview(tool, id, before) {
  const result = await call(tool, { change_id: id, preview: true });
  draw(result);
  const back = ["Keep it", () => show(before)];
  if (result.isError) return offer("It cannot be undone now.", back);
  offer("Preview of the undo:", back, ["Undo now", () => undo(tool, id), true]);
}

async function undo(tool, id) {
  const result = await call(tool, { change_id: id });
  if (result.isError) {
    draw(result);
    return note("It was not undone.");
  }
  show(result);
  if (host.updateModelContext) {
    const said = `The user took back the change ${id}.\n${text(result).split("\n", 1)[0]}`;
    request("ui/update-model-context", { content: [{ type: "text", text: said }] }).catch(() => {});
  }
}

// Beginning, and size

let height = 0;
new ResizeObserver(() => {
  const wanted = Math.ceil(document.documentElement.getBoundingClientRect().height);
  if (wanted === height) return;
  height = wanted;
  send({ method: "ui/notifications/size-changed", params: { width: window.innerWidth, height } });
}).observe(document.documentElement);

request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "filewright", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline"] },
}).then((answer) => {
  host = answer.hostCapabilities ?? {};
  dress(answer.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
});
