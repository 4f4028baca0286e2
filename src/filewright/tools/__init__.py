"""The native tools: one typed request, one typed result, one rendering each.

Owns: argument models, the order of a call (request, snapshot, plan, commit, render), bounded text
and the same facts as plain data, the catalogue that lists them all without importing them, and the one path of every
call, of a dialect's tools too.

Its surplus over the goal of its size pays for edits that are whole steps (files made, deleted and moved with them,
definitions moved into a file that is not there yet, or to the end of one), for patches that are read from a file, and
for what their files are called now, from the root or as the patch has it, for where a missing one led beside what is
wrong with the others, for the form of a file, which is said to be kept only where it is, for lines that what was
shown stands in for, for names that are not listed any more but can be called, for the refusal of every edit that
would be lost with its file or would take all of a file for want of a place, for one encoding in a file of pieces, for
the line ends of what is moved in any encoding, for what is moved once and elsewhere, for the names of who still uses
a moved definition, for counts of what is not shown, for the files with a match that a glob or the ignore rules left
out where nothing is found, for the lines of edits and symbols that no diff shows and the short diffs beside a long
one, for hits in logs without the records beside them, for several searches, files or items in one call of which each
has its own answer, for what is not tried again since a part of it stays, for several replacements that are one change
and of which no two may meet, for what is wrong with each edit of a call in one answer, for answers that say nothing
twice and nothing that was only asked for, and for the words of every refusal.

Never: imports the protocol, opens a path by itself, writes a file, or decides where an edit goes.

In: a `Context` and plain arguments. Out: `ToolResult`; every problem is a `FilewrightError`.
"""
