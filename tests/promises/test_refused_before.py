"""What the system would refuse half-way is refused before anything begins, and hinders nothing after it."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from filewright.edit.changeset import (
    Copy,
    Create,
    Delete,
    Move,
    SetMode,
    SetOwner,
)
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "scene", Path(__file__).with_name("scene.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scene"] = module
    spec.loader.exec_module(module)
    return module


scene = sys.modules.get("scene") or _load()

NOBODY = 65534
needs_root = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="only root makes things of another user, and mounts",
)


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        folder.chmod(0o755)
        yield folder


def _as_nobody(area: Path, work: Callable[[Any], None]) -> None:
    """Work in the area as a user who owns the workspace and the state, and nothing else in them."""
    (area / "state").mkdir()
    for folder in (area / "work", area / "state"):
        os.chown(folder, NOBODY, NOBODY)

    def child() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        with scene.Bench(area) as bench:
            work(bench)

    assert scene.forked(child) == 0


def _refused(
    bench: Any, step: Any, code: Code = Code.PERMISSION_DENIED
) -> None:
    """It is refused, nothing was changed, no intent is left, and the next change goes through."""
    before = scene.tree(bench.root)
    with pytest.raises(FilewrightError) as caught:
        bench.commit(step)
    assert caught.value.code is code, caught.value
    assert scene.tree(bench.root) == before
    assert bench.unfinished() == ()
    bench.commit(Create(bench.at("next"), b""))
    bench.commit(Delete(bench.at("next")))
    assert bench.changes.recover().unsettled == []


@needs_root
@pytest.mark.parametrize(
    "step",
    [
        lambda at: SetMode(at("theirs"), "600"),
        lambda at: SetOwner(at("theirs"), NOBODY, None),
        lambda at: SetOwner(at("mine"), 0, None),
        lambda at: Delete(at("sticky/theirs")),
        lambda at: Move(at("sticky/theirs"), at("x")),
        lambda at: Move(at("mine"), at("sticky/theirs"), overwrite=True),
        lambda at: Delete(at("tree"), recursive=True),
        lambda at: Move(at("foreign"), at("tree/moved")),
        lambda at: Create(at("foreign/n"), b""),
    ],
)
def test_what_belongs_to_another_user(area: Path, step: Any) -> None:
    work = area / "work"
    for folder in ("sticky", "tree/theirs", "foreign"):
        (work / folder).mkdir(parents=True)
    for file in (
        "theirs",
        "sticky/theirs",
        "tree/theirs/file",
        "mine",
        "tree/mine",
    ):
        (work / file).write_bytes(b"x")
    (work / "sticky").chmod(0o1777)
    for path in (work / "mine", work / "tree", work / "tree/mine"):
        os.chown(path, NOBODY, NOBODY)
    _as_nobody(area, lambda bench: _refused(bench, step(bench.at)))


@needs_root
def test_what_moves_out_of_a_folder_that_goes_needs_the_right_to_write_in_it(
    area: Path,
) -> None:
    (area / "work/kept").mkdir(parents=True)
    (area / "work/kept/mine").write_bytes(b"x")
    (area / "work/kept").chmod(0o555)
    for path in (area / "work/kept", area / "work/kept/mine"):
        os.chown(path, NOBODY, NOBODY)

    def work(bench: Any) -> None:
        before = scene.tree(bench.root)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(
                Move(bench.at("kept/mine"), bench.at("mine")),
                Delete(bench.at("kept"), recursive=True),
            )
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "the folder of kept/mine is not writable" in caught.value.message
        assert scene.tree(bench.root) == before

    _as_nobody(area, work)


@needs_root
def test_a_file_that_only_its_owner_may_write_is_not_called_read_only(
    area: Path,
) -> None:
    (area / "work").mkdir()
    (area / "work/theirs").write_bytes(b"x")
    (area / "work/theirs").chmod(0o644)
    (area / "work/mine").write_bytes(b"x")
    (area / "work/mine").chmod(0o444)
    os.chown(area / "work/mine", NOBODY, NOBODY)

    def work(bench: Any) -> None:
        said = {}
        for name in ("theirs", "mine"):
            with pytest.raises(FilewrightError) as caught:
                bench.commit(Create(bench.at(name), b"y", replace=True))
            said[name] = caught.value.message
        assert "user 0" in said["theirs"]
        assert "0644" in said["theirs"]
        assert "read-only" not in said["theirs"]
        assert "read-only (mode 0444)" in said["mine"]

    _as_nobody(area, work)


@needs_root
@pytest.mark.parametrize(
    "step",
    [
        lambda at: Delete(at("f"), recursive=True),
        lambda at: Delete(at("f/mount"), recursive=True),
        lambda at: Move(at("f/mount"), at("g")),
        lambda at: Copy(at("f"), at("g")),
    ],
)
def test_another_file_system_below(area: Path, step: Any) -> None:
    mount = area / "work/f/mount"
    mount.mkdir(parents=True)
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "none", str(mount)], check=False
        ).returncode
        != 0
    ):
        pytest.skip("mounting is not allowed here")
    try:
        (mount / "file").write_bytes(b"on the volume")
        with scene.Bench(area) as bench:
            _refused(bench, step(bench.at), Code.UNSUPPORTED)
            bench.commit(Copy(bench.at("f/mount/file"), bench.at("copy")))
            assert (bench.root / "copy").read_bytes() == b"on the volume"
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)


_GETFLAGS, _SETFLAGS, _IMMUTABLE = 0x80086601, 0x40086602, 0x10


def _set_immutable(path: Path, *, on: bool) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        (flags,) = struct.unpack(
            "=I4x", fcntl.ioctl(descriptor, _GETFLAGS, b"\0" * 8)
        )
        flags = flags | _IMMUTABLE if on else flags & ~_IMMUTABLE
        fcntl.ioctl(descriptor, _SETFLAGS, struct.pack("=I4x", flags))
    finally:
        os.close(descriptor)


@needs_root
@pytest.mark.parametrize(
    "step",
    [
        lambda bench: bench.modify("f/file", Splice(0, 1, b"y")),
        lambda bench: Create(bench.at("f/file"), b"", replace=True),
        lambda bench: Delete(bench.at("f/file")),
        pytest.param(
            lambda bench: Delete(bench.at("f"), recursive=True),
            marks=pytest.mark.needs("immutable_flags"),
        ),
        lambda bench: Move(bench.at("f/file"), bench.at("g")),
        lambda bench: SetMode(bench.at("f/file"), "600"),
    ],
)
def test_what_is_immutable(area: Path, step: Any) -> None:
    (area / "work/f").mkdir(parents=True)
    file = area / "work/f/file"
    file.write_bytes(b"x")
    try:
        _set_immutable(file, on=True)
    except OSError:
        pytest.skip("this file system has no such flag")
    try:
        with scene.Bench(area) as bench:
            _refused(bench, step(bench))
    finally:
        _set_immutable(file, on=False)
