"""The values a patch is read into: a patch has files, a file has hunks, a hunk has lines.

"Old" is the side that the patch expects in the file, "new" the side that it leaves.
Paths are text as results show them; unusual names are quoted as git does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from filewright.boundary.names import quote, unquote
from filewright.edit.patch.scan import BEGIN_PATCH, END_PATCH, remove_margin
from filewright.errors import invalid

PatchKind = Literal["modify", "create", "delete", "rename", "copy"]


@dataclass(frozen=True, slots=True)
class HunkLines:
    """The lines of a hunk.

    `signs` and `ends` have an entry for each line of the hunk, `old` and `new` for each
    line of their side. `signs` is text: kept (" "), removed ("-") or added ("+").
    `old` are the texts of the kept and removed lines, `new` those of the kept and added
    ones, both without line ends. `ends` has the line end of each line as the patch
    wrote it: ``\\n``, ``\\r\\n``, a lone ``\\r``, or nothing where git's remark says
    that the file has no newline there.
    """

    signs: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    ends: tuple[bytes, ...]

    @property
    def has_changes(self) -> bool:
        """True if a line is removed or added."""
        return bool(self.signs.strip(" "))

    @property
    def repeats_lines(self) -> bool:
        """True if the new lines are the old ones, so that nothing changes."""
        return self.old == self.new and self.old_ends == self.new_ends

    @property
    def signed_old(self) -> list[tuple[str, str]]:
        """The old lines, each with its sign, " " or "-"."""
        return [*zip(self.signs.replace("+", ""), self.old, strict=True)]

    @property
    def signed_new(self) -> list[tuple[str, str]]:
        """The new lines, each with its sign, " " or "+"."""
        return [*zip(self.signs.replace("-", ""), self.new, strict=True)]

    @property
    def old_ends(self) -> list[bytes]:
        """The line ends of the old lines."""
        pairs = zip(self.signs, self.ends, strict=True)
        return [end for sign, end in pairs if sign != "+"]

    @property
    def new_ends(self) -> list[bytes]:
        """The line ends of the new lines."""
        pairs = zip(self.signs, self.ends, strict=True)
        return [end for sign, end in pairs if sign != "-"]

    def reverse(self) -> HunkLines:
        """Return the lines of the hunk that undoes this one."""
        # The line ends stay with their lines, so they are in the same order.
        signs = self.signs.translate(str.maketrans("+-", "-+"))
        return HunkLines(signs, self.new, self.old, self.ends)


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Consecutive lines of a patch that belong in one place of a file.

    `number` counts the hunks of the file from 1; `patch_line` and `last_line` are the
    lines of the patch with which the hunk begins and ends. `start` is the line of the file that its header names,
    from 1, or None. `headings` are lines that come before it in the file, outermost
    first. `at_end`: its last old line is the last of the file.

    The reader remarks three things. `has_wrong_counts`: the counts in its header do not
    match its lines. `is_truncated`: it ends like a patch that lost its end, so it may
    only apply at the end of the file. `is_ambiguous`: its last two lines may also be
    the header of the next file.
    """

    number: int
    patch_line: int
    last_line: int
    lines: HunkLines
    start: int | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
    has_wrong_counts: bool = False
    is_truncated: bool = False
    is_ambiguous: bool = False

    @property
    def start_index(self) -> int:
        """The index of the line that its header names, from 0; 0 without one."""
        # An insertion into an empty file has the header "@@ -0,0".
        return max(0, (self.start or 0) - 1)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The part of a patch that is about one file.

    `old_path` and `new_path` are as the patch names them, without ``a/`` and ``b/``
    (`has_prefix`: it had them). They are equal unless the file is created (`old_path`
    is None), deleted (`new_path` is None), renamed or copied. `first_line` and
    `last_line` are its lines in the patch, from 1. `new_mode` are the permission bits
    that git names (0o644 or 0o755), or None. `must_be_empty`: a deletion whose hunks
    must remove every line. `idle_hunks` are the hunks that change nothing: only
    their context is compared.
    """

    kind: PatchKind
    old_path: str | None
    new_path: str | None
    hunks: tuple[PatchHunk, ...]
    first_line: int
    last_line: int
    new_mode: int | None = None
    must_be_empty: bool = False
    has_prefix: bool = False
    idle_hunks: tuple[PatchHunk, ...] = ()

    @property
    def path(self) -> str:
        """The name to use in messages."""
        return self.old_path or self.new_path or ""

    def relocate(self, folder_parts: list[bytes], strip: int) -> FilePatch:
        """Return the file with `strip` leading parts of its names replaced by a folder.

        `folder_parts` is empty for the root. Raise `invalid_input` if `strip` leaves
        nothing of a name.
        """
        old_path, new_path = self.old_path, self.new_path
        if old_path is not None:
            old_path = self._relocate_path(old_path, folder_parts, strip)
        if new_path is not None:
            new_path = self._relocate_path(new_path, folder_parts, strip)
        return replace(self, old_path=old_path, new_path=new_path)

    def _relocate_path(
        self, path: str, folder_parts: list[bytes], strip: int
    ) -> str:
        parts = unquote(path).split(b"/")
        # The reader has removed "a/" or "b/" already, and it counts as the first part.
        remaining_parts = parts[max(strip - self.has_prefix, 0) :]
        if not remaining_parts:
            hint = f"use a strip up to {len(parts) - 1 + self.has_prefix}"
            if self.has_prefix:
                hint += "; a/ and b/ count as one"
            raise invalid(
                f"strip={strip} removes all of {path}",
                hint,
                argument="strip",
                path=path,
            )
        return quote(b"/".join([*folder_parts, *remaining_parts]))


@dataclass(frozen=True, slots=True)
class PatchHunkPart:
    """A hunk to take out of a patch.

    `line_shift` is added to the line number in its header: the lines that other hunks
    have added above it. `context` has the lines of the file, by index of the old line,
    that replace lines of its context. `above` are hunks without changes that show where
    it belongs.
    """

    hunk: PatchHunk
    line_shift: int = 0
    context: Mapping[int, str] = field(default_factory=dict)
    above: tuple[PatchHunk, ...] = ()

    def extract(self, patch_lines: Sequence[str]) -> list[str]:
        """Return the hunk's lines of the patch, with what is to be changed in them."""
        hunk = self.hunk
        lines_above: list[str] = []
        for idle_hunk in self.above:
            lines_above += PatchHunkPart(idle_hunk, self.line_shift).extract(
                patch_lines
            )
        lines = [*patch_lines[hunk.patch_line - 1 : hunk.last_line]]
        if not lines[0].startswith("@@"):
            # The first hunk of an envelope may lack it. Behind another hunk it would
            # be read as a part of that one.
            lines.insert(0, "@@")
        old_index = 0
        for index, line in enumerate(lines):
            if line.startswith("@@"):
                lines[index] = self._shift_header(line)
            elif not line.startswith(("+", "\\")):
                if old_index in self.context:
                    line_end = "\r" if line.endswith("\r") else ""
                    lines[index] = f" {self.context[old_index]}{line_end}"
                old_index += 1
        return [*lines_above, *lines]

    def _shift_header(self, line: str) -> str:
        match = re.match(r"@@ -(\d+)", line)
        # A hunk that belongs at the beginning of an empty file has the number 0.
        if match is None or not self.line_shift or int(match[1]) == 0:
            return line
        start = max(1, int(match[1]) + self.line_shift)
        return f"@@ -{start}{line[match.end() :]}"


@dataclass(frozen=True, slots=True)
class PatchFilePart:
    """A file to take out of a patch: whole, or some of its hunks."""

    file: FilePatch
    hunks: tuple[PatchHunkPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch: its notation, and at least one file, in the order written.

    `alternative_files` are its files if the lines that may be a header of the next file
    are one; empty if there are no such lines.
    """

    is_envelope: bool
    files: tuple[FilePatch, ...]
    alternative_files: tuple[FilePatch, ...] = ()

    def extract(self, text: str, parts: Iterable[PatchFilePart]) -> str:
        """Return the part of the patch's `text` that is about some files and hunks.

        It is a patch itself. `text` is the text that this patch was read from.
        """
        # Split as the reader did, so that the line numbers are those it counted.
        lines = remove_margin(text).split("\n")
        extract: list[str] = []
        for part in parts:
            file = part.file
            if not part.hunks:
                extract += lines[file.first_line - 1 : file.last_line]
                continue
            first_hunk_line = min(
                hunk.patch_line for hunk in (*file.hunks, *file.idle_hunks)
            )
            extract += lines[file.first_line - 1 : first_hunk_line - 1]
            for hunk_part in part.hunks:
                extract += hunk_part.extract(lines)
        if self.is_envelope:
            extract = [BEGIN_PATCH, *extract, END_PATCH]
        return "".join(f"{line}\n" for line in extract)

    def relocate(self, folder: str, strip: int) -> Patch:
        """Return the patch of files below `folder`, their names shortened by `strip`.

        `strip` is the number of leading parts to remove. ``a/`` and ``b/`` count as the
        first part, as in ``patch -p`` and ``git apply -p``; 0 removes only these.
        Raise `invalid_input` for a name that has no more parts than that.
        """
        folder_parts = []
        if folder not in ("", "."):
            folder_parts.append(unquote(folder).rstrip(b"/"))
        return Patch(
            self.is_envelope,
            tuple(file.relocate(folder_parts, strip) for file in self.files),
            tuple(
                file.relocate(folder_parts, strip)
                for file in self.alternative_files
            ),
        )
