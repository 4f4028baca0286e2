"""The tool `replace_content`: patterns, and fields of rows, over a file or a tree.

In: the arguments of a call. Out: a `ReplaceResult`, of one change or of a preview.

- `arguments`, `items`: the arguments; the patterns, new texts and conditions, compiled
- `rows`: fields of rows that are set by a rule
- `replace`: the tool: find the files, plan each, check the counts, commit
- `targets`, `file_plan`: files where the items may match; the plan of one file
- `findings`, `left_words`: matches by file and item, kinds of changed lines; names that stay
- `rendering`: the text of an answer
"""
