// Written by `filewright setup $client`: has what the client's shell and its own edit tools change recorded, and adds
// what filewright says of an edit to the tool's answer. What goes wrong is in nobody's way.
import { spawn } from "node:child_process"

const BEGIN = "$begin"
const END = "$end"
const RECORDED = ["bash", "edit", "write", "patch", "apply_patch", "multiedit"]
// On Windows a program of the project's folder would be started in place of the one in PATH.
const ENVIRONMENT = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1" }

export const Filewright = async ({ directory }) => {
  const turns = {}
  const tell = (line, about) =>
    new Promise((done) => {
      let answer = ""
      const end = () => done(answer.trim())
      const stdio = ["pipe", "pipe", "ignore"]
      const hook = spawn(line, { shell: true, cwd: directory, env: ENVIRONMENT, stdio })
      hook.on("error", end)
      hook.on("close", end)
      hook.stdout.setEncoding("utf8")
      hook.stdout.on("data", (text) => (answer += text))
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify({ cwd: directory, ...about }))
    })
  const called = ({ tool, sessionID, callID }, args) => ({
    session_id: sessionID,
    turn_id: turns[sessionID],
    tool_name: tool,
    tool_use_id: callID,
    tool_input: args,
  })
  return {
    "chat.message": async ({ sessionID }, { message }) => {
      turns[sessionID] = message.id
      await tell(BEGIN, { session_id: sessionID, turn_id: message.id, prompt: message.id })
    },
    "tool.execute.before": async (call, { args }) => {
      if (RECORDED.includes(call.tool)) await tell(BEGIN, called(call, args))
    },
    "tool.execute.after": async (call, result) => {
      if (!RECORDED.includes(call.tool)) return
      const answer = await tell(END, called(call, call.args))
      if (answer && typeof result?.output === "string") result.output += `\n\n${answer}`
    },
  }
}
