"""The patch envelope that coding models are trained on, read into `FilePatch` values.

::

    *** Begin Patch
    *** Update File: src/app.py
    *** Move to: src/main.py
    @@ class App
    @@     def run(self):
     context
    -old
    +new
    *** Add File: notes.txt
    +text
    *** Delete File: old.txt
    *** End Patch

Lines after ``@@`` are headings: they stand somewhere before the hunk, outermost first. The end mark
is what tells a whole patch from a cut one, so it must be there; the begin mark may be missing.
"""

from __future__ import annotations

import re

from filewright.edit.patch.model import Body, FilePatch, Hunk, Kind, PatchText, Row, rows_of

BEGIN, END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File:(.*)")
_MOVE = re.compile(r"\*\*\* (?:Move to|Move File To|Rename to):(.*)")
_END_OF_FILE = "*** End of File"
_NUMBERS = re.compile(r"@@ -(\d{1,18})(?:,\d{1,18})? \+\d{1,18}(?:,\d{1,18})? @@")
_HEREDOC = re.compile(r"(?:apply_patch |applypatch )?<<-?['\"]?\w+['\"]?")


def is_envelope(source: PatchText) -> bool:
    """Whether the text is an envelope: its first header of any notation is one of the envelope's.

    A unified diff between the envelope's marks is one without them, and loses them here.
    """
    lines = source.lines
    start = source.first
    if source[start].rstrip() == BEGIN and source[start + 1].startswith(("--- ", "diff --git ")):
        last = next((at for at in range(len(lines) - 1, start, -1) if lines[at].strip()), start)
        if lines[last].rstrip() == END:
            del lines[last:]
            lines[start] = ""
            return False
    for line in lines:
        if line.startswith(BEGIN) or _FILE.match(line):
            return True
        if line.startswith(("--- ", "diff --git ", "@@ -", "+++ ")):
            return False
    return False


def parse(source: PatchText) -> tuple[FilePatch, ...]:
    """The files of an envelope. Raises `invalid_input` naming the line."""
    reader = _EnvelopeReader(source)
    reader.run()
    if not reader.files:
        raise source.refused(
            source.first,
            "the patch names no file",
            "add '*** Update File: path', '*** Add File: path' or such",
        )
    return tuple(reader.files)


class _EnvelopeReader:
    def __init__(self, source: PatchText) -> None:
        self.source = source
        self.at = source.first
        self.files: list[FilePatch] = []

    def line(self) -> str:
        return self.source[self.at].removesuffix("\r")

    def run(self) -> None:
        source = self.source
        while source.is_blank(self.at) or _HEREDOC.fullmatch(self.line().strip()):
            self.at += 1
        if self.line().rstrip() == BEGIN:
            self.at += 1
        elif not _FILE.match(self.line()):
            raise source.refused(
                self.at, "the patch does not begin with '*** Begin Patch'", "put that line first"
            )
        while self.at < len(source):
            line = self.line()
            match = _FILE.match(line)
            if match:
                self.at += 1
                self._file(match[1], match[2].strip())
            elif line.rstrip() == END:
                self._after_end()
                return
            elif source.is_blank(self.at):
                self.at += 1
            else:
                raise source.refused(
                    self.at,
                    "this line belongs to no file",
                    "expected '*** Add File: ', '*** Update File: ', '*** Delete File: ' or '*** End Patch'",
                )
        raise source.refused(
            len(source) - 1,
            "the patch has no '*** End Patch', so its end may be missing",
            "send the whole patch again, ending with '*** End Patch'",
        )

    def _after_end(self) -> None:
        """Talk may follow the end mark, and the end of a here-document, but no other patch."""
        at = self.at + 1
        while at < len(self.source):
            line = self.source[at]
            if line.startswith(("*** ", "--- ", "+++ ", "@@", "diff ", "+")) or re.match(r"-\S", line):
                raise self.source.refused(
                    at, "this line follows '*** End Patch'", "send one patch in one call"
                )
            at += 1

    def _file(self, verb: str, name: str) -> None:
        start = self.at
        if not name:
            raise self.source.refused(start - 1, "a file name is missing", "name the file after the colon")
        if verb == "Add":
            self.files.append(FilePatch("create", None, name, self._added(), start))
        elif verb == "Delete":
            self._nothing()
            self.files.append(FilePatch("delete", name, None, (), start))
        else:
            self.files.append(self._updated(name, start))

    def _is_mark(self) -> bool:
        """Whether the line begins another part of the envelope."""
        line = self.line()
        return bool(_FILE.match(line)) or line.rstrip() == END

    def _nothing(self) -> None:
        while self.at < len(self.source) and not self._is_mark():
            if not self.source.is_blank(self.at):
                raise self.source.refused(
                    self.at, "a deleted file has no lines", "give only '*** Delete File: path'"
                )
            self.at += 1

    def _added(self) -> tuple[Hunk, ...]:
        source, first = self.source, self.at
        rows: list[Row] = []
        blank = 0
        while self.at < len(source) and not self._is_mark():
            line = self.line()
            if source.is_blank(self.at):
                blank += 1  # inside the text it is an empty line whose '+' was lost; at its end nothing
            elif line.startswith("+"):
                rows += [Row("+", "")] * blank
                blank = 0
                rows += rows_of("+", source[self.at][1:])
            elif line.rstrip() != _END_OF_FILE:
                raise source.refused(
                    self.at, "a line of a new file does not begin with '+'", "put '+' before it"
                )
            self.at += 1
        return (Hunk(1, first, tuple(rows)),) if rows else ()

    def _updated(self, name: str, start: int) -> FilePatch:
        source = self.source
        target = name
        move = _MOVE.match(self.line())
        if move:
            target = move[1].strip()
            self.at += 1
            if not target:
                raise source.refused(self.at - 1, "a file name is missing", "name the file after the colon")
        if self.line().startswith("--- ") and source[self.at + 1].startswith("+++ "):
            # A unified diff's own header, put below this one; as rows they would stand under "@@".
            self.at += 2 if source[self.at + 2].startswith("@@") else 0
        hunks: list[Hunk] = []
        while self.at < len(source) and not self._is_mark():
            blank_end = self._blank_end()
            if blank_end > self.at and not self._is_row_after(blank_end):
                self.at = blank_end
                continue
            hunks.append(self._hunk(len(hunks) + 1))
        if not hunks and not move:
            raise source.refused(
                start - 1,
                f"the update of {name} has no hunks",
                "give it '@@' sections with '-' and '+' lines",
            )
        kind: Kind = "rename" if move else "modify"
        return FilePatch(kind, name, target, tuple(hunks), start)

    def _blank_end(self) -> int:
        """The first line from here on that is not blank."""
        at = self.at
        while at < len(self.source) and self.source.is_blank(at):
            at += 1
        return at

    def _is_row_after(self, at: int) -> bool:
        """Whether the line at `at`, behind blank ones, is a row of a hunk, so that they are rows too."""
        return self.source[at][:1] in (" ", "+", "-") and not self._opens(self.at - 1)

    def _opens(self, at: int) -> bool:
        line = self.source[at].removesuffix("\r")
        return bool(_FILE.match(line) or _MOVE.match(line) or line.rstrip() == _END_OF_FILE)

    def _hunk(self, number: int) -> Hunk:
        source, first = self.source, self.at
        headings: list[str] = []
        start: int | None = None
        while self.line().startswith("@@"):
            numbers = _NUMBERS.match(self.line())
            if numbers:
                start = int(numbers[1])
            else:
                heading = self.line()[2:].removesuffix("@@").rstrip()
                if heading.strip() not in ("", "...", "…"):
                    headings.append(heading.removeprefix(" "))
            self.at += 1
        body = Body(source)
        while self.at < len(source) and not self._is_mark() and not self.line().startswith("@@"):
            if self.line().rstrip() == _END_OF_FILE:
                body.at_end = True
                self.at += 1
                break
            if not body.take(self.at):
                raise source.refused(
                    self.at,
                    "this line of a hunk begins with neither a space, '-' nor '+'",
                    "put a space before each line of context",
                )
            self.at += 1
        body.drop_blank_end(self.at)
        if not any(row.sign != " " for row in body.rows):
            raise source.refused(
                first, "this hunk changes nothing", "give it '-' or '+' lines, or leave it out"
            )
        return Hunk(
            number, first + 1, tuple(body.rows), start, tuple(headings),
            body.at_end, body.old_ended, body.new_ended,
        )  # fmt: skip
