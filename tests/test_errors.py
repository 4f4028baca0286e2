"""`errors`: the exception, and the functions that build it."""

from __future__ import annotations

import errno
import os
import pickle

import pytest

from filewright import errors
from filewright.errors import Code, FilewrightError


def test_shows_code_message_and_hint():
    error = FilewrightError(Code.NO_MATCH, "not there", "read the file again")
    assert str(error) == "no_match: not there\nhint: read the file again"
    assert (
        str(FilewrightError(Code.NO_MATCH, "not there"))
        == "no_match: not there"
    )


def test_survives_pickling():
    error = errors.hard_linked("a.txt", 3)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert copy.details == {"path": "a.txt", "hard_links": 3}


@pytest.mark.parametrize("code", Code)
def test_ends_call_only_when_stopped(code):
    stopped = code in ("cancelled", "timeout")
    assert FilewrightError(code, "").ends_call == stopped


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(errno.ENOENT, Code.NOT_FOUND, id="missing"),
        pytest.param(errno.EACCES, Code.PERMISSION_DENIED, id="forbidden"),
        pytest.param(errno.ENOSPC, Code.NO_SPACE, id="full"),
        pytest.param(errno.EIO, Code.IO_ERROR, id="broken disk"),
    ],
)
def test_translates_os_errors(number, code):
    error = errors.from_os_error(
        OSError(number, os.strerror(number)), "a.txt", doing="read"
    )
    assert error.code is code
    assert error.message == f"cannot read a.txt: {os.strerror(number)}"
    assert error.details == {"path": "a.txt", "errno": errno.errorcode[number]}
    assert error.hint


def test_names_replaced_part_and_path():
    error = errors.replaced_meanwhile("docs: a link on the way", "docs/a.txt")
    assert error.message == (
        "docs: a link on the way has just been replaced by another program"
    )
    assert error.details == {"path": "docs/a.txt"}


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (errors.missing("a/b"), "a/b does not exist"),
        (errors.missing("a/b", "a"), "a/b does not exist: there is no a"),
        (errors.not_a_file("p", "fifo"), "p is a FIFO, not a file"),
        (errors.not_a_file("p", "other"), "p is a special file, not a file"),
        (errors.not_a_file("p", "folder"), "p is a folder, not a file"),
        (errors.not_a_folder("a/b"), "a/b is not a folder"),
        (errors.not_a_folder("a/b", "a"), "a/b: a is not a folder"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_says_what_is_there(error, shown):
    assert error.message == shown


def test_hides_target_of_link_unless_it_may_be_known():
    assert "target" not in errors.write_to_symlink("link").details
    error = errors.write_to_symlink("link", "data/real.txt")
    assert error.details["target"] == "data/real.txt"
    assert "data/real.txt" in str(error.hint)


def test_unknown_session_names_the_newest():
    assert "yet" in errors.unknown_session("x", {}).message
    known = {"s2": "s2 (codex, 1 h ago)", "s1": "s1 (pi, 2 h ago)"}
    error = errors.unknown_session("x", known)
    assert error.hint == f"the newest sessions are {', '.join(known.values())}"
    assert error.details == {"session": "x", "sessions": ["s2", "s1"]}


def test_before_history_names_the_oldest_change():
    error = errors.before_history("14:08", "14:31")
    assert (
        error.message
        == "14:08 is before the oldest change in the history (14:31)"
    )
    assert error.hint == "give 14:31 or later"
    assert "yet" in errors.before_history("14:08", None).message


def test_message_names_further_problems() -> None:
    error = FilewrightError(Code.NO_MATCH, "a.py: not found", "read it again")
    error.also = ("b.py: not found", "3 more files")
    expected = "a.py: not found\nalso: b.py: not found\nalso: 3 more files"
    assert error.message == expected
    assert str(error) == f"no_match: {expected}\nhint: read it again"
    assert pickle.loads(pickle.dumps(error)).also == error.also
