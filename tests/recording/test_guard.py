"""The guard around edits of a client's own tool, by the hooks that a client calls."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest
from tests.recording.edit_client import BEFORE, DAMAGED, HEALED, Client
from tests.samples import one_in


def close(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()


def test_heals_and_tells_the_model(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == HEALED
    assert "kept the encoding (cp1252)" in said
    assert "the line ends" in said
    assert said.endswith("of a.ini; your edit stays")


def test_undo_of_the_edit_takes_the_healing_along(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE
    client.run("redo", "--yes")
    assert path.read_bytes() == HEALED


def test_rewind_takes_the_healing_along(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    client.run("rewind", "last", "--yes")
    assert path.read_bytes() == BEFORE


def test_log_names_the_guard(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    edit, healing = client.run("log").splitlines()
    assert "  Edited a.ini  [" in edit
    assert (
        "  Healed a.ini: replaced-bytes, line-endings, final-newline  "
        f"[undone with {edit.split()[0]}]"
    ) in healing
    # Without its edit it is a row like any other.
    (row,) = client.run("log", "-n", "1").splitlines()[:-1]
    assert "  Healed a.ini: replaced-bytes" in row
    assert "[undoes some of " in row


def test_warns(client: Client) -> None:
    client.options = ["--guard", "warn"]
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == DAMAGED
    assert "damaged 3 untouched lines" in said
    assert "filewright undo" in said


def test_is_off_by_default(client: Client) -> None:
    client.options = []
    path = client.write("a.ini", BEFORE)
    assert client.edit(path, lambda: path.write_bytes(DAMAGED)) == ""
    assert path.read_bytes() == DAMAGED


def test_leaves_excluded_files(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILEWRIGHT_GUARD_EXCLUDE", "*.ini")
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == DAMAGED


def test_two_edits_of_one_file(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    again = HEALED.replace(b"\xe9", b"\xef\xbf\xbd").replace(b"last", b"first")
    second = {"old_string": "last", "new_string": "first"}
    client.edit(path, lambda: path.write_bytes(again), **second)
    assert path.read_bytes() == HEALED.replace(b"last", b"first")
    client.run("undo", "--yes")
    assert path.read_bytes() == HEALED
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE


def test_keeps_what_a_formatter_did(client: Client) -> None:
    path = client.write("a.ini", b"# caf\xe9\nport = 80\nlist = [1,2]\n")
    formatted = b"# caf\xef\xbf\xbd\nport = 8080\nlist = [1, 2]\n"
    client.edit(path, lambda: path.write_bytes(formatted))
    assert path.read_bytes() == b"# caf\xe9\nport = 8080\nlist = [1, 2]\n"


def test_gives_back_permissions(client: Client) -> None:
    path = client.write("run.sh", b"port = 80\n")
    path.chmod(0o755)

    def replace() -> None:
        path.unlink()
        path.write_bytes(b"port = 8080\n")
        path.chmod(0o644)

    assert "the permissions" in client.edit(path, replace)
    assert path.stat().st_mode & 0o777 == 0o755
    assert path.read_bytes() == b"port = 8080\n"


@pytest.mark.parametrize(
    "name", ["created", "deleted", "renamed", "linked", "binary"]
)
def test_leaves_other_changes(client: Client, name: str) -> None:
    other = client.write("other", b"other\n")
    path = client.write("a.ini", b"\x00\xff" if name == "binary" else BEFORE)
    new = client.project / "b.ini"

    def change() -> None:
        match name:
            case "created":
                new.write_bytes(DAMAGED)
            case "deleted":
                path.unlink()
            case "renamed":
                path.rename(new)
            case "linked":
                path.unlink()
                path.symlink_to(other)
            case _:
                path.write_bytes(b"\x00\xff\n")

    client.edit(path, change)
    assert "guard:" not in client.run("log")


def test_large_file(client: Client) -> None:
    path = client.write("a.ini", BEFORE + b"\n#" * (9 << 20))
    damaged = DAMAGED + b"#\n" * (9 << 20)
    said = client.edit(path, lambda: path.write_bytes(damaged))
    assert path.read_bytes() == damaged
    assert "above 16 MB" in said


def test_shell_commands_are_not_healed(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    told = {
        "session_id": "s1", "cwd": str(client.project), "tool_name": "Bash",
        "tool_use_id": "u1", "tool_input": {"command": "dos2unix a.ini"},
    }  # fmt: skip
    client.run(
        "snapshot",
        "begin",
        "--hook",
        told={**told, "hook_event_name": "PreToolUse"},
    )
    path.write_bytes(BEFORE.replace(b"\r\n", b"\n"))
    words = ("snapshot", "end", "--hook", "--guard", "heal")
    client.run(*words, told={**told, "hook_event_name": "PostToolUse"})
    assert path.read_bytes() == BEFORE.replace(b"\r\n", b"\n")


# Links and permissions


def test_warns_of_a_replaced_link(client: Client) -> None:
    target = client.write("target.ini", BEFORE)
    path = client.project / "a.ini"
    path.symlink_to("target.ini")

    def replace() -> None:
        path.unlink()
        path.write_bytes(DAMAGED)

    said = client.edit(path, replace)
    assert "a symbolic link to target.ini" in said
    assert "then edit target.ini" in said
    assert path.read_bytes() == DAMAGED
    assert "guard: a.ini: symlink; " in client.run("show")
    client.run("undo", "--yes")
    assert path.is_symlink()
    assert target.read_bytes() == BEFORE


def test_heals_through_a_link(client: Client) -> None:
    target = client.write("folder/target.ini", BEFORE)
    path = client.project / "a.ini"
    path.symlink_to("folder/target.ini")
    assert "kept" in client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.is_symlink()
    assert target.read_bytes() == HEALED


def test_heals_in_a_linked_folder(client: Client) -> None:
    client.write("folder/a.ini", BEFORE)
    (client.project / "link").symlink_to("folder")
    path = client.project / "link" / "a.ini"
    assert "kept" in client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == HEALED


def test_warns_of_a_broken_hard_link(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    (client.project / "b.ini").hardlink_to(path)

    def replace() -> None:
        path.unlink()
        path.write_bytes(DAMAGED)

    said = client.edit(path, replace)
    assert "2 names (hard links)" in said
    assert "ln -f" in said
    assert path.read_bytes() == HEALED
    assert "guard: a.ini: hard-link; " in client.run("log")


def test_warns_of_damage_to_a_hard_link(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    (client.project / "b.ini").hardlink_to(path)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert "could not be healed: a.ini has 2 names" in said
    assert path.read_bytes() == DAMAGED
    assert "guard: a.ini: replaced-bytes, line-endings" in client.run("log")


def test_heals_a_mode_alone(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    path.chmod(0o444)

    def replace() -> None:
        path.unlink()
        path.write_bytes(HEALED)

    said = client.edit(path, replace)
    assert "kept the permissions of a.ini" in said
    assert path.stat().st_mode & 0o777 == 0o444


# Times


@pytest.mark.parametrize("name", ["qwen", "claude-code"])
def test_keeps_the_time_for_qwen(client: Client, name: str) -> None:
    client.name = name
    path = client.write("a.ini", b"\xef\xbb\xbfa\rport = 80\n")
    damaged = b"\xef\xbb\xbfa\nport = 8080\n"

    def damage() -> None:
        path.write_bytes(damaged)
        os.utime(path, ns=(10**18, 10**18))

    said = client.edit(path, damage)
    assert path.read_bytes() == damaged.replace(b"a\n", b"a\r")
    assert "again" not in said
    assert (path.stat().st_mtime_ns == 10**18) is (name == "qwen")
    # The next edit is recorded from there.
    again = damaged.replace(b"8080", b"9090")
    edit = {"old_string": "8080", "new_string": "9090"}
    client.edit(path, lambda: path.write_bytes(again), **edit)
    assert path.read_bytes() == again.replace(b"a\n", b"a\r")
    client.run("undo", "--yes")
    client.run("undo", "--yes")
    assert path.read_bytes() == b"\xef\xbb\xbfa\rport = 80\n"


def test_tells_qwen_to_read_again(client: Client) -> None:
    client.name = "qwen"
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert said.endswith("; read the file again before you edit it")


# Contents before


def test_heals_in_a_tree_over_budget(client: Client) -> None:
    # The hook leaves a process behind, which stores the other files.
    client.program = "from filewright import cli; cli.main()"
    for number in range(800):
        client.write(f"folder{number % 30}/{number}/a.ini", b"%d\n" % number)
    rest = (b"\n" + b"#" * 300 + b"\r") * 7000
    big = client.write("folder7/787/big.ini", BEFORE + rest)
    path = client.write("folder7/787/b.ini", BEFORE)
    for file in (big, path):
        os.utime(file, ns=(0, 0))
    damaged = DAMAGED + rest[1:].replace(b"\r", b"") + b"\n"
    patch = "".join(
        f"*** Update File: {file}\n@@\n-port = 80\n+port = 8080\n"
        for file in (big, path)
    )
    patch = f"*** Begin Patch\n{patch}*** End Patch\n"

    def change() -> None:
        big.write_bytes(damaged)
        path.write_bytes(DAMAGED)

    client.edit(None, change, command=patch)
    assert path.read_bytes() == HEALED
    assert big.read_bytes() == HEALED + rest


def test_heals_several_files_of_a_patch(client: Client) -> None:
    paths = [client.write(f"{number}.ini", BEFORE) for number in range(5)]
    patch = "".join(
        f"*** Update File: {path.name}\n@@\n-port = 80\n+port = 8080\n"
        for path in paths
    )
    patch = (
        f"*** Begin Patch\n*** Add File: new.ini\n+new\n{patch}*** End Patch\n"
    )

    def change() -> None:
        for path in paths:
            path.write_bytes(DAMAGED)
        client.write("new.ini", b"new\n")

    said = client.edit(None, change, command=patch)
    assert said.count("filewright kept") == 5
    assert {path.read_bytes() for path in paths} == {HEALED}
    client.run("undo", "--yes")
    assert {path.read_bytes() for path in paths} == {BEFORE}


@pytest.mark.parametrize("more", [0, 1])
def test_size_limit(client: Client, more: int) -> None:
    filler = b"\n" + b"#" * ((16 << 20) - len(BEFORE) - 2 - 21 + more) + b"\r"
    path = client.write("a.ini", BEFORE + filler + b"#" * 21)
    healed = path.read_bytes().replace(b"= 80", b"= 8080")
    damaged = healed.replace(b"\r\n", b"\n")
    assert len(path.read_bytes()) == (16 << 20) + more
    said = client.edit(path, lambda: path.write_bytes(damaged))
    assert ("above 16 MB" in said) is bool(more)
    assert path.read_bytes() == (damaged if more else healed)


# Paths


@pytest.mark.parametrize("form", ["relative", "home", "url", "dots"])
def test_forms_of_paths(
    client: Client, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(client.project))
    path = client.write("a folder/a.ini", BEFORE)
    named = {
        "relative": "a folder/a.ini",
        "home": "~/a folder/a.ini",
        "url": path.as_uri(),
        "dots": f"{client.project}/b/../a folder/./a.ini",
    }[form]
    client.edit(named, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == HEALED


@pytest.mark.parametrize(
    "named", ["other.ini", "C:\\project\\a.ini", "a\0b", "\ud800", "x" * 5000]
)
def test_leaves_files_that_are_not_named(client: Client, named: str) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(named, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == DAMAGED
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE


def test_leaves_denied_files(client: Client) -> None:
    client.write(".agentsignore", b"a.ini\n")
    path = client.write("a.ini", BEFORE)
    assert client.edit(path, lambda: path.write_bytes(DAMAGED)) == ""
    assert path.read_bytes() == DAMAGED


def test_leaves_protected_files(client: Client) -> None:
    path = client.write(".git/config", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == DAMAGED


def test_leaves_files_outside(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "outside.ini"
    path.write_bytes(BEFORE)
    assert client.edit(path, lambda: path.write_bytes(DAMAGED)) == ""
    assert path.read_bytes() == DAMAGED


# Several edits at once


@pytest.mark.parametrize(
    "order",
    one_in(2, ["aAbB", "abAB", "abBA", "a1bA2B", "ab1A2B", "a1b2AB", "a1b2BA"]),
)
def test_edits_at_once(client: Client, order: str) -> None:
    """Begin `a`, end `A`; the tool of it writes at 1, or at its end."""
    path = client.write("a.ini", BEFORE)
    uses = [
        client.use(path),
        client.use(path, old_string="last", new_string="first"),
    ]

    def write(number: int) -> None:
        text = path.read_bytes().decode("utf-8", "replace")
        texts = uses[number]["tool_input"]
        text = text.replace(texts["old_string"], texts["new_string"])
        path.write_bytes(text.replace("\r\n", "\n").encode())

    written = set()
    for step in order:
        if step in "ab":
            client.begin(uses["ab".index(step)])
        elif step in "12":
            write("12".index(step))
            written.add("AB"["12".index(step)])
        else:
            if step not in written:
                write("AB".index(step))
            said = client.end(uses["AB".index(step)])
            assert "as it is" not in said
    assert path.read_bytes() == HEALED.replace(b"last", b"first")
    assert "guard failed" not in client.run("log")


def test_hooks_of_many_processes(client: Client) -> None:
    paths = [client.write(f"{number}.ini", BEFORE) for number in range(6)]
    uses = [client.use(path) for path in paths]

    def run_all(*words: str, event: str) -> None:
        hooks = [
            client.start(*words, told={**use, "hook_event_name": event})
            for use in uses
        ]
        for process in hooks:
            assert process.wait() == 0
            close(process)

    run_all("snapshot", "begin", "--hook", event="PreToolUse")
    for path in paths:
        path.write_bytes(DAMAGED)
    run_all(*client.end_words(), event="PostToolUse")
    assert {path.read_bytes() for path in paths} == {HEALED}


def test_another_save_wins(client: Client) -> None:
    client.program = SAVE_AT_CHECK
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == b"saved\n"
    assert "another program has saved it since" in said
    assert "guard: a.ini: left as it is; another" in client.run("show")


SAVE_AT_CHECK = """
from pathlib import Path
from filewright import cli
from filewright.recording.guard import Guard

def check(*given, real=Guard.check):
    Path("a.ini").write_bytes(b"saved\\n")
    return real(*given)

Guard.check = check
cli.main()
"""

FAIL = """
from filewright import cli
from filewright.recording import guard

def heal_plain_edit(*given):
    raise KeyError("fault")

guard.heal_plain_edit = heal_plain_edit
cli.main()
"""


def test_failure_does_not_fail_the_hook(client: Client) -> None:
    client.program = FAIL
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert "KeyError('fault')" in said
    assert path.read_bytes() == DAMAGED
    assert "Edited a.ini" in client.run("log")
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE


@pytest.mark.parametrize("seed", range(6))
def test_killed_hooks(client: Client, seed: int) -> None:
    rng = random.Random(seed)
    path = client.write("a.ini", BEFORE)
    use = client.use(path)
    client.begin(use)
    path.write_bytes(DAMAGED)
    told = {**use, "hook_event_name": "PostToolUse"}
    process = client.start(*client.end_words(), told=told)
    time.sleep(rng.random() * 0.3)
    process.kill()
    process.wait()
    close(process)
    assert path.read_bytes() in (DAMAGED, HEALED)
    # The client goes on.
    now = path.read_bytes()
    edit = {"old_string": "last", "new_string": "first"}
    after = now.decode("utf-8", "replace").replace("last", "first").encode()
    client.edit(path, lambda: path.write_bytes(after), **edit)
    assert path.read_bytes() in (
        DAMAGED.replace(b"last", b"first"),
        HEALED.replace(b"last", b"first"),
    )
    client.run("rewind", "last", "--yes")
    assert path.read_bytes() == BEFORE


def test_malformed_arguments(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    for arguments in (
        {"old_string": ["port"], "new_string": {}},
        {"edits": [None, 3, {"old_string": "port = 80"}] * 1000},
        {"edits": [{"old_string": "= 80", "new_string": "= 80"}] * 5000},
        {"old_string": "\ud800", "new_string": "\udfff"},
        {"content": None},
    ):
        path.write_bytes(BEFORE)
        client.edit(path, lambda: path.write_bytes(DAMAGED), **arguments)
        # Without its arguments the edit is what differs as text.
        assert path.read_bytes() in (HEALED, HEALED + b"\r\n"), arguments
