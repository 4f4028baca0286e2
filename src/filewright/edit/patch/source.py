"""The text of a patch as numbered lines, and the one way to refuse it."""

from __future__ import annotations

from filewright.edit.visible import cut_line, safe
from filewright.errors import Code, FilewrightError
from filewright.text.codec import check_text


class Source:
    """The lines of a patch, without terminators, indexed from 0.

    A patch whose own lines (headers too) all end in ``\\r\\n`` came over a transport that made them
    so: the returns are taken off. Elsewhere a trailing ``\\r`` stays, and says that line's content
    has one. An outer code fence is taken off. `ended`: the last line had its newline.
    """

    def __init__(self, text: str) -> None:
        check_text(text, "patch")
        self.ended = text.endswith("\n")
        lines = text.split("\n")
        if self.ended:
            lines.pop()
        if (
            lines
            and all(line.endswith("\r") for line in (lines if self.ended else lines[:-1]))
            and len(lines) > 1
        ):
            lines = [line.removesuffix("\r") for line in lines]
        self.lines = lines
        self.first = 0
        self._unfence()

    def _unfence(self) -> None:
        """Leave out blank lines at both ends and the fence a chat client puts round a patch."""
        start, stop = 0, len(self.lines)
        while start < stop and not self.lines[start].strip():
            start += 1
        end = stop
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        if end - start >= 2 and self.lines[start].startswith("```") and self.lines[end - 1].strip() == "```":
            start, stop = start + 1, end - 1
            self.ended = True
        self.first = start
        del self.lines[stop:]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> str:
        """The line, or "" past the end."""
        return self.lines[index] if index < len(self.lines) else ""

    def is_blank(self, index: int) -> bool:
        """Whether the line is empty but for a carriage return, or past the end."""
        return self[index] in ("", "\r")

    def refused(self, index: int, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
        """The error for something wrong at a line."""
        number = min(index, max(len(self.lines) - 1, 0)) + 1
        line = safe(cut_line(self[number - 1], 200))
        return FilewrightError(
            code,
            f"the patch cannot be read: {why} (line {number} of the patch: {line!r})",
            hint=hint,
            details={"patch_line": number, "text": line},
        )
