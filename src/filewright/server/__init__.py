"""MCP: the tools of one `Workspace` offered to a client over standard input and output, or over HTTP.

This room owns the protocol. It frames and parses messages, runs each tool call in a worker thread with
a cancel token, a time limit and progress, makes every text safe before it leaves, and shuts down without
interrupting a commit. It never touches a file, never validates an argument of a tool (`Workspace.call`
does) and never decides what a tool answers.

In: JSON-RPC messages, and `Offer`: the tools, and the `call` that answers them. Out: `CallToolResult` and
its relatives, built from `ToolResult`.

The way of a message: `inbox` (bytes, lines; the first are answered by `greeting`) and `stdio` (flow control), or
`http` (the SDK's transport behind authentication) → the SDK's dispatcher → `protocol` (the handlers) → `calls`
(worker threads) → `Offer.call` (safe, bounded) → back.

Only this package imports `mcp`, and only inside its modules: importing `filewright.server` itself is free.
"""
