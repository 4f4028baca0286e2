"""Power cuts seen below the C library: after the next start every file is as before or as after, and what was
acknowledged is in the history and can be taken back."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.promises import cuts

pytestmark = pytest.mark.skipif(
    cuts.COMPILER is None, reason="needs Linux and a C compiler"
)

SCENE = """
work = base + "/work"
os.umask(0o022)
for folder in ("docs/old", "src"):
    os.makedirs(f"{work}/{folder}")
for number in range(6):
    with open(f"{work}/src/m{number}.py", "w") as file:
        file.write(f"# module {number}\\nnumber = {number}\\n" + "rest = 0\\n" * 9)
lines = "".join(f"line {number}\\n" for number in range(3000))
for name, content in (("docs/a.md", "one\\n"), ("docs/old/b.md", "two\\n"), ("large.txt", "a line\\n" * 20000), ("whole.txt", lines * 4), ("long.txt", lines)):
    with open(f"{work}/{name}", "w") as file:
        file.write(content)
os.symlink("a.md", f"{work}/docs/link")
"""
PATCH = "\\n".join(
    ["*** Begin Patch"]
    + [
        f"*** Update File: src/m{n}.py\\n@@\\n-number = {n}\\n+number = 1{n}"
        for n in range(3)
    ]
    + ["*** Add File: new/deep/c.py\\n+new", "*** Delete File: docs/a.md"]
    + [
        "*** Update File: src/m5.py\\n*** Move to: lib/m5.py\\n@@\\n-number = 5\\n+number = 15",
        "*** End Patch\\n",
    ]
)
FIRST = """
workspace = opened(base)
mark(state="start")
workspace.edit("src/m0.py", [{"search": "number = 0", "replace": "number = 7", "replace_all": True}])
mark(change=workspace.newest())
"""
MANY = f"""
workspace = opened(base)
workspace.write("begun.txt", "begun\\n")
mark(state="start", change=workspace.newest())
def did(call, *given, **named):
    call(*given, **named)
    mark(change=workspace.newest())
did(workspace.edit, "src/m4.py", [{{"search": "number = 4", "replace": "x = 1", "replace_all": True}}])
did(workspace.apply_patch, "{PATCH}")
did(workspace.undo)
did(workspace.redo)
did(workspace.edit, "large.txt", [{{"start_line": 5, "end_line": 6, "replace": "other", "expected_version": workspace.read("large.txt").version}}])
did(workspace.edit, "long.txt", [{{"search": "line 3\\n", "replace": "LINE\\n"}}])
did(workspace.copy, "docs", "copied")
did(workspace.set_permissions, "long.txt", mode="755")
did(workspace.move, "docs", "site/docs")
did(workspace.move, "long.txt", "site/docs/a.md", overwrite=True)
did(workspace.write, "whole.txt", "small now\\n", mode="overwrite")
did(workspace.delete, "src", recursive=True)
did(workspace.revert_edit, since=workspace.history(limit=50)[-1].id)
"""
RECOVER = """
with opened(base) as workspace:
    workspace.recover()
    mark(state="recovered")
"""


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(
        prefix="cuts-", dir=os.environ.get("FILEWRIGHT_TEST_DIR")
    ) as folder:
        yield Path(folder)


class LostError(AssertionError):
    """Something is neither as before nor as after, or what was acknowledged is gone."""


def _disk_tree(root: Path) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for path in root.rglob("*"):
        status, name = path.lstat(), str(path.relative_to(root))
        mode = stat.S_IMODE(status.st_mode)
        if path.is_symlink():
            found[name] = ("link", os.fsencode(os.readlink(path)))
        else:
            found[name] = (
                ("folder", mode)
                if path.is_dir()
                else ("file", mode, path.read_bytes())
            )
    return found


class Cuts:
    """The log of a program, and the tree of the workspace at each of its marks."""

    def __init__(self, place: Path, program: str) -> None:
        self.base = place / "run"
        self.base.mkdir()
        self.log = cuts.recorded(SCENE + program, self.base)
        self.marks = [(at, json.loads(text)) for at, text in self.log.marks()]
        self.safe = self.marks[0][0]
        self.trees = [self._whole(at) for at, _ in self.marks]
        shutil.rmtree(self.base)

    def _whole(self, cut: int) -> dict[str, tuple[Any, ...]]:
        return cuts.Image(
            self.log, cut, disk="journaling", seed=None, safe=cut
        ).tree(b"work")

    def image(
        self,
        cut: int,
        disk: cuts.Disk,
        seed: int | None,
        *,
        flushes: bool = True,
    ) -> cuts.Image:
        """What a power cut leaves."""
        return cuts.Image(
            self.log, cut, disk=disk, seed=seed, safe=self.safe, flushes=flushes
        )

    def make(self, image: cuts.Image) -> None:
        """Make an image on the real disk."""
        shutil.rmtree(self.base, ignore_errors=True)
        image.make(self.base)

    def check(
        self,
        cut: int,
        found: dict[str, Any],
        where: object,
        *,
        rewound: bool = False,
    ) -> None:
        """Raise unless what a start found after a cut is what was promised."""
        said = [what for at, what in self.marks if at < cut]
        acknowledged = [what["change"] for what in said if "change" in what]
        after = len(said)
        now = _disk_tree(self.base / "work")
        changes = found.get("changes", [])
        if "error" in found or found["conflicts"]:
            raise LostError(where, acknowledged, found)
        if (
            changes[: len(acknowledged)] != acknowledged
            or len(changes) > len(acknowledged) + 1
        ):
            raise LostError(where, changes, acknowledged)
        if rewound:
            wanted = self.trees[0]
        else:
            wanted = (
                self.trees[after - 1]
                if len(changes) == len(acknowledged)
                else self.trees[after]
            )
        if now != wanted:
            raise LostError(
                where,
                {
                    k: (wanted.get(k), now.get(k))
                    for k in {*wanted, *now}
                    if wanted.get(k) != now.get(k)
                },
            )


@pytest.fixture(scope="module")
def looking() -> Iterator[cuts.Looking]:
    """Start a process that opens one image after the other."""
    with cuts.Looking() as process:
        yield process


def _look(
    run: Cuts,
    looking: cuts.Looking,
    *,
    stride: int,
    seeds: int,
    flushes: bool = True,
) -> int:
    looked = 0
    total = len(run.log.events)
    seen: set[int] = set()
    for cut in [*range(run.safe + 1, total, stride), total]:
        for disk, seed in itertools.product(
            ("journaling", "lazy"), (None, *range(seeds))
        ):
            image = run.image(cut, disk, seed, flushes=flushes)
            shown = hash(
                (cut > run.marks[-1][0], frozenset(image.tree().items()))
            )
            if shown in seen:
                continue
            seen.add(shown)
            looked += 1
            run.make(image)
            then = (
                "rewind"
                if run.trees[0] != {}
                and "change" in run.marks[0][1]
                and looked % 3 == 0
                else ""
            )
            found = looking.at(image, run.base, then)
            run.check(
                cut,
                found,
                (cut, total, disk, seed),
                rewound=then == "rewind" and len(found.get("changes", [])) > 1,
            )
    return looked


@pytest.fixture
def first() -> Iterator[Cuts]:
    with _folder() as place:
        yield Cuts(place, FIRST)


@pytest.fixture(scope="module")
def many() -> Iterator[Cuts]:
    """Many changes, recorded once."""
    with _folder() as place:
        yield Cuts(place, MANY)


def test_a_power_cut_in_the_first_change_of_a_project_leaves_all_or_nothing(
    first: Cuts, looking: cuts.Looking
) -> None:
    assert _look(first, looking, stride=29, seeds=1) >= 5


def test_a_power_cut_among_edits_and_undos_leaves_all_or_nothing_and_keeps_what_was_acknowledged(
    many: Cuts, looking: cuts.Looking
) -> None:
    assert _look(many, looking, stride=101, seeds=1) >= 20


def test_on_a_disk_that_ignores_flushes_the_same_check_fails(
    many: Cuts, looking: cuts.Looking
) -> None:
    with pytest.raises(LostError):
        _look(many, looking, stride=11, seeds=1, flushes=False)


def _recoveries(
    run: Cuts, looking: cuts.Looking, *, stride: int, inner: int
) -> int:
    """Cut the power in recoveries from power cuts."""
    looked = 0
    total = len(run.log.events)
    for cut in range(run.safe + 1, total, stride):
        image = run.image(cut, "journaling", cut)
        run.make(image)
        again = cuts.recorded(RECOVER, run.base, image)
        for other in range(1, len(again.events), inner):
            second = cuts.Image(
                again,
                other,
                disk="lazy" if other % 2 else "journaling",
                seed=other,
            )
            run.make(second)
            looked += 1
            run.check(cut, looking.at(second, run.base), (cut, other))
    return looked


def test_a_power_cut_in_a_recovery_is_recovered_from(
    many: Cuts, looking: cuts.Looking
) -> None:
    stride = len(many.log.events) // 3
    assert _recoveries(many, looking, stride=stride, inner=19) >= 5


@pytest.mark.sweep
def test_power_cuts_after_every_call_below_the_c_library(
    many: Cuts, looking: cuts.Looking
) -> None:
    images = _look(many, looking, stride=1, seeds=2)
    print(f"\npower cuts below the C library: {images} images")
    images = _recoveries(many, looking, stride=9, inner=3)
    print(f"\nof recoveries: {images} images")
