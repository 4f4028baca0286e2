"""The recipes of CONTRIBUTING, followed in a copy of the package: what they say is enough."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.extra

PROJECT = Path(__file__).parents[2]


class Copy:
    """A copy of the package that can be changed, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "src" / "filewright"
        self.root = folder / "root"
        self._state = folder / "state"
        # With what is compiled already, which Python takes as long as the source has the same time and size.
        shutil.copytree(PROJECT / "src" / "filewright", self.package)
        self.root.mkdir()

    def write(self, name: str, text: str) -> None:
        """A new module of the copy."""
        assert not (self.package / name).exists()
        (self.package / name).write_text(text)

    def replace(self, name: str, old: str, new: str) -> None:
        """Change the one place of a module where `old` is."""
        text = (self.package / name).read_text()
        assert text.count(old) == 1, old
        (self.package / name).write_text(text.replace(old, new))

    def python(self, *arguments: str, **variables: str) -> str:
        """Standard output of Python with the copy instead of the package."""
        environment = {
            "PYTHONPATH": str(self.package.parent),
            "FILEWRIGHT_STATE_DIR": str(self._state),
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**os.environ, **environment, **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def call(
        self, tool: str, arguments: object, *options: str, **variables: str
    ) -> str:
        """What a tool of the copy answers."""
        return self.python(
            "-m",
            "filewright",
            "call",
            tool,
            json.dumps(arguments),
            *options,
            **variables,
        )


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_tool(copy: Copy) -> None:
    copy.write(
        "tools/longest.py",
        '''
"""`longest_line`: which line of a file is the longest."""

from dataclasses import dataclass, field

from filewright.tools.context import Context
from filewright.tools.arguments import Arguments
from filewright.tools.result import ToolResult
from filewright.tools.tool import Tool


class LongestArguments(Arguments):
    path: str


@dataclass(frozen=True)
class LongestResult(ToolResult):
    number: int = field(kw_only=True)


def longest_line(context: Context, arguments: LongestArguments) -> LongestResult:
    location = context.boundary.locate(arguments.path)
    with context.open(location, text=True) as snapshot:
        lengths = [line.length for line in snapshot.lines.read_lines(task=context.task)]
    number = max(range(len(lengths)), key=lengths.__getitem__) + 1
    return LongestResult(f"{location.display_path}: line {number} is the longest", number=number)


LONGEST_LINE = Tool(
    name="longest_line",
    title="Longest line",
    description="Find the longest line.",
    toolset="read",
    arguments=LongestArguments,
    run=longest_line,
)
''',
    )
    copy.replace(
        "tools/native.py",
        "from filewright.tools.overview.overview import",
        "from filewright.tools.longest import LONGEST_LINE\n"
        "from filewright.tools.overview.overview import",
    )
    copy.replace(
        "tools/native.py",
        "    EDIT_CONTENT,\n",
        "    LONGEST_LINE,\n    EDIT_CONTENT,\n",
    )
    copy.python("-m", "filewright.tools")
    (copy.root / "a.txt").write_text("one\ntwo and more\nthree\n")
    assert (
        copy.call("longest_line", {"path": "a.txt"})
        == "a.txt: line 2 is the longest\n"
    )
    assert "Find the longest line." in copy.call("longest_line", {}, "--schema")
    assert "longest_line" in copy.python("-m", "filewright", "call", "--list")


def test_a_language_by_its_names(copy: Copy) -> None:
    copy.replace(
        "languages.py", '    NIX = "nix"', '    NIM = "nim"\n    NIX = "nix"'
    )
    copy.replace(
        "languages.toml", "[nix]\n", "[nim]\nextensions = 'nim nims'\n\n[nix]\n"
    )
    (copy.root / "a.nim").write_text("proc total(a: int): int =\n  a + 1\n")
    (copy.root / "a.txt").write_text("total\n")
    assert "language nim" in copy.call("get_overview", {"path": "a.nim"})
    found = copy.call("search_content", {"pattern": "total", "type": "nim"})
    assert "a.nim" in found
    assert "a.txt" not in found


def test_a_language_by_a_grammar(copy: Copy) -> None:
    copy.replace(
        "languages.py",
        '    NIX = "nix"',
        '    STARLARK = "starlark"\n    NIX = "nix"',
    )
    row = "[starlark]\nextensions = 'sky'\ngrammar = 'python'\nqueries = 'starlark'\n"
    copy.replace("languages.toml", "[nix]\n", f"{row}\n[nix]\n")
    copy.write(
        "structure/queries/starlark.scm",
        "(function_definition name: (identifier) @name) @function\n",
    )
    (copy.root / "a.sky").write_text(
        "def total(\n    a,\n):\n    return a\n\nx = 1\n"
    )
    assert "1-4 function total" in copy.call("get_overview", {"path": "a.sky"})


def test_a_setting(copy: Copy) -> None:
    copy.replace(
        "settings.py",
        "    # Limits of a result\n",
        "    # Limits of a result\n"
        '    greeting: str = setting("hello", "how an answer begins", choices=("hello", "good day"))\n',
    )
    show = (
        "from filewright.settings import Settings; print(Settings().greeting)"
    )
    assert copy.python("-c", show) == "hello\n"
    assert (
        copy.python("-c", show, FILEWRIGHT_GREETING="good day") == "good day\n"
    )
    refused = "from filewright import FilewrightError\ntry:\n Settings()\nexcept FilewrightError as e: print(e.code)"
    assert (
        copy.python(
            "-c",
            f"{show.split(';', maxsplit=1)[0]}\n{refused}",
            FILEWRIGHT_GREETING="x" * 21,
        )
        == "invalid_input\n"
    )
    table = "import sys; sys.path.insert(0, sys.argv[1]); from tests.pages import settings_table; print(settings_table())"
    assert (
        "- `FILEWRIGHT_GREETING` (hello): how an answer begins\n"
        in copy.python("-c", table, str(PROJECT))
    )


def test_a_dialect(copy: Copy) -> None:
    copy.write(
        "dialects/two_words.py",
        '''
"""The tools of an imaginary system."""

from filewright.dialects.call import Call
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.errors import FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.result import FailedCall, ToolResult


class Show(Arguments):
    file: str


def show(call: Call, arguments: Show) -> str:
    return call.read(arguments.file, numbered=False).content


class Swap(Arguments):
    file: str
    old: str
    new: str


def swap(call: Call, arguments: Swap) -> str:
    edit = {"search": arguments.old, "replace": arguments.new}
    call.edit(arguments.file, [edit])
    return "done"


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    return FailedCall(f"no: {error.code}"[:max_characters], error=error)


DIALECT = Dialect(
    tools=(
        DialectTool(show, "Show a file."),
        DialectTool(swap, "Swap a text.", toolset="edit"),
    ),
    workflow="Show, then swap.",
    refuse=refuse,
)
''',
    )
    copy.replace(
        "dialects/providers.py",
        "_CATALOGUES = {\n",
        '_CATALOGUES = {\n    "two-words": "filewright.dialects.two_words",\n',
    )
    (copy.root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert "one" in copy.call(
        "show", {"file": "a.txt"}, "--dialect", "two-words"
    )
    swapped = {"file": "a.txt", "old": "two", "new": "three"}
    assert copy.call("swap", swapped, "--dialect", "two-words") == "done\n"
    assert (copy.root / "a.txt").read_bytes() == b"one\r\nthree\r\n"
    copy.python("-m", "filewright", "undo", "--yes")
    assert (copy.root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
