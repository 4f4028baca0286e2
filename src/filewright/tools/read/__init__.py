"""The tool `read_content`: lines, a definition or the place of a match, of one file or several.

In: the arguments of a call. Out: a `FileRead`, or `FilesRead`.

- `arguments`: one place of one file, or one of each of several
- `read`: the tool: find the file, open it, and read what the call names
- `place`, `times`, `line_range`: from the arguments to a range of lines
- `lines`, `piece`, `image`: the lines, a piece of a long line, an image
- `log`, `follow`: the end of a log, and what is appended to it
- `result`, `rendering`: the facts for programs; the text of an answer, of its values alone
"""
