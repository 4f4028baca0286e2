"""Protected paths may not be changed, by any spelling and through any link."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings

ALLOWED = [
    "file", "new", "sub/new", "new/new", "in-folder/new", ".gitignore", ".github/x", "git-notes", "a.git",
    "git~2", ".gitmodules", "sub/.gitkeep", "x.git/y", ".g/it",
]  # fmt: skip
PROTECTED = [
    ".git", ".git/config", ".git/new/x", "sub/.git", "sub/.git/hooks/post-checkout", "new/.git/x",
    ".GIT/config", ".Git", ".gIt/x", ".git./config", ".git /config", ".git . ./x", "git~1/config", "GIT~1",
    ".git::$INDEX_ALLOCATION/config", ".git:x", ".g\u200cit/config", "\ufeff.git/x", ".gi\u202et",
    "\uff0egit/config", ".g\u200dIT", "git/config", "git/new/x",
]  # fmt: skip


@pytest.mark.parametrize("requested", ALLOWED)
def test_ordinary_names_are_writable(
    standing_boundary: Boundary, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    standing_boundary.require_writable(location)


@pytest.mark.parametrize("requested", PROTECTED)
def test_protects_every_spelling_and_links(
    standing_boundary: Boundary, standing_root: Path, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    before = sorted(standing_root.rglob("*"))
    for change in (
        lambda: standing_boundary.require_writable(location),
        lambda: standing_boundary.require_writable(location, link_itself=True),
    ):
        with pytest.raises(FilewrightError) as caught:
            change()
        assert caught.value.code is Code.PERMISSION_DENIED
        assert caught.value.details["protected"] == ".git"
    assert sorted(standing_root.rglob("*")) == before


def test_protected_files_are_readable(boundary: Boundary) -> None:
    boundary.open_file(boundary.locate(".git/config")).close()


@pytest.mark.parametrize(
    "requested", [".", "", "sub/..", "{root}", "{root}/sub/.."]
)
def test_root_is_never_changed(
    standing_boundary: Boundary, standing_root: Path, requested: str
) -> None:
    location = standing_boundary.locate(
        requested.replace("{root}", str(standing_root))
    )
    for change in (
        lambda: standing_boundary.require_writable(location, link_itself=True),
        lambda: standing_boundary.require_writable(location),
    ):
        with pytest.raises(FilewrightError) as caught:
            change()
        assert caught.value.code is Code.PERMISSION_DENIED


LINKS = [
    "in-file",
    "in-file/",
    "in-folder",
    "in-folder/",
    "out-file",
    "abs-out",
    "dangling",
    "dangling-out",
    "loop",
]


@pytest.mark.parametrize("requested", LINKS)
def test_link_is_only_changed_itself(
    standing_boundary: Boundary, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    with pytest.raises(FilewrightError) as caught:
        standing_boundary.require_writable(location)
    assert caught.value.code is Code.SYMLINK
    standing_boundary.require_writable(location, link_itself=True)


@pytest.mark.parametrize(
    "requested",
    ["out-folder/x", "abs-folder/x", "out-root/x", "proc-root/tmp/x"],
)
def test_change_through_link_outwards_escapes(
    boundary: Boundary, requested: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        boundary.require_writable(boundary.locate(requested))
    assert caught.value.code is Code.PATH_ESCAPE


def test_read_only_refuses_all(root: Path, by_kernel: bool) -> None:
    boundary = Boundary([root], Settings(openat2=by_kernel, read_only=True))
    for requested in ("file", "new", ".git/config", ".", "out-folder/x"):
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.READ_ONLY
    boundary.close()


@pytest.mark.parametrize("given", ['[".env", "*.lock"]', ".env, *.lock"])
def test_rules_from_environment(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("FILEWRIGHT_PROTECTED", given)
    assert Settings().protected == (".env", "*.lock")


@pytest.mark.parametrize("given", ['[".env"', "[1, 2]", '["a", {}]'])
def test_malformed_setting(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("FILEWRIGHT_DENY", given)
    with pytest.raises(FilewrightError) as caught:
        Settings()
    assert caught.value.code is Code.INVALID_INPUT
    assert caught.value.message.startswith("the setting FILEWRIGHT_DENY: ")
    assert "\n" not in caught.value.message
