from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.boundary.children import children_of
from tests.examples import examples

from filewright.boundary.launcher import Launcher
from filewright.errors import Code, FilewrightError
from filewright.languages import PARSED, Language
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.outline import Outline, SyntaxIssue, SyntaxReport
from filewright.structure.outlines import Outlines
from filewright.structure.parser import ParsedText, parse_text
from filewright.structure.symbol import Symbol
from filewright.structure.wire import Request, decode_outline, encode_line
from filewright.structure.workers import GRAMMAR_FAILED_NOTE, Workers
from filewright.system import HAS_PROCESS_GROUPS
from filewright.text.snapshot import Snapshot

DEEP = [
    (Language.PYTHON, b"(" * 20_000),
    (Language.JSON, b"[" * 50_000 + b"]" * 50_000),
    (Language.JSON, b'{"a":' * 20_000),
    (Language.JAVASCRIPT, b"function f(){" * 10_000 + b"}" * 10_000),
    (Language.JAVA, b"class A{" * 10_000 + b"}" * 10_000),
    (Language.RUST, b"mod a{" * 10_000 + b"}" * 10_000),
    (Language.HTML, b"<div id=a>" * 10_000),
    (Language.YAML, b"- " * 10_000 + b"x"),
    (Language.MARKDOWN, b"> " * 10_000 + b"x"),
    (Language.C, b"{" * 10_000),
    (Language.GO, b"package a\nvar x = " + b"[" * 10_000),
]


@pytest.mark.parametrize(("language", "data"), DEEP)
def test_ten_thousand_levels_deep_gives_an_answer_and_the_next_file_too(
    language: Language, data: bytes, outlines: Outlines
) -> None:
    outline = outlines.outline(data, language)
    assert outline.parsed or outline.note
    assert max((len(around) for around, _ in outline.walk()), default=0) < 64
    outline.shorten(100)
    assert outlines.outline(b"def after(): pass\n", Language.PYTHON).count == 1


@pytest.mark.parametrize("opened", [b"[", b'{"a":'])
def test_json_nested_300_000_deep_is_checked_within_the_limit(
    opened: bytes,
) -> None:
    data = opened * 300_000 + b"1" + {b"[": b"]"}.get(opened, b"}") * 300_000
    outlines = Outlines(Settings(parse_seconds=60))
    outline = outlines.outline(data, Language.JSON)
    outlines.close()
    assert outline.is_whole, outline.note
    assert outline.errors.count == 0


@pytest.mark.parametrize("language", sorted(PARSED))
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\0\xff\xfe" * 50,
        b"\xef\xbb\xbf",
        b"}" * 99,
        b"\r\r\n\r",
        bytes(range(256)),
    ],
)
def test_any_bytes_give_an_outline(
    language: Language, data: bytes, outlines: Outlines
) -> None:
    outline = outlines.outline(data, language)
    assert outline.language == language


def test_a_file_that_crashes_its_grammar_is_told_so() -> None:
    outlines = Outlines(Settings())
    crashing = b"- " * 5_000 + b"x"  # overflows the scanner of YAML's grammar
    first, again = (outlines.outline(crashing, Language.YAML) for _ in range(2))
    assert first is again  # not tried twice
    assert first.parsed or first.note == GRAMMAR_FAILED_NOTE
    assert outlines.outline(b"a: 1\n", Language.YAML).count == 1
    outlines.close()


def test_a_slow_parse_is_stopped_and_said() -> None:
    outlines = Outlines(Settings(parse_seconds=0.001))
    outline, again = (
        outlines.outline(b"x = [1, 2]\n" * 200_000, Language.PYTHON)
        for _ in range(2)
    )
    assert outline is again  # the next request does not wait as long again
    assert not outline.is_whole
    assert "longer than the limit" in (
        outline.note or ""
    ) or "outlined by patterns" in (outline.note or "")
    outlines.close()


def test_content_above_the_limit_is_not_parsed() -> None:
    outlines = Outlines(Settings(parse_bytes=10))
    outline = outlines.outline(b"def f(): pass\n", Language.PYTHON)
    assert not outline.parsed
    assert "above the limit of 10" in (outline.note or "")


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_a_worker_that_never_answers_is_killed() -> None:
    launcher = Launcher()
    workers = Workers(launcher)
    request = Request(Language.PYTHON, "utf-8", 5.0)
    assert workers.outline(request, b"x = 1\n").count == 1
    (process,) = children_of(launcher)
    os.kill(process, signal.SIGSTOP)
    outline = workers.outline(replace(request, seconds=0.5), b"x = 2\n")
    assert not outline.parsed
    assert "longer than the limit" in (outline.note or "")
    assert workers.outline(request, b"def f(): pass\n").count == 1
    assert process not in children_of(launcher)
    workers.close()
    launcher.close()


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_the_worker_that_was_ready_makes_the_first_outline() -> None:
    launcher = Launcher()
    workers = Workers(launcher)
    workers.prepare()
    workers.prepare()  # once is enough
    ready = children_of(launcher)
    assert len(ready) == 1
    assert (
        workers.outline(
            Request(Language.PYTHON, "utf-8", 5.0), b"x = 1\n"
        ).count
        == 1
    )
    assert children_of(launcher) == ready
    workers.close()
    launcher.close()


def test_without_a_program_to_start_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "")
    outline = Outlines(Settings()).outline(b"x = 1\n", Language.PYTHON)
    assert not outline.parsed
    assert "no parser process starts" in (outline.note or "")


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_forgotten_workers_end_with_their_owner() -> None:
    workers = Workers(Launcher())
    workers.outline(Request(Language.PYTHON, "utf-8", 5.0), b"x = 1\n")
    with open(os.dup(workers._idle[0]._child.stdout.fileno()), "rb") as output:
        del workers
        gc.collect()
        os.set_blocking(output.fileno(), True)
        assert output.read() == b""  # nobody holds the other end any more


def test_cancelling_stops_the_wait() -> None:
    outlines = Outlines(Settings())
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        outlines.outline(b"def g(): pass\n", Language.PYTHON, task=task)
    assert caught.value.code is Code.CANCELLED
    assert outlines.outline(b"def g(): pass\n", Language.PYTHON).count == 1
    outlines.close()


def test_many_threads_share_two_workers() -> None:
    outlines = Outlines(Settings(parse_seconds=20))
    started = threading.Barrier(8)

    def one(number: int) -> int:
        started.wait()
        return outlines.outline(
            b"def f(): pass\n" * (number + 1), Language.PYTHON
        ).count

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(8))) == list(range(1, 9))
    assert len(outlines._workers._idle) <= 2
    outlines.close()


@pytest.mark.parametrize(
    "codec",
    ["utf-8", "utf-16-le", "utf-16-be", "cp1252", "iso8859-15", "mac-roman"],
)
def test_names_and_lines_do_not_depend_on_the_encoding(
    codec: str, outlines: Outlines
) -> None:
    text = "# é\nclass Käse:\n    def größe(self):\n        return 'ä'\n"
    outline = outlines.outline(
        Snapshot(text.encode(codec), encoding=codec), Language.PYTHON
    )
    assert [
        (s.name, s.kind, s.start_line, s.end_line) for _, s in outline.walk()
    ] == [
        ("Käse", "class", 2, 4),
        ("größe", "method", 3, 4),
    ]
    assert not outline.errors.count
    method = outline.symbols[0].children[0]
    assert (
        text.encode(codec)[method.start : method.end]
        .decode(codec)
        .startswith("def größe")
    )


def test_utf_32_is_said_not_to_be_parsed() -> None:
    assert isinstance(
        parse_text(
            "x = 1".encode("utf-32-le"), "utf-32-le", Language.PYTHON, 1
        ),
        Outline,
    )


BASE = b"""import os

class A:
    # one
    def f(self, x):
        return [x, "s"]

    def g(self): pass

def top():
    if x:
        return {1: 2}
"""


@examples(13, derandomize=True)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(BASE)),
            st.integers(0, 20),
            st.sampled_from(
                [
                    b"",
                    b"x",
                    b"\n",
                    b"def h(): pass\n",
                    b'"',
                    b"(",
                    b"    ",
                    b"class B:\n  y = 1\n",
                    b"# c\n",
                    b"\r",
                ]
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_an_incremental_parse_gives_what_a_fresh_one_does(
    edits: list[tuple[int, int, bytes]],
) -> None:
    data = BASE
    previous = parse_text(data, "utf-8", Language.PYTHON, 20)
    for offset, length, text in edits:
        data = data[:offset] + text + data[offset + length :]
        assert isinstance(previous, ParsedText)
        previous = parse_text(data, "utf-8", Language.PYTHON, 20, previous)
        fresh = parse_text(data, "utf-8", Language.PYTHON, 20)
        assert isinstance(previous, ParsedText)
        assert isinstance(fresh, ParsedText)
        if (
            not fresh.tree.root_node.has_error
        ):  # a broken text may be recovered from in more than one way
            assert previous.outline == fresh.outline


def symbols() -> st.SearchStrategy[Symbol]:
    number = st.integers(0, 1 << 40)
    kind = st.sampled_from(["class", "function"])
    row = st.tuples(
        st.text(max_size=5), kind, *[number] * 6, st.text(max_size=3)
    )
    plain = row.map(lambda values: Symbol(*values))
    return st.recursive(
        plain,
        lambda inner: st.tuples(plain, st.lists(inner, max_size=3)).map(
            lambda pair: pair[0]._replace(children=tuple(pair[1]))
        ),
        max_leaves=12,
    )


@examples(15, derandomize=True)
@given(st.lists(symbols(), max_size=4), st.booleans())
def test_an_outline_survives_the_wire(
    found: list[Symbol], truncated: bool
) -> None:
    report = SyntaxReport(
        3, (SyntaxIssue(1, 2, "a", "unexpected"),), certain=False
    )
    count = sum(1 for _ in Outline("c", tuple(found)).walk())
    outline = Outline(
        "c", tuple(found), count, truncated=truncated, note="n", errors=report
    )
    assert decode_outline(encode_line(outline)) == outline
    shortened = outline.shorten(3)
    kept, left_out = shortened.symbols, shortened.left_out
    assert sum(1 for _ in Outline("c", kept).walk()) + left_out == count
    assert sum(1 for _ in Outline("c", kept).walk()) == min(3, count)
