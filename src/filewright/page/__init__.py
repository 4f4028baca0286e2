"""REVIEW: what an agent did, shown to the person whose files these are, and taken back at their word.

Owns the review page in a browser: its addresses, its safety, its look, and the one drawing of a diff that
the page and the app inside a conversation share. It reads history and acts through a `Workspace` and never
touches a file. Nothing that a file, a name or a summary says is ever more than text here.

Its size has grown by what a person looks for first: the list by session and prompt, with a sentence for each.

In: a `Workspace`. Out: a server on loopback (`review`), or HTML.
"""
