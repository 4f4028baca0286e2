"""Other systems' tools over the native ones, so that moving is one word in a configuration.

A dialect is a model of the arguments and a function for each tool, which calls the typed
methods of the workspace and renders their results: every promise of the native tools
holds. `dialect` says what a dialect is, `call` what its functions call, and `catalogue`
in the package of each dialect lists its tools.

Never: decides where an edit goes, opens a path, writes a file. In: nothing. Out: a
`ToolProvider` (`providers`), which a workspace offers as it offers the native tools.
"""
