// Written by `filewright setup opencode`: has what opencode's shell and its own edit tools change recorded, and
// nothing else. What goes wrong is in nobody's way.
import { spawn } from "node:child_process"

const BEGIN = "$begin"
const END = "$end"
const RECORDED = ["bash", "edit", "write", "patch", "apply_patch", "multiedit"]

export const Filewright = async ({ directory }) => {
  const turns = {}
  const tell = (line, about) =>
    new Promise((done) => {
      const hook = spawn(line, { shell: true, cwd: directory, stdio: ["pipe", "ignore", "ignore"] })
      hook.on("error", done)
      hook.on("close", done)
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
    "tool.execute.after": async (call) => {
      if (RECORDED.includes(call.tool)) await tell(END, called(call, call.args))
    },
  }
}
