"""The answer of an edit, with its request, determines the new content of each file.

Files are rebuilt from their old lines, the hunks that the answer shows, and the lines that
it describes in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from filewright import Workspace

ROUNDS = 16
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_PLACE = re.compile(r"(\d+):$")
_LINES = r"(\d+)(?:-(\d+))?"
_MOVE = re.compile(
    rf"lines? {_LINES}(?:, symbol \S+,)? moved to (?:(\S+):|lines ){_LINES}([^;]*)"
)
_COPY = re.compile(
    rf"lines {_LINES}(.*), symbol \S+, copied from (\S+):{_LINES}$"
)
_DELETION = re.compile(rf"lines? {_LINES}(?:, symbol \S+,)? deleted")
_CONFLICT = re.compile(rf"conflict \d+ \(lines {_LINES}\): (\w+) kept")
_FILE = re.compile(r"(\w+\.\w+): ")
_BLANK = re.compile(r"(\d) blank lines? (above|below)")


@dataclass
class Rebuilt:
    """The lines of a file that the answer removes, and those that it adds."""

    removed: dict[int, str | None] = field(default_factory=dict)
    added: dict[int, str] = field(default_factory=dict)

    def apply(self, before: list[str], line_count: int) -> list[str]:
        """Return the new lines. Raise if a removed line is not as the answer has it."""
        for number, text in self.removed.items():
            assert text is None or before[number - 1] == text
        rest = [
            line
            for number, line in enumerate(before, 1)
            if number not in self.removed
        ]
        after: list[str] = []
        while rest or len(after) < line_count:
            addition = self.added.get(len(after) + 1)
            after.append(rest.pop(0) if addition is None else addition)
        return after


class Answer:
    """The changes of files that an answer shows and describes."""

    def __init__(self, text: str, before: Mapping[str, list[str]]) -> None:
        self.files: dict[str, Rebuilt] = {name: Rebuilt() for name in before}
        self._before = before
        self._rows = text.split("\n")
        name = ""
        while self._rows:
            row = self._rows.pop(0)
            if match := _FILE.match(row):
                name = match[1]
                self.files.setdefault(name, Rebuilt())
            elif match := _PLACE.match(row):
                self._add_replacement(self.files[name], int(match[1]))
            elif match := _HUNK.match(row):
                self._add_hunk(self.files[name], match)
            elif match := _MOVE.match(row):
                self._add_move(name, match)
            elif match := _COPY.match(row):
                source = self._lines(match[4], match[5], match[6])
                self._place(name, int(match[1]), source, match[3])
            elif match := _DELETION.match(row):
                lines = range(int(match[1]), int(match[2] or match[1]) + 1)
                self.files[name].removed |= dict.fromkeys(lines)
            elif match := _CONFLICT.match(row):
                self._add_conflict(name, match)

    def _add_hunk(self, file: Rebuilt, match: re.Match[str]) -> None:
        old, new = int(match[1]), int(match[3])
        old_count, new_count = int(match[2] or 1), int(match[4] or 1)
        old += not old_count
        new += not new_count
        old_end, new_end = old + old_count, new + new_count
        while old < old_end or new < new_end:
            sign, text = self._rows[0][0], self._rows.pop(0)[1:]
            if sign == "-":
                file.removed[old] = text
            elif sign == "+":
                file.added[new] = text
            old += sign != "+"
            new += sign != "-"

    def _add_replacement(self, file: Rebuilt, first: int) -> None:
        old = new = first
        while self._rows and self._rows[0][:1] in ("-", "+"):
            sign, text = self._rows[0][0], self._rows.pop(0)[1:]
            if sign == "-":
                file.removed[old] = text
                old += 1
            else:
                file.added[new] = text
                new += 1
        assert old == new > first

    def _lines(self, name: str, first: str, last: str | None) -> list[str]:
        return self._before[name][int(first) - 1 : int(last or first)]

    def _add_move(self, name: str, match: re.Match[str]) -> None:
        first, last = int(match[1]), int(match[2] or match[1])
        self.files[name].removed |= dict.fromkeys(range(first, last + 1))
        if "changed (see the diff)" in match[6]:
            return
        count = int(match[5] or match[4]) - int(match[4]) + 1
        source = [*self._lines(name, match[1], match[2])]
        # Blank lines around the symbol leave with it.
        while len(source) > count:
            source.pop(0 if not source[0] else -1)
        self._place(match[3] or name, int(match[4]), source, match[6])

    def _place(
        self, name: str, first: int, lines: list[str], remark: str
    ) -> None:
        added = self.files.setdefault(name, Rebuilt()).added
        for number, line in enumerate(lines, first):
            added[number] = line
        for count, side in _BLANK.findall(remark):
            start = (
                first - int(count) if side == "above" else first + len(lines)
            )
            for number in range(start, start + int(count)):
                added[number] = ""

    def _add_conflict(self, name: str, match: re.Match[str]) -> None:
        first, last = int(match[1]), int(match[2])
        lines = self._before[name][first - 1 : last]
        side = "marker"
        for number, line in enumerate(lines, first):
            if line[:7] in ("<<<<<<<", "=======", ">>>>>>>"):
                side = "theirs" if line[0] == "=" else "ours"
            elif match[3] in (side, "both"):
                continue
            self.files[name].removed[number] = None


@dataclass
class Scene:
    """A folder of files to edit, one for each edit, with random names and numbers."""

    random: Random
    root: Path
    workspace: Workspace
    before: dict[str, list[str]] = field(default_factory=dict)

    def write(self, name: str, lines: list[str]) -> None:
        end = self.random.choice(["\n", "\r\n"])
        data = "".join(line + end for line in lines).encode()
        (self.root / name).write_bytes(data)
        self.before[name] = lines

    def word(self) -> str:
        return "".join(self.random.choices("abcdefghij", k=6))

    def code(self, name: str) -> tuple[list[str], str, int]:
        """Write a module; return its lines, a method's name and the line of its body."""
        method = self.word()
        lines = ["import os", "", "", f"class {self.word().title()}:"]
        for _ in range(self.random.randrange(3)):
            lines += [f"    def {self.word()}(self):", "        pass", ""]
        lines += [
            f"    def {method}(self, x):",
            f"        {self.word()} = run(x, {self.random.randrange(99)})",
            f"        if x == {self.random.randrange(99)}:",
            "            return None",
            f"        return x.{self.word()}",
            "",
            f"    def {self.word()}(self):",
            f"        return {self.random.randrange(99)}",
            "",
            "",
            f"def {self.word()}():",
            f"    return {self.random.randrange(99)}",
        ]
        self.write(name, lines)
        return lines, method, lines.index(f"    def {method}(self, x):") + 2


Make = Callable[[Scene, str], dict[str, Any]]


def exact(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    search = lines[body - 1 : body + scene.random.randrange(1, 3)]
    replace = [f"        {scene.word()}()", *search[1:]]
    if scene.random.random() < 0.3:
        replace = [*search, *replace]
    return {"search": "\n".join(search), "replace": "\n".join(replace)}


def part(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    return {"search": lines[body - 1][8:14], "replace": scene.word()}


def deletion(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    return {"search": lines[body - 1] + "\n", "replace": ""}


def loose(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    line = lines[body - 1]
    return {
        "search": line.strip().replace(" ", "  "),
        "replace": line.strip().replace(" ", "  ").replace("run", "go"),
    }


def indented(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    search = [line[4:] for line in lines[body - 2 : body + 3]]
    replace = [*search]
    replace[1] = f"    {scene.word()}(x)"
    return {"search": "\n".join(search), "replace": "\n".join(replace)}


def numbered(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    search = [
        f"{number:>5}\t{lines[number - 1]}" for number in (body, body + 1)
    ]
    replace = [search[0].replace("run", scene.word()), search[1]]
    return {"search": "\n".join(search), "replace": "\n".join(replace)}


def drifted(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, body = scene.code(name)
    version = scene.workspace.read(name).version
    scene.write(name, ["# later", "# changes", *lines])
    return {
        "at": {"lines": [body, body]},
        "replace": f"        {scene.word()}()\n",
        "expected_version": version,
    }


def symbol(scene: Scene, name: str) -> dict[str, Any]:
    _, method, _ = scene.code(name)
    new = f"def {method}(self, x):\n    return {scene.word()}\n"
    return {"at": {"symbol": method}, "replace": new}


def beside(scene: Scene, name: str) -> dict[str, Any]:
    _, method, _ = scene.code(name)
    side = scene.random.choice(["after", "before"])
    new = f"def {scene.word()}(self):\n    return 1\n"
    return {"at": {side: method}, "replace": new}


def removed(scene: Scene, name: str) -> dict[str, Any]:
    _, method, _ = scene.code(name)
    return {"at": {"symbol": method}, "replace": ""}


def removed_lines(scene: Scene, name: str) -> dict[str, Any]:
    _, _, body = scene.code(name)
    scene.workspace.read(name)
    last = body + scene.random.randrange(4)
    return {"at": {"lines": [body, last]}, "replace": ""}


def conflict(scene: Scene, name: str) -> dict[str, Any]:
    sides = [
        [scene.word() for _ in range(scene.random.randrange(3))]
        for _ in range(2)
    ]
    marked = ["<<<<<<< a", *sides[0], "=======", *sides[1], ">>>>>>> b"]
    scene.write(name, [scene.word(), *marked, scene.word()])
    take = scene.random.choice(["ours", "theirs", "both"])
    return {"at": {"conflict": 1}, "take": take}


def moved(scene: Scene, name: str) -> dict[str, Any]:
    _, method, _ = scene.code(f"of_{name}")
    _, target, _ = scene.code(name)
    edit = {"from": {"path": f"of_{name}", "symbol": method}}
    if scene.random.random() < 0.6:
        edit["at"] = {scene.random.choice(["after", "before"]): target}
    return edit


def moved_and_indented(scene: Scene, name: str) -> dict[str, Any]:
    lines, _, _ = scene.code(f"of_{name}")
    _, target, _ = scene.code(name)
    function = lines[-2].split()[1].removesuffix("():")
    return {
        "from": {"path": f"of_{name}", "symbol": function},
        "at": {"after": target},
        "reindent": True,
    }


def copied(scene: Scene, name: str) -> dict[str, Any]:
    _, method, _ = scene.code(f"of_{name}")
    scene.code(name)
    source = {"path": f"of_{name}", "symbol": method}
    return {"from": source, "copy": True}


TEXT_EDITS: list[Make] = [
    exact, part, deletion, loose, indented, numbered, drifted,
]  # fmt: skip
PLACE_EDITS: list[Make] = [
    symbol, beside, removed, removed_lines, conflict,
    moved, moved_and_indented, copied,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize(
    "kinds", [TEXT_EDITS, PLACE_EDITS], ids=["text", "place"]
)
def test_answer_determines_content(
    root: Path, workspace: Workspace, kinds: list[Make], seed: int
) -> None:
    scene = Scene(Random(seed), root, workspace)
    edits = []
    for make in kinds:
        name = f"{make.__name__}.py"
        edits.append({"path": name} | make(scene, name))
    answer = workspace.call("edit_content", {"edits": edits})
    assert not answer.is_error, answer.text
    rebuilt = Answer(answer.text, scene.before)
    for name, before in scene.before.items():
        data = (root / name).read_bytes()
        end = "\r\n" if b"\r\n" in data else "\n"
        after = data.decode().split(end)[:-1]
        assert rebuilt.files[name].apply(before, len(after)) == after, (
            name, answer.text,
        )  # fmt: skip


if __name__ == "__main__":
    pass
