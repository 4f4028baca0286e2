"""What an edit leaves alone: the defects that other tools have, each as a case, and the property."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.platforms.unix_only import not_on_wine

from filewright import Workspace

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


@pytest.mark.parametrize(
    ("name", "before", "search", "replace", "after"), EDITS
)
@pytest.mark.parametrize(
    "tier",
    [
        {},
        pytest.param(
            {"hold_bytes": 0, "identity_bytes": 0, "whole_undo_bytes": 0},
            marks=not_on_wine("what is open is never replaced"),
        ),
    ],
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


def test_a_difference_of_normalisation_is_named_or_matched(root, workspace):
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


@pytest.mark.parametrize(
    ("before", "mode", "content", "newline", "after"),
    [
        (None, "create", "a\r\nb\rc\n", None, b"a\nb\nc\n"),
        (None, "create", "a\r\nb\rc\n", "keep", b"a\r\nb\rc\n"),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", None, b"a\r\nb\r\n"),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", "lf", b"a\nb\n"),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", "keep", b"a\nb\n"),
        (b"\xef\xbb\xbfx\n", "overwrite", "y\n", None, b"\xef\xbb\xbfy\n"),
        (b"\xef\xbb\xbfx\n", "overwrite", "\ufeffy\n", None, b"\xef\xbb\xbfy\n"),
        (b"x\r\n", "append", "a\nb\n", None, b"x\r\na\r\nb\r\n"),
        (b"\xef\xbb\xbfx\n", "append", "y\n", None, b"\xef\xbb\xbfx\ny\n"),
        (None, "append", "y\n", None, b"y\n"),
        (None, "overwrite", "y\n", None, b"y\n"),
        (b"\0binary", "overwrite", "text\n", None, b"text\n"),
        (b"", "append", "a\n", None, b"a\n"),
        ("x\n".encode("utf-16-le"), "append", "a\n", None, "x\n".encode("utf-16-le") + b"a\n"),
    ],
)  # fmt: skip
def test_whole_writes(root, workspace, before, mode, content, newline, after):
    if before is not None:
        (root / "f").write_bytes(before)
        (root / "f").chmod(0o640)
    item = {
        "path": "f",
        "content": content,
        "mode": mode,
        **({"newline": newline} if newline else {}),
    }
    result = workspace.run("write_content", {"items": [item]})
    assert (root / "f").read_bytes() == after, result.text
    if before is not None:
        assert (root / "f").stat().st_mode & 0o777 == 0o640
        assert "diff" in result.data["results"][0]
    workspace.undo(result.data["change_id"])
    assert (
        (root / "f").read_bytes() == before
        if before is not None
        else not (root / "f").exists()
    )


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
def test_what_is_added_to_a_sampled_file_is_in_its_encoding(
    root, tmp_path, name, there, fits, tool
):
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


@pytest.mark.parametrize("newline", ["lf", "keep"])
def test_what_is_added_is_not_in_one_of_two_encodings_that_the_file_may_have(
    root, workspace, newline
):
    (root / "f").write_bytes(
        b"100 \xe9 200\n"
    )  # a few letters of Windows-1252, or damaged UTF-8
    item = {"path": "f", "content": "é\n", "mode": "append", "newline": newline}
    result = workspace.call("write_content", {"items": [item]})
    assert result.code == "unencodable", result.text
    assert "content holds 'é'" in result.text
    assert (root / "f").read_bytes() == b"100 \xe9 200\n"
    workspace.write("f", "é\n", mode="overwrite")
    assert (root / "f").read_bytes() == "é\n".encode()


def test_appends_of_one_call_land_in_order(root, workspace):
    items = [
        {"path": "log", "content": f"{n}\n", "mode": "append"}
        for n in range(50)
    ]
    workspace.run("write_content", {"items": items})
    assert (root / "log").read_text() == "".join(f"{n}\n" for n in range(50))


def test_overwriting_20000_lines_shows_a_bounded_diff(root, workspace):
    old = "".join(f"old {n}\n" for n in range(20_000))
    (root / "f").write_text(old)
    result = workspace.write(
        "f", "".join(f"new {n}\n" for n in range(20_000)), mode="overwrite"
    )
    assert len(result.text) <= workspace.settings.page_chars


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
def test_bytes_outside_the_edited_range_are_identical(
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
