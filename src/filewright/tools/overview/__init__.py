"""The tool `get_overview`: a file without its text, or the map of a folder.

In: the arguments of a call. Out: an `OverviewResult` or a `FolderMap`; for several paths,
`ManyOverviews`.

- `arguments`, `overview`: the arguments; the tool
- `file`, `outline`, `rendering`: the form of a file, its outline, and their text
- `folder`, `folder_rendering`: the map of a folder, and its text
- `result`: the facts for programs
"""
