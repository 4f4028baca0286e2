"""The tool `edit_content`: no byte changes that the edits do not name."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.platforms.unix_only import not_on_wine
from tests.samples import one_in
from tests.tools.utf16 import MARKS, WIDE_TEXT, wide

from filewright import FilewrightError, Workspace
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

EDITS = [
    # name, before, search, replace, after
    ("invalid bytes elsewhere survive", b"a \xff\xfe\nport = 1\n", "port = 1", "port = 2", b"a \xff\xfe\nport = 2\n"),
    ("mixed terminators stay", b"a\r\nx\nb\rx2\r\r\n", "x2", "y", b"a\r\nx\nb\ry\r\r\n"),
    ("repeated lines in a mixed file", b"a\r\na\na\r\nend\n", "end", "END", b"a\r\na\na\r\nEND\n"),
    ("the mark stays when line 1 changes", b"\xef\xbb\xbffirst\nx\n", "first", "1st", b"\xef\xbb\xbf1st\nx\n"),
    ("a marked search matches", b"\xef\xbb\xbffirst\n", "first\n", "1st\n", b"\xef\xbb\xbf1st\n"),
    ("CRLF file, LF request", b"a\r\nb\r\nc\r\n", "a\nb", "a\nB\nbb", b"a\r\nB\r\nbb\r\nc\r\n"),
    ("LF file, CRLF request", b"a\nb\nc\n", "a\r\nb", "a\r\nB", b"a\nB\nc\n"),
    ("a kept line keeps its own terminator", b"a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nC", b"a\r\nb\nC\r\n"),
    ("a new line ends as the one above it", b"a\r\nb\r\nc\n", "c", "c\nd", b"a\r\nb\r\nc\nd\n"),
    ("whatever other lines have", b"a\nb\r\n", "b", "b\nc", b"a\nb\r\nc\r\n"),
    ("lone returns", b"a\rb\rc", "b", "b\nB", b"a\rb\rB\rc"),
    ("a newline that a deletion brings behind a return", b"a\rb\nc\n", "b", "", b"a\r\nc\n"),
    ("no final newline stays so", b"a\nb", "b", "B", b"a\nB"),
    ("unless the edit is about it", b"a\nb\n", "b\n", "b", b"a\nb"),
    ("Latin-1 is written as Latin-1", "caf\xe9 = 1\n".encode("latin-1"), "caf\xe9 = 1", "th\xe9 = 2", "th\xe9 = 2\n".encode("latin-1")),
    ("Shift-JIS", "表示＝能力\n日本語のテキストです\n".encode("cp932"), "能力", "力能", "表示＝力能\n日本語のテキストです\n".encode("cp932")),
    ("a NUL in the middle survives", b"x" * 9000 + b"\0" + b"y" * 9000 + b"\nport\n" + b"z" * 9000, "port", "PORT", b"x" * 9000 + b"\0" + b"y" * 9000 + b"\nPORT\n" + b"z" * 9000),
    ("form feeds and separators are not lines", "a\x0cb\u2028c\x85d\nx\n".encode(), "x", "y", "a\x0cb\u2028c\x85d\ny\n".encode()),
    ("nothing is expanded in a literal replacement", b"a = 1\n", "a = 1", "a = $& $1 \\1 \\n", b"a = $& $1 \\1 \\n\n"),
    ("the whole file", b"only\r\n", "only", "one\ntwo", b"one\r\ntwo\r\n"),
    ("an insertion before a line", b"a\r\nb\r\n", "", "new\n", b"a\r\nnew\r\nb\r\n"),
]  # fmt: skip


LARGE = {"hold_bytes": 0, "identity_bytes": 0, "whole_undo_bytes": 0}
CASES = [(*row, {}) for row in EDITS] + [
    pytest.param(
        *row, LARGE, marks=not_on_wine("what is open is never replaced")
    )
    for row in EDITS
]


@pytest.mark.parametrize(
    ("name", "before", "search", "replace", "after", "tier"), one_in(2, CASES)
)
def test_edits(root, tmp_path, name, before, search, replace, after, tier):
    from filewright.settings import Settings

    (root / "f").write_bytes(before)
    edit = {"search": search, "replace": replace}
    if not search:
        edit["start_line"] = 2
    with Workspace(
        root, state_dir=tmp_path / "s", settings=Settings(**tier)
    ) as workspace:
        result = workspace.edit("f", [edit])
        assert (root / "f").read_bytes() == after, result.text
        workspace.undo(result.data["change_id"])
        assert (root / "f").read_bytes() == before


REFUSALS = [
    ("overlapping occurrences are ambiguous", b"xaaay\n", "aa", "b", "ambiguous_match"),
    ("not inside a word", b"foobar\n", " foo ", " X ", "no_match"),
    ("half an emoji", "a \U0001f600\n".encode(), "\ud83d", "x", "invalid_input"),
    ("what the encoding lacks", "caf\xe9\n".encode("latin-1"), "caf\xe9", "日", "unencodable"),
    ("inside a character", "表\n日本語のテキストです\n".encode("cp932"), "\\", "/", "no_match"),
    ("half a character of UTF-16", "a = 1\n".encode("utf-16") + b"a", "a", "b", "is_binary"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "before", "search", "replace", "code"), REFUSALS
)
def test_refusals(root, workspace, name, before, search, replace, code):
    (root / "f").write_bytes(before)
    result = workspace.call(
        "edit_content",
        {"path": "f", "edits": [{"search": search, "replace": replace}]},
    )
    assert result.code == code, result.text
    assert (root / "f").read_bytes() == before


def test_names_another_normal_form(root, workspace):
    decomposed = unicodedata.normalize("NFD", "café\n").encode()
    (root / "f").write_bytes(decomposed)
    result = workspace.call(
        "edit_content",
        {
            "path": "f",
            "edits": [{"search": "café", "replace": "thé"}],
            "fuzzy": False,
        },
    )
    assert result.code == "no_match"
    assert "NFC" in result.text or "normali" in result.text


LONG = b"ascii line\n" * 40_000


ADDED = [
    # name, what is there, whether the text that is added may be what the file has
    ("plain text", b"", True),
    ("another encoding where nobody looked", "café\n".encode("latin-1"), False),
    ("UTF-8 where nobody looked", "café\n".encode(), True),
    ("a mark, and bytes that are no text", b"\xef\xbb\xbfx\n\xe9\n", True),
]


@pytest.mark.parametrize(("name", "there", "fits"), ADDED)
@pytest.mark.parametrize("tool", ["edit_content", "write_content"])
def test_encoding_of_a_sampled_file(root, tmp_path, name, there, fits, tool):
    from filewright.settings import Settings

    before = (
        there + LONG
        if there.startswith(b"\xef\xbb\xbf")
        else LONG[:200_200] + there + LONG[200_200:]
    )
    before += b"last\n"
    (root / "f").write_bytes(before)
    new = {"edits": [{"search": "last", "replace": "déjà"}], "path": "f"}
    if tool == "write_content":
        new = {"items": [{"path": "f", "content": "déjà\n", "mode": "append"}]}
    with Workspace(
        root, state_dir=tmp_path / "s", settings=Settings(hold_bytes=0)
    ) as workspace:
        result = workspace.call(tool, new)
    assert (result.code if result.is_error else "") == (
        "" if fits else "unencodable"
    ), result.text
    added = (
        before[:-5] + "déjà\n".encode()
        if tool == "edit_content"
        else before + "déjà\n".encode()
    )
    assert (root / "f").read_bytes() == (added if fits else before)


PIECES = st.sampled_from(
    [
        b"alpha",
        b"beta",
        b" ",
        b"\n",
        b"\r\n",
        b"\r",
        b"\xff",
        "é".encode(),
        b"\t",
        b"\x0c",
        "\u2028".encode(),
        b"=1",
    ]
)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=st.lists(PIECES, max_size=20).map(b"".join),
    tail=st.lists(PIECES, max_size=20).map(b"".join),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    replacement=st.text(alphabet="xyz \n", max_size=12),
)
def test_keeps_bytes_outside_the_range(
    root, workspace, head, tail, mark, replacement
):
    head += (
        b"="  # a text that begins inside the indent of its line may be refused
    )
    before = mark + head + b"UNIQUE needle" + tail
    (root / "f").write_bytes(before)
    result = workspace.call(
        "edit_content",
        {
            "path": "f",
            "edits": [{"search": "UNIQUE needle", "replace": replacement}],
        },
    )
    after = (root / "f").read_bytes()
    assert not result.is_error, result.text
    assert after.startswith(mark + head)
    assert after.endswith(tail)
    inside = after[len(mark + head) : len(after) - len(tail)]
    assert (
        inside.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        == replacement.encode()
    )
    workspace.undo(result.data["change_id"])
    assert (root / "f").read_bytes() == before


COOKIE = "# -*- coding: latin-1 -*-\n"


def test_declared_encoding(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text(COOKIE + 'x = "e"\n')
    workspace.edit("a.py", [{"search": 'x = "e"', "replace": 'x = "é"'}])
    assert (root / "a.py").read_bytes() == (COOKIE + 'x = "é"\n').encode(
        "latin-1"
    )


def test_refuses_what_the_declared_encoding_lacks(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(COOKIE + "x = 1\n")
    with pytest.raises(
        FilewrightError,
        match="which latin-1, the encoding that the file declares",
    ):
        workspace.edit("a.py", [{"search": "x = 1", "replace": "x = '€'"}])
    assert (root / "a.py").read_text() == COOKIE + "x = 1\n"


@pytest.mark.parametrize("label", ["utf-7", "iso-2022-jp", "cp037"])
def test_keeps_ascii(tmp_path: Path, label: str) -> None:
    (tmp_path / "a.py").write_text(f"# coding: {label}\nx = 1\n")
    with Workspace(tmp_path) as workspace:
        with pytest.raises(FilewrightError, match="unencodable"):
            workspace.edit("a.py", [{"search": "x = 1", "replace": "x = 'é'"}])
        workspace.edit("a.py", [{"search": "x = 1", "replace": "x = 2"}])
    assert (tmp_path / "a.py").read_text() == f"# coding: {label}\nx = 2\n"


def test_writes_new_files_as_they_declare(
    root: Path, workspace: Workspace
) -> None:
    content = COOKIE + "x = 'é'\n"
    workspace.write_all(
        [
            {"path": "a.py", "content": content},
            {"path": "b.txt", "content": "é\n"},
        ]
    )
    workspace.edit("c.py", [{"content": content}])
    workspace.write_all(
        [
            {"path": "d.py", "content": COOKIE},
            {"path": "d.py", "content": "x = 'é'\n", "mode": "append"},
        ]
    )
    (root / "from.txt").write_text(content)
    workspace.edit(
        "e.py",
        [
            {
                "from": {
                    "path": "from.txt",
                    "start_line": 1,
                    "end_line": 2,
                    "expected_version": workspace.read("from.txt").version,
                }
            }
        ],
    )
    for name in ("a.py", "c.py", "d.py", "e.py"):
        assert (root / name).read_bytes() == content.encode("latin-1"), name
    assert (root / "b.txt").read_text() == "é\n"
    with pytest.raises(FilewrightError, match="unencodable"):
        workspace.write_all([{"path": "f.py", "content": COOKIE + "x = '€'\n"}])
    assert not (root / "f.py").exists()


OLD = "def alpha():\n    return 1\n\n\ndef beta():\n    value = compute(1)\n    return value\n\n\ndef gamma():\n    return 3\n"


def test_drift_is_merged(root, workspace):
    (root / "f.py").write_text(OLD)
    workspace.read("f.py")
    (root / "f.py").write_text(
        OLD.replace(
            "    value = compute(1)\n",
            "    value = compute(1)\n    log(value)\n",
        )
    )
    result = workspace.edit(
        "f.py",
        [{"search": "def beta():\n    value = compute(1)\n    return value\n", "replace": "def beta(x):\n    value = compute(1)\n    return value\n"}],
    )  # fmt: skip
    assert result.data["tier"] == "drift"
    assert (root / "f.py").read_text() == OLD.replace(
        "def beta():", "def beta(x):"
    ).replace(
        "    value = compute(1)\n", "    value = compute(1)\n    log(value)\n"
    )


def test_drift_in_conflict(root, workspace):
    (root / "f.py").write_text(OLD)
    workspace.read("f.py")
    theirs = OLD.replace("compute(1)", "compute(99)")
    (root / "f.py").write_text(theirs)
    with pytest.raises(FilewrightError) as caught:
        workspace.edit(
            "f.py",
            [
                {
                    "search": "    value = compute(1)\n",
                    "replace": "    value = compute(2)\n",
                }
            ],
        )
    assert caught.value.code in ("stale_version", "no_match")
    assert "compute(99)" in str(caught.value)
    assert (root / "f.py").read_text() == theirs


def test_no_drift_without_a_read(root, workspace):
    (root / "f.py").write_text(OLD.replace("compute(1)", "compute(99)"))
    result = workspace.call(
        "edit_content",
        {
            "path": "f.py",
            "edits": [{"search": "    value = compute(1)\n", "replace": "x\n"}],
        },
    )
    assert result.code == "no_match"


UTF16_PATCH = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n Größe = 1\n-name = 日本 😀\n+name = 東京 😀\n \u0a0a\u0d0d end\n"


UTF16_CALLS = {
    "text": (
        "edit_content",
        {"path": "f", "edits": [{"search": "日本", "replace": "東京"}]},
    ),
    "loose": (
        "edit_content",
        {
            "path": "f",
            "edits": [
                {"search": "name = 日本 😀  \n", "replace": "name = 東京 😀\n"}
            ],
        },
    ),
    "two": (
        "edit_content",
        {
            "path": "f",
            "edits": [
                {"search": "日本", "replace": "x"},
                {"search": "x 😀", "replace": "東京 😀"},
            ],
        },
    ),
    "literal": (
        "replace_content",
        {
            "pattern": "日本",
            "replacement": "東京",
            "path": "f",
            "preview": False,
        },
    ),
    "regex": (
        "replace_content",
        {
            "pattern": "= 日本( .)",
            "replacement": "= 東京$1",
            "path": ".",
            "mode": "regex",
            "preview": False,
        },
    ),
    "patch": ("apply_patch", {"patch": UTF16_PATCH}),
}


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("name", UTF16_CALLS)
def test_utf16(name: str, codec: str, root: Path, workspace: Workspace) -> None:
    before, after = (
        wide(WIDE_TEXT, codec),
        wide(WIDE_TEXT.replace("日本", "東京"), codec),
    )
    (root / "f").write_bytes(before)
    answer = workspace.call(*UTF16_CALLS[name])
    assert not answer.is_error, answer.text
    assert (root / "f").read_bytes() == after
    workspace.undo()
    assert (root / "f").read_bytes() == before


@pytest.mark.parametrize("codec", MARKS)
def test_diff_in_utf16(codec: str, root: Path, workspace: Workspace) -> None:
    (root / "f").write_bytes(wide(WIDE_TEXT, codec))
    answer = workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    assert "-name = 日本 😀" in answer.diff
    assert "+name = 東京 😀" in answer.diff
    assert answer.line_number == 2


REFUSED_UTF16 = {
    "half a character": (
        lambda data: data + b"x",
        "is_binary",
        "odd number of bytes",
    ),
    "twice": (lambda data: data + data[2:], "ambiguous_match", "2 places"),
    "larger than is held": (
        lambda data: data + b"\0" * (20 << 20),
        "too_large",
        "too large",
    ),
}


@pytest.mark.parametrize("name", REFUSED_UTF16)
def test_refuses_utf16(name: str, root: Path, workspace: Workspace) -> None:
    damage, code, said = REFUSED_UTF16[name]
    data = damage(wide(WIDE_TEXT, "utf-16-le"))
    (root / "f").write_bytes(data)
    with pytest.raises(FilewrightError) as caught:
        workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    assert caught.value.code == code
    assert said in str(caught.value) or name == "twice"
    assert (root / "f").read_bytes() == data


@pytest.mark.parametrize("codec", MARKS)
def test_half_a_pair(codec: str, root: Path, workspace: Workspace) -> None:
    text = "a = 1\n\ud800 half\n\udc00\ud800\nb = 2\n"
    (root / "f").write_bytes(wide(text, codec))
    workspace.edit("f", [{"search": "b = 2", "replace": "b = 3"}])
    assert (root / "f").read_bytes() == wide(
        text.replace("b = 2", "b = 3"), codec
    )


@pytest.mark.parametrize("codec", MARKS)
def test_utf16_without_a_mark(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(WIDE_TEXT.encode(codec))
    edit = [{"search": "日本", "replace": "東京"}]
    assert not workspace.call(
        "edit_content", {"path": "f", "edits": edit, "encoding": codec}
    ).is_error
    assert (root / "f").read_bytes() == WIDE_TEXT.replace(
        "日本", "東京"
    ).encode(codec)


UTF16_LINES = st.lists(
    st.text(st.sampled_from("ab 😀é日\u0a0a\u0d0d\t"), max_size=8),
    min_size=1,
    max_size=12,
)


@given(
    lines=UTF16_LINES,
    at=st.integers(0, 11),
    new=st.text(st.sampled_from("xyz 😀é\u0a0a\n"), max_size=10),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    codec=st.sampled_from(sorted(MARKS)),
    fuzzy=st.booleans(),
)
def test_utf16_as_utf8(
    lines: list[str], at: int, new: str, end: str, codec: str, fuzzy: bool
) -> None:
    text, edit = end.join(lines), TextEdit(lines[at % len(lines)] or "a", new)

    def result(data: bytes) -> bytes | str:
        try:
            return apply_splices(
                data, plan_edits(Snapshot(data), [edit], fuzzy=fuzzy).splices
            )
        except FilewrightError as error:
            return str(error.code)

    narrow = result(text.encode())
    made = result(wide(text, codec))
    assert made == (
        wide(narrow.decode(), codec) if isinstance(narrow, bytes) else narrow
    )
