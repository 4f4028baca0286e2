"""Protection rules, also of paths through links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.protection import Alias, Protection
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings


def parts(path: str) -> tuple[bytes, ...]:
    return tuple(path.encode().split(b"/"))


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("sub/.git", ".git"),
        ("sub/.git/x", ".git"),
        (".GIT/x", ".git"),
        ("own/a.lock", None),
        ("docs/made/x", "docs/made"),
        ("sub/docs/made", None),
        ("b.LOCK", "*.lock"),
        ("file", None),
    ],
)
def test_rule_of_path(path: str, rule: str | None) -> None:
    protection = Protection(["*.lock", "docs/made"], ["own/"])
    assert protection.rule_for(parts(path)) == rule


def test_allows_protected_path() -> None:
    assert Protection(allowed_rules=[".git"]).rule_for((b".git",)) is None


def test_own_state_is_never_allowed() -> None:
    protection = Protection((), ["/home"], [parts("home/state")])
    assert protection.rule_for(parts("home/STATE/x")) == "home/state"
    assert protection.rule_for(parts("home")) is None
    assert (
        protection.rule_for(parts("home"), include_parents=True) == "home/state"
    )
    assert protection.may_concern(b"state")
    assert not protection.may_concern(b"home")


def test_folder_on_way_to_protected_path() -> None:
    protection = Protection(["docs/made/x"], ["allowed"])
    assert protection.rule_below(parts("docs")) == "docs/made/x"
    assert protection.rule_below(parts("docs/made")) == "docs/made/x"
    assert protection.rule_below(parts("sub/.vscode")) is not None
    assert protection.rule_below(parts("docs/other")) is None
    assert protection.rule_below(()) is None


def test_path_through_link() -> None:
    protection = Protection(["locked/x"])
    alias = Alias.to(parts("locked"), parts("Real/home"))
    assert alias.path_through(parts("real/HOME/x")) == parts("locked/x")
    assert alias.path_through(parts("real/x")) is None
    aliases = [alias]
    assert protection.rule_through(parts("real/home/x"), aliases) == "locked/x"
    assert protection.rule_through(parts("real/home/y"), aliases) is None
    assert protection.rule_for_link(parts("real"), aliases) == "locked/x"
    assert protection.rule_for_link(parts("locked"), ()) == "locked/x"
    assert protection.rule_for_link(parts("other"), aliases) is None


def test_first_names() -> None:
    names = Protection(["*.lock", "docs/made", "!other"]).first_names
    assert {b".git", b".vscode", b"docs", b"other"} <= set(names)
    assert b"*.lock" not in names


class TestStateFolderInside:
    @pytest.fixture
    def boundary(self, root: Path, by_kernel: bool) -> Iterator[Boundary]:
        (root / "home" / "state").mkdir(parents=True)
        (root / "home" / "state" / "journal").write_text("")
        (root / "home" / "other").write_text("")
        boundary = Boundary(
            [root],
            Settings(openat2=by_kernel, state_dir=root / "home" / "state"),
        )
        yield boundary
        boundary.close()

    @pytest.mark.parametrize(
        "requested",
        ["home/state", "home/state/journal", "home/STATE/x", "home"],
    )
    def test_nothing_is_written_to_it_and_what_holds_it_stays(
        self, boundary: Boundary, requested: str
    ) -> None:
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED

    def test_its_neighbours_may_be_changed(self, boundary: Boundary) -> None:
        boundary.require_writable(boundary.locate("home/other"))
        boundary.open_folder(boundary.locate("home"), for_change=True).close()

    def test_it_is_never_listed(self, boundary: Boundary) -> None:
        for options in ({}, {"include_git": True, "include_ignored": True}):
            shown = [
                entry.path
                for entry in boundary.walk(
                    boundary.locate("home"), WalkOptions(**options), task=Task()
                )
            ]
            assert shown == [b"other"]

    @pytest.mark.parametrize(
        "requested",
        [
            "home/state/journal",
            "way-in/journal",
            "file-in",
            "home/../home/state/journal",
        ],
    )
    def test_nothing_in_it_is_read(
        self, boundary: Boundary, root: Path, requested: str
    ) -> None:
        (root / "way-in").symlink_to("home/state")
        (root / "file-in").symlink_to("home/state/journal")
        with pytest.raises(FilewrightError) as caught:
            boundary.open_file(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "own state" in caught.value.message

    @pytest.mark.parametrize("requested", ["home/state", "way-in"])
    def test_it_is_not_opened_as_a_folder(
        self, boundary: Boundary, root: Path, requested: str
    ) -> None:
        (root / "way-in").symlink_to("home/state")
        for open_it in (
            boundary.open_folder,
            lambda location: boundary.walk(location, task=Task()),
        ):
            with pytest.raises(FilewrightError) as caught:
                open_it(boundary.locate(requested))
            assert caught.value.code is Code.PERMISSION_DENIED


def test_protected_names_are_a_setting(root: Path) -> None:
    boundary = Boundary(
        [root], Settings(protected=("vendor", "docs/generated", "*.lock"))
    )
    boundary.require_writable(boundary.locate("sub/docs/generated/x"))
    refused = (
        "vendor",
        "sub/Vendor/x",
        "docs/generated",
        "docs/generated/x",
        "a.lock",
        "sub/B.LOCK",
    )
    for requested in (*refused, ".git/config", ".vscode/tasks.json"):
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED
    boundary.close()
