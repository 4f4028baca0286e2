"""Scanned folders and their names."""

from __future__ import annotations

from filewright.recording.model import (
    LARGE_BYTES,
    ScannedFolder,
    ScannedState,
    pack_states,
    parent_prefix,
    without_files,
)


def state(size: int = 1, mtime_ns: int = 1) -> ScannedState:
    return ScannedState(0o100600, 1, 1, 1, 0, 0, size, mtime_ns, 1)


def folder(**states: ScannedState) -> ScannedFolder:
    names = "/".join(states).encode()
    packed = pack_states([tuple(each) for each in states.values()])
    return ScannedFolder(names, (), *packed)


def test_state() -> None:
    assert (state().kind, state().mode) == ("file", 0o600)
    pipe = state()._replace(kind_and_mode=0o010600)
    assert pipe.kind == "other"


def test_packs_states() -> None:
    states = [tuple(state(LARGE_BYTES + 1, 5)), None, tuple(state(2, 7))]
    _, has_large, newest_ns = pack_states(states)
    assert (has_large, newest_ns) == (True, 7)
    assert pack_states([None])[1:] == (False, 0)


def test_excluded_names_have_no_state() -> None:
    hidden = folder(a=state())._replace(
        names=b"a/hidden/out", excluded=(b"hidden", b"out/")
    )
    assert hidden.visible_names() == [b"a"]
    assert hidden.state_of(b"a") == state()
    assert hidden.state_of(b"out") is None
    assert ScannedFolder().visible_names() == []


def test_merges_parts() -> None:
    merged = folder(a=state(1)).merged_with(folder(b=state(2)))
    assert merged == folder(a=state(1), b=state(2))
    assert ScannedFolder().merged_with(folder(b=state())) == folder(b=state())


def test_without_files() -> None:
    scan = {b"": folder(a=state(), b=state()), b"d/": folder(c=state())}
    rest = without_files(scan, {b"a"})
    assert rest[b""] == folder(b=state())
    assert rest[b"d/"] is scan[b"d/"]
    assert without_files(scan, set()) is scan


def test_parent_prefix() -> None:
    assert parent_prefix(b"d/e/f") == b"d/e/"
    assert parent_prefix(b"f") == b""
