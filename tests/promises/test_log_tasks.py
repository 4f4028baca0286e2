"""Ten incidents in the logs of four services: the cause is found in at most six calls.

The logs are as servers keep them: compressed, rotated, in JSON lines, with clocks that
differ. Each script takes times and ids from the answer before, as a model would.
"""

import gzip
import json
import random
import re
from datetime import datetime, timedelta

import pytest

from filewright import Workspace

START = datetime(2026, 11, 28, 8)
HOURS = 3


def stamp(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat(
        timespec="milliseconds"
    )


def gateway() -> list[str]:
    """An access log in Common Log Format, two hours ahead of UTC."""
    chance = random.Random(1)
    rows = []
    for second in range(0, HOURS * 3600, 3):
        status, path = 200, chance.choice(["/cart", "/search", "/user"])
        if 5400 <= second < 5520 and path == "/cart":
            status = 502
        if second == 2001:
            status, path = 413, "/upload"
        local = START + timedelta(hours=2, seconds=second)
        rows.append(
            f"10.0.0.{second % 7} - - [{local:%d/%b/%Y:%H:%M:%S} +0200] "
            f'"GET {path} HTTP/1.1" {status} {second % 900}\n'
        )
    return rows


def cart() -> list[str]:
    """JSON lines whose clock is in UTC."""
    chance = random.Random(2)
    rows = []
    for second in range(0, HOURS * 3600, 3):
        is_broken = 5395 <= second < 5520
        entry = {
            "ts": stamp(second) + "Z",
            "level": "error" if is_broken else "info",
            "latency_ms": chance.randrange(5, 90) + 3000 * is_broken,
            "version": "1.4.1" if second < 5380 else "1.4.2",
            "trace": f"{chance.getrandbits(32):08x}",
        }
        if is_broken:
            entry["err"] = {"code": "POOL_EXHAUSTED", "pool": "db-main"}
        if second == 7203:
            entry |= {
                "level": "error",
                "err": {"code": "BAD_COUPON", "user": 4711},
            }
        rows.append(json.dumps(entry) + "\n")
    rows[100] = "{not json\n"
    return rows


def database() -> list[str]:
    """A Java log with traces, whose clock is 40 seconds late."""
    rows = []
    for second in range(0, HOURS * 3600, 3):
        clock = (START + timedelta(seconds=second - 40)).strftime(
            "%Y-%m-%d %H:%M:%S,000"
        )
        rows.append(f"{clock} INFO checkpoint {second} complete\n")
        if second == 5388:
            rows.append(
                f"{clock} ERROR migration 0042 takes an exclusive lock on orders\n"
                "java.lang.IllegalStateException: lock wait timeout\n"
                "\tat db.Migrator.run(Migrator.java:77)\n"
            )
        if second == 9000:
            rows.append(f"{clock} WARN disk /var/lib/db at 97 percent\n")
    return rows


def worker() -> list[str]:
    """A syslog."""
    rows = []
    for second in range(0, HOURS * 3600, 3):
        at = START + timedelta(seconds=second)
        rows.append(f"{at:%b %d %H:%M:%S} web1 worker[77]: job {second} done\n")
        if second == 10_002:
            rows.append(
                f"{at:%b %d %H:%M:%S} web1 kernel: Out of memory: Killed process 77 (worker)\n"
            )
    return rows


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("incident") / "logs"
    root.mkdir()
    for name, rows in (
        ("gateway.log", gateway()),
        ("cart.jsonl", cart()),
        ("db.log", database()),
        ("worker.log", worker()),
    ):
        third = len(rows) // 3
        (root / f"{name}.2.gz").write_bytes(
            gzip.compress("".join(rows[:third]).encode())
        )
        (root / f"{name}.1").write_text("".join(rows[third : 2 * third]))
        (root / name).write_text("".join(rows[2 * third :]))
    return root


class Agent:
    """A caller of tools, who has at most six calls."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._calls = 0

    def __call__(self, tool: str, **arguments: object) -> str:
        self._calls += 1
        assert self._calls <= 6
        return self._workspace.call(tool, arguments).text

    def search(self, path: str, **arguments: object) -> str:
        return self("search_content", path=path, **arguments)


@pytest.fixture
def agent(root, tmp_path):
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield Agent(workspace)


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"{pattern!r} not in:\n{text}"
    return match[1]


def test_outage(agent):
    """Requests fail with 502: a migration holds a lock, behind a clock that is late."""
    errors = agent.search(
        "gateway.log*", pattern='" 502 ', context=0, max_results=1
    )
    local = found(r"28/Nov/2026:(\d\d:\d\d):", errors)
    hour = int(local[:2]) - 2
    at = f"2026-11-28T{hour:02}:{local[3:]}"
    codes = agent.search(
        "cart.jsonl*",
        where={"level": "error"},
        since=f"{at}Z",
        output="counts",
        by="err.code",
    )
    assert "POOL_EXHAUSTED" in codes
    cause = agent.search(
        "db.log*",
        pattern="ERROR",
        since=f"2026-11-28T{hour:02}:{int(local[3:]) - 2:02}",
    )
    assert "migration 0042 takes an exclusive lock" in cause


def test_first_failure(agent):
    """The first error of the outage."""
    first = agent.search(
        "cart.jsonl*",
        where={"err.code": "POOL_EXHAUSTED"},
        fields=["ts", "err.pool"],
        max_results=1,
    )
    assert "2026-11-28T09:29:57.000Z\tdb-main" in first


def test_version_of_the_failure(agent):
    """The version that was deployed before it began."""
    counts = agent.search(
        "cart.jsonl*",
        where={"level": "error", "err.code": "POOL_EXHAUSTED"},
        output="counts",
        by="version",
    )
    assert "1.4.2" in counts
    assert "1.4.1" not in counts


def test_slow_requests(agent):
    """Slow requests, as opposed to those that fail."""
    slow = agent.search(
        "cart.jsonl*",
        where={"latency_ms": ">1000"},
        output="counts",
        by="level",
    )
    assert found(r"^(\d+) error", slow) == "41"
    assert "1 value of level" in slow


def test_single_error(agent):
    """One error that is not of the outage."""
    codes = agent.search(
        "cart.jsonl*", where={"level": "error"}, output="counts", by="err.code"
    )
    assert "1 BAD_COUPON" in codes
    entry = agent.search(
        "cart.jsonl*",
        where={"err.code": "BAD_COUPON"},
        fields=["ts", "err.user"],
    )
    assert "2026-11-28T10:00:03.000Z\t4711" in entry


def test_killed_worker(agent):
    """Jobs stopped: the kernel killed the worker."""
    kinds = agent.search("worker.log*", pattern="web1", output="kinds")
    assert "Out of memory: Killed process 77" in kinds.splitlines()[0]


def test_full_disk(agent):
    """The warning before the disk is full."""
    warning = agent.search("db.log*", pattern="WARN")
    assert "disk /var/lib/db at 97 percent" in warning


def test_refused_upload(agent):
    """A status that occurs once in a compressed file."""
    text = agent.search(
        "gateway.log.2.gz", pattern='" (?:4|5)\\d\\d ', mode="regex", context=0
    )
    assert '"GET /upload HTTP/1.1" 413' in text


def test_trace_of_an_error(agent):
    """The trace of an error, read at its time."""
    at = found(
        r"2026-11-28 (\d\d:\d\d:\d\d)", agent.search("db.log*", pattern="0042")
    )
    text = agent(
        "read_content", path="db.log*", since=f"2026-11-28T{at}", limit=4
    )
    assert "at db.Migrator.run(Migrator.java:77)" in text


def test_period(agent):
    """The period and the files of a log."""
    text = agent("get_overview", path="gateway.log")
    assert (
        "rotated files, oldest first: gateway.log.2.gz, gateway.log.1, gateway.log"
        in text
    )
    assert "common log" in text
