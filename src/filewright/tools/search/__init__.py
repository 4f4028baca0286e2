"""The tool `search_content`: text, patterns, names and kinds of lines, in a file or a tree.

In: the arguments of a call. Out: a `SearchResult`, or a list of them.

From the call to its answer:

- `arguments`: one search, or several in one call
- `search`, `several`, `once`, `similar`: the tool; several searches; one search; a fuzzy one
- `page`, `outcome`, `result`: what fits into an answer; all that it says; the same for programs
- `notes`: what a search left out, and other spellings of its text
- `rendering`: the text of an answer, of its values alone

What a page may hold:

- `excerpt`, `lines`, `long_lines`, `imports`, `tree`: hits, and the lines around them
- `counts`, `count_matrix`, `folders`: numbers of matching lines, by key, time and folder
- `kinds`, `columns`, `ranking`: lines that differ only in numbers, columns of rows, the
  lines with the largest values
- `syntax_summary`: how many matches of a name are imports, calls and so on
- `trace`: lines that share rare identifiers with the matching ones
- `uses`, `uses_names`, `uses_imports`, `uses_calls`, `uses_summary`, `uses_rendering`:
  the survey of a name
"""
