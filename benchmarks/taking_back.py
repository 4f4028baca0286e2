"""What is left when the work of an agent is taken back, by filewright and by git.

`python -m benchmarks taking_back` makes a project of 400 files with a git repository. A
person has uncommitted work. An agent then edits 40 files by tools and changes more by a
shell, and the person edits one of the agent's files. At the end the agent's work is taken
back, and that again. The expected result is the person's work, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from filewright import Settings, Workspace

FILES = 400
LINES = b"".join(b"line %d\r\n" % number for number in range(60))
SHELL = (
    "sed -i 's/line 3/row 3/' m050.txt && rm m051.txt && "
    "mv m052.txt moved.txt && echo new > made.txt && echo out >> build/out.txt"
)
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")


@dataclass(frozen=True, slots=True)
class Result:
    """The state after the agent's work was taken back."""

    wrong: list[str]
    """Files that are not as the person left them."""
    has_redone: bool
    """True if taking it back can be taken back, byte for byte."""
    kilobytes: int
    """The disk space that the history takes."""


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files but those of git."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git/" not in path.as_posix()
    }


def disk_use(folder: Path) -> int:
    """Return the bytes of the disk that a folder takes."""
    return sum(
        path.stat().st_blocks * 512
        for path in folder.rglob("*")
        if path.is_file()
    )


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    subprocess.run(
        [*_GIT, *arguments], cwd=folder, check=True, capture_output=True
    )


def make_project(folder: Path, files: int) -> None:
    """Make a committed project, and the uncommitted work of a person."""
    (folder / "build").mkdir(parents=True)
    for number in range(files):
        content = b"file %d\r\n" % number + LINES
        (folder / f"m{number:03}.txt").write_bytes(content)
    (folder / ".gitignore").write_bytes(b"build/\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    (folder / "build" / "out.txt").write_bytes(b"built\r\n")
    (folder / "m100.txt").write_bytes(b"uncommitted\r\n" + LINES)
    (folder / "notes.txt").write_bytes(b"a person's notes\r\n")


def work_as_an_agent(workspace: Workspace) -> None:
    """Edit files by a tool, and change others by a shell."""
    workspace.replace(
        "line 5\\b", "text 5", mode="regex", glob="m0[0-3]*.txt", preview=False
    )
    command = workspace.begin_command(command=SHELL)
    folder = workspace.roots[0].path
    subprocess.run(["bash", "-c", SHELL], cwd=folder, check=True)
    workspace.end_command(command, SHELL)


def work_as_a_person(folder: Path) -> None:
    """Add a line to a file that the agent has edited."""
    with (folder / "m001.txt").open("ab") as file:
        file.write(b"a person's line\r\n")


def find_wrong(folder: Path, before: dict[str, bytes]) -> list[str]:
    """Return the files that differ from the person's work."""
    expected = dict(before)
    expected["m001.txt"] += b"a person's line\r\n"
    now = contents(folder)
    return sorted(
        name
        for name in expected.keys() | now.keys()
        if expected.get(name) != now.get(name)
    )


def take_back_by_filewright(folder: Path, state: Path) -> Result:
    """Take back the session, and that again."""
    settings = Settings(state_dir=state)
    with Workspace(folder, settings=settings, session="agent") as workspace:
        before = contents(folder)
        size = disk_use(state)
        work_as_an_agent(workspace)
        work_as_a_person(folder)
        after = contents(folder)
        workspace.revert_edit(session="agent")
        wrong = find_wrong(folder, before)
        workspace.redo()
        has_redone = contents(folder) == after
    return Result(wrong, has_redone, (disk_use(state) - size) // 1024)


def take_back_by_git_stash(folder: Path, state: Path) -> Result:
    """Stash everything, and pop it again."""
    with Workspace(folder, settings=Settings(state_dir=state)) as workspace:
        before = contents(folder)
        size = disk_use(folder / ".git")
        work_as_an_agent(workspace)
    work_as_a_person(folder)
    after = contents(folder)
    git(folder, "stash", "--include-untracked")
    wrong = find_wrong(folder, before)
    git(folder, "stash", "pop")
    has_redone = contents(folder) == after
    return Result(wrong, has_redone, (disk_use(folder / ".git") - size) // 1024)


def take_back_by_git_restore(folder: Path, state: Path) -> Result:
    """Restore every file of the last commit, and remove new ones."""
    with Workspace(folder, settings=Settings(state_dir=state)) as workspace:
        before = contents(folder)
        work_as_an_agent(workspace)
    work_as_a_person(folder)
    git(folder, "restore", ".")
    git(folder, "clean", "-fdq")
    return Result(find_wrong(folder, before), False, 0)


WAYS: dict[str, Callable[[Path, Path], Result]] = {
    "filewright rewind": take_back_by_filewright,
    "git stash -u": take_back_by_git_stash,
    "git restore . && git clean -fd": take_back_by_git_restore,
}


def measure(take_back: Callable[[Path, Path], Result], files: int) -> Result:
    """Measure one way in a project of its own."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "project"
        make_project(folder, files)
        state = Path(parent) / "state"
        state.mkdir()
        return take_back(folder, state)


def report(words: Sequence[str], *, quick: bool = False) -> None:
    """Print a table of all ways."""
    argparse.ArgumentParser("taking_back", description=__doc__).parse_args(
        words
    )
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    lines = [
        "| | files not as the person left them | taken back again | disk |",
        "|---|---|---|---|",
    ]
    for name, take_back in WAYS.items():
        result = measure(take_back, 110 if quick else FILES)
        names = ", ".join(f"`{path}`" for path in result.wrong) or "none"
        redone = "yes" if result.has_redone else "no"
        lines.append(
            f"| `{name}` | {names} | {redone} | {result.kilobytes:,} KB |"
        )
    sys.stdout.write("\n".join(lines) + "\n")
