"""Reads of files: by lines, from the end, by columns, around a match; all bounded."""

from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace

LONG = "".join(f"line {n}\n" for n in range(100))

TIERS = {
    "held": {},
    "windowed": {"hold_bytes": 0},
    "indexed": {"hold_bytes": 0, "identity_bytes": 0},
}


@pytest.fixture(params=TIERS)
def tiered(request, root, tmp_path):
    from filewright.settings import Settings

    with Workspace(
        root,
        state_dir=tmp_path / "s",
        settings=Settings(**TIERS[request.param]),
    ) as opened:
        yield opened


LINES = b"".join(b"line %d\n" % n for n in range(1, 101))


@pytest.mark.parametrize(
    ("arguments", "first", "last", "following"),
    [
        ({}, 1, 100, None),
        ({"limit": 10}, 1, 10, 11),
        ({"start": 91}, 91, 100, None),
        ({"start": 95, "limit": 2}, 95, 96, 97),
        ({"mode": "head", "limit": 3}, 1, 3, 4),
        ({"line": 50, "limit": 5}, 48, 52, 53),
        ({"line": 1, "limit": 5}, 1, 5, 6),
    ],
)
def test_ranges(tiered, root, arguments, first, last, following):
    (root / "f").write_bytes(LINES)
    result = tiered.read("f", **arguments)
    assert result.data["content"] == "\n".join(
        f"line {n}" for n in range(first, last + 1)
    )
    assert (result.data["start_line"], result.data["end_line"]) == (first, last)
    assert (result.data["next"] or {}).get("start") == following
    assert f"\n{first}\tline {first}\n" in result.text + "\n"


@pytest.mark.parametrize(
    "arguments", [{"mode": "tail", "limit": 3}, {"start": -3}]
)
def test_tail(tiered, root, arguments):
    (root / "f").write_bytes(LINES)
    result = tiered.read("f", **arguments)
    assert result.data["content"] == "line 98\nline 99\nline 100"
    assert result.data["next"] is None


def test_tail_keeps_newest_lines(tiered, root):
    (root / "log").write_text(
        "".join(f"{n:05} {'z' * 104}\n" for n in range(1, 5001))
    )
    result = tiered.read("log", mode="tail", limit=1000)
    assert "05000 " in result.content.split("\n")[-1]
    older = 1000 - result.lines_returned
    assert older > 0
    assert result.truncated
    assert f"{older} older lines left out; continue with start=" in result.text
    rest = tiered.read("log", start=result.next.start, limit=older)
    assert rest.content.split("\n")[0].startswith("04001 ")


def test_tail_of_whole_file(tiered, root):
    (root / "f").write_bytes(b"a\nb")
    result = tiered.read("f", mode="tail", limit=10)
    assert result.data["content"] == "a\nb"
    assert result.data["start_line"] == 1


def test_pages_are_bounded(tiered, root):
    (root / "f").write_bytes(
        b"".join(b"%06d " % n + b"x" * 90 + b"\n" for n in range(5000))
    )
    seen, start = [], 1
    for _ in range(200):
        result = tiered.read("f", start=start, limit=2000)
        assert len(result.text) <= tiered.settings.page_chars
        seen += result.data["content"].split("\n")
        if result.data["next"] is None:
            break
        assert f"start={result.data['next']['start']}" in result.text
        start = result.data["next"]["start"]
    assert [int(line[:6]) for line in seen] == list(range(5000))


def test_columns_of_long_line(tiered, root):
    text = "".join(chr(0x100 + i % 500) for i in range(30_000))
    (root / "f").write_text(f"short\n{text}\nlast\n")
    result = tiered.read("f")
    assert "column=1001" in result.text
    assert len(result.text) < 5000
    got, column = "", 1
    while True:
        piece = tiered.read("f", line=2, column=column, limit=7000)
        got += piece.data["content"]
        if piece.data["next"] is None:
            break
        column = piece.data["next"]["column"]
    assert got == text


def test_max_chars(tiered, root):
    (root / "f").write_bytes(b"x" * 900 + b"\nend\n")
    first = tiered.read("f", max_chars=100)
    assert "continue with line=1, column=201]" in first.text
    assert first.data["cut_at"] == [1]
    assert first.data["content"] == "x" * 200


def test_huge_line(tiered, root):
    (root / "f").write_bytes(b"x" * 20_000_000)
    result = tiered.read("f")
    assert len(result.text) < 2000
    assert "20,000,000 bytes" in result.text
    tail = tiered.read("f", mode="tail", limit=1)
    assert len(tail.text) < 2000


@pytest.mark.parametrize(
    ("data", "content", "says"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "utf-8 with BOM; crlf"),
        ("\ufeffå\n".encode("utf-16-le"), "å", "utf-16-le with BOM; lf"),
        (
            "Le café est prêt, voilà\n".encode("latin-1"),
            "Le café est prêt, voilà",
            "cp1252 (guessed",
        ),
        (b"ok \xc3\xa9\nbad \xff\nok\n", "ok é\nbad \ufffd\nok", "at lines 2"),
        (b"a\rb\r\nc\n", "a\nb\nc", "mixed"),
        (
            b"a\x0cb\xc2\x85c\xe2\x80\xa8d\n",
            "a\x0cb\x85c\u2028d",
            "lines 1-1 of 1",
        ),
        (b"red \x1b[31m\n", "red \x1b[31m", "\\x1b[31m"),
        ("a\u202eb\n".encode(), "a\u202eb", "bidirectional"),
    ],
)
def test_encodings_and_controls(tiered, root, data, content, says):
    (root / "f").write_bytes(data)
    result = tiered.read("f")
    assert result.data["content"] == content
    assert says in result.text
    assert "\x1b" not in result.text
    assert "\u202e" not in result.text


def test_empty_file(tiered, root):
    (root / "f").write_bytes(b"")
    assert "empty file" in tiered.read("f").text


def test_image(tiered, root):
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 50
    (root / "f.png").write_bytes(png)
    result = tiered.read("f.png")
    assert result.images[0].data == png
    assert result.images[0].mime == "image/png"


def test_shares_page_fairly(tiered, root):
    for name in "abcd":
        (root / name).write_bytes(LINES * 50)
    result = tiered.run("read_content", {"paths": [*"abcd"], "limit": 5000})
    assert len(result.text) <= tiered.settings.page_chars + 500
    shown = [file["lines_returned"] for file in result.data["files"]]
    assert min(shown) * 2 > max(shown)


def test_columns_around_match(root: Path, workspace: Workspace) -> None:
    words = " ".join(f"w{n}" for n in range(20_000))
    (root / "r.js").write_text("x\n" * 100 + f"HIT {words} HIT end\n")
    read = workspace.read("r.js", pattern="w15000 ")
    assert "w15000 " in read.content
    assert (read.start_line, read.match_line) == (101, 101)
    second = workspace.read("r.js", pattern="HIT", occurrence=2)
    assert second.content.rstrip().endswith("w19999 HIT end")
    assert workspace.read("r.js", pattern="HIT").start_line < 101
    with pytest.raises(FilewrightError, match="2 matches"):
        workspace.read("r.js", pattern="HIT", occurrence=3)


def test_named_limit_needs_no_note(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(LONG)
    assert "left out" not in workspace.read("a.txt", limit=3).text
    assert (
        "left out"
        not in workspace.call(
            "read_content", {"items": [{"path": "a.txt", "limit": 3}]}
        ).text
    )
    (root / "b.txt").write_text("x" * 200 + "\n" + LONG * 50)
    assert " left out; continue with start=501]" in workspace.read("b.txt").text
    assert (
        " left out; continue with start="
        in workspace.read("b.txt", limit=4000).text
    )  # cut by the page
