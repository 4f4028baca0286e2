"""Random change sets against a model: every commit does what the steps say, every undo takes it back.

The model is a second folder on which the same steps are made with plain system calls, one after the
other; steps that the model refuses are left out.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest
import xxhash
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.changeset import (
    ChangeSet,
    Copy,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    Modify,
    Move,
    SetMode,
)
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice, apply_splices


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

_NAMES = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "f",
        "f/a",
        "f/b",
        "f/g",
        "f/g/a",
        "h",
        "h/a",
        "h/g",
        "new/x",
    ]
)
_TEXT = st.sampled_from(
    [b"", b"one\n", b"one\ntwo\nthree\n", b"x" * 300 + b"\n", b"\xff\x00raw"]
)
_STEP = st.one_of(
    st.tuples(st.just("create"), _NAMES, _TEXT, st.booleans()),
    st.tuples(
        st.just("modify"), _NAMES, st.integers(0, 8), st.integers(0, 4), _TEXT
    ),
    st.tuples(st.just("folder"), _NAMES),
    st.tuples(st.just("delete"), _NAMES, st.booleans()),
    st.tuples(st.just("move"), _NAMES, _NAMES, st.booleans()),
    st.tuples(st.just("copy"), _NAMES, _NAMES, st.booleans()),
    st.tuples(
        st.just("mode"), _NAMES, st.sampled_from(["600", "644", "755", "u+x"])
    ),
)
_SETS = st.lists(
    st.lists(_STEP, min_size=1, max_size=5), min_size=1, max_size=6
)


class RefusedError(Exception):
    """The model cannot make the step."""


def _require(condition: object) -> None:
    if not condition:
        raise RefusedError


class Model:
    """Makes steps with plain calls, and makes the same steps for the commit."""

    def __init__(self, root: Path, bench: object) -> None:
        self.root = root
        self.at = bench.at

    def step(self, step: tuple) -> object:
        return getattr(self, step[0])(*step[1:])

    def _parents(self, path: Path) -> None:
        parent = path.parent
        chain = []
        while parent != self.root:
            chain.append(parent)
            parent = parent.parent
        for folder in reversed(chain):
            _require(folder.is_dir() or not os.path.lexists(folder))
            folder.mkdir(exist_ok=True)

    def create(self, name: str, content: bytes, replace: bool) -> object:
        path = self.root / name
        self._parents(path)
        if os.path.lexists(path):
            _require(replace and path.is_file())
        path.write_bytes(content)
        return Create(self.at(name), content, replace=replace)

    def modify(
        self, name: str, offset: int, length: int, text: bytes
    ) -> object:
        path = self.root / name
        _require(path.is_file())
        data = path.read_bytes()
        offset = min(offset, len(data))
        splice = Splice(offset, min(length, len(data) - offset), text)
        path.write_bytes(apply_splices(data, [splice]))
        return Modify(
            self.at(name),
            ExpectedState(len(data), None, xxhash.xxh3_128_hexdigest(data)),
            (splice,),
        )

    def folder(self, name: str) -> object:
        path = self.root / name
        self._parents(path)
        _require(path.is_dir() or not os.path.lexists(path))
        path.mkdir(exist_ok=True)
        return MakeFolder(self.at(name))

    def delete(self, name: str, recursive: bool) -> object:
        path = self.root / name
        _require(os.path.lexists(path))
        if path.is_dir():
            _require(recursive or not os.listdir(path))
            shutil.rmtree(path)
        else:
            path.unlink()
        return Delete(self.at(name), recursive=recursive)

    def _target(self, source: Path, target: Path, overwrite: bool) -> None:
        _require(os.path.lexists(source))
        _require(source != target and source not in target.parents)
        self._parents(target)
        if os.path.lexists(target):
            _require(
                overwrite
                and source.is_dir() == target.is_dir()
                and target not in source.parents
            )
            if target.is_dir():
                shutil.rmtree(target)
            else:
                target.unlink()

    def move(self, source: str, target: str, overwrite: bool) -> object:
        self._target(self.root / source, self.root / target, overwrite)
        os.rename(self.root / source, self.root / target)
        return Move(self.at(source), self.at(target), overwrite)

    def copy(self, source: str, target: str, overwrite: bool) -> object:
        one, two = self.root / source, self.root / target
        _require(two not in one.parents)
        self._target(one, two, overwrite)
        if one.is_dir():
            shutil.copytree(one, two, symlinks=True)
        else:
            shutil.copy2(one, two)
        return Copy(self.at(source), self.at(target), overwrite)

    def mode(self, name: str, mode: str) -> object:
        path = self.root / name
        _require(os.path.lexists(path))
        if path.is_dir() and mode in ("600", "644"):
            mode = "755"
        current = stat.S_IMODE(path.stat().st_mode)
        path.chmod(current | 0o100 if mode == "u+x" else int(mode, 8))
        return SetMode(self.at(name), mode)


def _furnish(root: Path) -> None:
    (root / "f" / "g").mkdir(parents=True)
    for name in ("a", "b", "f/a", "f/g/a"):
        (root / name).write_bytes(f"this is {name}\nsecond\n".encode())


def _run(change_sets: list[list[tuple]]) -> None:
    old = os.umask(0o022)
    try:
        with scene.quick_folder() as base, scene.Bench(base) as bench:
            _furnish(bench.root)
            shadow = base / "shadow"
            shutil.copytree(bench.root, shadow)
            history = []
            for wanted in change_sets:
                before = scene.tree(bench.root)
                assert before == scene.tree(shadow)
                attempt = base / "attempt"
                shutil.copytree(shadow, attempt)
                steps = []
                for step in wanted:
                    trial = base / "trial"
                    shutil.copytree(attempt, trial)
                    try:
                        steps.append(Model(trial, bench).step(step))
                    except RefusedError:
                        shutil.rmtree(trial)
                        continue
                    shutil.rmtree(attempt)
                    trial.rename(attempt)
                try:
                    record = bench.commit(*steps)
                except FilewrightError as error:
                    if error.code is not Code.NO_CHANGE:
                        raise
                    assert scene.tree(attempt) == before
                    shutil.rmtree(attempt)
                    continue
                shutil.rmtree(shadow)
                attempt.rename(shadow)
                assert scene.tree(bench.root) == scene.tree(shadow)
                history.append((record.id, before))
            # What a wrong order of names would break: undo and redo everything, newest first.
            for change_id, before in reversed(history):
                after = scene.tree(bench.root)
                try:
                    undone = bench.undo(change_id)
                except FilewrightError as error:
                    if error.code is not Code.NO_CHANGE:
                        raise
                    assert after == before
                    continue
                assert scene.tree(bench.root) == before
                bench.undo(undone.id)
                assert scene.tree(bench.root) == after
                bench.undo(change_id)
                assert scene.tree(bench.root) == before
            assert bench.changes.recover().conflicts == []
            assert scene.temporaries(bench.root) == []
    finally:
        os.umask(old)


@examples(8, derandomize=True, suppress_health_check=list(HealthCheck))
@given(_SETS)
def test_commits_do_what_the_steps_say_and_undo_restores_every_byte(
    change_sets: list,
) -> None:
    _run(change_sets)


def test_a_copy_that_is_moved_into_what_it_was_made_of_holds_nothing_of_itself() -> (
    None
):
    _run([[("copy", "f", "c", False), ("move", "c", "f/b", False)]])


@pytest.mark.sweep
@examples(750, derandomize=True, suppress_health_check=list(HealthCheck))
@given(_SETS)
def test_three_thousand_histories_against_the_model(change_sets: list) -> None:
    _run(change_sets)


def test_a_refused_step_refuses_the_whole_change_set(tmp_path: Path) -> None:
    with scene.Bench(tmp_path) as bench:
        _furnish(bench.root)
        before = scene.tree(bench.root)
        steps = (
            Create(bench.at("made"), b"x"),
            Delete(bench.at("a")),
            Move(bench.at("missing"), bench.at("z")),
        )
        with pytest.raises(FilewrightError) as caught:
            bench.changes.commit(ChangeSet("test", "", steps))
        assert caught.value.code is Code.NOT_FOUND
        assert scene.tree(bench.root) == before
