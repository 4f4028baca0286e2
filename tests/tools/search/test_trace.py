"""Traces of matches through logs, by the ids that their lines share."""

import gzip
import json

import pytest
from tests.tools.log_files import search

from filewright import Settings, Workspace
from filewright.search.trace import MAX_LINES
from filewright.tools.search import trace

CHAIN = [
    "10:00:05Z INFO revision c-3157 by deploy-bot: max_size 40 -> 4",
    "10:00:15Z WARN [stock-3] job j-90417 waits, settings c-3157",
    "10:00:25Z WARN [checkout-7] request r-771238 waits for job j-90417",
    "10:00:35Z ERROR request r-771238 gave up: HTTP 504 for customer 40117",
]


def write_log(*, entries=40, encoding="utf-8", end="\n"):
    """Write the chain among lines of the same customer and others; return them."""
    lines = []
    for number in range(entries):
        lines.append(
            f"10:00:{number:02}Z INFO GET /orders/{80_000 + number} 200 40117, "
            f"request r-{number:06} for customer 40117"
        )
    lines = sorted([*lines, *CHAIN])
    text = "".join(f"2026-05-12T{line}{end}" for line in lines)
    return text.encode(encoding)


def traced(result):
    """Return the line number and the id of each line of a trace."""
    return [(line.line, line.identifier) for line in result.trace]


CHAIN_IDS = ["c-3157", "j-90417", "r-771238", None]


@pytest.mark.parametrize(
    ("encoding", "end"),
    [("utf-8", "\n"), ("utf-16", "\r\n")],
    ids=["UTF-8", "UTF-16"],
)
def test_follows_a_chain(workspace, root, encoding, end):
    (root / "app.log").write_bytes(write_log(encoding=encoding, end=end))
    result = search(workspace, pattern="HTTP 504", path="app.log", trace=True)
    assert [line.identifier for line in result.trace] == CHAIN_IDS
    rows = result.text.splitlines()
    assert rows[1].endswith("max_size 40 -> 4   [c-3157]")
    assert rows[4].endswith("for customer 40117   [match]")
    assert rows[5] == (
        "[1 matching line in 1 file, all shown; 3 lines by the ids in brackets; "
        "customer 40117 is in 41 lines: not followed]"
    )
    assert len(result.results) == 1


def test_rotated_and_bounded(workspace, root):
    lines = write_log().splitlines(keepends=True)
    (root / "app.log.2.gz").write_bytes(gzip.compress(b"".join(lines[:15])))
    (root / "app.log.1").write_bytes(b"".join(lines[15:30]))
    (root / "app.log").write_bytes(b"".join(lines[30:]))
    (root / "other.log").write_bytes(b"".join(lines[15:30]))
    call = {"pattern": "HTTP 504", "trace": True}
    for path, arguments in (
        ("app.log*", {}),
        ("app.log", {"rotated": True}),
    ):
        result = search(workspace, path=path, **call, **arguments)
        assert [line.path for line in result.trace] == [
            "app.log.2.gz",
            "app.log.1",
            "app.log.1",
            "app.log",
        ], path
    alone = search(workspace, path="app.log", **call)
    assert {line.path for line in alone.trace} == {"app.log"}
    late = search(
        workspace, path="app.log*", since="2026-05-12T10:00:10Z", **call
    )
    assert [line.identifier for line in late.trace] == CHAIN_IDS[1:]


def test_services_of_a_folder(workspace, root, monkeypatch):
    """A request is traced through the files of all services, also those without a match."""
    for name, text in (
        ("gateway", "slow: request r-4711\n"),
        ("cart", "r-4711 loads\n"),
    ):
        (root / f"{name}.log").write_text(text)
    result = search(workspace, pattern="slow", trace=True)
    assert [line.path for line in result.trace] == ["gateway.log", "cart.log"]
    monkeypatch.setattr(trace, "MAX_TRACED_FILES", 1)
    result = search(workspace, pattern="slow", trace=True)
    assert "of more than 1 files, only those of the logs" in result.text
    assert not result.trace


def test_denied_files_of_a_log(root, tmp_path):
    lines = write_log().splitlines(keepends=True)
    (root / "app.log.1").write_bytes(b"".join(lines[:30]))
    (root / "app.log").write_bytes(b"".join(lines[30:]))
    settings = Settings(deny=("app.log.1",))
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as denied:
        result = search(denied, pattern="HTTP 504", trace=True)
    assert "app.log.1" not in result.text
    assert "c-3157" not in result.text


def test_json_lines(workspace, root):
    rows = []
    for number in range(60):
        for service in ("gateway", "auth", "db"):
            entry = {
                "service": service,
                "trace": {"id": f"{number:032x}"},
                "ms": number if service == "gateway" else 90,
                "order": "o-4711",
            }
            rows.append(json.dumps(entry) + "\n")
    (root / "r.jsonl").write_text("".join(rows))
    result = search(
        workspace,
        path="r.jsonl",
        where={"service": "gateway"},
        sort="-ms",
        max_results=1,
        fields=["service", "ms"],
        trace=True,
    )
    assert result.text.splitlines() == [
        "r.jsonl",
        "178: gateway\t59   [match]",
        "179: auth\t90   [00000000…]",
        "180: db\t90   [00000000…]",
        "[2 lines by the ids in brackets; 1 of 60 matching lines, the largest ms first]",
    ]


def test_long_lines_and_many_lines(workspace, root):
    lines = [f"{'x' * 9000} request r-1000 {'y' * 9000}\n"]
    for number in range(60):
        lines.append(f"request r-{1000 + number} calls r-{1001 + number}\n")
    (root / "app.log").write_text("".join(lines))
    result = search(
        workspace, pattern="r-1000 calls", path="app.log", trace=True
    )
    assert traced(result)[:3] == [(1, "r-1000"), (2, None), (3, "r-1001")]
    assert "…" in result.text
    assert "r-1000" in result.trace[0].text
    assert len(result.trace[0].text) < 600
    assert "not followed further: r-1006" in result.text
    ring = "".join(f"r-{n // 20:03} and r-{n % 20:03}\n" for n in range(400))
    (root / "ring.log").write_text(ring)
    wide = search(
        workspace, pattern="r-000 and r-001", path="ring.log", trace=True
    )
    assert len(wide.trace) <= MAX_LINES


def test_several_logs(workspace, root):
    for number in range(4):
        line = f"failed x{number}: request r-10{number}\nr-10{number} began\n"
        (root / f"{'abcd'[number]}.log").write_text(line)
    call = {"mode": "regex", "trace": True}
    each = search(workspace, pattern="failed x[12]", **call)
    assert [line.path for line in each.trace] == ["b.log"] * 2 + ["c.log"] * 2
    many = search(workspace, pattern="failed", **call)
    assert [line.path[0] for line in many.trace] == [*"aabbccdd"]
    (root / "a.log").write_text("failed\n" * 6)
    often = search(workspace, pattern="failed", path="a.log", **call)
    assert "not traced: 6 matches, of at most 5" in often.text
    few = {"path": "a.log", "max_results": 1, **call}
    first = search(workspace, pattern="failed", **few)
    assert "no id to follow" in first.text
    cursor = first.next_cursor
    second = search(workspace, pattern="failed", cursor=cursor, **few)
    assert [hit.line for hit in second.results] == [2]
    (root / "b.log").write_text("failed: r-107\n" + "again: r-107\n" * 30)
    common = search(workspace, pattern="failed", path="b.log", trace=True)
    assert (
        "no other line shares a rare id; r-107 is in 31 lines: not followed"
        in common.text
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"output": "counts"},
        {"by": "10m"},
        {"invert": True},
        {"mode": "fuzzy"},
        {"multiline": True},
    ],
    ids=str,
)
def test_refuses_what_shows_no_lines(workspace, root, arguments):
    (root / "app.log").write_text("x\n")
    result = search(workspace, pattern="some", trace=True, **arguments)
    assert result.text.startswith("invalid_input: ")
    assert "trace" in result.text
