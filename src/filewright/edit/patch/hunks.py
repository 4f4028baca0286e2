"""Reading the hunks of one file of a patch.

The counts in a hunk's header are checked against its lines. Models count badly: where
the counts are wrong and the hunk can end in one place only, it ends there. A place or
index is that of a line of the patch, from 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.edit.patch.header import parse_git_line
from filewright.edit.patch.model import HunkLines, PatchHunk
from filewright.edit.patch.scan import BODY_KINDS, PatchLineKind, ScannedPatch
from filewright.errors import FilewrightError

RESEND_HINT = "send the whole patch again, as a unified diff that is complete"
NO_CHANGE_REASON = "this hunk changes nothing"
NO_CHANGE_HINT = "give it '-' or '+' lines, or leave it out"

# A count is left out if it is 1. `int` raises an error for thousands of digits, so they
# are limited.
_COUNT = r"(?:,(\d{1,18}))?"
_HEADER = re.compile(rf"@@ -(\d{{1,18}}){_COUNT} \+\d{{1,18}}{_COUNT} @@")
# A line with numbers is a header that went wrong. Reading it as a heading would ignore
# its numbers without a word.
_DAMAGED_HEADER = re.compile(r"@@ -\d|@@ \d.*-")
# Models write "@@ ... @@" for a header whose numbers they do not know.
_ELLIPSES = ("", "...", "…")
# Lone returns end lines in a file, but not for the tools that write diffs.
_LINE_AND_END = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")

# Lines behind the hunks of a file in an envelope.
_ENVELOPE_HUNKS_END = frozenset(
    {PatchLineKind.FILE, PatchLineKind.END_OF_PATCH, PatchLineKind.END_OF_TEXT}
)
# A line of these kinds behind a hunk belongs to it: the header announced too few.
_FOLLOWS_WRONG_COUNTS = frozenset(
    {
        PatchLineKind.CONTEXT,
        PatchLineKind.REMOVED,
        PatchLineKind.ADDED,
        PatchLineKind.NO_NEWLINE,
        PatchLineKind.HEADER_WITHOUT_HUNK,
    }
)
_USUAL_CONTEXT = 3
"""Lines of context that diff and git write on each side of a change."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """The numbers of old and new lines that a hunk's header announces."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class _Header:
    """The ``@@`` lines above a hunk.

    `start` is the line of the file that they name (from 1), if any. Only a unified diff
    has `counts`, and only an envelope has several `headings`, outermost first.
    """

    start: int | None = None
    counts: _Counts | None = None
    headings: tuple[str, ...] = ()


class HunkReader:
    """Reads the hunks of one file; `position` is the index of the next line to read.

    `is_new_file`: they are the lines of a new file in an envelope. With
    `prefers_headers`, two lines that may be the header of the next file are one, even
    if the counts say that they are changed lines.
    """

    def __init__(
        self,
        patch_text: ScannedPatch,
        position: int,
        *,
        is_new_file: bool = False,
        prefers_headers: bool = False,
    ) -> None:
        self.position = position
        self._text = patch_text
        self._is_new_file = is_new_file
        self._prefers_headers = prefers_headers

    def read_all(self) -> tuple[PatchHunk, ...]:
        """Return the hunks up to the next file, and stop there."""
        hunks: list[PatchHunk] = []
        while True:
            after_blank = self._text.skip_blank(self.position)
            # Blank lines separate hunks. But a model that writes a new file leaves out
            # the "+" of blank lines, so those at its beginning are content.
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
        return kind is PatchLineKind.HUNK

    def _read_hunk(self, number: int) -> PatchHunk:
        """Return the hunk at the position, and stop behind it."""
        patch_text, header_index = self._text, self.position
        header = self._read_header()
        body_end = None
        if header.counts is not None:
            body_end = self._find_counted_end(header.counts)
        has_wrong_counts = header.counts is not None and body_end is None
        if body_end is None:
            body_end = self._find_visible_end()
        lines = self._read_lines(body_end)
        signs = patch_text.signs[self.position : body_end]
        next_index = patch_text.skip_blank(body_end)
        is_truncated = False
        if has_wrong_counts and header.counts is not None:
            is_truncated = self._is_truncated(signs, header.counts, next_index)
        is_ambiguous = not has_wrong_counts and self._ends_like_header(body_end)
        self.position = body_end
        if not lines.has_changes:
            self._check_idle(
                header_index, next_index, lines, header, has_wrong_counts
            )
        # git's remark about a missing newline is only written at the end of a file.
        at_end = "\\" in signs
        if patch_text.kinds[next_index] is PatchLineKind.END_OF_FILE:
            self.position, at_end = next_index + 1, True
        return PatchHunk(
            number=number,
            patch_line=header_index + 1,
            last_line=self.position,
            lines=lines,
            start=header.start,
            headings=header.headings,
            at_end=at_end,
            has_wrong_counts=has_wrong_counts,
            is_truncated=is_truncated,
            is_ambiguous=is_ambiguous,
        )

    def _read_header(self) -> _Header:
        """Return the "@@" lines at the position, and stop behind them.

        An envelope may have several, or none. A unified diff has exactly one.
        """
        patch_text, header_index = self._text, self.position
        start, counts, headings = None, None, list[str]()
        while patch_text.lines[self.position].startswith("@@"):
            if not patch_text.is_envelope and self.position > header_index:
                break
            line = patch_text.lines[self.position]
            heading = line[2:].strip().removesuffix("@@").strip()
            if match := _HEADER.match(line):
                start = int(match[1])
                # A model that puts a unified header into an envelope has often made up
                # the counts, and an envelope's hunk ends at a mark anyway.
                if not patch_text.is_envelope:
                    counts = _Counts(int(match[2] or 1), int(match[3] or 1))
            elif not patch_text.is_envelope and _DAMAGED_HEADER.match(line):
                raise patch_text.error(
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
        """Return the index behind as many lines as announced, or None.

        None says that the counts cannot be right: a line in between has no sign, lines
        of the hunk follow, or the last lines are the header of the next file.
        """
        patch_text, index = self._text, self.position
        remaining_old, remaining_new = counts.old, counts.new
        while (
            remaining_old > 0
            or remaining_new > 0
            or patch_text.signs[index] == "\\"
        ):
            sign = patch_text.signs[index]
            if sign is None:
                break
            if sign in " -":
                remaining_old -= 1
            if sign in " +":
                remaining_new -= 1
            index += 1
        if remaining_old or remaining_new:
            return None
        if self._ends_like_header(index):
            # Counts that are one too high take the header of the next file for changed
            # lines, so that the hunk ends in changes. Without context in the hunk that
            # may be right. With context, some would come behind the changes too.
            has_context = " " in patch_text.signs[self.position : index]
            if self._prefers_headers or has_context:
                return None
        next_index = patch_text.skip_blank(index)
        if patch_text.kinds[next_index] not in _FOLLOWS_WRONG_COUNTS:
            return index
        # The signature of a mail is no removed line.
        return index if patch_text.lines[next_index] in ("-- ", "--") else None

    def _ends_like_header(self, body_end: int) -> bool:
        """Return True if the last two lines before `end` look like a file's header."""
        if body_end - 2 <= self.position:
            return False
        return self._text.kinds[body_end - 2] is PatchLineKind.HEADER

    def _find_visible_end(self) -> int:
        """Return the end of a hunk without right counts: where its signed lines end.

        Blank lines at the end separate it from the next part. Raise an error if the
        lines there may be a file header as well as changed lines.
        """
        patch_text = self._text
        body_end = patch_text.skip(self.position, BODY_KINDS)
        if patch_text.kinds[body_end] is PatchLineKind.HEADER_WITHOUT_HUNK:
            raise patch_text.error(
                body_end,
                "the line counts of this hunk are wrong, so this line may be "
                "a file header or a changed line",
                "correct the counts in the hunk's header",
            )
        if (
            patch_text.kinds[body_end] is PatchLineKind.OTHER
            and patch_text.is_envelope
        ):
            raise self._unsigned_line_error(body_end)
        while (
            body_end > self.position
            and patch_text.kinds[body_end - 1] is PatchLineKind.BLANK
        ):
            body_end -= 1
        return body_end

    def _is_truncated(
        self, signs: list[str | None], counts: _Counts, next_index: int
    ) -> bool:
        """Return True if the patch seems to have lost its end within this hunk.

        Output of models is cut at a limit. Applying the part that is left could remove
        lines without adding those that replace them. So the hunk is truncated if it is
        the last of the patch, has fewer lines than announced, and ends with less
        context than it begins with. Raise an error if not even its last line is ended.
        """
        patch_text = self._text
        if patch_text.kinds[next_index] not in (
            PatchLineKind.END_OF_PATCH,
            PatchLineKind.END_OF_TEXT,
        ):
            return False
        body = "".join(
            sign for sign in signs if sign is not None and sign != "\\"
        )
        old_count = len(body.replace("+", ""))
        new_count = len(body.replace("-", ""))
        # A diff ends with as much context as it begins with, unless the file ends.
        context_before = len(body) - len(body.lstrip(" "))
        context_after = len(body) - len(body.rstrip(" "))
        is_truncated = (
            old_count < counts.old or new_count < counts.new
        ) and context_after < max(1, min(_USUAL_CONTEXT, context_before))
        if is_truncated and not patch_text.ends_with_newline:
            raise patch_text.error(
                next_index,
                "the patch ends in the middle of a hunk",
                RESEND_HINT,
            )
        return is_truncated

    # The lines of a hunk

    def _read_lines(self, body_end: int) -> HunkLines:
        """Return the lines of a hunk from the position to before `body_end`."""
        patch_text = self._text
        signs = ""
        old_lines: list[str] = []
        new_lines: list[str] = []
        line_ends: list[bytes] = []
        old_is_complete = new_is_complete = False
        for index in range(self.position, body_end):
            sign = patch_text.signs[index] or " "
            # A blank line may have lost its space: then there is no sign to remove.
            content = patch_text.lines[index].removeprefix(sign)
            if (
                self._is_new_file
                and patch_text.kinds[index] is PatchLineKind.BLANK
            ):
                sign = "+"
            if sign == "\\":
                if not signs:
                    raise patch_text.error(
                        index,
                        "'\\ No newline at end of file' has no line above it",
                        RESEND_HINT,
                    )
                # Where the file ends with a lone return, the newline is the patch's own.
                line_ends[-1] = b"\r" if line_ends[-1] == b"\r\n" else b""
                old_is_complete = old_is_complete or signs[-1] in " -"
                new_is_complete = new_is_complete or signs[-1] in " +"
                continue
            if (old_is_complete and sign in " -") or (
                new_is_complete and sign in " +"
            ):
                raise patch_text.error(
                    index,
                    "a line follows '\\ No newline at end of file'",
                    RESEND_HINT,
                )
            # A file with lone returns: one line of the patch is several of the file.
            for line, line_end in _LINE_AND_END.findall(content + "\n"):
                signs += sign
                line_ends.append(line_end.encode())
                if sign != "+":
                    old_lines.append(line)
                if sign != "-":
                    new_lines.append(line)
        return HunkLines(
            signs, tuple(old_lines), tuple(new_lines), tuple(line_ends)
        )

    # Refusals

    def _check_idle(
        self,
        header_index: int,
        next_index: int,
        lines: HunkLines,
        header: _Header,
        has_wrong_counts: bool,
    ) -> None:
        """Raise an error for a hunk that has no changes by mistake.

        A hunk of context alone is allowed: models send some to show where they are. It
        is a mistake if its lines have lost their signs, or if its counts are wrong.
        """
        if self._text.kinds[next_index] is PatchLineKind.OTHER:
            # Its changed lines have lost their signs.
            raise self._unsigned_line_error(next_index)
        is_damaged = header.counts is not None and (
            has_wrong_counts or not lines.signs
        )
        if self._is_new_file or is_damaged:
            raise self._text.error(
                header_index, NO_CHANGE_REASON, NO_CHANGE_HINT
            )

    def _unsigned_line_error(self, index: int) -> FilewrightError:
        """Return the error for a line of a hunk that has no sign.

        It gets no sign by guess: as context it would be looked for in the file, as an
        added line it would be written.
        """
        patch_text = self._text
        if (
            patch_text.is_envelope
            and parse_git_line(patch_text.lines[index]) is not None
        ):
            return patch_text.error(
                index,
                "this line is a git header, which does not belong in a '*** "
                "Begin Patch' envelope",
                "leave it out, or send git's unified diff without '*** Begin "
                "Patch' and '*** End Patch'",
            )
        hint = "put a space before each line of context"
        if self._is_new_file:
            hint = "put '+' before it"
        return patch_text.error(
            index,
            "this line of a hunk begins with neither a space, '-' nor '+'",
            hint,
        )
