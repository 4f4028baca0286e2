"""The meaning of a file's bytes: encodings, lines, snapshots and splices.

In: an open file from `boundary`, or bytes. Out: `Snapshot`, `Line`, `Encoding` and
`Splice`. The package opens no path, writes nothing, and decodes no whole file for an
edit.

- `snapshot`: the immutable view of one file's bytes, and its version.
- `lines`: where lines start and end, their numbers and terminators.
- `splice`: the only form of an edit.
- `codec`: text to bytes and back, for a few lines in a known encoding.
- `detection`: the encoding of a file.
- `declaration`: the encoding that a text names itself.
- `stateful`: encodings with shift states, which are refused.
- `utf8_view`: UTF-16 text as UTF-8, for edits.
- `compression`: compressed formats, and their decoders.
- `members`: the ends of members that are known beforehand.
- `member_decoder`: members that two threads decode.
- `decode_ahead`: a thread that decodes before a reader comes.
- `compressed`: the text inside a compressed file.
- `notebook`, and its helpers `notebook_…`: a notebook as the text of its cells.
- `spelling`: invisible and look-alike characters.
- `cache`: a cache within bounds, and the contents that agents have seen.
"""
