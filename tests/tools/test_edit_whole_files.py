"""`edit_whole_files`: files created, deleted and moved together with edits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace

SHOP = """\
import math


def total(lines):
    return math.fsum(lines)


def rate():
    return 19


def count(lines):
    return len(lines)
"""


@pytest.fixture
def shop(root: Path) -> Path:
    (root / "shop.py").write_text(SHOP)
    (root / "old.txt").write_text("old\n")
    return root


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
        "a.py: 2 edits (lines 4, 49) applied",
        "edit 1: lines 4-48, symbol sum_up moved to b.py; 2 blank lines left at 4",
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


def test_a_symbol_moved_to_a_line_has_blank_lines_around_it(
    shop: Path, workspace: Workspace
) -> None:
    version = workspace.read("shop.py").version
    edit = {
        "from": {"symbol": "count"},
        "at": {"after": 2},
        "expected_version": version,
    }
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert not done.is_error, done.text
    text = (shop / "shop.py").read_text()
    assert text == SHOP.replace(
        "\n\n\ndef count(lines):\n    return len(lines)\n", "\n"
    ).replace(
        "import math\n\n\n",
        "import math\n\n\ndef count(lines):\n    return len(lines)\n\n\n",
    )


def test_what_was_shown_stands_in_for_its_version(
    shop: Path, workspace: Workspace
) -> None:
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


def test_what_another_session_was_shown_stands_in_for_nothing(
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
def test_one_at_says_where(
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


def test_a_replacement_of_no_more_than_was_allowed_is_made_at_once(
    shop: Path, workspace: Workspace
) -> None:
    asked = {"pattern": "lines", "replacement": "rows", "whole_word": True}
    seen = workspace.call("replace_content", {**asked, "max_count": 3})
    assert not seen.is_error, seen.text
    more = "4 matches in 1 file are more than max_count=3 (preview; nothing was written; max_count=4 writes)"
    assert more in seen.text
    flat = workspace.call(
        "replace_content", {**asked, "max_count": 3, "preview": False}
    )
    assert more in flat.text, (
        "preview=false does not write either, and is not advised"
    )
    assert (shop / "shop.py").read_text() == SHOP
    looked = workspace.call(
        "replace_content", {**asked, "max_count": 4, "preview": True}
    )
    assert "nothing was written" in looked.text
    done = workspace.call("replace_content", {**asked, "max_count": 4})
    assert "4 matches in 1 file replaced; change" in done.text, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace("lines", "rows")


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


@pytest.mark.parametrize(
    "place", [{"path": "new.py"}, {"path": "shop.py", "at": {"after": 0}}]
)
def test_the_lines_of_a_notebook_as_it_is_shown_are_not_those_of_its_file(
    shop: Path, workspace: Workspace, place: dict[str, object]
) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": ["a = 1\n", "b = 2"],
        "outputs": [],
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (shop / "book.ipynb").write_text(json.dumps(book, indent=1))
    workspace.read("book.ipynb")
    before = tree(shop)
    edit = {
        "from": {"path": "book.ipynb", "start_line": 2, "end_line": 3},
        **place,
    }
    done = workspace.call("edit_content", {"edits": [edit]})
    assert done.code == "invalid_input", done.text
    assert "notebook" in done.text
    assert tree(shop) == before


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


USERS = {
    "lib/__init__.py": "",
    "lib/tools.py": "def slug(text):\n    return text\n\n\ndef other():\n    return slug('x')\n",
    "lib/page.py": "from lib.tools import other, slug\n",
    "lib/feed.py": "import lib.tools\n\nlib.tools.slug('x')\n",
    "lib/near.py": "from . import tools\n\ntools.slug('x')\n",
    "lib/not1.py": "from lib.tools import other\n\nslug = 1\n",
    "lib/not2.py": "from elsewhere import slug\n",
    "web/a.js": "import { slug } from './b';\n",
}


def test_a_move_names_who_takes_the_symbol_from_its_old_module(
    root: Path, workspace: Workspace
) -> None:
    for name, text in USERS.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    move = {
        "path": "lib/text.py",
        "from": {"path": "lib/tools.py", "symbol": "slug"},
    }
    mended = {
        "path": "lib/page.py",
        "search": "lib.tools import other, slug",
        "replace": "lib.text import slug",
    }
    shown = workspace.call("edit_content", {"edits": [move], "preview": True})
    assert "still" not in shown.text
    copied = workspace.call(
        "edit_content",
        {"edits": [{**move, "path": "lib/copy.py", "copy": True}]},
    )
    assert "still" not in copied.text
    done = workspace.call("edit_content", {"edits": [move, mended]})
    assert (
        "[slug is still used from lib/tools.py in lib/feed.py, lib/near.py, lib/tools.py]"
        in done.text
    )
    assert done.data["still_used"] == [
        {
            "name": "slug",
            "path": "lib/tools.py",
            "files": ["lib/feed.py", "lib/near.py", "lib/tools.py"],
        }
    ]
    workspace.undo()
    for n in range(12):
        (root / f"lib/user{n:02}.py").write_text("from .tools import slug\n")
    done = workspace.call("edit_content", {"edits": [move]})
    assert "lib/user05.py and 6 more]" in done.text


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


FOUR = b"import os\n\n\ndef one():\n    return 1\n\n\n# of two\ndef two():\n    return 2\n\n\n\ndef three():\n    return 3\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("gone", "left"),
    [
        (("two", "three"), b"import os\n\n\ndef one():\n    return 1\n"),
        (("three", "two"), b"import os\n\n\ndef one():\n    return 1\n"),
        (("one", "two", "three"), b"import os\n"),
        (
            ("one", "three"),
            b"import os\n\n\n# of two\ndef two():\n    return 2\n",
        ),
        (("one", "two"), b"import os\n\n\n\ndef three():\n    return 3\n"),
    ],
)
@pytest.mark.parametrize("moved", [True, False])
def test_the_last_symbols_of_a_file_go_in_one_call(
    root: Path,
    workspace: Workspace,
    gone: tuple[str, ...],
    left: bytes,
    moved: bool,
    end: bytes,
) -> None:
    (root / "a.py").write_bytes(FOUR.replace(b"\n", end))
    taken = [
        {"path": "b.py", "from": {"path": "a.py", "symbol": name}}
        if moved
        else {"path": "a.py", "at": {"symbol": name}, "delete": True}
        for name in gone
    ]
    workspace.run("edit_content", {"edits": taken})
    assert (root / "a.py").read_bytes() == left.replace(b"\n", end)
    if moved:
        text = (root / "b.py").read_bytes()
        assert [
            name for name in gone if b"def %b():" % name.encode() in text
        ] == [*gone]
        assert (b"# of two" + end in text) == ("two" in gone)
        assert not text.endswith(2 * end)


def test_the_last_methods_of_a_class_go_in_one_call(
    root: Path, workspace: Workspace
) -> None:
    first, last = (
        "class C:\n    a = 1\n\n    def b(self):\n        pass\n",
        "\n    def e(self):\n        pass\n",
    )
    between = (
        "\n    def c(self):\n        pass\n\n    def d(self):\n        pass\n"
    )
    gone = [
        {"path": "a.py", "at": {"symbol": name}, "delete": True}
        for name in ("C.c", "C.d")
    ]
    for after in ("", "\n\nx = 1\n", last):
        (root / "a.py").write_text(first + between + after)
        workspace.run("edit_content", {"edits": gone})
        assert (root / "a.py").read_text() == first + after


def test_a_refusal_names_the_refused_edits_of_every_file(
    shop: Path, workspace: Workspace
) -> None:
    before = tree(shop)
    edits = [
        {"path": "shop.py", "search": "return", "replace": "yield"},
        {"path": "shop.py", "search": "def rate", "replace": "def price"},
        {"path": "shop.py", "search": "def cost(", "replace": "def costs("},
        {"path": "old.txt", "search": "new", "replace": "newer"},
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    lines = refused.text.splitlines()
    assert lines[0].startswith(
        "ambiguous_match: shop.py: edit 1 of 4: the search text matches 3 places"
    )
    assert [line[:42] for line in lines if line.startswith("also: ")] == [
        "also: shop.py: edit 3: the search text is ",
        "also: old.txt: edit 4: the search text is ",
    ]
    assert lines[-1].startswith("hint: give start_line to choose one")
    assert tree(shop) == before


def test_of_many_refused_edits_the_first_are_named_and_the_others_counted(
    shop: Path, workspace: Workspace
) -> None:
    edits = [
        {"search": f"missing {number} of them", "replace": ""}
        for number in range(40)
    ]
    refused = workspace.call(
        "edit_content", {"path": "shop.py", "edits": edits}
    )
    assert refused.text.count("\nalso: shop.py: edit ") == 10
    assert "\nalso: 29 more edits\n" in refused.text


def test_a_suggestion_is_of_the_file_and_the_cell_of_its_edit(
    shop: Path, workspace: Workspace
) -> None:
    cells = [
        {"id": name, "cell_type": "raw", "metadata": {}, "source": "a\nb\na\n"}
        for name in "xy"
    ]
    notebook = {
        "cells": cells,
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (shop / "n.ipynb").write_text(json.dumps(notebook))
    edit = {"path": "n.ipynb", "cell": "y", "search": "a", "replace": "c"}
    refused = workspace.call("edit_content", {"edits": [edit]})
    for sent in refused.data["suggestions"]:
        made = workspace.call(
            "edit_content", {"edits": [sent], "preview": True}
        )
        assert not made.is_error
        assert made.data["changes_made"] == 1
        assert {**edit, "start_line": sent["start_line"]} == sent
    assert len(refused.data["suggestions"]) == 2


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
