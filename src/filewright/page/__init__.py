"""REVIEW: what an agent did, shown to the person whose files these are, and taken back at their word.

Owns the review page in a browser: its addresses, its safety, its look, and the one drawing of a diff that
the page and the app inside a conversation share. It reads history and acts through a `Workspace` and never
touches a file. Nothing that a file, a name or a summary says is ever more than text here.

The views are in `site`, `landing` and `parts`, what the person does in `deciding`, `undoing`, `commenting` and
`approvals`; `cards` and `tree` make the files of a view, `changelog` and `titles` the list.

In: a `Workspace`. Out: a server on loopback (`review`), or HTML.
"""
