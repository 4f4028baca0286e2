"""Random commands of a shell between the two calls of a snapshot: undoing what was recorded brings the tree back,
byte for byte, mode for mode and link for link, and undoing that makes it again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import Code, FilewrightError, Settings, Workspace

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="these are commands of a Unix shell"
)

COMMANDS = [
    "mv {s} {t}",
    "mv -T {s} {t}",
    "mv {s} ../out/{n}",
    "mv ../out/{n} {t}",
    "mv {s} {s}.t && mv {t} {s} && mv {s}.t {t}",
    "cp -r {s} {t}",
    "cp -a {s} {t}",
    "rm -rf {s}",
    "rmdir {s}",
    "rm -rf {s} && mkdir {s}",
    "rm -rf {s} && echo {n} > {s}",
    "ln {s} {t}",
    "ln -s {t} {s}x",
    "ln -sfn {t} {s}",
    "ln -s ../out {t}",
    "chmod {m} {s}",
    "test -d {s} || chmod 400 {s}",
    "sed -i s/[0-9]/{n}/ {s}",
    "touch {s}",
    "mkdir -p {t} && echo {n} > {t}/f",
    "echo {n} >> {s}",
    "tar cf ../x.tar {s} && mkdir -p {t} && tar xf ../x.tar -C {t}",
    "tar cf ../x.tar {s} && rm -rf {s} && tar xf ../x.tar",
]
_PATHS = st.sampled_from(
    [
        "a",
        "b",
        "h",
        "f",
        "a/a",
        "a/f",
        "b/a",
        "b/f",
        "h/f",
        "h/a/f",
        "b/a/f",
        "f/b",
    ]
)
_COMMAND = st.builds(
    str.format,
    st.sampled_from(COMMANDS),
    s=_PATHS,
    t=_PATHS,
    n=st.sampled_from("1234"),
    m=st.sampled_from(["600", "755", "700", "4755"]),
)
_SNAPSHOTS = st.lists(
    st.lists(_COMMAND, min_size=1, max_size=5), min_size=1, max_size=3
)


def _tree(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for path in (Path(folder, name) for name in folders + files):
            held = (
                os.readlink(path)
                if path.is_symlink()
                else path.read_bytes()
                if path.is_file()
                else None
            )
            found[str(path.relative_to(root))] = path.lstat().st_mode, held
    return found


def _planted(folder: Path) -> Path:
    root = folder / "work"
    for name in (
        "../out/1/o",
        "../out/2",
        "a/a",
        "a/f",
        "b/a/f",
        "b/f",
        "h/f",
        "f",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name} 0\n")
    return root


def _undone(workspace: Workspace, changes: list[str]) -> list[str]:
    return [
        workspace.revert_edit(name, break_hard_links=True).change_id or ""
        for name in reversed(changes)
    ]


@pytest.mark.parametrize("nested", [False, True])
@examples(5, suppress_health_check=list(HealthCheck))
@given(snapshots=_SNAPSHOTS)
def test_what_a_shell_did_is_undone_exactly(
    snapshots: list[list[str]], nested: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = _planted(Path(name))
        roots = [root, root / "h"] if nested else [root]
        made: list[tuple[list[str], dict[str, Any], dict[str, Any]]] = []
        with Workspace(
            *roots, settings=Settings(state_dir=Path(name, "state"))
        ) as workspace:
            for commands in snapshots:
                # A root that is moved or replaced is served no more.
                some = [
                    c
                    for c in commands
                    if not (nested and re.search(r" h(\.t|x)?( |$)", c))
                ]
                before = _tree(root)
                begun = workspace.begin_command()
                subprocess.run(
                    "\n".join(some),
                    shell=True,
                    cwd=root,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
                changes = workspace.end_command(
                    begun, "; ".join(some) or "true"
                )
                assert [
                    note for change in changes for note in change.notes
                ] == []
                assert bool(changes) == (_tree(root) != before)
                made.append(
                    ([change.id for change in changes], before, _tree(root))
                )
            for changes_made, before, after in reversed(made):
                undone = _undone(workspace, changes_made)
                assert _tree(root) == before
                redone = _undone(workspace, undone)
                assert _tree(root) == after
                _undone(workspace, redone)
                assert _tree(root) == before


@pytest.mark.parametrize("nested", [False, True])
@examples(5, suppress_health_check=list(HealthCheck))
@given(
    parts=st.lists(
        st.lists(_COMMAND, min_size=1, max_size=3), min_size=4, max_size=4
    )
)
def test_what_two_shells_and_a_tool_did_at_one_time_is_rewound_exactly(
    parts: list[list[str]], nested: bool
) -> None:
    """Two commands overlap, of one root or of a root and one within it, and a tool writes between."""
    with tempfile.TemporaryDirectory() as name:
        root = _planted(Path(name))
        settings = Settings(state_dir=Path(name, "state"))
        one, two = (
            Workspace(root, settings=settings),
            Workspace(root / "h" if nested else root, settings=settings),
        )
        with one, two:
            one.write("first", "1\n")
            moment, before = one.newest(), _tree(root)
            begun: list[str] = []
            for number, commands in enumerate(parts):
                if number == 0:
                    begun.append(one.begin_command())
                elif number == 1:
                    begun.append(two.begin_command())
                elif number == 2:
                    one.call(
                        "write_content",
                        {"items": [{"path": "h/by-a-tool", "content": "t\n"}]},
                    )
                elif not nested:
                    one.end_command(begun[0], "one")
                some = [
                    c
                    for c in commands
                    if not (nested and re.search(r" h(\.t|x)?( |$)", c))
                ]
                subprocess.run(
                    "\n".join(some),
                    shell=True,
                    cwd=root,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
            if nested:
                one.end_command(begun[0], "one")
            two.end_command(begun[1], "two")
            after = _tree(root)
            if after != before:
                undone = one.revert_edit(since=moment, break_hard_links=True)
                assert _tree(root) == before
                one.revert_edit(undone.change_id, break_hard_links=True)
                assert _tree(root) == after


@pytest.mark.parametrize(
    "command",
    [
        "ln f g; echo 2 >> f",
        "ln f g; ln f i; echo 2 > g",
        "mkdir new; ln f new/g; echo 2 >> f; chmod 600 f",
        "ln f g; chmod 755 g",
    ],
)
def test_a_name_that_the_command_gave_a_file_is_in_the_way_of_no_undo(
    command: str,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = _planted(Path(name))
        before = _tree(root)
        with Workspace(
            root, settings=Settings(state_dir=Path(name, "state"))
        ) as workspace:
            begun = workspace.begin_command()
            subprocess.run(command, shell=True, cwd=root, check=True)
            workspace.end_command(begun, command)
            workspace.undo()
            assert _tree(root) == before


@pytest.mark.parametrize(
    "command",
    [
        "chmod +x h/f; mv h e",
        "chmod +x h h/f; mv h e",
        "chmod +x b/a/f; mv b e",
        "chmod +x b/a; mv b/a b/e; mv b e",
        "echo 2 > h/f; mv h e",
        "mv h/f h/g; chmod +x h/g; mv h e",
        "ln -s f h/l; mv h e; chmod +x e/f",
    ],
)
@pytest.mark.parametrize(
    "further", [[("e", "k")], [("e", "k"), ("k", "b/deep")], []]
)
def test_a_file_that_was_altered_and_moved_by_one_command_comes_back_to_its_place(
    command: str, further: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = _planted(Path(name))
        with Workspace(
            root, settings=Settings(state_dir=Path(name, "state"))
        ) as workspace:
            workspace.write("first", "1\n")
            moment, before = workspace.newest(), _tree(root)
            begun = workspace.begin_command()
            subprocess.run(command, shell=True, cwd=root, check=True)
            workspace.end_command(begun, command)
            for source, destination in further:
                workspace.move(source, destination)
            answer = workspace.call("revert_edit", {"since": moment})
            assert not answer.is_error, answer.text
            assert _tree(root) == before


def test_what_a_command_wrote_to_a_file_with_two_names_is_undone_under_both(
    tmp_path: Path,
) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "one").write_text("first\n")
    os.link(root / "one", root / "two")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        begun = workspace.begin_command()
        with open(root / "two", "a") as file:
            file.write("second\n")
        (change,) = workspace.end_command(begun, "echo second >> two")
        workspace.revert_edit(change.id)
        assert (
            (root / "one").read_text()
            == (root / "two").read_text()
            == "first\n"
        )


def test_one_of_two_names_is_not_given_earlier_content_unasked(
    tmp_path: Path,
) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "one").write_text("first\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        begun = workspace.begin_command()
        (root / "one").write_text("second\n")
        (change,) = workspace.end_command(begun, "echo second > one")
        os.link(root / "one", root / "two")
        with pytest.raises(FilewrightError) as raised:
            workspace.revert_edit(change.id)
        assert raised.value.code is Code.HARD_LINKED
        workspace.revert_edit(change.id, break_hard_links=True)
        assert ((root / "one").read_text(), (root / "two").read_text()) == (
            "first\n",
            "second\n",
        )


@pytest.mark.parametrize("other", ["", "in/other"])
@pytest.mark.parametrize(
    ("command", "left"),
    [
        (
            "mkdir -p n/in n/.vscode; echo 1 > n/.vscode/settings.json; ln -s a n/in/l; echo 1 > n/a",
            [],
        ),
        (
            "mkdir -p n/in; echo secret > n/.agentsignore; echo 1 > n/secret; echo 1 > n/a",
            ["", ".agentsignore", "secret"],
        ),
    ],
)
def test_what_is_said_before_an_undo_of_a_new_folder_is_what_it_does(
    command: str, left: list[str], other: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = _planted(Path(name))
        with Workspace(
            root, settings=Settings(state_dir=Path(name, "state"))
        ) as workspace:
            begun = workspace.begin_command()
            subprocess.run(command, shell=True, cwd=root, check=True)
            workspace.end_command(begun, command)
            if other:
                (root / "n" / other).write_text("of somebody else\n")
                left = [*left, "", "in", other]
            before = _tree(root)
            preview = workspace.call(
                "revert_edit",
                {"change_id": workspace.newest(), "preview": True},
            )
            assert _tree(root) == before
            answer = workspace.call(
                "revert_edit", {"change_id": workspace.newest()}
            )
            assert not preview.is_error, preview.text
            assert not answer.is_error, answer.text
            assert (
                ("n/ stays" in preview.text)
                == ("n/ stays" in answer.text)
                == bool(left)
            )
            wanted = {str(Path("n", each)) for each in left}
            assert {
                str(path.relative_to(root))
                for path in root.rglob("*")
                if path.parts[len(root.parts)] == "n"
            } == wanted
