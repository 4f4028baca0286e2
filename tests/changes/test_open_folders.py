"""The folders that a change holds open."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.changes.open_folders import OpenFolders
from filewright.errors import Code, FilewrightError


def test_follows_renamed_folder(bench: Any) -> None:
    with OpenFolders(bench.boundary) as folders:
        folder, identity = folders.open(bench.at("f"))
        (bench.root / "f").rename(bench.root / "h")
        assert folders.reopen(bench.at("f"), identity) is folder
        other, other_identity = folders.open(bench.at("h"))
        assert (other, other_identity) == (folder, identity)
    assert folder.closed


def test_another_folder_in_its_place(bench: Any) -> None:
    with OpenFolders(bench.boundary) as folders:
        _, identity = folders.open(bench.at("f"))
        folders.release(identity)
        assert folders.reopen(bench.at("f"), identity).names()
        folders.release(identity)
        (bench.root / "f").rename(bench.root / "h")
        (bench.root / "f").mkdir()
        with pytest.raises(FilewrightError) as caught:
            folders.reopen(bench.at("f"), identity)
        assert caught.value.code is Code.STALE_VERSION


def test_protected_folder_is_only_read(bench: Any) -> None:
    (bench.root / ".git").mkdir()
    with OpenFolders(bench.boundary) as folders:
        _, identity = folders.open(bench.at(".git"), reading=True)
        folders.reopen(bench.at(".git"), identity, reading=True)
        with pytest.raises(FilewrightError) as caught:
            folders.reopen(bench.at(".git"), identity)
        assert caught.value.code is Code.PERMISSION_DENIED


def test_holds_the_last_used(bench: Any) -> None:
    names = [f"d{number}" for number in range(30)]
    for name in names:
        (bench.root / name).mkdir()
    with OpenFolders(bench.boundary) as folders:
        identities = [folders.open(bench.at(name))[1] for name in names]
        for name in (names[0], names[-1]):
            (bench.root / name).rename(bench.root / f"moved-{name}")
        assert folders.reopen(bench.at(names[-1]), identities[-1])
        with pytest.raises(FilewrightError) as caught:
            folders.reopen(bench.at(names[0]), identities[0])
        assert caught.value.code is Code.NOT_FOUND
