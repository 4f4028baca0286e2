import itertools
import os
import re
import time

import pytest
from tests.samples import in_part, one_in

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.search import prefilter as prefilter_module
from filewright.search.hits import search_snapshot
from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.settings import Settings
from filewright.text.lines import Lines, ReadSizes
from filewright.text.snapshot import Snapshot

TEXT = "one\r\ntwo foo bar foo\rthree\n\nföur foo"


@pytest.mark.parametrize(
    ("pattern", "terminators", "mark", "far"),
    one_in(
        5,
        [
            *itertools.product(
                ["foo", "o b", "nothing", "^two|^f"],
                ["as they are", "\n", "\r\n", "\r"],
                [b"", b"\xef\xbb\xbf"],
                [-1, 8 << 20],
            )
        ],
    ),
)
def test_child_process_gives_the_same_hits(
    opened, monkeypatch, pattern, mark, terminators, far
):
    text = TEXT * 3
    if terminators != "as they are":
        text = terminators.join(
            text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        )
    data = mark + text.encode()
    compiled = compile_pattern(pattern, mode="regex")
    here = search_snapshot(opened(data, hold=True), compiled, limit=1000)
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", far)
    snapshot = opened(data)
    assert search_snapshot(snapshot, compiled, limit=1000) == here
    assert (
        snapshot.lines.count_lines()
    )  # what is known of the lines already is used
    assert search_snapshot(snapshot, compiled, limit=1000) == here


@pytest.mark.parametrize("lone", [None, 50, 33_000, 99_999])
def test_line_numbers_of_the_child(opened, monkeypatch, lone):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", 0)
    rows = [
        b"row %06d\r\n" % n if n % 3 else b"row %06d\n" % n
        for n in range(100_000)
    ]
    if lone is not None:
        rows[lone] = b"two\rlines\n"
    data = b"".join(rows)
    ends = [match.end() for match in re.finditer(rb"\r\n?|\n", data)]
    snapshot = opened(data)
    # Without lines near a known one, each answer uses what the child counted.
    snapshot.lines = Lines(snapshot, read_sizes=ReadSizes(near=0))
    hits = search_snapshot(
        snapshot, compile_pattern("row (050000|099998)", mode="regex"), limit=9
    ).hits
    assert len(hits) == 2
    for hit in hits:
        assert (
            snapshot.lines.offset_of(hit.line)
            == hit.line_offset
            == ends[hit.line - 2]
        )
        for line in (
            1,
            2,
            hit.line - 1999,
            hit.line - 1,
            hit.line + 1,
            hit.line + 2500,
            len(ends) + 9,
        ):
            known = (
                0
                if line == 1
                else ends[line - 2]
                if line <= len(ends)
                else len(data)
            )
            assert snapshot.lines.offset_of(line) == known
            assert line > len(ends) or snapshot.lines.line_at(known) == line


@pytest.mark.needs("confinement")
def test_cached_rows_hold_until_the_file_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", 0)
    path, options = tmp_path / "log", Settings(hold_bytes=0)
    boundary = Boundary([tmp_path], options)
    where = boundary.locate("log")
    started = []
    start = boundary.launcher.start
    monkeypatch.setattr(
        boundary.launcher,
        "start",
        lambda *a, **k: started.append(0) or start(*a, **k),
    )

    def found(text: str) -> tuple[list[int], int]:
        started.clear()
        with Snapshot.of_file(
            boundary.open_file(where),
            where,
            options,
            launcher=boundary.launcher,
        ) as snapshot:
            hits = search_snapshot(
                snapshot, compile_pattern(text), limit=100
            ).hits
        return [hit.line for hit in hits], len(started)

    lines = [f"row {n}" for n in range(1, 5000)]
    path.write_text("\n".join([*lines, ""]))
    os.utime(path, (0, 0))
    time.sleep(
        0.1
    )  # for as long as another write could leave the same times nothing is kept
    assert [found("row 4999"), found("row 4999"), found("none"), found("none")] == [
        ([4999], 2), ([4999], 0), ([], 2), ([], 0),
    ]  # fmt: skip
    path.write_text("\n".join(reversed(lines)))
    assert found("row 4999") == ([1], 2)
    boundary.close()


@pytest.mark.needs("confinement")
def test_closed_search_ends_its_child(opened, monkeypatch):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(b"some text here\n" * 1000)
    launcher = snapshot.launcher
    started = []
    start = launcher.start
    monkeypatch.setattr(
        launcher,
        "start",
        lambda *a, **k: started.append(start(*a, **k)) or started[-1],
    )
    search = find_matches(snapshot, compile_pattern("t[e]xt", mode="regex"))
    next(search)
    search.close()
    assert [child.stdout.closed for child in started] == [True, True]


CYRILLIC = ["koi8_r", "cp1251", "iso8859_5", "cp866", "mac_cyrillic"]


@pytest.mark.parametrize(
    ("pattern", "mode", "case"),
    [
        ("жаба", "literal", "sensitive"),
        ("жаба", "literal", "insensitive"),
        ("ЖАБА|toad", "regex", "insensitive"),
        (r"\bж\w+а$", "regex", "sensitive"),
        ("^[а-я]+ toad", "regex", "sensitive"),
        ("k", "literal", "insensitive"),
        (r"[^\x00-\x7f]", "regex", "sensitive"),
        ("表", "literal", "sensitive"),
    ],
)
@in_part(2)
def test_encodings_of_one_byte(opened, pattern, mode, case, share):
    lines = [
        "жаба",
        "ЖАБА toad",
        "о жабах",
        "plain",
        "toad K",
        "\ttoad\r\nжаба\rжаба toad",
        "",
    ]
    compiled = compile_pattern(pattern, mode=mode, case=case)
    for codec in CYRILLIC[len(pattern) % share :: share]:
        data = "\n".join(lines).encode(codec) * 3
        with pytest.MonkeyPatch.context() as patch:
            here = search_snapshot(
                opened(data, hold=True, encoding=codec), compiled, limit=1000
            )
            patch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
            patch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", -1)
            snapshot = opened(data, encoding=codec)
            assert search_snapshot(snapshot, compiled, limit=1000) == here
            assert snapshot.lines.count_lines() == 24


def test_skips_text_in_encodings_of_one_byte(opened, monkeypatch):
    data = b"plain\n" * 200_000 + "жаба\n".encode("koi8_r")
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(data, encoding="koi8_r")
    with prefilter_module.candidate_lines(
        snapshot, compile_pattern("жаба"), 0, Task()
    ) as next_line:
        assert next_line(0) == len(data) - 5
