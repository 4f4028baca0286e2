"""The review page: the person sees what agents changed, and takes back any of it.

It owns the page's addresses, its safety, its look, and the one rendering of a diff that
the page and the app in a conversation share. It reads the history and acts through a
`Workspace`, and never touches a file. Texts of files, names and summaries are escaped:
none of them is ever markup or a script.

In: a `Workspace`. Out: a server on loopback (`review`), or HTML.

- `review`, `gate`, `site`: the server, the check of every request, and the addresses
- `landing`, `timeline`, `blame`, `comparison`, `content_search`: views
- `deciding`, `undoing`, `commenting`, `approvals`: actions of the person
- `parts`, `cards`, `tree`: the parts, the files and the tree of a view
- `changelog`, `titles`, `words`: the list of changes, and the words for them
- `export`: changes as a patch, as Markdown and as a commit message
- `view`, `side_by_side`, `highlighting`, `notebooks`, `render`: from a diff to HTML
"""
