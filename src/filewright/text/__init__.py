"""WHAT a file's bytes mean: encodings, terminators, lines, `Snapshot`, `Splice`.

Owns: the immutable view of one file (`Snapshot`), the codecs that turn a few of its bytes into shown
text and back, where its lines are (`Lines`, over one immutable `LineIndex`), the version tokens, and
`Splice`, the only form of an edit.

Never: opens a path (it is handed descriptors), writes, decodes a whole file on an edit's way, holds a
whole long line, or changes a byte outside a splice.

In: a descriptor from `boundary`, or bytes. Out: `Snapshot`, `Line`, `Encoding`, `Splice`.
"""
