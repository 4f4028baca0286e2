// Written by `filewright setup $client`: has what pi's shell and its own edit tools change recorded, and adds what
// filewright says of an edit to the tool's answer. What goes wrong is in nobody's way.
import { spawn } from "node:child_process"

const BEGIN = "$begin"
const END = "$end"
const RECORDED = ["bash", "edit", "write"]
// On Windows a program of the project's folder would be started in place of the one in PATH.
const ENVIRONMENT = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1" }

const tell = (line, context, about) =>
  new Promise((done) => {
    let answer = ""
    const end = () => done(answer.trim())
    const stdio = ["pipe", "pipe", "ignore"]
    const hook = spawn(line, { shell: true, cwd: context.cwd, env: ENVIRONMENT, stdio })
    hook.on("error", end)
    hook.on("close", end)
    hook.stdout.setEncoding("utf8")
    hook.stdout.on("data", (text) => (answer += text))
    hook.stdin.on("error", () => {})
    const session = context.sessionManager.getSessionId()
    hook.stdin.end(JSON.stringify({ cwd: context.cwd, session_id: session, ...about }))
  })

const called = ({ toolName, toolCallId, input }) => ({
  tool_name: toolName,
  tool_use_id: toolCallId,
  tool_input: input,
})

export default function (pi) {
  pi.on("before_agent_start", async (event, context) => {
    await tell(BEGIN, context, { prompt: event.prompt || "a message" })
  })
  pi.on("tool_call", async (event, context) => {
    if (RECORDED.includes(event.toolName)) await tell(BEGIN, context, called(event))
  })
  pi.on("tool_result", async (event, context) => {
    if (!RECORDED.includes(event.toolName)) return
    const answer = await tell(END, context, called(event))
    if (answer) return { content: [...event.content, { type: "text", text: answer }] }
  })
}
