"""The lines of a patch, each with its kind, for the reader to parse.

A patch has one of two notations: the unified diff, plain or as git writes it, and the
envelope between ``*** Begin Patch`` and ``*** End Patch``. The notation decides what
the beginning of a line means. A line's index counts from 0, its number in an error
from 1.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from enum import Enum, auto

from filewright.edit.diff import truncate_line
from filewright.errors import Code, FilewrightError
from filewright.wording import to_one_line

BEGIN_PATCH = "*** Begin Patch"
END_PATCH = "*** End Patch"
END_OF_FILE = "*** End of File"
ENVELOPE_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File:")

# A line that only a patch has. Models explain a patch in the lines above it.
_PATCH_START = re.compile(
    rf"^(?:{re.escape(BEGIN_PATCH)}|{ENVELOPE_FILE.pattern}"
    r"|--- |\+\+\+ |diff --git |@@ -)",
    re.MULTILINE,
)
# A line that talk does not have. Where only talk may be, it is a lost part of a patch.
_PATCH_LINE = re.compile(r"@@|--- |\+|diff |\*\*\* |\\|-\S")
_MARGIN = re.compile(rf"\A\s*?^([ \t]+){re.escape(BEGIN_PATCH)}", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"\n[ \t]*```\s*\Z")


class PatchLineKind(Enum):
    """The kind of a line, by the way it begins.

    The kind does not say for certain what a line is: "--- x" above "+++ y" may be a
    header or two changed lines. The readers decide, by what comes before.
    """

    FILE = auto()  # "diff --git", or "*** Update File:" and its like
    HEADER = auto()  # "---" above "+++" above a hunk
    HEADER_WITHOUT_HUNK = auto()  # "---" above "+++" above anything else
    HUNK = auto()  # "@@"
    CONTEXT = auto()
    REMOVED = auto()
    ADDED = auto()
    NO_NEWLINE = auto()  # git's remark "\ No newline at end of file"
    BLANK = auto()
    SIGNATURE = auto()  # the "-- " that ends the patch in a mail of git
    END_OF_FILE = auto()
    END_OF_PATCH = auto()
    END_OF_TEXT = auto()
    OTHER = auto()


BODY_KINDS = frozenset(
    {
        PatchLineKind.CONTEXT,
        PatchLineKind.REMOVED,
        PatchLineKind.ADDED,
        PatchLineKind.NO_NEWLINE,
        PatchLineKind.BLANK,
    }
)
"""The kinds of lines that are in a hunk for certain."""

_KIND_OF_SIGN = {
    " ": PatchLineKind.CONTEXT,
    "-": PatchLineKind.REMOVED,
    "+": PatchLineKind.ADDED,
    "\\": PatchLineKind.NO_NEWLINE,
}

# A line of context that is blank may have lost its space. A removed line that begins
# with "-- " looks like a header, or like a signature.
_SIGN_OF_KIND = {
    PatchLineKind.CONTEXT: " ",
    PatchLineKind.BLANK: " ",
    PatchLineKind.REMOVED: "-",
    PatchLineKind.HEADER: "-",
    PatchLineKind.HEADER_WITHOUT_HUNK: "-",
    PatchLineKind.SIGNATURE: "-",
    PatchLineKind.ADDED: "+",
    PatchLineKind.NO_NEWLINE: "\\",
}


@dataclass(frozen=True, slots=True)
class ScannedPatch:
    """A patch as lines without line ends, and an empty line of END_OF_TEXT behind them.

    That last line ends every loop over `kinds`, so no reader checks for the last index.

    `signs` says for each line how a hunk would read it, " ", "-", "+" or "\\", or None
    if it cannot be in a hunk. `start` is the index of the first line to parse.

    If all lines of the patch end in ``\\r\\n`` (`is_crlf`), its headers too, the returns
    say nothing about the file, and are removed. Elsewhere a ``\\r`` at the end of a line
    stays: the line of the file has one.
    """

    lines: list[str]
    kinds: list[PatchLineKind]
    signs: list[str | None]
    start: int
    is_envelope: bool
    is_crlf: bool
    ends_with_newline: bool

    def skip(self, index: int, kinds: Container[PatchLineKind]) -> int:
        """Return the index of the first line from `index` on that is not of `kinds`."""
        while self.kinds[index] in kinds:
            index += 1
        return index

    def skip_blank(self, index: int) -> int:
        """Return the index of the first line from `index` on that is not blank."""
        return self.skip(index, (PatchLineKind.BLANK,))

    def has_patch_line(self, first: int, end: int | None = None) -> bool:
        """Return True if a line from `first` to before `end` looks like a patch's."""
        return any(map(_PATCH_LINE.match, self.lines[first:end]))

    def error(
        self,
        index: int,
        reason: str,
        hint: str,
        code: Code = Code.INVALID_INPUT,
    ) -> FilewrightError:
        """Return the error for something wrong at line `index`, quoting the line."""
        # An error at the end of the text names the last line, not the one behind it.
        line_number = min(index + 1, len(self.lines) - 1)
        shown_line = to_one_line(
            truncate_line(self.lines[line_number - 1], 200)
        )
        message = f"the patch cannot be read: {reason} (line {line_number} of the patch: {shown_line!r})"
        return FilewrightError(
            code, message, hint, patch_line=line_number, text=shown_line
        )


def scan_patch(text: str) -> ScannedPatch:
    """Return the lines of a patch with their kinds.

    An outer code fence and a margin before all lines of an envelope are removed: models
    quote patches, and indent them like the text around. Raise `invalid_input` if there
    are lines of a patch before the first mark of an envelope.
    """
    # Only if every line has a return does it come from the transport of the patch.
    is_crlf = 0 < text.count("\n") == text.count("\r\n")
    if is_crlf:
        text = text.replace("\r\n", "\n")
    if text.lstrip().startswith("```"):
        text = _CLOSING_FENCE.sub("\n", text)
    text = remove_margin(text)
    ends_with_newline = text.endswith("\n")
    text = text.removesuffix("\n")
    lines = text.split("\n")
    line_count = len(lines)
    lines.append("")

    # Remarks above a unified diff are skipped by its reader, which looks at each line
    # for parts of a patch. Those above an envelope are passed over here.
    first_content = text.count("\n", 0, len(text) - len(text.lstrip()))
    first_mark = first_content
    if start_match := _PATCH_START.search(text):
        first_mark = text.count("\n", 0, start_match.start())
    has_begin_mark = lines[first_mark].startswith(BEGIN_PATCH)
    is_envelope = ENVELOPE_FILE.match(lines[first_mark]) is not None
    if has_begin_mark:
        # Models put a unified diff between the marks of an envelope: then it is read
        # as a unified diff.
        line_below = lines[first_mark + 1]
        is_envelope = not line_below.startswith(("--- ", "diff --git "))

    classify = (
        _classify_envelope_line if is_envelope else _classify_unified_line
    )
    kinds = [classify(lines, index, line_count) for index in range(line_count)]
    kinds.append(PatchLineKind.END_OF_TEXT)
    patch = ScannedPatch(
        lines,
        kinds,
        [_SIGN_OF_KIND.get(kind) for kind in kinds],
        start=first_mark + has_begin_mark
        if is_envelope or has_begin_mark
        else first_content,
        is_envelope=is_envelope,
        is_crlf=is_crlf,
        ends_with_newline=ends_with_newline,
    )
    if is_envelope and patch.has_patch_line(0, first_mark):
        raise patch.error(
            first_content,
            f"the patch does not begin with '{BEGIN_PATCH}'",
            "put that line first",
        )
    return patch


def remove_margin(text: str) -> str:
    """Remove the whitespace before an envelope from its lines, if all have it."""
    match = _MARGIN.search(text)
    if match is None:
        return text
    margin, lines = match[1], text.split("\n")
    if not all(line.startswith(margin) or not line.strip() for line in lines):
        return text
    return "\n".join(line.removeprefix(margin) for line in lines)


# Both classify functions take the same arguments, because `scan_patch` chooses one.


def _classify_envelope_line(
    lines: list[str], index: int, _line_count: int
) -> PatchLineKind:
    line = lines[index]
    if ENVELOPE_FILE.match(line):
        return PatchLineKind.FILE
    if line.startswith("@@"):
        return PatchLineKind.HUNK
    if line.rstrip() == END_OF_FILE:
        return PatchLineKind.END_OF_FILE
    return _classify_body_line(line)


def _classify_unified_line(
    lines: list[str], index: int, line_count: int
) -> PatchLineKind:
    line = lines[index]
    if line.startswith("diff --git "):
        return PatchLineKind.FILE
    if line.startswith("@@") and not line.startswith("@@@@"):
        return PatchLineKind.HUNK
    if line.startswith("--- ") and lines[index + 1].startswith("+++ "):
        # The line below the last one is empty, so there is one two lines further.
        has_hunk = lines[index + 2].startswith("@@")
        return (
            PatchLineKind.HEADER
            if has_hunk
            else PatchLineKind.HEADER_WITHOUT_HUNK
        )
    if line in ("--", "-- ") and _is_signature(lines[index + 1 : line_count]):
        return PatchLineKind.SIGNATURE
    return _classify_body_line(line)


def _is_signature(lines_below: list[str]) -> bool:
    """Return True if a "--" above these lines ends the patch, and removes no line.

    A removed "-" or "- " looks the same. But git writes only its version below its
    signature, and a mail ends with a blank line.
    """
    if len(lines_below) > 2:
        return False
    return not any(line.startswith("diff ") for line in lines_below)


def _classify_body_line(line: str) -> PatchLineKind:
    if line.rstrip() == END_PATCH:
        return PatchLineKind.END_OF_PATCH
    if line in ("", "\r"):
        return PatchLineKind.BLANK
    return _KIND_OF_SIGN.get(line[0], PatchLineKind.OTHER)
