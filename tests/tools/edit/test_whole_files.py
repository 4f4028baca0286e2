"""Files created, deleted and moved together with edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_a_module_is_split_in_one_call_and_one_change(
    shop: Path, workspace: Workspace
) -> None:
    before = tree(shop)
    done = workspace.call(
        "edit_content",
        {
            "edits": [
                {"path": "sums.py", "content": "import math\n\n\n"},
                {
                    "path": "sums.py",
                    "from": {"path": "shop.py", "symbol": "total"},
                },
                {
                    "path": "sums.py",
                    "from": {"path": "shop.py", "symbol": "count"},
                },
                {
                    "path": "shop.py",
                    "search": "import math",
                    "replace": "from sums import count, total",
                },
                {"path": "old.txt", "delete": True},
                {"path": "shop.py", "move_to": "store/shop.py"},
            ]
        },
    )
    assert not done.is_error, done.text
    assert tree(shop) == {
        "store/shop.py": b"from sums import count, total\n\n\ndef rate():\n    return 19\n",
        "sums.py": b"import math\n\n\ndef total(lines):\n    return math.fsum(lines)\n\n\n"
        b"def count(lines):\n    return len(lines)\n",
    }
    assert len(workspace.history()) == 1
    assert "deleted" in done.text
    assert "moved from shop.py" in done.text
    workspace.undo()
    assert tree(shop) == before


def test_a_preview_of_a_whole_step_shows_it_and_writes_nothing(
    shop: Path, workspace: Workspace
) -> None:
    before = tree(shop)
    edits = [
        {"path": "new.py", "content": "A = 1\n"},
        {"path": "old.txt", "delete": True},
    ]
    seen = workspace.call("edit_content", {"edits": edits, "preview": True})
    assert not seen.is_error, seen.text
    assert "+A = 1" in seen.text
    assert "-old" in seen.text
    assert seen.text.startswith(
        "new.py: would be created, 1 line (preview; nothing was written)\n"
    )
    assert tree(shop) == before


def test_a_new_file_is_said_to_be_created_and_a_moved_symbol_which_lines_it_was(
    root: Path, workspace: Workspace
) -> None:
    body = "".join(f"    total += {n}\n" for n in range(40))
    (root / "a.py").write_text(
        f"import x\n\n\n# how much\n@x.cached\ndef sum_up():\n{body}\n\nrest = 1\n"
    )
    edits = [
        {
            "path": "b.py",
            "content": "import x\n\n\n",
            "from": {"path": "a.py", "symbol": "sum_up"},
        },
        {"path": "a.py", "search": "rest = 1", "replace": "rest = 2"},
    ]
    done = workspace.call("edit_content", {"edits": edits}).text.splitlines()
    assert done[0].startswith("b.py: created, 46 lines; change ")
    assert done[1:3] == [
        "a.py: 2 edits applied",
        "lines 4-48, symbol sum_up, moved to b.py:4-46; 2 blank lines left at 4",
    ]


def test_a_file_without_text_is_moved_and_deleted_too(
    shop: Path, workspace: Workspace
) -> None:
    (shop / "a.bin").write_bytes(b"\0\1\2" * 100)
    (shop / "b.bin").write_bytes(b"\0\1\3" * 100)
    edits = [
        {"path": "a.bin", "move_to": "c/a.bin"},
        {"path": "b.bin", "delete": True},
    ]
    done = workspace.call("edit_content", {"edits": edits})
    assert not done.is_error, done.text
    assert (shop / "c/a.bin").read_bytes() == b"\0\1\2" * 100
    assert not (shop / "b.bin").exists()


REFUSED = [
    ([{"path": "shop.py", "content": "x"}], "already_exists"),
    ([{"path": "no.py", "delete": True}], "not_found"),
    ([{"path": "no.py", "move_to": "yes.py"}], "not_found"),
    ([{"path": "shop.py", "move_to": "old.txt"}], "already_exists"),
    ([{"path": "shop.py", "content": "x", "delete": True}], "invalid_input"),
    (
        [{"path": "shop.py", "content": "x", "search": "y", "replace": "z"}],
        "invalid_input",
    ),
    (
        [{"path": "shop.py", "from": {"path": "old.txt", "symbol": "a"}}],
        "unsupported",
    ),
    (
        [{"path": "shop.py", "delete": True, "expected_version": "0" * 16}],
        "stale_version",
    ),
    ([{"path": "new.py", "search": "a", "replace": "b"}], "not_found"),
    ([{"path": "new.py", "content": None}], "invalid_input"),
    ([{"path": "../new.py", "content": "x"}], "path_escape"),
    (
        [
            {"path": "new.py", "content": "x"},
            {"path": "shop.py", "search": "nothing", "replace": ""},
        ],
        "no_match",
    ),
]


@pytest.mark.parametrize(("edits", "code"), REFUSED)
def test_what_is_refused_changes_nothing(
    shop: Path, workspace: Workspace, edits: list[dict[str, object]], code: str
) -> None:
    before = tree(shop)
    done = workspace.call("edit_content", {"edits": edits})
    assert done.code == code, done.text
    assert tree(shop) == before


NO_PLACE = [
    {"at": {}},
    {"at": {"symbol": None}},
    {"end_line": 3},
    {"replace_all": True},
    {"reindent": True},
    {"copy": True},
]


@pytest.mark.parametrize("more", NO_PLACE)
@pytest.mark.parametrize("whole", [{"delete": True}, {"move_to": "new.py"}])
def test_a_place_that_got_lost_is_not_the_whole_file(
    shop: Path,
    workspace: Workspace,
    whole: dict[str, object],
    more: dict[str, object],
) -> None:
    before = tree(shop)
    done = workspace.call(
        "edit_content", {"edits": [{"path": "shop.py", **whole, **more}]}
    )
    assert done.code == "invalid_input", done.text
    assert "whole file" in done.text or "of a whole" in done.text
    assert tree(shop) == before


@pytest.mark.parametrize(
    "more",
    [
        {"at": None},
        {"symbol": None},
        {"from": None, "at": None},
        {"start_line": None, "end_line": None},
        {"search": None},
        {"cell": None},
        {"symbol": ""},
        {"at": {"symbol": ""}},
        {"at": {"lines": []}},
        {"at": {"lines": [None, None]}},
        {"at": {"symbol": " "}},
        {"at": {"before": 0}},
        {"at": {"after": 0}},
        {"cell": 0},
        {"lines": None},
        {"line_range": None},
        {"instruction": "the function total"},
        {"cell": "c1"},
        dict.fromkeys(
            (
                "symbol",
                "start_line",
                "end_line",
                "at",
                "from",
                "move_to",
                "expected_version",
            )
        ),
    ],
)
def test_keeps_file_whose_place_is_empty(
    shop: Path, workspace: Workspace, more: dict[str, object]
) -> None:
    before = tree(shop)
    for whole in ({"delete": True}, {"move_to": "new.py"}):
        done = workspace.call(
            "edit_content", {"edits": [{"path": "shop.py", **more, **whole}]}
        )
        assert done.code == "invalid_input", done.text
        assert tree(shop) == before
        with pytest.raises(FilewrightError):
            workspace.edit(None, [{"path": "shop.py", **more, **whole}])
        assert tree(shop) == before


@pytest.mark.parametrize(
    "call",
    [
        {"path": "shop.py"},
        {"path": "shop.py", "cell": "c1"},
        {"path": "shop.py", "encoding": "utf-8"},
        {"path": "shop.py", "expected_version": None},
    ],
)
def test_whole_file_is_named_in_its_edit(
    shop: Path, workspace: Workspace, call: dict[str, object]
) -> None:
    before = tree(shop)
    for whole in (
        {"delete": True},
        {"move_to": "new.py"},
        {"path": None, "delete": True},
    ):
        done = workspace.call("edit_content", {**call, "edits": [whole]})
        assert done.code == "invalid_input", done.text
        assert "whole" in done.text or "notebook" in done.text
        assert tree(shop) == before


def test_nulls_that_are_no_place_are_left_out(
    shop: Path, workspace: Workspace
) -> None:
    nulls = dict.fromkeys(
        ("move_to", "content", "expected_version", "copy", "fuzzy")
    )
    done = workspace.call(
        "edit_content",
        {"edits": [{"path": "shop.py", "delete": True, **nulls}]},
    )
    assert not done.is_error, done.text
    assert not (shop / "shop.py").exists()


@pytest.mark.parametrize(
    "edit",
    [
        {"at": {"symbol": "rate"}, "symbol": "count", "delete": True},
        {"at": {"symbol": "rate"}, "search": "import math", "replace": "x"},
        {"at": {"after": "rate"}, "before": "count", "replace": "x"},
    ],
)
def test_a_place_that_is_given_twice_is_refused(
    shop: Path, workspace: Workspace, edit: dict[str, object]
) -> None:
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert done.code == "invalid_input", done.text
    assert "at alone" in done.text or "without at" in done.text


MOVE_IN = {
    "path": "shop.py",
    "from": {"path": "more.py", "symbol": "more"},
    "at": {"after": "rate"},
}
DELETE = {"path": "shop.py", "delete": True}
RENAME = {"path": "shop.py", "move_to": "store.py"}
EDIT = {"path": "shop.py", "search": "return 19", "replace": "return 7"}
MAKE = {"path": "new.py", "content": "A = 1\n"}
CONTRADICTIONS = [
    [EDIT, DELETE],
    [DELETE, EDIT],
    [MOVE_IN, DELETE],
    [DELETE, MOVE_IN],
    [DELETE, DELETE],
    [RENAME, {**RENAME, "move_to": "other.py"}],
    [RENAME, DELETE],
    [DELETE, RENAME],
    [MAKE, {"path": "new.py", "search": "1", "replace": "2"}],
    [MAKE, {"path": "new.py", "delete": True}],
    [MAKE, {"path": "new.py", "move_to": "newer.py"}],
    [
        MAKE,
        {**MOVE_IN, "from": {"path": "new.py", "start_line": 1, "end_line": 1}},
    ],
    [{"path": "new.py", "from": {"symbol": "rate"}}],
]


@pytest.mark.parametrize("edits", CONTRADICTIONS)
@pytest.mark.parametrize("preview", [False, True])
def test_no_edit_is_lost_with_its_file(
    shop: Path,
    workspace: Workspace,
    edits: list[dict[str, object]],
    preview: bool,
) -> None:
    (shop / "more.py").write_text("def more():\n    return 1\n")
    before = tree(shop)
    done = workspace.call("edit_content", {"edits": edits, "preview": preview})
    assert done.code == "invalid_input", done.text
    assert tree(shop) == before


def test_what_is_moved_out_of_a_file_is_not_deleted_with_it(
    shop: Path, workspace: Workspace
) -> None:
    out = {"path": "new.py", "from": {"path": "shop.py", "symbol": "rate"}}
    for edits in ([out, DELETE], [DELETE, out]):
        done = workspace.call("edit_content", {"edits": edits})
        assert not done.is_error, done.text
        assert tree(shop) == {
            "new.py": b"def rate():\n    return 19\n",
            "old.txt": b"old\n",
        }
        workspace.undo()


RATE = "def rate():\n    return 'ü'\n"
FROM = {"path": "new.py", "from": {"path": "rate.py", "symbol": "rate"}}
HEAD = {"path": "new.py", "content": "# é\n"}
PIECES = [
    ("latin-1", "\n", [FROM], RATE),
    ("latin-1", "\n", [HEAD, FROM], "# é\n\n\n" + RATE),
    ("utf-16", "\n", [FROM], RATE),
    ("utf-16", "\n", [HEAD, FROM], "# é\n\n\n" + RATE),
    ("utf-8-sig", "\n", [HEAD, FROM], "# é\n\n\n" + RATE),
    ("utf-8", "\r\n", [FROM], RATE.replace("\n", "\r\n")),
    ("utf-8", "\r\n", [HEAD, FROM], "# é\n\n\n" + RATE),
    (
        "utf-8",
        "\n",
        [{**HEAD, "content": "# é\r\n"}, FROM],
        ("# é\n\n\n" + RATE).replace("\n", "\r\n"),
    ),
    ("utf-16", "\r\n", [FROM], RATE.replace("\n", "\r\n")),
]


@pytest.mark.parametrize(("encoding", "end", "edits", "made"), PIECES)
def test_a_new_file_is_of_one_encoding_and_one_line_end(
    root: Path,
    workspace: Workspace,
    encoding: str,
    end: str,
    edits: list[dict[str, object]],
    made: str,
) -> None:
    text = "# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else ""
    (root / "rate.py").write_bytes(
        (text + "A = 1\n\n\n" + RATE).replace("\n", end).encode(encoding)
    )
    before = tree(root)
    done = workspace.call("edit_content", {"edits": edits})
    assert not done.is_error, done.text
    assert (root / "new.py").read_bytes() == made.encode()
    assert (root / "rate.py").read_bytes() == (text + "A = 1\n").replace(
        "\n", end
    ).encode(encoding)
    workspace.undo()
    assert tree(root) == before


def test_bytes_that_are_no_text_are_moved_as_they_are_or_not_at_all(
    root: Path, workspace: Workspace
) -> None:
    odd = b"def rate():\n    return '\xff\xfe'\n"
    (root / "rate.py").write_bytes("é = 1\n\n\n".encode() + odd)
    done = workspace.call(
        "edit_content", {"edits": [{**FROM, "reindent": True}]}
    )
    if done.is_error:
        assert "invalid bytes" in done.text
        done = workspace.call("edit_content", {"edits": [FROM]})
    assert not done.is_error, done.text
    made = (root / "new.py").read_bytes()
    assert made in (odd, odd.decode("latin-1").encode())


def test_a_file_that_is_not_there_has_no_version(
    root: Path, workspace: Workspace
) -> None:
    done = workspace.call(
        "edit_content", {"edits": [{**HEAD, "expected_version": "0" * 16}]}
    )
    assert done.code == "not_found", done.text
    assert not (root / "new.py").exists()


def test_what_is_moved_into_a_new_file_begins_a_line_of_its_own(
    shop: Path, workspace: Workspace
) -> None:
    """Also where what the file is made of before has no line end."""
    lines = {"path": "shop.py", "start_line": 1, "end_line": 1}
    made = [
        {"path": "new.py", "content": "A = 1"},
        {"path": "new.py", "from": lines, "copy": True},
    ]
    workspace.read("shop.py")
    assert not workspace.call("edit_content", {"edits": made}).is_error
    made = [{**edit, "path": "other.py"} for edit in made]
    made.append(
        {"path": "other.py", "from": {"path": "shop.py", "symbol": "rate"}}
    )
    assert not workspace.call("edit_content", {"edits": made}).is_error
    assert (shop / "new.py").read_bytes() == b"A = 1\nimport math\n"
    assert (
        shop / "other.py"
    ).read_bytes() == b"A = 1\nimport math\n\n\ndef rate():\n    return 19\n"


def test_what_is_moved_into_a_new_file_has_its_beginning_with_it(
    workspace: Workspace, root: Path
) -> None:
    (root / "util.py").write_text(
        "import re\n\nWORD = re.compile('x')\n\n\ndef words():\n    return WORD\n\n\nLAST = 1\n"
    )
    workspace.read("util.py")
    edits = [
        {
            "path": "words.py",
            "content": "import re\n\n",
            "from": {"path": "util.py", "start_line": 3, "end_line": 7},
        },
        {"path": "util.py", "at": {"lines": [1, 2]}, "delete": True},
        {"path": "util.py", "at": {"lines": [8, 9]}, "delete": True},
    ]
    made = workspace.call("edit_content", {"edits": edits})
    assert not made.is_error, made.text
    assert (
        (root / "words.py").read_text()
        == "import re\n\nWORD = re.compile('x')\n\n\ndef words():\n    return WORD\n"
    )
    assert (root / "util.py").read_text() == "LAST = 1\n"
    workspace.read("util.py")
    edits = [
        {
            "path": "words.py",
            "content": "import re\n",
            "from": {"path": "util.py", "start_line": 1, "end_line": 1},
        }
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    assert refused.is_error
    assert "words.py exists already" in refused.text


def test_what_is_moved_into_a_new_file_goes_beside_what_the_call_has_put_there(
    root: Path, workspace: Workspace
) -> None:
    (root / "old.py").write_text(
        "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n\n\nKEPT = 1\n"
    )
    edits = [
        {
            "path": "new.py",
            "content": "import os\n",
            "from": {"path": "old.py", "symbol": "one"},
        },
        {
            "path": "new.py",
            "from": {"path": "old.py", "symbol": "three"},
            "at": {"after": "one"},
        },
        {
            "path": "new.py",
            "from": {"path": "old.py", "symbol": "two"},
            "at": {"before": "three"},
        },
    ]
    done = workspace.call("edit_content", {"edits": edits})
    assert not done.is_error, done.text
    assert (root / "new.py").read_text() == (
        "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"
    )
    absent = {
        "path": "n.py",
        "from": {"path": "new.py", "symbol": "one"},
        "at": {"after": "two"},
    }
    assert (
        workspace.call("edit_content", {"edits": [absent]}).code == "not_found"
    )
    assert not (root / "n.py").exists()


@pytest.mark.parametrize("preview", [False, True])
def test_no_move_is_lost_beside_what_a_new_file_has_not(
    shop: Path, workspace: Workspace, preview: bool
) -> None:
    (shop / "more.py").write_text("def more():\n    return 1\n")
    before = tree(shop)
    edits = [MAKE, {**MOVE_IN, "path": "new.py"}]
    done = workspace.call("edit_content", {"edits": edits, "preview": preview})
    assert done.text.startswith("no_match: new.py has no symbol 'rate'")
    assert tree(shop) == before


@pytest.mark.parametrize(
    ("edit", "summary"),
    [
        ({"path": "new.txt", "content": "x\n"}, "create new.txt"),
        ({"path": "a.txt", "delete": True}, "delete a.txt"),
        ({"path": "a.txt", "move_to": "b.txt"}, "move a.txt to b.txt"),
    ],
    ids=["create", "delete", "move"],
)
def test_named_in_history(root, workspace, edit, summary):
    (root / "a.txt").write_text("one\n")
    workspace.edit(None, [edit])
    newest, *_ = workspace.get_history().text.splitlines()
    assert newest.endswith(summary)
