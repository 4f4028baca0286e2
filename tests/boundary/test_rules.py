"""Deny rules and read-only rules of settings and of files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.boundary.rules import (
    DENY_ALL,
    NO_DENY_RULES,
    DenyRules,
    encode_rules,
)
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings


@pytest.mark.parametrize("setting", ["protected", "allow_write", "deny"])
@pytest.mark.parametrize("rule", ["a[", "/", "../x", "a\nb", ""])
def test_refuses_rule_that_matches_nothing(
    root: Path, setting: str, rule: str
) -> None:
    given = {setting: ("fine", rule)}
    with pytest.raises(FilewrightError) as caught:
        Boundary([root], Settings(**given))  # type: ignore[arg-type]
    expected = f"the setting FILEWRIGHT_{setting.upper()} has a rule that can match nothing: {rule!r}"
    assert caught.value.message == expected


def test_counts_denied_names_by_rule(tmp_path: Path, by_kernel: bool) -> None:
    for name in (
        "x.key",
        "a/y.key",
        "a/b/z.key",
        "a/private",
        "a/b/private",
        "secret/s",
        "c/seen",
        "bad/q",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".agentsignore").write_text("*.key\nsecret/\n")
    (tmp_path / "a" / ".agentsignore").write_text("private\n")
    (tmp_path / "bad" / ".agentsignore").write_text("x/../y\n")
    boundary = Boundary([tmp_path], Settings(openat2=by_kernel, deny=("c/s*",)))
    assert boundary.count_denied_names(boundary.roots[0], Task()) == {
        ".agentsignore: *.key": 3,
        ".agentsignore: secret/": 1,
        "a/.agentsignore: private": 2,
        "bad/.agentsignore has a rule in line 1 that can match nothing": 1,
        "--deny: c/s*": 1,
    }
    boundary.close()


@pytest.mark.parametrize(
    ("name", "is_folder", "is_denied"),
    [
        (b"a.key", False, True),
        (b"A.KEY", False, True),
        (b"a.txt", False, False),
        (b"secret", True, True),
        (b"secret", False, False),
        (b"secret", None, True),
        (b".agentsignore", False, True),
        (b".hg", True, True),
    ],
)
def test_denies(name: bytes, is_folder: bool | None, is_denied: bool) -> None:
    rules = DenyRules.from_settings(["*.key", "secret/"])
    assert rules.denies(name, is_folder) == is_denied


def test_no_rules_deny_only_rule_files() -> None:
    assert DenyRules.from_settings([]) is NO_DENY_RULES
    assert NO_DENY_RULES.denies(b".agentsignore", False)
    assert not NO_DENY_RULES.denies(b".hg", True)
    assert DENY_ALL.denies(b"a", False)


def test_serves_only_some_folders() -> None:
    folders = [(b"a", b"b*"), (b"c",), (b"c", b"d")]
    rules = NO_DENY_RULES.restricted_to(folders)
    assert rules.denies(b"other", True)
    assert not rules.denies(b"c", True)
    inner = rules.below([b"a"])
    assert not inner.denies(b"b*", True)
    assert inner.denies(b"bx", True)
    assert not rules.below([b"c"]).denies(b"x", False)
    assert rules.below([b"other"]) is DENY_ALL


def test_files_in_folder(tmp_path: Path) -> None:
    (tmp_path / ".agentsignore").write_text("*.key\n/a/b\n")
    (tmp_path / ".agentsreadonly").write_text("*.lock\n")
    with system.open_folder(tmp_path) as folder:
        rules = NO_DENY_RULES.enter(None, folder)
    assert rules.denies(b"x.key", False)
    assert not rules.denies(b"x.lock", False)
    assert rules.is_read_only(b"x.lock", False)
    assert rules.below([b"a"]).denies(b"b", False)
    assert rules.reason(b"x.key", False) == ".agentsignore: *.key"
    rules.require_allowed("x.lock", b"x.lock", False)
    for name, message in (
        (b"x.key", "is denied to agents"),
        (b"x.lock", "may be read but not changed"),
    ):
        with pytest.raises(FilewrightError, match=message):
            rules.require_allowed(name.decode(), name, False, for_change=True)
    counts = Counter[str]()
    names = [b"x.key", b"x.lock", b"x"]
    allowed = rules.filter_allowed(
        names, False, for_change=True, denied_counts=counts
    )
    assert allowed == [b"x"]


def test_unusable_file_denies_folder(tmp_path: Path) -> None:
    (tmp_path / ".agentsignore").mkdir()
    with system.open_folder(tmp_path) as folder:
        rules = NO_DENY_RULES.enter(None, folder)
    assert rules.denies(b"any", False)
    assert rules.reason(b"any", False) == ".agentsignore is a folder"


@pytest.mark.parametrize("has_denied", [False, True])
def test_copies_in_git_folder(has_denied: bool) -> None:
    rules = NO_DENY_RULES.for_git_folder(lambda: has_denied)
    assert rules.denies(b"objects", True) == has_denied
    assert not rules.denies(b"HEAD", False)
    assert not rules.for_git().denies(b"objects", True)


def test_root_within_root() -> None:
    outer = DenyRules.from_settings(["/in/x"])
    inner = outer.for_inner_root(b"in", DenyRules.from_settings(["y"]))
    assert [inner.denies(name, False) for name in (b"x", b"y", b"z")] == [
        True,
        True,
        False,
    ]
    closed = DenyRules.from_settings(["/in"])
    assert closed.for_inner_root(b"in", NO_DENY_RULES).denies(b"z", False)


def test_encodes_rules() -> None:
    assert encode_rules(["a", "é\udcff"], "deny") == b"a\n\xc3\xa9\xff"
