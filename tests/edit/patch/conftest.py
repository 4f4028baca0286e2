"""A folder in memory, to plan patches against and to carry the plans out in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from tests.files import ROOT, Windowed

from filewright.boundary.location import Location
from filewright.boundary.names import unquote
from filewright.edit.build_diff import build_file_diff
from filewright.edit.changeset import (
    Copy,
    Create,
    Delete,
    FilePlan,
    Modify,
    Move,
    SetMode,
    Step,
)
from filewright.edit.diff import Diff, FileDiff
from filewright.edit.patch.file_plan import PatchedFile
from filewright.edit.patch.plan import plan_patch
from filewright.edit.patch.reader import parse_patch
from filewright.edit.patch.targets import PatchTarget
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices, sort_splices


def _shown(file: FilePlan[PatchedFile]) -> FileDiff:
    return build_file_diff(
        FileDiff(
            file.old_name,
            file.new_name,
            mode_before=file.mode_before,
            mode_after=file.mode_after,
            is_copy=file.is_copy,
        ),
        file.before,
        file.splices,
    )


@dataclass
class Tree:
    """Files by name, with modes; `held` False plans as for files that don't fit into memory."""

    files: dict[str, bytes]
    modes: dict[str, int] = field(default_factory=dict)
    held: bool = True
    encoding: str | None = None

    def look(self, asked: str) -> PatchTarget:
        parts: list[bytes] = []
        for part in unquote(asked).split(b"/"):
            if part == b"..":
                raise FilewrightError(
                    Code.PATH_ESCAPE, f"{asked} leads out of the root"
                )
            if part not in (b"", b"."):
                parts.append(part)
        location = Location(ROOT, tuple(parts), asked)
        name = b"/".join(parts).decode()
        if name not in self.files:
            return PatchTarget(location, None, ("no", name))
        content = self.files[name]
        if self.held:
            snapshot = Snapshot(
                content, encoding=self.encoding, location=location
            )
        else:
            snapshot = Windowed(content, location=location)
        return PatchTarget(
            location,
            lambda: snapshot,
            ("file", name),
            self.modes.get(name, 0o644),
        )

    def plan(self, text: str) -> list[FilePlan[PatchedFile]]:
        plans = plan_patch(parse_patch(text), self.look)
        return [plan for plan in plans if isinstance(plan, FilePlan)]

    def diff(self, text: str) -> str:
        """What a patch does, as a diff."""
        return Diff(tuple(_shown(file) for file in self.plan(text))).text

    def patched(self, text: str) -> dict[str, bytes]:
        """The files after the patch; also proves that each step meets what it expects."""
        planned = self.plan(text)
        steps: list[Step] = []
        for file in planned:
            assert _shown(file).text
            steps[:] = (
                [*file.steps, *steps] if file.is_copy else [*steps, *file.steps]
            )
        files, modes = dict(self.files), dict(self.modes)
        for step in steps:
            match step:
                case Modify(location, expected, splices):
                    old = files[location.path.decode()]
                    assert expected.size == len(old)
                    files[location.path.decode()] = apply_splices(
                        old, sort_splices(splices, len(old))
                    )
                case Create(location, content, mode):
                    assert location.path.decode() not in files
                    files[location.path.decode()] = content
                    modes[location.path.decode()] = mode or 0o644
                case Delete(location):
                    del files[location.path.decode()]
                case Move(source, destination):
                    assert destination.path.decode() not in files
                    files[destination.path.decode()] = files.pop(
                        source.path.decode()
                    )
                    modes[destination.path.decode()] = modes.pop(
                        source.path.decode(), 0o644
                    )
                case Copy(source, destination):
                    assert destination.path.decode() not in files
                    files[destination.path.decode()] = files[
                        source.path.decode()
                    ]
                    modes[destination.path.decode()] = modes.get(
                        source.path.decode(), 0o644
                    )
                case SetMode(location, bits):
                    modes[location.path.decode()] = int(bits, 8)
                case _:
                    raise AssertionError(step)
        self.modes = modes
        return files

    def refusal(self, text: str) -> FilewrightError:
        """The error a patch is refused with."""
        with pytest.raises(FilewrightError) as caught:
            self.plan(text)
        return caught.value


@pytest.fixture(scope="session")
def tree() -> Callable[..., Tree]:
    """Makes a `Tree`: `tree({"a": b"text"}, held=False)`."""
    return Tree
