"""The MCP server: the tools of a `Workspace`, over standard input and output or HTTP.

It parses messages, runs each tool call in a worker thread with a time limit, progress
and cancellation, and stops without interrupting a commit. It never touches a file,
never checks a tool's arguments (`Workspace.call` does), and does not decide what a tool
answers. Only this package imports `mcp`.

In: JSON-RPC messages, and `BoundTools`: the tools, and the method that calls them. Out:
`CallToolResult` and the protocol's other results.

A message takes this way: `inbox` and `stdio`, or `http` → the SDK's dispatcher →
`handlers` → a thread of `calls` → `BoundTools.call`.

- `serve`: one server process from start to end
- `inbox`: the reader of a client's lines
- `greeting`: answers to the first messages, before the SDK is imported
- `frames`: parsing of lines into messages
- `stdio`: the transport on standard input and output
- `http`: the transport over HTTP
- `access`: the address of an HTTP server, and its tokens
- `shares`: limits on what one caller may have open
- `handlers`: the request handlers
- `callers`: the session, client and turn of a request
- `calls`: worker threads for tool calls
- `results`: results as the protocol carries them
- `listing`: the lists of tools and resources
- `resources`: files, changes and large results as resources
- `notices`: news about what the person did on the review page
- `confirmation`: questions to the person before a call
- `questions`: their text
- `client_roots`: the roots that the client names
- `confinement`: the confinement of the process by the kernel
- `preloading`: imports while the server is idle
"""
