"""Cases, and the judge of the bytes that a tool leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

_LINE_END = 4
"""The most bytes that a line end has, in any encoding of a case."""
_TAIL = 16
"""The last bytes of a file; where they are still last, nothing is cut off."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace a text that the file holds once."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write the whole text of the file."""

    content: str


@dataclass(frozen=True, slots=True)
class Patch:
    """Apply the hunks of a unified diff of the file, without its head."""

    hunks: str


Request = Replace | Write | Patch


def kind_of(request: Request) -> str:
    """Return the kind of a request as the tables name it."""
    match request:
        case Replace():
            return "edit"
        case Write():
            return "write"
        case Patch():
            return "patch"


@dataclass(frozen=True, slots=True)
class File:
    """A file as a case begins."""

    name: str
    content: bytes
    mode: int = 0o644
    link: str | None = None
    """Whether it is edited through a `symbolic` link or has a second name, by a `hard` one."""

    def write(self, folder: Path) -> Path:
        """Write the file below a folder; return the path that a tool edits."""
        path = folder / self.name
        if self.link is None:
            path.write_bytes(self.content)
            path.chmod(self.mode)
            return path
        other = folder / f"other-{self.name}"
        other.write_bytes(self.content)
        if self.link == "symbolic":
            path.symlink_to(other.name)
        else:
            os.link(other, path)
        return path

    def lost_property(self, path: Path) -> str:
        """Return the property beside its bytes that the file has lost, or ""."""
        if self.link == "symbolic" and not path.is_symlink():
            return "link replaced"
        if self.link == "hard" and path.stat().st_nlink != 2:
            return "link broken"
        if self.link is None and path.stat().st_mode & 0o777 != self.mode:
            return "mode"
        return ""


@dataclass(frozen=True, slots=True)
class Case:
    """A file, a request, and the bytes that are right."""

    number: int
    name: str
    file: File
    request: Request
    expected: tuple[bytes, ...]
    """Each of these is right; without any, the request must be refused."""
    may_refuse: bool = True
    """Whether a refusal is as right as an edit, as where a person would ask back."""
    asked: Asked | None = None
    """For a request that others made: the lines that it names."""
    verdict_of: Callable[[bytes], Verdict] | None = None
    """The judge of the source of a case, which knows what else is right."""

    @property
    def folder_name(self) -> str:
        """The name of the case's folder below the root of a tool."""
        return f"case{self.number:04}"


@dataclass(frozen=True, slots=True)
class Asked:
    """The lines that a request takes away and adds, without their blanks."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


class Verdict(StrEnum):
    """The state of a file after a request."""

    LANDED = "landed"
    REFUSED = "refused"
    WRONG = "wrong"
    OTHER_BYTES = "other bytes"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and what shows it."""

    verdict: Verdict
    detail: str = ""


def judge(case: Case, path: Path) -> Judgement:
    """Return the verdict on the file that a tool has left at a path."""
    if not path.exists():
        return Judgement(Verdict.LOST, "the file is gone")
    before, after = case.file.content, path.read_bytes()
    lost_property = case.file.lost_property(path)
    if after == before and not lost_property:
        return Judgement(Verdict.REFUSED)
    if after in case.expected:
        if lost_property:
            return Judgement(Verdict.OTHER_BYTES, lost_property)
        return Judgement(Verdict.LANDED)
    if is_cut(before, case.expected, after):
        return Judgement(Verdict.LOST, f"{len(after)} of {len(before)} bytes")
    if case.verdict_of is not None:
        return Judgement(case.verdict_of(after), "by the generator")
    if case.asked and changed_lines(before, after) == case.asked:
        return Judgement(Verdict.LANDED, "as asked, not as the task wanted")
    if not case.expected:
        return Judgement(Verdict.WRONG, "applied, but it was to be refused")
    return min(
        (_compare(before, expected, after) for expected in case.expected),
        key=lambda judgement: judgement.verdict != Verdict.OTHER_BYTES,
    )


def is_cut(before: bytes, expected: tuple[bytes, ...], after: bytes) -> bool:
    """Return whether content ends early, by more than a line end.

    A half of a request that adds lines at the end of a file has cut nothing.
    """
    if _ends_early(before, after):
        return True
    if after.endswith(before[-_TAIL:]):
        return False
    return any(_ends_early(whole, after) for whole in expected)


def _ends_early(whole: bytes, part: bytes) -> bool:
    return whole.startswith(part) and len(whole) - len(part) > _LINE_END


def _compare(before: bytes, expected: bytes, after: bytes) -> Judgement:
    """Tell damage outside of a request from a request that is done wrongly."""
    start = _common(before, expected)
    room = min(len(before), len(expected)) - start
    end = min(_common(before[::-1], expected[::-1]), room)
    is_outside_whole = (
        len(after) >= start + end
        and after.startswith(expected[:start])
        and after.endswith(expected[len(expected) - end :])
    )
    if is_outside_whole:
        return Judgement(Verdict.WRONG, "not what was asked")
    if skeleton(after) == skeleton(expected):
        return Judgement(Verdict.OTHER_BYTES, _damage(expected, after))
    return Judgement(Verdict.WRONG, "another place, or not what was asked")


def _common(left: bytes, right: bytes) -> int:
    """Return the length of what two contents begin with alike."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


def skeleton(content: bytes) -> list[str]:
    """Return the lines of a text reduced to what every damage leaves.

    That is its ASCII letters, digits and signs, without blanks: encodings,
    line ends, marks and blanks may differ, and the words are the same.
    """
    text = content.decode("ascii", "replace").replace("\0", "")
    lines = (
        re.sub(r"[^!-~]|\?", "", line) for line in re.split(r"[\r\n]+", text)
    )
    return [line for line in lines if line]


def _damage(expected: bytes, after: bytes) -> str:
    """Return in words how content differs from what was expected."""
    ends = [content.count(b"\r\n") for content in (expected, after)]
    if b"\xef\xbf\xbd" in after and b"\xef\xbf\xbd" not in expected:
        return "replaced bytes"
    if ends[0] != ends[1] or expected.count(b"\r") != after.count(b"\r"):
        return "line ends"
    if expected.split() == after.split():
        return "blanks"
    return "encoding"


def changed_lines(before: bytes, after: bytes) -> Asked:
    """Return the lines that an edit took away and added, without blanks.

    A line that moved is in neither.
    """
    old, new = _lines(before), _lines(after)
    removed = _without(old, new)
    return Asked(tuple(sorted(removed)), tuple(sorted(_without(new, old))))


def named_lines(removed: list[str], added: list[str]) -> Asked:
    """Return the lines of a request in the form of `changed_lines`."""
    old = [text for line in removed if (text := "".join(line.split()))]
    new = [text for line in added if (text := "".join(line.split()))]
    without_new = tuple(sorted(_without(old, new)))
    return Asked(without_new, tuple(sorted(_without(new, old))))


def _lines(content: bytes) -> list[str]:
    text = content.decode("utf-8", "replace")
    return ["".join(line.split()) for line in text.split("\n") if line.strip()]


def _without(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines that others do not have, as often as they lack them."""
    rest = list(others)
    missing = []
    for line in lines:
        if line in rest:
            rest.remove(line)
        else:
            missing.append(line)
    return missing


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case by one tool: what became of the file, and what the tool said."""

    tool: str
    part: str
    number: int
    case: str
    kind: str
    """The kind of the request: `edit`, `write` or `patch`."""
    verdict: Verdict
    is_right: bool
    """Whether the verdict is one that the case allows."""
    detail: str = ""
    answer: str = ""
    seconds: float = 0.0
    has_failed: bool = False
    """Whether the tool called it an error."""
    result: bytes | None = field(default=None, repr=False)


def is_right(case: Case, verdict: Verdict) -> bool:
    """Return whether a case allows a verdict."""
    if verdict is Verdict.LANDED:
        return True
    return verdict is Verdict.REFUSED and (not case.expected or case.may_refuse)
