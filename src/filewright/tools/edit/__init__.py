"""The tool `edit_content`: edits of texts, places, symbols, cells, conflicts and whole files.

In: the arguments of a call. Out: an `EditResult`, after one commit of all edits.

From the call to its answer:

- `reading`, `arguments`, `call`: edits as clients send them; their models; one call
- `edit`: the tool, from the call through the plans of all files to the commit
- `result`, `descriptions`, `rendering`: the facts for programs; known lines in words; the
  text of an answer

How an edit finds its place in a file:

- `file_plan`: the edits of one file in the form of the planner
- `places`, `layout`: lines, symbols and points between lines; the lines around them
- `symbols`, `cells`, `conflicts`, `moves`: edits of symbols, of cells of a notebook, of
  merge conflicts, and of text that moves
- `whole_files`: files that are created, deleted or moved

What a moved symbol takes along:

- `moved_symbols`, `moved_imports`, `importing_file`: files that refer to it, and their
  imports
- `carried_imports`, `remaining_uses`: imports that it needs in its new file, and that of
  its old file if it is still used there
- `added_imports`, `file_names`, `import_graph`: these are added unless they could close a
  cycle
- `lacking_names`: names that it uses and that its new file lacks
"""
