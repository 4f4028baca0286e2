"""The names of rotated logs, in the order of time."""

import random

import pytest

from filewright.logs.rotated import order_members, parse_name


@pytest.mark.parametrize(
    "names",
    [
        [b"app.log.10.gz", b"app.log.2.gz", b"app.log.1", b"app.log"],
        [b"app.log-20261101.gz", b"app.log-20261102", b"app.log"],
        [b"app-2026-11-01.log.zst", b"app-2026-11-02.log", b"app.log"],
        [b"app.2026-11-01.log", b"app.2026-11-02.log", b"app.log"],
        [b"app.2.log", b"app.1.log", b"app.log"],
        [b"app.log.2026-11-01-09", b"app.log.2026-11-01-10", b"app.log"],
        [b"app-2026-11-28.2.log", b"app-2026-11-28.10.log", b"app.log"],
        [b"app-2026-11-28-9.log.gz", b"app-2026-11-28-10.log.gz"],
        [b"app.log-20261128", b"app.log-20261128-095959"],
        [b"app.log-1795861230", b"app.log-1795861305"],
        [b"syslog.2.gz", b"syslog.1", b"syslog"],
    ],
    ids=lambda names: names[0].decode(),
)
def test_order(names):
    shuffled = random.Random(1).sample(names, len(names))
    assert order_members(shuffled) == names
    assert len({parse_name(name).base for name in names}) == 1


@pytest.mark.parametrize(
    "names",
    [
        [b"app-1.log", b"app-2.log", b"app-10.log"],
        [b"app.log.old", b"app.log"],
        [b"app.log.gz", b"app.log"],
    ],
    ids=lambda names: names[0].decode(),
)
def test_order_of_other_names(names):
    assert order_members(reversed(names)) == names


@pytest.mark.parametrize("name", [b"other.log", b"app.log.bak", b"app2.log"])
def test_other_logs(name):
    assert parse_name(name).base != parse_name(b"app.log.1").base
