"""`edit_file_plan`: edits at lines and symbols, insertions, and text that moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import Workspace

CART = '''\
import math

RATE = 19


class Cart:
    """What is bought."""

    def add(self, line):
        self.lines.append(line)

    # the sum of all lines
    @property
    def total(self):
        return sum(self.lines)

    def clear(self):
        self.lines = []


def empty():
    return Cart()
'''


def version(workspace: Workspace, path: str) -> str:
    return workspace.read(path).version


def lines_of(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


@pytest.fixture(params=["lf", "crlf", "latin-1", "bom", "utf-16"])
def cart(request: pytest.FixtureRequest, root: Path) -> tuple[Path, str, str]:
    """A file in several dresses: its path, what its text is written with, and how it is encoded."""
    encoding, newline = {
        "lf": ("utf-8", "\n"),
        "crlf": ("utf-8", "\r\n"),
        "latin-1": ("latin-1", "\r\n"),
        "bom": ("utf-8-sig", "\n"),
        "utf-16": ("utf-16", "\r\n"),
    }[request.param]
    text = CART.replace(
        "What is bought",
        "Was gekauft wird, in Köln für Käufer über Öfen"
        if encoding == "latin-1"
        else "What",
    )
    (root / "cart.py").write_bytes(text.replace("\n", newline).encode(encoding))
    return root / "cart.py", newline, encoding


def text_of(cart: tuple[Path, str, str]) -> str:
    path, newline, encoding = cart
    text = path.read_bytes().decode(encoding)
    assert newline == "\n" or "\n" not in text.replace("\r\n", "")
    return text.replace(newline, "\n")


EDITS = [
    # one edit (`v` is the version), what is replaced in the text by it
    ({"start_line": 3, "end_line": 3, "replace": "RATE = 7", "v": 1}, ("RATE = 19", "RATE = 7")),
    ({"start_line": 9, "end_line": 10, "replace": "", "v": 1}, ("    def add(self, line):\n        self.lines.append(line)\n", "")),
    ({"symbol": "RATE", "replace": "RATE = 7"}, ("RATE = 19", "RATE = 7")),
    (
        {"symbol": "Cart.clear", "replace": "def clear(self):\n    del self.lines[:]\n"},
        ("        self.lines = []\n", "        del self.lines[:]\n"),
    ),
    ({"symbol": "empty", "replace": ""}, ("\n\n\ndef empty():\n    return Cart()\n", "\n")),
    ({"symbol": "Cart.total", "delete": True}, ("    # the sum of all lines\n    @property\n    def total(self):\n        return sum(self.lines)\n\n", "")),
    ({"symbol": "empty", "delete": True}, ("\n\n\ndef empty():\n    return Cart()\n", "\n")),
    ({"symbol": "Cart.add", "delete": True}, ("    def add(self, line):\n        self.lines.append(line)\n\n", "")),
    (
        {"at": {"after": "Cart.add"}, "replace": "def pop(self):\n    self.lines.pop()"},
        ("append(line)\n", "append(line)\n\n    def pop(self):\n        self.lines.pop()\n"),
    ),
    (
        {"at": {"before": "empty"}, "replace": "def full():\n    return 1"},
        ("def empty", "def full():\n    return 1\n\n\ndef empty"),
    ),
    ({"at": {"after": "empty"}, "replace": "def full():\n    return 1"}, ("return Cart()\n", "return Cart()\n\n\ndef full():\n    return 1\n")),
    ({"at": {"after": 0}, "replace": "# top"}, ("import math", "# top\nimport math")),
    ({"at": {"after": 0}, "end_line": 3, "replace": "# top"}, ("import math", "# top\nimport math")),
    ({"symbol": "RATE", "replace_all": True, "end_line": 1, "replace": "RATE = 9"}, ("RATE = 19", "RATE = 9")),
    ({"at": {"before": "3"}, "replace": "A = 1", "v": 1}, ("RATE", "A = 1\nRATE")),
    ({"at": {"after": 22}, "replace": "# end", "v": 1}, ("return Cart()\n", "return Cart()\n# end\n")),
    ({"from": {"symbol": "RATE"}, "at": {"after": "empty"}}, None),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "change"), EDITS)
def test_a_place_is_enough(
    workspace: Workspace,
    cart: tuple[Path, str, str],
    edit: dict[str, object],
    change: tuple[str, str] | None,
) -> None:
    before = text_of(cart)
    asked = dict(edit)
    if asked.pop("v", None):
        asked["expected_version"] = version(workspace, "cart.py")
    done = workspace.call("edit_content", {"path": "cart.py", "edits": [asked]})
    assert not done.is_error, done.text
    after = text_of(cart)
    if change is not None:
        assert before.count(change[0]) >= 1
        assert after == before.replace(*change, 1)
    else:
        assert after == before.replace("RATE = 19\n\n", "") + "\n\nRATE = 19\n"
    workspace.undo()
    assert text_of(cart) == before


@pytest.mark.parametrize(
    ("name", "before", "symbol", "new", "after"),
    [
        (
            "a.ts",
            "class A {\n  f() {\n  }\n\n  g() {\n  }\n}\n",
            "A.g",
            "h() {\n}",
            "class A {\n  f() {\n  }\n\n  g() {\n  }\n\n  h() {\n  }\n}\n",
        ),
        (
            "a.rb",
            "class A\n  def f\n  end\n  def g\n  end\nend\n",
            "A.g",
            "def h\nend",
            "class A\n  def f\n  end\n  def g\n  end\n  def h\n  end\nend\n",
        ),
        (
            "A.java",
            "class A {\n  void f() {\n  }\n\n  int a;\n}\n",
            "A.a",
            "int b;",
            "class A {\n  void f() {\n  }\n\n  int a;\n  int b;\n}\n",
        ),
    ],
    ids=["blank line", "no blank line", "field"],
)
def test_inserts_behind_the_last_symbol_of_a_block(
    root: Path,
    workspace: Workspace,
    name: str,
    before: str,
    symbol: str,
    new: str,
    after: str,
) -> None:
    (root / name).write_text(before)
    workspace.edit(name, [{"at": {"after": symbol}, "replace": new}])
    assert (root / name).read_text() == after


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_lines_moved_within_a_file_of_mixed_line_ends_keep_theirs(
    root: Path, workspace: Workspace, encoding: str
) -> None:
    path = root / "mixed.txt"
    path.write_bytes("\ufeffa\nb\r\nc\rd\n".encode(encoding))
    edit = {"from": {"start_line": 2, "end_line": 3}, "at": {"after": 0}}
    workspace.edit(
        "mixed.txt", [edit], expected_version=version(workspace, "mixed.txt")
    )
    assert path.read_bytes() == "\ufeffb\r\nc\ra\nd\n".encode(encoding)


def test_what_is_put_before_an_empty_line_does_not_become_one_with_it(
    root: Path, workspace: Workspace
) -> None:
    (root / "mixed.txt").write_bytes(b"a\rb\rc\r\n\nd\r")
    edit = {"at": {"after": 3}, "replace": "new"}
    workspace.edit(
        "mixed.txt", [edit], expected_version=version(workspace, "mixed.txt")
    )
    assert (root / "mixed.txt").read_bytes() == b"a\rb\rc\r\nnew\r\n\nd\r"


AT_THE_END = [
    # edits of "a⏎b⏎c", which has no newline at its end, and what comes out
    ([{"from": {"start_line": 3, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"from": {"start_line": 1, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"from": {"start_line": 2, "end_line": 3}, "at": {"after": 3}}], None),
    ([{"start_line": 3, "end_line": 3, "replace": ""}, {"at": {"after": 3}, "replace": "d\ne\n"}], "a\nb\nd\ne"),
    ([{"at": {"after": 3}, "replace": "\nd\n"}, {"start_line": 1, "end_line": 3, "replace": ""}], "\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"from": {"start_line": 3, "end_line": 3}, "at": {"after": 0}}], "c\na\nb\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"start_line": 3, "end_line": 3, "replace": "x"}], "a\nb\nx\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"search": "c", "replace": "c\n"}], "a\nb\nc\nd"),
    ([{"at": {"after": 3}, "replace": "\n"}], "a\nb\nc\n\n"),
    ([{"at": {"after": 3}, "replace": "\n"}, {"at": {"after": 3}, "replace": "d"}], "a\nb\nc\n\nd"),
    ([{"at": {"after": 3}, "replace": "d"}, {"at": {"after": 3}, "replace": "d"}], "a\nb\nc\nd\nd"),
    ([{"at": {"after": 1}, "replace": "d"}, {"at": {"after": 1}, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"at": {"after": 1}, "replace": "d"}, {"at": {"before": 2}, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"search": "", "start_line": 2, "replace": "d"}, {"search": "", "start_line": 2, "replace": "d"}], "a\nd\nd\nb\nc"),
    ([{"search": "b", "replace": "b\nd"}, {"search": "b", "replace": "b\nd"}], "a\nb\nd\nc"),
    ([{"start_line": 3, "end_line": 3, "replace": "\n"}], "a\nb\n\n"),
    ([{"start_line": 3, "end_line": 3, "replace": "x\n\n"}], "a\nb\nx\n\n"),
]  # fmt: skip


def test_a_symbol_moved_to_two_places_is_refused(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("A = 1\nB = 2\n")
    edits = [
        {"path": f"{name}.py", "from": {"path": "a.py", "symbol": "B"}}
        for name in "bc"
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    assert refused.data["code"] == "invalid_input"
    assert "edit 2 of 2: symbol B is moved by another edit" in refused.text
    assert [each.name for each in root.iterdir()] == ["a.py"]
    edits[1]["copy"] = True  # type: ignore[assignment]
    workspace.edit(None, edits)
    assert (
        (root / "b.py").read_text() == (root / "c.py").read_text() == "B = 2\n"
    )


def test_a_symbol_moved_beside_itself_is_refused(
    root: Path, workspace: Workspace
) -> None:
    (root / "one.py").write_text("def one():\n    return 1\n")
    edit = {"from": {"symbol": "one"}, "at": {"after": "one"}}
    refused = workspace.call(
        "edit_content", {"path": "one.py", "edits": [edit]}
    )
    assert refused.data["code"] == "invalid_input"
    assert "symbol one would be moved to where it is" in refused.text
    assert (root / "one.py").read_text() == "def one():\n    return 1\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("edits", "expected"), AT_THE_END)
def test_what_goes_behind_a_last_line_that_is_deleted_brings_no_empty_line(
    root: Path,
    workspace: Workspace,
    edits: list[dict[str, object]],
    expected: str | None,
    end: str,
) -> None:
    before = "a\nb\nc".replace("\n", end).encode()
    (root / "end.txt").write_bytes(before)
    shown = version(workspace, "end.txt")
    done = workspace.call(
        "edit_content",
        {"path": "end.txt", "edits": edits, "expected_version": shown},
    )
    assert done.is_error == (expected is None), done.text
    after = before if expected is None else expected.replace("\n", end).encode()
    assert (root / "end.txt").read_bytes() == after


def test_a_move_within_a_file_keeps_every_byte(
    root: Path, workspace: Workspace
) -> None:
    odd = b"def one():\n    return 1\r\n\n\ndef two():\r    return '\xff\xfe'\n"
    (root / "odd.py").write_bytes(odd)
    done = workspace.call(
        "edit_content",
        {
            "path": "odd.py",
            "edits": [{"from": {"symbol": "one"}, "at": {"after": "two"}}],
        },
    )
    assert not done.is_error, done.text
    assert b"def one():\n    return 1\r\n" in (root / "odd.py").read_bytes()
    assert sorted((root / "odd.py").read_bytes()) == sorted(odd)


def test_a_symbol_moves_to_another_file_in_its_line_endings_and_encoding(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_bytes(
        "A = 1\n\n\ndef käse():\n    return 'größe'\n\n\nB = 2\n".encode()
    )
    (root / "b.py").write_bytes(
        "# für Köln, über Öfen, schöne Grüße\r\nC = 3\r\n".encode("latin-1")
    )
    done = workspace.call(
        "edit_content",
        {
            "edits": [
                {
                    "path": "b.py",
                    "from": {"path": "a.py", "symbol": "käse"},
                    "at": {"after": "C"},
                }
            ]
        },
    )
    assert not done.is_error, done.text
    assert (root / "a.py").read_bytes() == b"A = 1\n\n\nB = 2\n"
    assert (root / "b.py").read_bytes() == (
        "# für Köln, über Öfen, schöne Grüße\r\nC = 3\r\n\r\n\r\ndef käse():\r\n    return 'größe'\r\n".encode(
            "latin-1"
        )
    )
    assert len(done.data["files"]) == 2
    workspace.undo()
    assert (root / "a.py").read_bytes().startswith(b"A = 1\n\n\ndef k")


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_what_is_moved_without_a_place_goes_to_the_end(
    root: Path, workspace: Workspace, end: str
) -> None:
    line = end or "\n"
    (root / "a.py").write_text(
        "A = 1\n\n\ndef one():\n    return 1\n\n\nB = 2\n"
    )
    before = (
        f"import re{line}{line}{line}def two():{line}    return 2{end}".encode()
    )
    (root / "b.py").write_bytes(before)
    moved = {"path": "a.py", "symbol": "one"}
    done = workspace.call(
        "edit_content", {"edits": [{"path": "b.py", "from": moved}]}
    )
    assert not done.is_error, done.text
    # A file without an end of its last line has none afterwards either.
    parted = line * 2 if end else line * 3
    assert (
        (root / "b.py").read_bytes()
        == before + f"{parted}def one():{line}    return 1{end}".encode()
    )
    assert (root / "a.py").read_text() == "A = 1\n\n\nB = 2\n"
    workspace.undo()
    assert (root / "b.py").read_bytes() == before
    lines = {"path": "a.py", "start_line": 8, "end_line": 8}
    version = workspace.read("a.py").version
    workspace.edit(
        None, [{"path": "b.py", "from": {**lines, "expected_version": version}}]
    )
    assert (
        root / "b.py"
    ).read_bytes() == before + f"{'' if end else line}B = 2{end}".encode()
    within = {"path": "a.py", "from": {"symbol": "one"}}
    workspace.edit(None, [within])
    assert (
        root / "a.py"
    ).read_text() == "A = 1\n\n\ndef one():\n    return 1\n"


def test_a_copy_leaves_its_source_and_is_reindented_when_asked(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("class A:\n    def f(self):\n        return 1\n")
    (root / "b.py").write_text("x = 1\n")
    edit = {
        "path": "b.py",
        "from": {"path": "a.py", "symbol": "A.f"},
        "at": {"after": "x"},
        "copy": True,
    }
    workspace.edit(None, [edit])
    assert (
        root / "b.py"
    ).read_text() == "x = 1\n\n\n    def f(self):\n        return 1\n"
    workspace.undo()
    workspace.edit(None, [{**edit, "reindent": True}])
    assert (
        root / "b.py"
    ).read_text() == "x = 1\n\n\ndef f(self):\n    return 1\n"
    assert (root / "a.py").read_text().startswith("class A:\n    def f")


def test_edits_of_several_files_are_one_change(
    root: Path, workspace: Workspace
) -> None:
    for name in "abc":
        (root / f"{name}.py").write_text(f"{name} = 1\n")
    edits = [
        {"path": f"{name}.py", "search": "= 1", "replace": "= 2"}
        for name in "abc"
    ]
    done = workspace.edit(None, edits)
    assert [file.path for file in done.files] == ["a.py", "b.py", "c.py"]
    assert len(workspace.get_history().changes) == 1
    workspace.undo()
    assert (root / "c.py").read_text() == "c = 1\n"
    refused = workspace.call(
        "edit_content",
        {"edits": [*edits[:2], {**edits[2], "search": "nowhere at all"}]},
    )
    assert refused.data["code"] == "no_match"
    assert "c.py: edit 3 of 3" in refused.text
    assert (root / "a.py").read_text() == "a = 1\n"


def test_lines_of_an_older_version_are_carried_on_or_refused(
    root: Path, workspace: Workspace
) -> None:
    (root / "cart.py").write_text(CART)
    read = version(workspace, "cart.py")
    (root / "cart.py").write_text("# by another\n# hand\n" + CART)
    asked = {
        "start_line": 17,
        "end_line": 18,
        "replace": "    def clear(self):\n        self.lines = None\n",
    }
    done = workspace.call(
        "edit_content",
        {"path": "cart.py", "edits": [asked], "expected_version": read},
    )
    assert "carried on" in done.text, done.text
    assert (
        root / "cart.py"
    ).read_text() == "# by another\n# hand\n" + CART.replace(
        "self.lines = []", "self.lines = None"
    )
    # what the lines were has been changed meanwhile: nobody knows what is meant
    now = (root / "cart.py").read_text()
    other = {
        **asked,
        "start_line": 14,
        "end_line": 15,
        "replace": "    def total(self):\n        return 0\n",
    }
    (root / "cart.py").write_text(
        now.replace("return sum(self.lines)", "return math.fsum(self.lines)")
    )
    refused = workspace.call(
        "edit_content",
        {"path": "cart.py", "edits": [other], "expected_version": read},
    )
    assert refused.data["code"] == "stale_version"
    assert "fsum" in (root / "cart.py").read_text()


CARRIED = [
    # what was shown, as it is now, the edits, and what comes out (None: refused)
    (
        "aaa\nbbb\r\nccc\rddd\n",
        "aaa\nbbb\r\nccc\rddd\nnew\n",
        [{"from": {"start_line": 2, "end_line": 3}, "at": {"after": 0}}],
        "bbb\r\nccc\raaa\nddd\nnew\n",
    ),
    # what is put before a line that is like its last one stays there, whatever becomes of the line behind
    (
        "one\ntwo\nxxx\nyyy\n",
        "new\none\ntwo\nxxx\nyyy\n",
        [
            {
                "from": {"start_line": 3, "end_line": 4},
                "at": {"after": 2},
                "copy": True,
            },
            {"start_line": 4, "end_line": 4, "replace": ""},
        ],
        "new\none\ntwo\nxxx\nyyy\nxxx\n",
    ),
    # where somebody changed one of these lines, it is not put behind it
    (
        "aaa\nbbb\nccc\nbbb\nddd\n",
        "aaa\nbbb\nccc!\nbbb\nddd\n",
        [{"at": {"after": 2}, "replace": "ccc\nbbb"}],
        None,
    ),
]


@pytest.mark.parametrize(("shown", "now", "edits", "expected"), CARRIED)
def test_what_is_carried_on_goes_where_it_was_meant(
    root: Path,
    workspace: Workspace,
    shown: str,
    now: str,
    edits: list[dict[str, object]],
    expected: str | None,
) -> None:
    (root / "a.txt").write_bytes(shown.encode())
    read = version(workspace, "a.txt")
    (root / "a.txt").write_bytes(now.encode())
    done = workspace.call(
        "edit_content",
        {"path": "a.txt", "edits": edits, "expected_version": read},
    )
    assert done.is_error == (expected is None), done.text
    assert (root / "a.txt").read_bytes() == (
        now if expected is None else expected
    ).encode()


def test_lines_of_the_version_that_the_last_edit_made_are_known(
    root: Path, workspace: Workspace
) -> None:
    (root / "cart.py").write_text(CART)
    made = workspace.edit(
        "cart.py", [{"symbol": "RATE", "replace": "RATE = 7"}]
    )
    (root / "cart.py").write_text(
        "# by another hand\n" + (root / "cart.py").read_text()
    )
    workspace.edit(
        "cart.py",
        [
            {
                "start_line": 3,
                "end_line": 3,
                "replace": "RATE = 9",
                "expected_version": made.version or "",
            }
        ],
    )
    assert "\nRATE = 9\n" in (root / "cart.py").read_text()


REFUSED = [
    ({"start_line": 3, "end_line": 3, "replace": "x"}, "invalid_input", "expected_version"),
    ({"start_line": 3, "end_line": 3, "replace": "x", "expected_version": "0" * 16}, "stale_version", "read it again"),
    ({"start_line": 3, "end_line": 99, "replace": "x", "v": 1}, "invalid_input", "use lines from 1 to 22"),
    ({"start_line": 4, "end_line": 3, "replace": "x", "v": 1}, "invalid_input", "give [first, last]"),
    ({"at": {"after": 99}, "replace": "x", "v": 1}, "invalid_input", "use lines from 1 to 22"),
    ({"at": {"after": 3}, "replace": "x"}, "invalid_input", "expected_version"),
    ({"symbol": "nothing", "replace": "x"}, "no_match", "get_overview"),
    ({"symbol": "Cart.totl", "delete": True}, "no_match", "Cart.total"),
    ({"symbol": "Cart", "at": {"after": "RATE"}, "replace": "x"}, "invalid_input", "at alone"),
    ({"symbol": "Cart", "replace": "x", "delete": True}, "invalid_input", "or delete"),
    ({"replace": "x"}, "invalid_input", "give search"),
    ({"symbol": "Cart"}, "invalid_input", "give replace"),
    ({"from": {"symbol": "Cart"}, "symbol": "RATE"}, "invalid_input", "at.after or"),
    ({"from": {"symbol": "Cart"}, "at": {"after": "Cart.add"}}, "overlap", "outside"),
    ({"from": {"symbol": "Cart", "start_line": 1, "end_line": 2}, "at": {"after": 0}}, "invalid_input", "give symbol"),
    ({"from": {"start_line": 1, "end_line": 2}, "at": {"after": 0}}, "invalid_input", "expected_version"),
    ({"from": {"path": "gone.py", "symbol": "x"}, "at": {"after": 0}}, "not_found", "other.py"),
    ({"symbol": "Cart", "replace": "# ... existing code ...\n"}, "invalid_input", "fuzzy=false"),
    ({"path": "other.py", "symbol": "Cart", "replace": "x"}, "invalid_input", "leave out the path of the call"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "hint"), REFUSED)
def test_what_is_not_certain_is_refused(
    root: Path,
    workspace: Workspace,
    edit: dict[str, object],
    code: str,
    hint: str,
) -> None:
    (root / "cart.py").write_text(CART)
    (root / "other.py").write_text("x = 1\n")
    asked = dict(edit)
    if asked.pop("v", None):
        asked["expected_version"] = version(workspace, "cart.py")
    refused = workspace.call(
        "edit_content", {"path": "cart.py", "edits": [asked]}
    )
    assert refused.data.get("code") == code, refused.text
    assert hint in refused.text.partition("\nhint: ")[2], refused.text
    assert (root / "cart.py").read_text() == CART


def test_a_symbol_that_is_there_twice_is_refused_with_its_lines(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(
        "def f():\n    pass\n\n\nif 1:\n    def f():\n        pass\n"
    )
    refused = workspace.call(
        "edit_content",
        {"path": "a.py", "edits": [{"symbol": "f", "delete": True}]},
    )
    assert refused.data["code"] == "ambiguous_match"
    assert "1–2" in refused.text
    assert "6–7" in refused.text


def test_no_path_at_all_is_refused(root: Path, workspace: Workspace) -> None:
    refused = workspace.call(
        "edit_content", {"edits": [{"search": "a", "replace": "b"}]}
    )
    assert refused.data["code"] == "invalid_input"
    assert "a path in every edit" in refused.text


def test_one_file_by_two_names_is_refused(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("x = 1\n")
    (root / "b.py").hardlink_to(root / "a.py")
    edits = [
        {"path": name, "search": "1", "replace": "2"}
        for name in ("a.py", "b.py")
    ]
    assert (
        workspace.call("edit_content", {"edits": edits}).data["code"]
        == "invalid_input"
    )


LINE = st.text(
    st.characters(codec="latin-1", exclude_characters="\r\n\x00\x85"),
    max_size=6,
)
NEWLINE = st.sampled_from([b"\n", b"\r\n", b"\r"])


@examples(15)
@given(
    data=st.data(),
    lines=st.lists(st.tuples(LINE, NEWLINE), min_size=1, max_size=8),
    unended=st.booleans(),
)
def test_bytes_outside_of_the_lines_named_stay(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    lines: list[tuple[str, bytes]],
    unended: bool,
) -> None:
    pieces = [text.encode("utf-8") + newline for text, newline in lines]
    if unended:
        pieces[-1] = pieces[-1].rstrip(b"\r\n") or b"x"
    content = b"".join(pieces)
    real = content.splitlines(keepends=True)
    first = data.draw(st.integers(1, len(real)))
    last = data.draw(st.integers(first, len(real)))
    new = data.draw(st.lists(LINE, max_size=3))
    folder = tmp_path_factory.mktemp("w")
    root = folder / "root"
    root.mkdir()
    (root / "f.txt").write_bytes(content)
    with Workspace(root, state_dir=folder / "state") as workspace:
        read = workspace.read("f.txt")
        edit = {
            "start_line": first,
            "end_line": last,
            "replace": "".join(f"{line}\n" for line in new),
        }
        done = workspace.call(
            "edit_content",
            {
                "path": "f.txt",
                "edits": [edit],
                "expected_version": read.version,
                "fuzzy": False,
            },
        )
        after = (root / "f.txt").read_bytes()
        if done.is_error:
            assert done.data["code"] == "no_change", done.text
            assert after == content
            return
        head, tail = b"".join(real[: first - 1]), b"".join(real[last:])
        assert after.startswith(head)
        assert after.endswith(tail)
        middle = after[len(head) : len(after) - len(tail)]
        assert [line.decode() for line in middle.splitlines()] == [*new][
            : len(middle.splitlines())
        ]
        workspace.undo()
        assert (root / "f.txt").read_bytes() == content


def test_what_is_put_in_is_parted_from_what_is_above_and_below(root, workspace):
    """By as many lines as is usual, where nothing there says how many; those that are there already count."""
    (root / "a.py").write_text("def a():\n    pass\nif True:\n    a()\n")
    workspace.edit(
        "a.py", [{"at": {"after": "a"}, "replace": "def b():\n    pass\n"}]
    )
    assert (root / "a.py").read_text() == (
        "def a():\n    pass\n\n\ndef b():\n    pass\n\n\nif True:\n    a()\n"
    )


SHARED = [
    ("a.css", "a{b:c}d{e:f}\ng{h:i}\n", "d", "rule a"),
    (
        "a.js",
        "function a(){return 1} function b(){return 2}\n",
        "a",
        "function b",
    ),
    (
        "a.ts",
        "export class A { m() { return 1 } n() { return 2 } }\n",
        "A.m",
        "class A",
    ),
    ("a.json", '{"a": 1, "b": 2,\n "c": 3}\n', "b", "key a"),
    ("a.toml", '[t]\nl = {file = "x", y = 1}\nz = 1\n', "t.l.file", "key l"),
    ("a.yaml", "t:\n- name: x\n  of: y\n", "t.name: x.name", "item name: x"),
    ("a.c", "int a, b;\nint c;\n", "a", "variable b"),
    ("a.c", "int a,\n    b;\nint c;\n", "b", "variable a"),
    ("a.java", "class V {\n  int a, b;\n}\n", "V.a", "property b"),
    ("a.go", "package m\n\nconst (\n\te, f = 1, 2\n)\n", "e", "constant f"),
]


@pytest.mark.parametrize(("name", "text", "symbol", "beside"), SHARED)
def test_a_symbol_is_not_taken_with_what_shares_its_lines(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    symbol: str,
    beside: str,
) -> None:
    (root / name).write_text(text)
    for edit in (
        {"at": {"symbol": symbol}, "delete": True},
        {"at": {"symbol": symbol}, "replace": "new"},
        {"at": {"after": symbol}, "replace": "new"},
    ):
        refused = workspace.call(
            "edit_content", {"path": name, "edits": [edit]}
        )
        assert refused.text.startswith(
            f"invalid_input: {symbol} is on a line with {beside} in {name}"
        )
    assert (root / name).read_text() == text


@pytest.mark.parametrize("above", ["class A:\n", 'class A:\n    """Of a."""\n'])
def test_blank_lines_behind_a_class_stay_where_its_only_method_goes(
    root: Path, workspace: Workspace, above: str
) -> None:
    below = "\n\ndef f():\n    pass\n"
    (root / "a.py").write_text(
        f"{above}    def m(self):\n        pass\n{below}"
    )
    workspace.edit("a.py", [{"at": {"symbol": "A.m"}, "delete": True}])
    assert (root / "a.py").read_text() == above + below


BLANK_ENDS = [
    # a file, an edit, and what the file is then
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "def a():\n    x\n\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "\n\ndef a():\n    x\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"symbol": "b"}, "replace": "\n\ndef b():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef b():\n    x\n"),
    ("a.py", "def a():\n    pass\ndef b():\n    pass\n", {"at": {"symbol": "a"}, "replace": "def a():\n    x\n\n\n"}, "def a():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\ndef b():\n    pass\n", {"at": {"symbol": "b"}, "replace": "\n\ndef b():\n    x"}, "def a():\n    pass\n\n\ndef b():\n    x\n"),
    ("a.go", "package a\n\nfunc F() int {\n\treturn 1\n}\n\nfunc G() {}\n", {"at": {"symbol": "F"}, "replace": "func F() int {\n\treturn 2\n}\n\n"}, "package a\n\nfunc F() int {\n\treturn 2\n}\n\nfunc G() {}\n"),
    ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", {"at": {"after": "a"}, "replace": "\n\ndef c():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef c():\n    x\n\n\ndef b():\n    pass\n"),
    ("a.py", "def a():\n    pass\n", {"at": {"after": "a"}, "replace": "\n\ndef c():\n    x\n\n\n"}, "def a():\n    pass\n\n\ndef c():\n    x\n"),
    ("a.py", "x = 1\ny = 2\n", {"at": {"before": "y"}, "replace": "\nz = 3\n"}, "x = 1\n\nz = 3\ny = 2\n"),
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "text", "edit", "expected"), BLANK_ENDS)
def test_blank_ends_are_not_added_up(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
    end: str,
) -> None:
    (root / name).write_bytes(text.replace("\n", end).encode())
    done = workspace.call("edit_content", {"path": name, "edits": [edit]})
    assert not done.is_error, done.text
    assert (root / name).read_bytes().decode() == expected.replace("\n", end)


SECTIONS = "# A\n\nabout\n\n## B\n\nb\n\n## C\n\nc\n\n\n## D\n\nd\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew\n"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "replace": "## B\n\nnew\n\n"},
            SECTIONS.replace("b\n", "new\n"),
        ),
        (
            {"at": {"symbol": "C"}, "replace": "## C\n\nnew\n\n"},
            SECTIONS.replace("c\n", "new\n"),
        ),
        (
            {"at": {"symbol": "D"}, "replace": "## D\n\nnew\n\n"},
            SECTIONS.replace("d\n", "new\n"),
        ),
        (
            {"at": {"symbol": "B"}, "delete": True},
            SECTIONS.replace("## B\n\nb\n\n", ""),
        ),
        (
            {"at": {"symbol": "D"}, "delete": True},
            SECTIONS.replace("\n\n## D\n\nd\n", ""),
        ),
        (
            {"at": {"after": "B"}, "replace": "## N\n\nn"},
            SECTIONS.replace("b\n", "b\n\n## N\n\nn\n"),
        ),
        (
            {"at": {"before": "B"}, "replace": "## N\n\nn\n"},
            SECTIONS.replace("## B", "## N\n\nn\n\n## B"),
        ),
        (
            {"at": {"after": "D"}, "replace": "## N\n\nn\n"},
            SECTIONS + "\n\n## N\n\nn\n",
        ),
        (
            {"from": {"symbol": "D"}, "at": {"before": "B"}},
            "# A\n\nabout\n\n## D\n\nd\n\n## B\n\nb\n\n## C\n\nc\n",
        ),
        (
            {"from": {"symbol": "B"}, "at": {"after": "D"}},
            "# A\n\nabout\n\n## C\n\nc\n\n\n## D\n\nd\n\n\n## B\n\nb\n",
        ),
    ],
)
def test_sections_stay_parted(
    root: Path, workspace: Workspace, edit: dict[str, object], expected: str
) -> None:
    (root / "a.md").write_text(SECTIONS)
    done = workspace.call("edit_content", {"path": "a.md", "edits": [edit]})
    assert not done.is_error, done.text
    assert (root / "a.md").read_text() == expected


def test_section_replaced_by_what_was_read_of_it_is_unchanged(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.md").write_text(SECTIONS)
    for name in "ABCD":
        text = workspace.read("a.md", symbol=name, numbered=False).content
        edit = {"at": {"symbol": name}, "replace": text}
        assert (
            workspace.call(
                "edit_content", {"path": "a.md", "edits": [edit]}
            ).code
            == "no_change"
        )


REINDENTED = [
    # a file, an edit of symbol `B.m`, and what is in the file then
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": 'def m(self):\n    x = """\nraw\n  """\n    return x'}, '    def m(self):\n        x = """\nraw\n  """\n        return x\n'),
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": 'def m(self):\n    x = """\n    raw\n    """\n    return x'}, '    def m(self):\n        x = """\n    raw\n    """\n        return x\n'),
    ("a.ts", "class B {\n  m() {\n  }\n}\n", {"replace": "m() {\n  return `\nraw\n  b`;\n}"}, "  m() {\n    return `\nraw\n  b`;\n  }\n"),
    ("a.rb", "class B\n  def m\n  end\nend\n", {"replace": "def m\n  <<~X\n    raw\n  X\nend"}, "  def m\n    <<~X\n    raw\n  X\n  end\n"),
    ("a.cs", "class B\n{\n    void m()\n    {\n    }\n}\n", {"replace": 'void m()\n{\n    x = @"a\n b";\n}'}, '    void m()\n    {\n        x = @"a\n b";\n    }\n'),
    # the unit of the file
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "def m(self):\n    if x:\n        return 1"}, "\tdef m(self):\n\t\tif x:\n\t\t\treturn 1\n"),
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "    def m(self):\n        if x:\n            return 1"}, "\tdef m(self):\n\t\tif x:\n\t\t\treturn 1\n"),
    ("a.ts", "class B {\n\tm() {\n\t}\n}\n", {"replace": "m() {\n  f(a,\n    b);\n}"}, "\tm() {\n\t\tf(a,\n\t\t\tb);\n\t}\n"),
    ("a.py", "class B:\n    def m(self):\n        pass\n", {"replace": "def m(self):\n\tif x:\n\t\treturn 1"}, "    def m(self):\n        if x:\n            return 1\n"),
    ("a.ts", "class B {\n  m() {\n  }\n}\n", {"replace": "\tm() {\n\t\tf();\n\t}"}, "  m() {\n    f();\n  }\n"),
    ("a.py", "class B:\n\tdef m(self):\n\t\tpass\n", {"replace": "def m(self):\n    return 1", "fuzzy": False}, "def m(self):\n    return 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "edit", "expected"), REINDENTED)
def test_text_takes_the_indentation_of_its_place(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
) -> None:
    for place in ({"symbol": "B.m"}, {"after": "B.m"}, {"before": "B.m"}):
        (root / name).write_text(text)
        done = workspace.call(
            "edit_content", {"path": name, "edits": [{"at": place, **edit}]}
        )
        assert not done.is_error, done.text
        assert expected in (root / name).read_text(), (root / name).read_text()


def test_moved_code_takes_the_indentation_of_its_place(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(
        'def f():\n\tif x:\n\t\ty = """\n\traw"""\n\t\tpass\n'
    )
    (root / "b.py").write_text("class B:\n  def m(self):\n    pass\n")
    edit = {
        "path": "b.py",
        "from": {"path": "a.py", "symbol": "f"},
        "at": {"after": "B.m"},
        "reindent": True,
    }
    workspace.run("edit_content", {"edits": [edit]})
    assert (root / "b.py").read_text() == (
        'class B:\n  def m(self):\n    pass\n\n  def f():\n    if x:\n      y = """\n\traw"""\n      pass\n'
    )


def test_block_of_yaml_moves_with_its_key(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.yaml").write_text("a:\n  b:\n    c: 1\n")
    edit = {"at": {"symbol": "a.b.c"}, "replace": "c: |\n  x\n    y\n"}
    workspace.run("edit_content", {"path": "a.yaml", "edits": [edit]})
    assert (
        root / "a.yaml"
    ).read_text() == "a:\n  b:\n    c: |\n      x\n        y\n"


@pytest.mark.parametrize("diff", ["auto", "none"])
def test_decorators_left_out_are_told(
    root: Path, workspace: Workspace, diff: str
) -> None:
    (root / "a.py").write_text(
        "import functools\n\n\n# caches\n@functools.cache\ndef load(n):\n    return n\n"
    )
    edit = {
        "at": {"symbol": "load"},
        "replace": "def load(n):\n    return n + 1",
    }
    done = workspace.call(
        "edit_content", {"path": "a.py", "edits": [edit], "diff": diff}
    )
    said = "the replacement leaves out @functools.cache and its comment"
    assert f"[edit 1: {said}]" in done.text
    assert done.data["results"][0]["note"] == said
    again = workspace.call(
        "edit_content",
        {"path": "a.py", "edits": [{**edit, "replace": "def load(n):\n    1"}]},
    )
    assert "leaves out" not in again.text


@pytest.mark.parametrize(
    ("name", "text", "edit", "expected"),
    [
        ("a.rs", "enum E {\n  A,\n\n  B,\n}\n", {"at": {"after": "B"}, "replace": "C"}, "enum E {\n  A,\n\n  B,\n\n  C,\n}\n"),
        ("a.rs", "enum E {\n  A,\n\n  B,\n}\n", {"at": {"before": "A"}, "replace": "C"}, "enum E {\n  C,\n\n  A,\n\n  B,\n}\n"),
        ("a.py", "class A:\n    def f(self):\n        pass\n", {"at": {"before": "A.f"}, "replace": "def g(self):\n    pass"}, "class A:\n    def g(self):\n        pass\n\n    def f(self):\n        pass\n"),
        ("a.js", "class A {\n  f() {\n  }\n}\n", {"at": {"after": "A.f"}, "replace": "g() {\n}"}, "class A {\n  f() {\n  }\n\n  g() {\n  }\n}\n"),
        ("a.rb", "class A\n  def f\n  end\nend\n", {"at": {"after": "A.f"}, "replace": "def g\nend"}, "class A\n  def f\n  end\n\n  def g\n  end\nend\n"),
    ],
)  # fmt: skip
def test_no_blank_line_at_the_ends_of_what_encloses(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, object],
    expected: str,
) -> None:
    (root / name).write_text(text)
    workspace.run("edit_content", {"path": name, "edits": [edit]})
    assert (root / name).read_text() == expected


GO_WITH_SCRIPT = "package a\n\n" + "".join(
    f"func F{number}() {{\n\tif x {{\n\t\tf(`\n"
    + "    if y\n        echo\n" * 9
    + "`)\n\t}\n}\n\n"
    for number in range(3)
)
MIXED_SHELL = "a() {\n    x\n    y\n}\n\n" + "b() {\n\tx\n\ty\n\tz\n}\n\n" * 2


@pytest.mark.parametrize(
    ("name", "text", "symbol", "old", "new"),
    [
        ("a.go", GO_WITH_SCRIPT, "F1", "if x {", "if z {"),
        ("a.sh", MIXED_SHELL, "a", "    y", "    w"),
    ],
)
def test_indentation_of_symbol_stays(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    symbol: str,
    old: str,
    new: str,
) -> None:
    (root / name).write_text(text)
    head = f"func {symbol}(" if name == "a.go" else f"{symbol}() {{"
    body = head + text.partition(head)[2].partition("\n}\n")[0] + "\n}\n"
    edit = {"at": {"symbol": symbol}, "replace": body.replace(old, new)}
    workspace.run("edit_content", {"path": name, "edits": [edit]})
    assert (root / name).read_text() == text.replace(
        body, body.replace(old, new)
    )


def test_new_function_beside_one_with_tabs(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.go").write_text(GO_WITH_SCRIPT)
    edit = {"at": {"after": "F1"}, "replace": "func G() {\n    return\n}"}
    workspace.run("edit_content", {"path": "a.go", "edits": [edit]})
    assert "\n\nfunc G() {\n\treturn\n}\n\n" in (root / "a.go").read_text()


def test_other_case_of_what_is_imported_is_no_symbol(
    root: Path, workspace: Workspace
) -> None:
    text = "require 'logger'\n\nclass Logger\n  def call\n  end\nend\n"
    (root / "a.rb").write_text(text)
    answer = workspace.call(
        "edit_content",
        {
            "path": "a.rb",
            "edits": [{"at": {"symbol": "logger"}, "delete": True}],
        },
    )
    assert answer.is_error
    assert "Logger" in answer.text
    assert (root / "a.rb").read_text() == text


def methods(*names: str, before: str = "", after: str = "") -> str:
    """Return a class in TypeScript with methods between blank lines."""
    bodies = [f"  {name}() {{\n    {name};\n  }}\n" for name in names]
    return "class A {\n" + before + "\n".join(bodies) + after + "}\n"


DELETED_SYMBOLS = {
    # name of the file, text, symbols to delete, result
    "last method": ("a.ts", methods("a", "b"), ["A.b"], methods("a")),
    "first method": ("a.ts", methods("a", "b"), ["A.a"], methods("b")),
    "only method": ("a.ts", methods("a"), ["A.a"], methods()),
    "only method between blank lines": ("a.ts", methods("a", before="\n", after="\n"), ["A.a"], methods()),
    "all methods": ("a.ts", methods("a", "b", before="\n", after="\n"), ["A.a", "A.b"], methods()),
    "last two": ("a.ts", methods("a", "b", "c"), ["A.c", "A.b"], methods("a")),
    "first two": ("a.ts", methods("a", "b", "c"), ["A.a", "A.b"], methods("c")),
    "first and last": ("a.ts", methods("a", "b", "c"), ["A.a", "A.c"], methods("b")),
    "padded block": ("a.ts", methods("a", "b", before="\n", after="\n"), ["A.b"], methods("a", before="\n", after="\n")),
    "method below fields": ("A.java", "class A {\n    int n;\n\n    void a() {\n    }\n}\n", ["A.a"], "class A {\n    int n;\n}\n"),
    "nested block": ("a.cs", "namespace N\n{\n    class A\n    {\n        int a;\n\n        void F()\n        {\n        }\n    }\n}\n", ["N.A.F"], "namespace N\n{\n    class A\n    {\n        int a;\n    }\n}\n"),
    "only one below no symbol": ("a.rs", "mod tests {\n    use super::*;\n\n    #[test]\n    fn t() {}\n}\n", ["tests.t"], "mod tests {\n    use super::*;\n}\n"),
    "keyword": ("a.rb", "class A\n  def a\n  end\n\n  def b\n  end\nend\n", ["A.b"], "class A\n  def a\n  end\nend\n"),
    "block without indentation": ("a.cpp", "namespace n {\n\nint a() {\n}\n\nint b() {\n}\n\n}  // n\n", ["n.b"], "namespace n {\n\nint a() {\n}\n\n}  // n\n"),
    "last method of a nested class": ("a.py", "class A:\n    class B:\n        def a(self):\n            pass\n\n        def b(self):\n            pass\n\n\n    def c(self):\n        pass\n", ["A.B.b"], "class A:\n    class B:\n        def a(self):\n            pass\n\n\n    def c(self):\n        pass\n"),
    "last function": ("a.go", "package p\n\nfunc A() {\n}\n\n// B is.\nfunc B() {\n}\n", ["B"], "package p\n\nfunc A() {\n}\n"),
    "between regions": ("a.py", "# region a\n\ndef a():\n    pass\n\n# endregion\n", ["a"], "# region a\n\n# endregion\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", DELETED_SYMBOLS.values(), ids=DELETED_SYMBOLS)
def test_deletion_leaves_usual_blank_lines(
    root: Path, workspace: Workspace, case: tuple[str, str, list[str], str]
) -> None:
    name, text, symbols, result = case
    (root / name).write_text(text)
    edits = [{"at": {"symbol": symbol}, "replace": ""} for symbol in symbols]
    workspace.edit(name, edits)
    assert (root / name).read_text() == result


BESIDE_DELETED = {
    # symbol that is deleted, the place of the other edit, names of the result
    "before the last": ("c", {"before": "A.c"}, "abn"),
    "after the last": ("c", {"after": "A.c"}, "abn"),
    "below the text above": ("c", {"after": "A.b"}, "abn"),
    "above the text above": ("c", {"before": "A.b"}, "anb"),
    "the text above": ("c", {"symbol": "A.b"}, "an"),
    "before the first": ("a", {"before": "A.a"}, "nbc"),
    "after the first": ("a", {"after": "A.a"}, "nbc"),
    "above the text below": ("a", {"before": "A.b"}, "nbc"),
    "before the middle": ("b", {"before": "A.b"}, "anc"),
    "after the middle": ("b", {"after": "A.b"}, "anc"),
    "before the last of two": ("bc", {"before": "A.c"}, "an"),
    "after the first of two": ("bc", {"after": "A.b"}, "an"),
}  # fmt: skip


@pytest.mark.parametrize("case", BESIDE_DELETED.values(), ids=BESIDE_DELETED)
@pytest.mark.parametrize("in_order", [True, False], ids=["first", "last"])
def test_edits_beside_deleted_symbol(
    root: Path,
    workspace: Workspace,
    case: tuple[str, dict[str, str], str],
    in_order: bool,
) -> None:
    deleted, place, result = case
    (root / "a.ts").write_text(methods(*"abc"))
    edits: list[dict[str, object]] = [
        {"at": {"symbol": f"A.{name}"}, "delete": True} for name in deleted
    ]
    edits.append({"at": place, "replace": "n() {\n  n;\n}"})
    workspace.edit("a.ts", edits if in_order else edits[::-1])
    assert (root / "a.ts").read_text() == methods(*result)


@pytest.mark.parametrize("place", [{"before": "c"}, {"after": "c"}], ids=str)
def test_inserts_where_the_last_symbol_of_a_file_goes(
    root: Path, workspace: Workspace, place: dict[str, str]
) -> None:
    top = "import os\n\n\ndef b():\n    b\n\n\n"
    (root / "a.py").write_text(f"{top}def c():\n    c\n")
    deletion = {"at": {"symbol": "c"}, "delete": True}
    insertion = {"at": place, "replace": "def n():\n    n"}
    workspace.edit("a.py", [deletion, insertion])
    assert (root / "a.py").read_text() == f"{top}def n():\n    n\n"


@pytest.mark.parametrize(
    ("place", "result"),
    [({"before": "A.a"}, "cab"), ({"after": "A.a"}, "acb")],
    ids=["first", "second"],
)
def test_moves_last_symbol_up(
    root: Path, workspace: Workspace, place: dict[str, str], result: str
) -> None:
    (root / "a.ts").write_text(methods(*"abc"))
    workspace.edit("a.ts", [{"from": {"symbol": "A.c"}, "at": place}])
    assert (root / "a.ts").read_text() == methods(*result)
