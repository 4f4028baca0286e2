"""Reading the hunks of one file of a patch.

The counts in a hunk's header are checked against its lines. Models count badly: where
the counts are wrong and the hunk can end in one place only, it ends there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.edit.patch.header import parse_git_line
from filewright.edit.patch.model import HunkLines, PatchHunk
from filewright.edit.patch.scan import BODY_KINDS, LineKind, PatchText
from filewright.errors import FilewrightError

RESEND_HINT = "send the whole patch again, as a unified diff that is complete"
NO_CHANGE_REASON = "this hunk changes nothing"
NO_CHANGE_HINT = "give it '-' or '+' lines, or leave it out"

_COUNT = r"(?:,(\d{1,18}))?"
_HEADER = re.compile(rf"@@ -(\d{{1,18}}){_COUNT} \+\d{{1,18}}{_COUNT} @@")
# It has line numbers, so that it is no heading.
_DAMAGED_HEADER = re.compile(r"@@ -\d|@@ \d.*-")
# Models write "@@ ... @@" for a header whose numbers they do not know.
_ELLIPSES = ("", "...", "…")
# Lone returns end lines in a file, but not for the tools that write diffs.
_LINE_AND_END = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")

# Lines behind the hunks of a file in an envelope.
_ENVELOPE_HUNKS_END = frozenset(
    {LineKind.FILE, LineKind.END_OF_PATCH, LineKind.END_OF_TEXT}
)
# A line of these kinds behind a hunk belongs to it: the header announced too few.
_FOLLOWS_WRONG_COUNTS = frozenset(
    {
        LineKind.CONTEXT,
        LineKind.REMOVED,
        LineKind.ADDED,
        LineKind.NO_NEWLINE,
        LineKind.HEADER_WITHOUT_HUNK,
    }
)
_USUAL_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class _Counts:
    """The numbers of old and new lines that a hunk's header announces."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class _Header:
    """The ``@@`` lines of a hunk; `counts` of a unified diff only."""

    start: int | None = None
    counts: _Counts | None = None
    headings: tuple[str, ...] = ()


class HunkReader:
    """Reads the hunks of one file; `position` is the line that is next.

    `is_new_file`: they are the lines of a new file in an envelope. With
    `prefers_headers` a hunk ends where its lines may be a header of the next file,
    whatever its counts say.
    """

    def __init__(
        self,
        text: PatchText,
        position: int,
        *,
        is_new_file: bool = False,
        prefers_headers: bool = False,
    ) -> None:
        self.position = position
        self._text = text
        self._is_new_file = is_new_file
        self._prefers_headers = prefers_headers

    def read_all(self) -> tuple[PatchHunk, ...]:
        """Return the hunks up to the next file, and stop there."""
        hunks: list[PatchHunk] = []
        while True:
            after_blank = self._text.skip_blank(self.position)
            # Blank lines between hunks separate them, but a new file may begin with some.
            is_content = (
                self._is_new_file
                and not hunks
                and self._text.kinds[after_blank] not in _ENVELOPE_HUNKS_END
            )
            if not is_content:
                self.position = after_blank
            if not self._is_at_hunk():
                return tuple(hunks)
            hunks.append(self._read_hunk(len(hunks) + 1))

    def _is_at_hunk(self) -> bool:
        kind = self._text.kinds[self.position]
        if self._text.is_envelope:
            # The first hunk of a file may lack its "@@".
            return kind not in _ENVELOPE_HUNKS_END
        return kind is LineKind.HUNK

    def _read_hunk(self, number: int) -> PatchHunk:
        """Return the hunk at the position, and stop before the line behind it."""
        text, first = self._text, self.position
        header = self._read_header()
        end = None
        if header.counts is not None:
            end = self._find_counted_end(header.counts)
        has_wrong_counts = header.counts is not None and end is None
        if end is None:
            end = self._find_visible_end()
        lines = self._read_lines(end)
        signs = text.signs[self.position : end]
        after = text.skip_blank(end)
        is_truncated = False
        if has_wrong_counts and header.counts is not None:
            is_truncated = self._is_truncated(signs, header.counts, after)
        is_ambiguous = not has_wrong_counts and self._ends_like_header(end)
        self.position = end
        if not lines.has_changes:
            self._check_idle(first, after, lines, header, has_wrong_counts)
        at_end = "\\" in signs
        if text.kinds[after] is LineKind.END_OF_FILE:
            self.position, at_end = after + 1, True
        return PatchHunk(
            number=number,
            patch_line=first + 1,
            lines=lines,
            start=header.start,
            headings=header.headings,
            at_end=at_end,
            has_wrong_counts=has_wrong_counts,
            is_truncated=is_truncated,
            is_ambiguous=is_ambiguous,
        )

    def _read_header(self) -> _Header:
        """Return the "@@" lines at the position; an envelope may have several, or none."""
        text, first = self._text, self.position
        start, counts, headings = None, None, list[str]()
        while text.lines[self.position].startswith("@@"):
            if not text.is_envelope and self.position > first:
                break
            line = text.lines[self.position]
            heading = line[2:].strip().removesuffix("@@").strip()
            if match := _HEADER.match(line):
                start = int(match[1])
                if not text.is_envelope:
                    counts = _Counts(int(match[2] or 1), int(match[3] or 1))
            elif not text.is_envelope and _DAMAGED_HEADER.match(line):
                raise text.error(
                    self.position,
                    "this hunk header cannot be read",
                    "write it as '@@ -1,3 +1,4 @@'",
                )
            elif heading not in _ELLIPSES:
                headings.append(heading)
            self.position += 1
        return _Header(start, counts, tuple(headings))

    # The end of a hunk

    def _find_counted_end(self, counts: _Counts) -> int | None:
        """Return the index behind as many lines as announced; None for wrong counts."""
        text, index = self._text, self.position
        old_left, new_left = counts.old, counts.new
        while old_left > 0 or new_left > 0 or text.signs[index] == "\\":
            sign = text.signs[index]
            if sign is None:
                break
            if sign in " -":
                old_left -= 1
            if sign in " +":
                new_left -= 1
            index += 1
        if old_left or new_left:
            return None
        if self._ends_like_header(index):
            # A count that is one too high takes the header of the next file for changed
            # lines. But a hunk with context has some behind its changes too, unless the
            # file ends there, and then no lines of it follow.
            has_context = " " in text.signs[self.position : index]
            if self._prefers_headers or has_context:
                return None
        after = text.skip_blank(index)
        if text.kinds[after] not in _FOLLOWS_WRONG_COUNTS:
            return index
        # The signature of a mail is no removed line.
        return index if text.lines[after] in ("-- ", "--") else None

    def _ends_like_header(self, end: int) -> bool:
        """Return True if the last two lines before `end` look like a file's header."""
        if end - 2 <= self.position:
            return False
        return self._text.kinds[end - 2] is LineKind.HEADER

    def _find_visible_end(self) -> int:
        """Return the index of the next header or mark, less blank lines before it."""
        text = self._text
        end = text.skip(self.position, BODY_KINDS)
        if text.kinds[end] is LineKind.HEADER_WITHOUT_HUNK:
            raise text.error(
                end,
                "the counts of this hunk are wrong, and these may be a file header or "
                "changed lines",
                "correct the counts in the hunk's header",
            )
        if text.kinds[end] is LineKind.OTHER and text.is_envelope:
            raise self._unsigned_line_error(end)
        while end > self.position and text.kinds[end - 1] is LineKind.BLANK:
            end -= 1
        return end

    def _is_truncated(
        self, signs: list[str | None], counts: _Counts, after: int
    ) -> bool:
        """Return True if the patch seems to have lost its end within this hunk.

        Output of models is cut at a limit. Applying the part that is left would remove
        lines without adding those that replace them.
        """
        text = self._text
        if text.kinds[after] not in (LineKind.END_OF_PATCH, LineKind.END_OF_TEXT):
            return False
        body = "".join(sign for sign in signs if sign is not None and sign != "\\")
        old_count = len(body.replace("+", ""))
        new_count = len(body.replace("-", ""))
        # A diff ends with as much context as it begins with, unless the file ends.
        context_before = len(body) - len(body.lstrip(" "))
        context_after = len(body) - len(body.rstrip(" "))
        is_truncated = (
            old_count < counts.old or new_count < counts.new
        ) and context_after < max(1, min(_USUAL_CONTEXT, context_before))
        if is_truncated and not text.ends_with_newline:
            raise text.error(
                after, "the patch ends in the middle of a hunk", RESEND_HINT
            )
        return is_truncated

    # The lines of a hunk

    def _read_lines(self, end: int) -> HunkLines:
        """Return the lines of a hunk from the position to before `end`."""
        text = self._text
        signs = ""
        old: list[str] = []
        new: list[str] = []
        line_ends: list[bytes] = []
        old_is_complete = new_is_complete = False
        for index in range(self.position, end):
            sign = text.signs[index] or " "
            # A blank line may have lost its space.
            content = text.lines[index].removeprefix(sign)
            if self._is_new_file and text.kinds[index] is LineKind.BLANK:
                sign = "+"
            if sign == "\\":
                if not signs:
                    raise text.error(
                        index, "there is no line above this remark", RESEND_HINT
                    )
                # Where the file ends with a lone return, the newline is the patch's own.
                line_ends[-1] = b"\r" if line_ends[-1] == b"\r\n" else b""
                old_is_complete = old_is_complete or signs[-1] in " -"
                new_is_complete = new_is_complete or signs[-1] in " +"
                continue
            if (old_is_complete and sign in " -") or (new_is_complete and sign in " +"):
                raise text.error(
                    index,
                    "a line follows the one that has no newline at the end of its file",
                    RESEND_HINT,
                )
            for line, line_end in _LINE_AND_END.findall(content + "\n"):
                signs += sign
                line_ends.append(line_end.encode())
                if sign != "+":
                    old.append(line)
                if sign != "-":
                    new.append(line)
        return HunkLines(signs, tuple(old), tuple(new), tuple(line_ends))

    # Refusals

    def _check_idle(
        self,
        first: int,
        after: int,
        lines: HunkLines,
        header: _Header,
        has_wrong_counts: bool,
    ) -> None:
        """Raise an error for a hunk without changes that is not one by intention."""
        if self._text.kinds[after] is LineKind.OTHER:
            # Its changed lines have lost their signs.
            raise self._unsigned_line_error(after)
        is_damaged = header.counts is not None and (has_wrong_counts or not lines.signs)
        if self._is_new_file or is_damaged:
            raise self._text.error(first, NO_CHANGE_REASON, NO_CHANGE_HINT)

    def _unsigned_line_error(self, index: int) -> FilewrightError:
        """Return the error for a line of a hunk that has no sign."""
        text = self._text
        if text.is_envelope and parse_git_line(text.lines[index]) is not None:
            return text.error(
                index,
                "this line is one of git's, which an envelope does not have there",
                "leave it out, or send git's unified diff without the marks of an "
                "envelope",
            )
        hint = "put a space before each line of context"
        if self._is_new_file:
            hint = "put '+' before it"
        return text.error(
            index,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            hint,
        )
