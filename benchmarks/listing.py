"""Listing and opening, as ratios against `rg --files`, `find` and a plain `open`, in one run.

Our walk and the reference take turns, and the best of each counts, so that what else the machine
does meets both alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable

from benchmarks.row import Row, fastest_in_turns
from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import find_program
from filewright.boundary.walk_model import WalkOptions
from filewright.progress import Task
from filewright.settings import Settings

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


def make_tree(base: str, packages: int, modules: int) -> int:
    """Make 200 small files in 11 folders for each module, and an ignore file; return the count."""
    count = 0
    with open(os.path.join(base, ".gitignore"), "w", encoding="utf-8") as file:
        file.write(RULES)
    for package in range(packages):
        for module in range(modules):
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


def rows(*, quick: bool = False) -> list[Row]:
    """Return the measurements; they need some 250 MB of disk for a minute."""
    result: list[Row] = []
    rounds = 1 if quick else ROUNDS
    opened = 10 if quick else 5000
    with tempfile.TemporaryDirectory() as base:
        count = make_tree(base, *((1, 1) if quick else FOLDERS[:2]))
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
                Row(
                    f"names of {count:,} files, sorted, against rg --files",
                    *fastest_in_turns(names, run(*files), rounds),
                    1.3,
                )
            )
            ordered = run(*files, "--sort", "path")
            result.append(
                Row(
                    f"names of {count:,} files, sorted, against rg --files --sort",
                    *fastest_in_turns(names, ordered, rounds),
                    1.3,
                )
            )
        if shutil.which("find"):
            find = run("find", ".", "-printf", r"%p\t%y\t%s\t%T@\t%m\n")
            result.append(
                Row(
                    "the same with details against find -printf",
                    *fastest_in_turns(details, find, rounds),
                    1.3,
                )
            )

        path = f"{base}/pkg00/module_00/part0/file_name_00.txt"
        place = boundary.locate("pkg00/module_00/part0/file_name_00.txt")

        def confined() -> None:
            for _ in range(opened):
                boundary.open_file(place).close()

        def plain() -> None:
            for _ in range(opened):
                os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

        def checked() -> None:
            for _ in range(opened):
                assert os.path.realpath(path).startswith(base)
                os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

        ours, reference = fastest_in_turns(confined, checked, rounds)
        result.append(
            Row(
                "a confined open against realpath and open",
                ours / opened,
                reference / opened,
                1.0,
            )
        )
        ours, reference = fastest_in_turns(confined, plain, rounds)
        result.append(
            Row(
                "a confined open against a plain one",
                ours / opened,
                reference / opened,
                15.0,
            )
        )
        boundary.close()
    return result
