"""The native tools: arguments, plan, commit, result, and the text of the result.

Owns: the declarations of the tools and the models of their arguments, the order of a call,
bounded texts and the same facts as plain data, the catalogue that lists the tools without
importing them, and the one path of every call, of a dialect's tools too. A tool is a
module, or a package if it has many pages.

Never: imports the protocol, opens a path by itself, writes a file, or decides where an
edit goes.

In: a `Context` and plain arguments. Out: `ToolResult`; every problem is a
`FilewrightError`.
"""
