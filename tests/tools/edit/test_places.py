"""Places of an open file that edits name: lines, symbols, and points between lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.samples import one_in
from tests.tools.sources import CART, SHOP

from filewright import Workspace


def version(workspace: Workspace, path: str) -> str:
    return workspace.read(path).version


FORMS = {
    "lf": ("utf-8", "\n"),
    "crlf": ("utf-8", "\r\n"),
    "latin-1": ("latin-1", "\r\n"),
    "bom": ("utf-8-sig", "\n"),
    "utf-16": ("utf-16", "\r\n"),
}


@pytest.fixture(params=FORMS)
def cart(request: pytest.FixtureRequest, root: Path) -> tuple[Path, str, str]:
    """Return the path of a module in one form, its line ending, and its encoding."""
    encoding, newline = FORMS[request.param]
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


@pytest.mark.parametrize(
    ("cart", "edit", "change"),
    one_in(3, [(form, *row) for row in EDITS for form in FORMS]),
    indirect=["cart"],
)
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


def test_merges_or_refuses_older_lines(
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
    assert "moved along" in done.text, done.text
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
def test_lines_of_an_older_version(
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


def test_lines_of_the_last_edit(root: Path, workspace: Workspace) -> None:
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


OWN = {"path": "a.txt", "preview": False}
SINCE_SHOWN = [
    # the edits of the session after its read, the file then, and line 5 as named
    ("changed", [("c", "C")], None, True),
    ("touched", [("e", "E")], None, False),
    ("line above", [("a", "a\nnew")], None, False),
    ("line below", [("f", "f\nnew")], None, True),
    ("there and back", [("a", "a\nnew"), ("b\n", "")], None, False),
    ("by another", [], "a\nb\nC\nd\ne\nf\n", True),
    ("moved by another", [], "new\na\nb\nc\nd\ne\nf\n", False),
    ("by both", [("c", "C")], "a\nnew\nC\nd\ne\nf\n", True),
    ("like another", [], "a\nb\nc\nd\ne\ne\nf\n", False),
    ("moved by both", [("c", "C")], "a\nb\nC\ne\nf\n", False),
]


@pytest.mark.parametrize(
    ("changes", "text", "is_certain"),
    [row[1:] for row in SINCE_SHOWN],
    ids=[row[0] for row in SINCE_SHOWN],
)
def test_lines_as_shown_before_a_change(
    root: Path,
    workspace: Workspace,
    changes: list[tuple[str, str]],
    text: str | None,
    is_certain: bool,
) -> None:
    file = root / "a.txt"
    file.write_text("a\nb\nc\nd\ne\nf\n")
    shown = version(workspace, "a.txt")
    for pattern, replacement in changes:
        call = {"pattern": pattern, "replacement": replacement, **OWN}
        workspace.call("replace_content", call)
    if text is not None:
        file.write_text(text)
    before = file.read_text()
    edits = [{"at": {"lines": [5, 5]}, "replace": "x"}]
    done = workspace.call("edit_content", {"path": "a.txt", "edits": edits})
    assert done.is_error is not is_certain, done.text
    if is_certain:
        assert before.splitlines()[4] == "e"
        assert file.read_text() == before.replace("e\n", "x\n")
    else:
        assert file.read_text() == before
        assert shown in done.text


def test_refusal_has_all_versions(root: Path, workspace: Workspace) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text(f"{name}\n")
    versions = [version(workspace, name) for name in ("a.txt", "b.txt")]
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(f"new\n{name}\n")
    edits = [
        {"path": name, "at": {"after": 1}, "replace": "x"}
        for name in ("a.txt", "b.txt", "c.txt")
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    versions += [
        version(workspace, name) for name in ("a.txt", "b.txt", "c.txt")
    ]
    for token in versions:
        assert token in refused.text


REFUSED = [
    ({"start_line": 3, "end_line": 3, "replace": "x"}, "invalid_input", "expected_version"),
    ({"start_line": 3, "end_line": 3, "replace": "x", "expected_version": "0" * 16}, "stale_version", "read the file again"),
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
    ({"path": "other.py", "symbol": "Cart", "replace": "x"}, "no_match", "get_overview"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "hint"), REFUSED)
def test_refuses(
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


def test_names_lines_of_doubled_symbols(
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
def test_keeps_bytes_outside_the_lines(
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


def test_read_lines_need_no_version(shop: Path, workspace: Workspace) -> None:
    edit = {"at": {"lines": [9, 9]}, "replace": "    return 7"}
    refused = workspace.call(
        "edit_content", {"path": "shop.py", "edits": [edit]}
    )
    assert refused.code == "invalid_input"
    version = workspace.read("shop.py").version
    assert version in refused.text
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert not done.is_error, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace(
        "return 19", "return 7"
    )
    again = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert (
        again.code == "invalid_input"
    )  # it was changed since; whoever sees only a diff may count otherwise


def test_lines_read_by_another_session(
    shop: Path, workspace: Workspace
) -> None:
    from filewright import Task
    from filewright.progress import Caller

    workspace.under(Task(caller=Caller("other"))).run(
        "read_content", {"path": "shop.py"}
    )
    edit = {"at": {"lines": [9, 9]}, "replace": "    return 7"}
    assert (
        workspace.call(
            "edit_content", {"path": "shop.py", "edits": [edit]}
        ).code
        == "invalid_input"
    )


AT = [
    (
        {"symbol": "rate"},
        {"replace": "A = 1"},
        ("def rate():\n    return 19", "A = 1"),
    ),
    (
        {"symbol": "rate"},
        {"delete": True},
        ("def rate():\n    return 19\n\n\n", ""),
    ),
    (
        {"after": "rate"},
        {"replace": "A = 1"},
        ("return 19\n", "return 19\n\n\nA = 1\n"),
    ),
    (
        {"before": 1},
        {"replace": "# shop"},
        ("import math", "# shop\nimport math"),
    ),
]


@pytest.mark.parametrize(("at", "what", "change"), AT)
def test_at_of_each_kind(
    shop: Path,
    workspace: Workspace,
    at: dict[str, object],
    what: dict[str, object],
    change: tuple[str, str],
) -> None:
    done = workspace.call(
        "edit_content", {"path": "shop.py", "edits": [{"at": at, **what}]}
    )
    assert not done.is_error, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace(*change, 1)
