"""The lines that a trace finds, over the files of one log."""

from functools import partial

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.trace import (
    MAX_COUNTED_LINES,
    MAX_LINES,
    LogFile,
    TracedLog,
    follow,
    read_lines,
    select_all,
)
from filewright.text.snapshot import Snapshot


class ShortTask(Task):
    """A task whose time is over after a number of checks."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self.checks = checks

    def check(self) -> None:
        self.checks -= 1
        if self.checks < 0:
            raise FilewrightError(Code.TIMEOUT, "over")


def trace(text, start, *, task=None):
    """Return the trace of the first line that has a text."""
    content = text.encode()
    file = LogFile("app.log", partial(Snapshot, content))
    reader = TracedLog([file], select_all, Task())
    matches = read_lines(reader, {"app.log": [content.index(start.encode())]})
    if task is not None:
        reader = TracedLog([file], select_all, task)
    return follow(reader, matches)


def ids(result):
    """Return the identifiers that led to the lines of a trace."""
    return [link.identifier and link.identifier.text for link in result.links]


def test_rare_identifiers_come_first():
    rows = ["began, settings c-3157", "job j-9041 waits, settings c-3157"]
    rows.append("request r-7712 waits for job j-9041")
    # Each of the customer's requests has lines enough to fill a trace.
    for request in range(8000, 8012):
        rows += [f"request r-{request} step"] * 8
        rows.append(f"request r-{request} for customer 40117")
    rows.append("request r-7712 gave up for customer 40117")
    result = trace("\n".join(rows), "r-7712 gave up")
    assert len(result.links) == MAX_LINES
    assert ids(result)[:3] == ["c-3157", "j-9041", "r-7712"]
    assert result.left_out > 50
    assert not result.frequent


def test_frequent_identifiers_end_early():
    text = "customer 40117 and r-7712\n" + "customer 40117\n" * 3000
    text += "r-7712 began\n"
    result = trace(text, "customer 40117 and")
    assert ids(result) == [None, "r-7712"]
    (customer,) = result.frequent
    assert customer.count == MAX_COUNTED_LINES + 1


def test_all_lines_of_a_request():
    text = '{"trace_id":"4bf92f3577b34da6","n":1}\n' * 90
    result = trace(text, "trace_id")
    assert len(result.links) == MAX_LINES
    (request,) = result.frequent
    assert request.count == 90


def test_unique_identifiers_may_have_more_lines():
    shared = "trace=4bf92f3577b34da6a3ce929d0e0e4736 step of o-1234\n"
    result = trace(shared * 30 + "o-1234\n", "trace=")
    assert len(result.links) == 30
    (order,) = result.frequent
    assert order.identifier.text == "o-1234"


def test_time_runs_out():
    text = "r-1000 and r-1001\nr-1001 and r-1002\nr-1002\n"
    result = trace(text, "r-1000", task=ShortTask(1))
    assert result.stop.startswith("app.log")
    assert len(result.links) < 3


def test_rounds_end():
    rows = [f"r-{number} calls r-{number + 1}" for number in range(1000, 1060)]
    result = trace("\n".join(rows), "r-1000")
    assert len(result.links) == 6
    assert [identifier.text for identifier in result.pending] == ["r-1006"]
