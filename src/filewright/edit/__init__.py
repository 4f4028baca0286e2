"""Decide which bytes a request changes, by pure functions.

In: snapshots and requests (an `Edit`, or a patch). Out: splices, file plans and
diffs. The package opens, reads and writes no file by itself, and changes no
byte that the request does not name. Where the meaning of a request is not
certain, the edit is refused.

The edits of a call:

- `request`: the kinds of edits, and their validation
- `planning`: the plan of the edits of one call, all or none
- `attempt`: one edit by itself: its place and its splices
- `compose`: the edits of one call, composed into splices of the original
- `outcome`: the result of planning, for the call and for each edit
- `text_plan`: the plan of one text, or of a notebook as its cells show it
- `model`: values that pass between the steps of planning

The place of an edit:

- `locate`: one matcher after the other, then the choice
- `matchers`: a module for each matcher: `matchers.exact`, `matchers.lines`,
  `matchers.elision`, `matchers.repaired`, `matchers.invisible`,
  `matchers.named_lines`; and `matchers.blocks`, which finds the blocks of hunks
- `choose`: the choice of one candidate, or the reason why there is none
- `drift`: an edit of an earlier version, carried over to the present one
- `conflict_markers`: the merge conflicts of a text, by their marker lines
- `source`: the text of a file, by offsets and by lines
- `comparison`: the forms in which lines are compared
- `line_search`: edits that name a line to begin at
- `symbol_lines`: the lines of a symbol, and the blank lines around them
- `replacements`: the replacement of every match of a pattern

Refusals:

- `explain`: the reason why an edit has no place
- `nearest`: the regions most like a text that is not in the file
- `suggestions`: whole edits that would have succeeded
- `example`: the lines that one splice changes, before and after

The merge of a match:

- `merge`: the splices of a located edit, and notes on them
- `check`: refusals of a match although its place is certain
- `overlay`: the result of splices as a snapshot, for the edits that follow
- `line_extension`: an exact match that names lines, extended to whole lines
- `line_endings`: the terminators of the lines that an edit writes
- `line_merge`: the three-way merge of lines that were matched loosely
- `line_alignment`: the lines that search text and replacement share
- `token_merge`: the merge of one change inside of lines
- `token_alignment`: the tokens that search text and replacement share
- `tokens`: the tokens of a line, paired with those of the file
- `file_spelling`: the file's spelling of characters and gaps
- `repeated_text`: text beside an exact match that its replacement repeats

Indentation and structure:

- `indentation`: the map from the indents of a request to those of the file
- `reindent`: a replacement in the indentation of the file
- `depth_check`: the check of the depth of merged lines
- `block_indent`: the unit of a block's indentation, and moving it to another
- `block_lines`: lines that open a block, close one, or are items of a list
- `list_separators`: the commas between the members of a list
- `string_literals`: lines that begin inside a string of several lines
- `code_text`: the difference between code, and text in strings and comments

Damage:

- `repairs`: damage of a whole request, removed from both of its texts
- `omission_markers`: lines that stand for text left out
- `line_damage`: descriptions of damage in one line of a replacement
- `losses`: parts around a definition that its replacement leaves out
- `notes`: notes on written text that looks like damage

Patches and diffs:

- `patch`: patches in both notations: reading, placing and planning them
- `changeset`: the changes of a call as plain values, for `changes`
- `packed_steps`: the steps of a change of very many files, in little memory
- `linediff`: the lines of two texts that correspond
- `diff3`: the merge of two changed versions of a text
- `changed_lines`: the lines that splices change, grouped into hunks
- `build_diff`: the diff of a file, built from splices
- `diff`: diffs as values, and their text
"""
