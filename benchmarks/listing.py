"""Listing and opening, as ratios against `rg --files`, `find` and a plain `open`, in one run.

`rows()` gives `(name, our seconds, reference seconds, goal as a ratio)`; run as a script it prints them.
Our walk and the reference take turns, and the best of each counts, so that what else the machine
does meets both alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import find_program
from filewright.boundary.walk_model import WalkOptions
from filewright.progress import Task
from filewright.settings import Settings

Row = tuple[str, float, float, float]

FOLDERS, FILES = (10, 25, 10), 20
RULES = """*.pyc
__pycache__/
node_modules/
build/
dist/
*.egg-info
.venv
*.log
/out/
/docs/_build/
*.so
*~
.DS_Store
*.swp
coverage.xml
.coverage.*
htmlcov/
!keep.log
"""
ROUNDS = 9


def make_tree(base: str) -> int:
    """50,000 small files in 2,761 folders, and an ignore file as projects have it."""
    count = 0
    with open(os.path.join(base, ".gitignore"), "w", encoding="utf-8") as file:
        file.write(RULES)
    for package in range(FOLDERS[0]):
        for module in range(FOLDERS[1]):
            for part in range(FOLDERS[2]):
                folder = f"{base}/pkg{package:02}/module_{module:02}/part{part}"
                os.makedirs(folder)
                for number in range(FILES):
                    suffix = "py" if number % 3 else "txt"
                    with open(
                        f"{folder}/file_name_{number:02}.{suffix}", "wb"
                    ) as opened:
                        opened.write(b"x\n")
                    count += 1
    return count


def in_turns(
    ours: Callable[[], object], reference: Callable[[], object]
) -> tuple[float, float]:
    """The best time of each, in seconds."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, act in enumerate((ours, reference)):
            start = time.perf_counter()
            act()
            best[index] = min(best[index], time.perf_counter() - start)
    return best[0], best[1]


def rows() -> list[Row]:
    """The measurements. Needs some 250 MB of disk for a minute."""
    result: list[Row] = []
    with tempfile.TemporaryDirectory() as base:
        make_tree(base)
        boundary = Boundary([base], Settings())
        where = boundary.locate(".")

        def names() -> None:
            for entry in boundary.walk(
                where, WalkOptions(kinds=["file"]), task=Task()
            ):
                entry.name  # noqa: B018

        def details() -> None:
            for entry in boundary.walk(
                where, WalkOptions(details=True), task=Task()
            ):
                assert entry.status is not None

        def run(*argv: str) -> Callable[[], object]:
            return lambda: subprocess.run(
                argv, cwd=base, stdout=subprocess.DEVNULL, check=True
            )

        engine = find_program("rg")
        if engine is not None:
            files = (
                engine,
                "--no-config",
                "--hidden",
                "--no-require-git",
                "--files",
            )
            result.append(
                (
                    "names of 50,000 files, sorted, against rg --files",
                    *in_turns(names, run(*files)),
                    1.3,
                )
            )
            ordered = run(*files, "--sort", "path")
            result.append(
                (
                    "names of 50,000 files, sorted, against rg --files --sort",
                    *in_turns(names, ordered),
                    1.3,
                )
            )
        if shutil.which("find"):
            find = run("find", ".", "-printf", r"%p\t%y\t%s\t%T@\t%m\n")
            result.append(
                (
                    "the same with details against find -printf",
                    *in_turns(details, find),
                    1.3,
                )
            )

        path = f"{base}/pkg00/module_00/part0/file_name_00.txt"
        place = boundary.locate("pkg00/module_00/part0/file_name_00.txt")

        def confined() -> None:
            for _ in range(5000):
                boundary.open_file(place).close()

        def plain() -> None:
            for _ in range(5000):
                os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

        def checked() -> None:
            for _ in range(5000):
                assert os.path.realpath(path).startswith(base)
                os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

        ours, reference = in_turns(confined, checked)
        result.append(
            (
                "a confined open against realpath and open",
                ours / 5000,
                reference / 5000,
                1.0,
            )
        )
        ours, reference = in_turns(confined, plain)
        result.append(
            (
                "a confined open against a plain one",
                ours / 5000,
                reference / 5000,
                15.0,
            )
        )
        boundary.close()
    return result


if __name__ == "__main__":
    for name, ours, reference, goal in rows():
        ratio = ours / reference
        verdict = "" if ratio <= goal else f"  (goal {goal})"
        print(
            f"{name}: {ours * 1e3:.3f} ms against {reference * 1e3:.3f} ms, {ratio:.2f}×{verdict}"
        )
    sys.exit(0)
