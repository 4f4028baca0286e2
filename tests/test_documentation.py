"""Every command the documentation shows is run, and prints what the page says.

A block fenced as ``console`` is run line by line in one folder a page; lines that begin with ``>`` below a command
continue it. Where output is shown it must
be what comes; ``…`` stands for anything within a line, a line that is only ``…`` for any lines. Every command
ends with exit status 0, unless it says otherwise: ``$ command  # exit status 1``.
"""

import importlib
import os
import re
import shlex
import sys
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests import pages, processes

import filewright
from filewright import Workspace
from filewright.errors import Code
from filewright.settings import SETTINGS

PROJECT = Path(__file__).parents[1]
SOURCE = f"{Path(filewright.__file__).parent}{os.sep}"
PAGES = [
    page.relative_to(PROJECT).as_posix()
    for page in (
        PROJECT / "README.md",
        *sorted((PROJECT / "docs").glob("*.md")),
    )
    if "```console" in page.read_text(encoding="utf-8")
]

LOCALE = {"LANG": "C.UTF-8"}
CLIENT = Path(__file__).parent / "scripted_client.py"
"""What the tutorial calls `claude`."""
CART = '''"""A shopping cart."""


class Cart:
    """What a customer is about to buy."""

    def __init__(self):
        self.lines = []

    def add(self, price, count=1):
        """Put `count` things of `price` into the cart."""
        self.lines.append((price, count))

    def total(self):
        """The sum of all lines."""
        total = sum(price * count for price, count in self.lines)
        return total
'''


def commands(page: Path) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(
        r"^```console\n(.*?)^```",
        page.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    ):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and found and not found[-1][1]:
                found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
            elif found:
                found[-1][1].append(line)
    return found


def as_pattern(lines: list[str]) -> str:
    while lines and not lines[-1].strip():
        lines.pop()
    parts = [
        r"(?:.*\n)*?"
        if line.strip() == "…"
        else ".*".join(map(re.escape, line.rstrip().split("…"))) + r"[ ]*\n"
        for line in lines
    ]
    return "".join(parts)


@pytest.mark.extra
@pytest.mark.parametrize("name", PAGES)
def test_the_page_tells_the_truth(name, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "cart.py").write_text(CART)
    programs = tmp_path / "programs"
    programs.mkdir()
    processes.program(programs, LOCALE)
    (programs / "claude").write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {CLIENT} "$@"\n'
    )
    (programs / "claude").chmod(0o755)
    scripts = os.pathsep.join(
        [
            str(programs),
            sysconfig.get_path("scripts"),
            str(Path(sys.executable).parent),
        ]
    )
    elsewhere = ("FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME")
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if name not in elsewhere and not name.startswith("LC_")
        },
        "PATH": scripts + os.pathsep + os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        **LOCALE,
    }
    shown = commands(PROJECT / name)
    assert shown, "the page shows no command"
    for command, expected in shown:
        done = processes.run(
            ["bash", "-c", command], cwd=folder, env=environment
        )
        output = done.stdout + done.stderr
        stated = re.search(r"# exit status (\d+)$", command.partition("\n")[0])
        assert done.returncode == int(stated[1] if stated else 0), (
            f"{command}\n{output}"
        )
        if expected:
            assert re.fullmatch(
                as_pattern(expected),
                output if output.endswith("\n") else output + "\n",
            ), f"{command}\nprints\n{output}\nnot\n" + "\n".join(expected)


@pytest.mark.parametrize("name", pages.PAGES)
def test_tables_say_what_the_code_says(name):
    page = (pages.DOCS / name).read_text(encoding="utf-8")
    assert page == pages.with_tables(name), (
        "write it anew: python -m tests.pages"
    )


def test_every_code_and_every_setting_has_its_row():
    errors, settings = (
        pages.TABLES[name]() for name in ("troubleshooting.md", "settings.md")
    )
    assert re.findall(r"^\| `(\w+)`", errors, re.MULTILINE) == list(Code)
    named = re.findall(r"^- `FILEWRIGHT_(\w+)`", settings, re.MULTILINE)
    assert named == [name.upper() for name in SETTINGS]


def test_the_files_and_functions_that_the_design_names_are_there():
    page = (pages.DOCS / "design.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`([\w/]+\.(?:py|json))`(?:\s*\(`(\w+)`\)|,\s+`(\w+)`\))?", page
    )
    assert len(named) > 15
    for file, one, other in named:
        folder = (
            PROJECT
            if file.startswith("tests/")
            else PROJECT / "src" / "filewright"
        )
        source = (folder / file).read_text(encoding="utf-8")
        name = one or other
        assert not name or re.search(rf"(?:def|class) {name}\b", source), (
            file,
            name,
        )


@pytest.mark.parametrize(
    ("heading", "tool", "arguments"),
    [
        pytest.param(
            "From an edit to its commit",
            "edit_content",
            {"path": "a.py", "edits": [{"search": "old", "replace": "new"}]},
            id="edit",
        ),
        pytest.param(
            "From a search to its answer",
            "search_content",
            {"pattern": "old"},
            id="search",
        ),
    ],
)
def test_calls_come_to_the_pages_of_the_design_in_order(
    heading: str,
    tool: str,
    arguments: dict[str, Any],
    tmp_path: Path,
) -> None:
    page = (pages.DOCS / "design.md").read_text(encoding="utf-8")
    section = page.partition(f"### {heading}\n")[2].partition("\n### ")[0]
    steps = re.findall(
        r"^\d+\. `([\w/]+\.py)` \(`(\w+)`", section, re.MULTILINE
    )
    for file, _ in steps:
        # An import calls the body of each class, which is no step.
        module = file.removesuffix(".py").replace("/", ".")
        importlib.import_module(f"filewright.{module}")
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("old = 1\n")
    workspace = Workspace(root, state_dir=tmp_path / "state")
    entered: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            _, source, file = frame.f_code.co_filename.partition(SOURCE)
            for name in frame.f_code.co_qualname.split("."):
                if source:
                    entered.append((Path(file).as_posix(), name))

    with workspace:
        sys.setprofile(note)
        try:
            answer = workspace.call(tool, arguments)
        finally:
            sys.setprofile(None)
    assert not answer.is_error
    first_entries = [entered.index(step) for step in steps]
    assert len(steps) > 6
    assert first_entries == sorted(first_entries)


def test_links_between_pages_lead_somewhere():
    for page in [
        PROJECT / "README.md",
        PROJECT / "CONTRIBUTING.md",
        *pages.DOCS.glob("*.md"),
    ]:
        for target in re.findall(
            r"\]\(([^)\s#]+)[^)]*\)|(?:src|srcset)=\"([^\"]+)\"",
            page.read_text(encoding="utf-8"),
        ):
            link = target[0] or target[1]
            assert "://" in link or (page.parent / link).exists(), (
                page.name,
                link,
            )
