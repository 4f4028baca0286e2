"""The rules of the folders on the way to a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.rule_checker import RuleChecker
from filewright.boundary.rules import NO_DENY_RULES, DenyRules
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings


def walk(
    root: Path,
    rules: DenyRules,
    *parts: bytes,
    for_change: bool = False,
    tree_has_denied: bool | None = None,
) -> RuleChecker:
    """Walk to a folder below a root, each part checked."""

    def tree_denies(_: tuple[bytes, ...]) -> bool:
        return bool(tree_has_denied)

    boundary = Boundary([root], Settings())
    location = boundary.locate(b"/".join(parts).decode())
    checker = RuleChecker(
        rules,
        location,
        None if tree_has_denied is None else tree_denies,
        for_change=for_change,
    )
    folder = location.root.folder
    folder.open_folder_beneath(parts, check_part=checker).close()
    boundary.close()
    return checker


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / ".git/objects").mkdir(parents=True)
    return tmp_path


def test_collects_rules_on_way(work: Path) -> None:
    (work / "a/.agentsignore").write_text("x\n")
    checker = walk(work, NO_DENY_RULES, b"a", b"b", b"c")
    denied = [rules.denies(b"x", False) for rules in checker.rules.values()]
    assert list(checker.rules) == [(), (b"a",), (b"a", b"b")]
    assert denied == [False, True, True]


def test_refuses_denied_part(work: Path) -> None:
    (work / "a/.agentsignore").write_text("/b\n")
    with pytest.raises(FilewrightError) as caught:
        walk(work, NO_DENY_RULES, b"a", b"b", b"c")
    assert caught.value.code is Code.PERMISSION_DENIED
    assert caught.value.details["path"] == "a/b/c"


def test_refuses_change_of_read_only_part(work: Path) -> None:
    (work / ".agentsreadonly").write_text("b\n")
    walk(work, NO_DENY_RULES, b"a", b"b")
    with pytest.raises(FilewrightError) as caught:
        walk(work, NO_DENY_RULES, b"a", b"b", for_change=True)
    assert caught.value.code is Code.PERMISSION_DENIED


@pytest.mark.parametrize("has_denied", [None, False, True])
def test_hides_stored_copies(work: Path, has_denied: bool | None) -> None:
    if not has_denied:
        walk(
            work, NO_DENY_RULES, b".git", b"objects", tree_has_denied=has_denied
        )
        return
    with pytest.raises(FilewrightError):
        walk(work, NO_DENY_RULES, b".git", b"objects", tree_has_denied=True)
