"""The check of a working tree against its commit, with all that git does to files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.recording.repository import (
    BEFORE,
    CRLF,
    DAMAGED,
    HEALED,
    LF,
    Repository,
)

pytestmark = [
    pytest.mark.extra,  # Each has a repository of its own, and real Git.
    pytest.mark.skipif(
        shutil.which("git", path=os.defpath) is None,
        reason="git is not installed",
    ),
    pytest.mark.skipif(
        sys.platform == "win32", reason="git of the system is not looked for"
    ),
]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


# What is damage


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (BEFORE, DAMAGED, "replaced-bytes, line-endings (2 lines)"),
        (CRLF, LF, "line-endings (3 lines)"),
        (LF, CRLF, "line-endings (3 lines)"),
        (b"\xef\xbb\xbfa\nb\n", b"a\nc\n", "byte-order-mark"),
        (
            "a\r\nb\r\n".encode("utf-16"),
            b"\xff\xfe" + "a\nc\n".encode("utf-16-le"),
            "line-endings (2 lines)",
        ),
        (
            "# café\na\n".encode("latin-1"),
            "# café\nb\n".encode(),
            "encoding (1 line)",
        ),
    ],
    ids=["latin-1", "crlf", "lf", "bom", "utf-16", "utf-8"],
)
def test_reports_damage(
    repository: Repository, before: bytes, after: bytes, kinds: str
) -> None:
    repository.commit("a.txt", before)
    repository.write("a.txt", after)
    assert repository.check() == [f"a.txt: {kinds}"]
    repository.git("add", "a.txt")
    assert repository.check("--staged") == [f"a.txt: {kinds}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a  \nb\n", b"a\nb\n"),
        (b"a\nb", b"a\nb\n"),
        (b"\tif x:\n", b"    if x:\n"),
        (BEFORE, b"# caf\xe9\r\nport = 8080\r\n"),
        (b"", DAMAGED),
        (b"\0\1\2\r\n", b"\0\1\2\n"),
    ],
    ids=["blanks", "last line", "tabs", "edit", "was empty", "binary"],
)
def test_meant_changes_are_none(
    repository: Repository, before: bytes, after: bytes
) -> None:
    repository.commit("a.txt", before)
    repository.write("a.txt", after)
    assert repository.check() == []
    repository.git("add", "a.txt")
    assert repository.check("--staged") == []


def test_lost_execute_bit(repository: Repository) -> None:
    path = repository.write("run.sh", b"#!/bin/sh\n")
    path.chmod(0o755)
    repository.git("add", ".")
    repository.git("commit", "-qm", "a script")
    path.chmod(0o644)
    assert repository.check() == ["run.sh: mode"]
    repository.git("add", "run.sh")
    assert repository.check("--staged") == ["run.sh: mode"]
    assert repository.fix("--staged") == ["healed run.sh: mode"]
    assert repository.git("status", "--short") == b""
    assert path.stat().st_mode & 0o777 == 0o755


def test_execute_bit_of_a_file_system_without_modes(
    repository: Repository,
) -> None:
    path = repository.write("run.sh", b"#!/bin/sh\n")
    path.chmod(0o755)
    repository.git("add", ".")
    repository.git("commit", "-qm", "a script")
    repository.git("config", "core.fileMode", "false")
    path.chmod(0o644)
    assert repository.check() == []


def test_gained_execute_bit_is_meant(repository: Repository) -> None:
    repository.commit("run.sh", b"#!/bin/sh\n").chmod(0o755)
    assert repository.check() == []


def test_links_submodules_and_deleted_files_are_passed(
    repository: Repository,
) -> None:
    (repository.folder / "other").mkdir()
    other = Repository(repository.folder / "other")
    other.commit("x.txt", CRLF)
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q",
        str(other.top), "sub",
    )  # fmt: skip
    repository.commit("a.txt", CRLF)
    (repository.top / "link").symlink_to("a.txt")
    repository.commit("gone.txt", CRLF).unlink()
    repository.git("add", "link")
    repository.git("commit", "-qm", "a link")
    (repository.top / "sub" / "x.txt").write_bytes(LF)
    (repository.top / "link").unlink()
    (repository.top / "link").write_bytes(LF)
    assert repository.check() == []


def test_passes_over_large_files(repository: Repository) -> None:
    large = b"x\r\n" * (6 << 20)
    repository.commit("large.txt", large)
    repository.commit("small.txt", CRLF)
    repository.write("large.txt", large.replace(b"\r", b""))
    repository.write("small.txt", LF)
    found = repository.as_json()
    assert [file["path"] for file in found["files"]] == ["small.txt"]
    assert [file["path"] for file in found["not_compared"]] == ["large.txt"]
    repository.git("add", ".")
    found = repository.as_json("--staged")
    assert [file["path"] for file in found["files"]] == ["small.txt"]
    assert "16 MB" in found["not_compared"][0]["reason"]


def test_excluded_files(repository: Repository) -> None:
    repository.commit("gen/a.txt", CRLF)
    repository.write("gen/a.txt", LF)
    assert repository.check("--guard-exclude", "gen/") == []


# What git converts


def test_autocrlf(repository: Repository) -> None:
    """Git stores LF and checks out CRLF: that is no damage, and LF is none either."""
    repository.commit("a.ini", LF)
    (repository.folder / "home" / ".gitconfig").write_text(
        "[core]\n\tautocrlf = true\n"
    )
    repository.write("a.ini", CRLF.replace(b"two", b"2"))
    assert repository.check() == []
    repository.write("a.ini", LF.replace(b"two", b"2"))
    assert repository.check() == []


def test_autocrlf_of_a_file_that_is_stored_with_crlf(
    repository: Repository,
) -> None:
    repository.commit("a.ini", CRLF)
    repository.git("config", "core.autocrlf", "true")
    repository.write("a.ini", LF)
    assert repository.check() == ["a.ini: line-endings (3 lines)"]


def test_fix_keeps_the_ends_of_the_working_tree(repository: Repository) -> None:
    repository.commit("a.ini", b"# caf\xe9\nport = 80\n")
    repository.git("config", "core.autocrlf", "true")
    path = repository.write("a.ini", b"# caf\xef\xbf\xbd\r\nport = 8080\r\n")
    assert repository.check() == ["a.ini: replaced-bytes (1 line)"]
    repository.fix()
    assert path.read_bytes() == b"# caf\xe9\r\nport = 8080\r\n"
    assert repository.check() == []


@pytest.mark.parametrize(
    "attribute", ["text", "eol=crlf", "text=auto eol=crlf", "crlf=input"]
)
def test_attributes_of_line_ends(
    repository: Repository, attribute: str
) -> None:
    repository.commit(".gitattributes", f"*.ini {attribute}\n".encode())
    repository.commit("a.ini", LF)
    repository.write("a.ini", CRLF.replace(b"two", b"2"))
    assert repository.check() == []


def test_attribute_against_conversion(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    repository.commit(".gitattributes", b"*.ini -text\n")
    repository.commit("a.ini", LF)
    repository.write("a.ini", CRLF)
    assert repository.check() == ["a.ini: line-endings (3 lines)"]


def test_attribute_of_the_user(repository: Repository) -> None:
    attributes = repository.folder / "home" / ".config" / "git" / "attributes"
    attributes.parent.mkdir(parents=True)
    attributes.write_text("*.ini text\n")
    repository.commit("a.ini", LF)
    repository.write("a.ini", CRLF)
    assert repository.check() == []


def test_git_unifies_the_ends_of_staged_text(repository: Repository) -> None:
    repository.commit("a.ini", CRLF)
    repository.commit(".gitattributes", b"*.ini text\n")
    repository.write("a.ini", CRLF.replace(b"two", b"2"))
    repository.git("add", "a.ini")
    assert repository.staged("a.ini") == LF.replace(b"two", b"2")
    assert repository.check("--staged") == []


def test_filtered_file_is_passed_and_nothing_runs(
    repository: Repository,
) -> None:
    trace = repository.folder / "ran"
    for name in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv",
                 "core.fsmonitor", "diff.external", "core.pager",
                 "filter.x.process"):  # fmt: skip
        repository.git("config", name, f"touch {trace}; cat")
    hooks = repository.top / ".git" / "hooks"
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {trace}\n")
        (hooks / hook).chmod(0o755)
    repository.commit("a.big", CRLF)
    repository.commit("b.ini", CRLF)
    repository.commit(".gitattributes", b"*.big filter=x diff=x\n")
    repository.write("a.big", LF)
    repository.write("b.ini", LF)
    trace.unlink(missing_ok=True)
    found = repository.as_json()
    assert [file["path"] for file in found["files"]] == ["b.ini"]
    [passed] = found["not_compared"]
    assert passed["path"] == "a.big"
    assert "filter=x" in passed["reason"]
    repository.fix()
    assert (repository.top / "b.ini").read_bytes() == CRLF
    repository.git("add", "-f", ".")
    repository.write("b.ini", LF)
    repository.git("add", "b.ini")
    trace.unlink(missing_ok=True)
    repository.run("guard", "check", "--staged", "--fix")
    # Before git is asked again, which runs what it is told to.
    assert not trace.exists()
    assert repository.staged("b.ini") == CRLF


# Names and folders


def test_names_that_are_no_utf8(repository: Repository) -> None:
    repository.commit(b"caf\xe9 \n.txt", CRLF)
    repository.write(b"caf\xe9 \n.txt", LF)
    [line] = repository.check()
    assert line == '"caf\\351 \\n.txt": line-endings (3 lines)'
    assert repository.check(os.fsdecode(b"caf\xe9 \n.txt")) == [line]
    repository.fix()
    assert repository.check() == []


def test_linked_worktree(repository: Repository) -> None:
    repository.commit("a.txt", CRLF)
    tree = repository.folder / "tree"
    repository.git("worktree", "add", "-q", str(tree))
    (tree / "a.txt").write_bytes(LF)
    assert repository.check() == []
    assert repository.check(folder=tree) == ["a.txt: line-endings (3 lines)"]
    repository.git("add", "a.txt", folder=tree)
    done = repository.run("guard", "check", "--staged", "--fix", folder=tree)
    assert done.returncode == 0, done.stderr
    assert (tree / "a.txt").read_bytes() == CRLF
    assert repository.git("status", "--short", folder=tree) == b""


def test_borrowed_objects(repository: Repository) -> None:
    repository.commit("a.txt", CRLF)
    clone = repository.folder / "clone"
    repository.git("clone", "-q", "--shared", str(repository.top), str(clone))
    (clone / "a.txt").write_bytes(LF)
    assert repository.check(folder=clone) == ["a.txt: line-endings (3 lines)"]


def test_without_commits(repository: Repository) -> None:
    repository.write("a.txt", CRLF)
    repository.git("add", ".")
    for words in ((), ("--staged",), ("--fix",)):
        done = repository.run("guard", "check", *words)
        assert done.returncode == 0
        assert "no commit yet" in done.stderr


# Revisions and merges


def test_since_where_the_branch_left(repository: Repository) -> None:
    repository.commit("a.txt", CRLF)
    repository.commit("b.txt", CRLF)
    repository.git("switch", "-qc", "topic")
    repository.commit("a.txt", LF)
    repository.git("switch", "-q", "main")
    repository.commit("b.txt", LF)
    repository.git("switch", "-q", "topic")
    assert repository.check() == []
    assert repository.check("--since", "main") == [
        "a.txt: line-endings (3 lines)"
    ]
    said = repository.run("guard", "check", "--since", "main").stderr
    assert "filewright guard check --since main --fix" in said
    assert repository.fix("--since", "main") == [
        "healed a.txt: line-endings (3 lines)"
    ]


def test_merge(repository: Repository) -> None:
    """A merge brings what others have committed; a conflict is passed over."""
    repository.commit("a.txt", CRLF)
    repository.commit("b.txt", CRLF)
    repository.commit("c.txt", CRLF)
    repository.git("switch", "-qc", "topic")
    repository.commit("a.txt", LF)
    repository.commit("b.txt", CRLF.replace(b"two", b"2"))
    repository.git("switch", "-q", "main")
    repository.commit("b.txt", CRLF.replace(b"two", b"zwei"))
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "topic")
    repository.write("c.txt", LF)
    found = repository.as_json()
    assert [file["path"] for file in found["files"]] == ["c.txt"]
    assert [file["path"] for file in found["not_compared"]] == ["b.txt"]
    repository.git("add", "c.txt")
    found = repository.as_json("--staged")
    assert [file["path"] for file in found["files"]] == ["c.txt"]
    assert "conflict" in found["not_compared"][0]["reason"]


# Healing


def test_fix(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    path.chmod(0o640)
    repository.write("a.ini", DAMAGED)
    assert repository.fix() == [
        "healed a.ini: replaced-bytes, line-endings (2 lines)"
    ]
    assert path.read_bytes() == HEALED
    assert path.stat().st_mode & 0o777 == 0o640
    assert repository.fix() == []
    assert path.read_bytes() == HEALED
    newest = repository.run("log").stdout.splitlines()
    assert len(newest) == 1
    assert "Healed a.ini: replaced-bytes, line-endings" in newest[0]
    repository.run("undo", "--yes")
    assert path.read_bytes() == DAMAGED


def test_fix_of_many_files_is_one_change(repository: Repository) -> None:
    for number in range(5):
        repository.commit(f"{number}.txt", CRLF)
        repository.write(f"{number}.txt", LF)
    assert len(repository.fix()) == 5
    repository.run("undo", "--yes")
    assert len(repository.check()) == 5


def test_fix_of_what_is_staged(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    repository.fix("--staged")
    assert repository.staged("a.ini") == HEALED
    assert path.read_bytes() == HEALED
    assert repository.fix("--staged") == []
    assert repository.check("--staged") == []


def test_staged_differs_from_the_working_tree(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    repository.write("a.ini", DAMAGED + b"host = b\n")
    repository.fix("--staged")
    assert repository.staged("a.ini") == HEALED
    assert path.read_bytes() == HEALED + b"host = b\r\n"


def test_working_tree_is_healed_already(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    repository.write("a.ini", HEALED)
    repository.fix("--staged")
    assert repository.staged("a.ini") == HEALED
    assert path.read_bytes() == HEALED


def test_staged_file_is_gone(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    path.unlink()
    repository.fix("--staged")
    assert repository.staged("a.ini") == HEALED
    assert not path.exists()


def test_refuses_where_the_working_tree_cannot_be_healed(
    repository: Repository,
) -> None:
    path = repository.commit("a.ini", b"# caf\xe9\nport = 80\n")
    repository.commit(".gitattributes", b"*.ini text\n")
    repository.write("a.ini", b"# caf\xef\xbf\xbd\nport = 8080\n")
    repository.git("add", "a.ini")
    mixed = b"# caf\xef\xbf\xbd\r\nport = 8080\nhost = b\n"
    repository.write("a.ini", mixed)
    staged = repository.staged("a.ini")
    done = repository.run("guard", "check", "--staged", "--fix")
    assert done.returncode == 1
    assert "not healed: a.ini: its file in the working tree" in done.stderr
    assert path.read_bytes() == mixed
    assert repository.staged("a.ini") == staged


def test_file_that_cannot_be_healed_is_left(repository: Repository) -> None:
    for name in ("a.txt", "b.txt"):
        repository.commit(name, CRLF)
        repository.write(name, LF)
    (repository.folder / "other name").hardlink_to(repository.top / "a.txt")
    done = repository.run("guard", "check", "--fix")
    assert done.returncode == 1
    assert done.stdout == "healed b.txt: line-endings (3 lines)\n"
    assert "not healed: a.txt: it has other names" in done.stderr
    assert repository.check() == ["a.txt: line-endings (3 lines)"]


def test_locked_index(repository: Repository) -> None:
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    (repository.top / ".git" / "index.lock").touch()
    done = repository.run("guard", "check", "--staged", "--fix")
    assert done.returncode == 2
    assert "index" in done.stderr
    assert path.read_bytes() == DAMAGED


def test_keeps_the_index_for_pre_commit(repository: Repository) -> None:
    """It stashes what is not staged as a patch of the index, and applies it again."""
    path = repository.commit("a.ini", BEFORE)
    repository.write("a.ini", DAMAGED)
    repository.git("add", "a.ini")
    repository.environment["PRE_COMMIT"] = "1"
    repository.fix("--staged")
    assert repository.staged("a.ini") == DAMAGED
    assert path.read_bytes() == HEALED


@pytest.mark.parametrize(
    ("words", "is_healed"),
    [(("-a",), True), (("a.ini",), False)],
    ids=["all", "path"],
)
def test_in_a_hook_of_git(
    repository: Repository, words: Sequence[str], is_healed: bool
) -> None:
    """`git commit -a` and `git commit PATH` have an index of their own."""
    repository.commit("a.ini", BEFORE)
    hook = repository.top / ".git" / "hooks" / "pre-commit"
    command = f"{sys.executable} -m filewright guard check --staged --fix"
    hook.write_text(f"#!/bin/sh\nexec {command} 2>{repository.folder}/said\n")
    hook.chmod(0o755)
    repository.write("a.ini", DAMAGED)
    if is_healed:
        repository.git("commit", "-qm", "an edit", *words)
        assert repository.git("show", "HEAD:a.ini") == HEALED
        assert repository.git("status", "--short") == b""
        return
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("commit", "-qm", "an edit", *words)
    assert "commit without paths" in (repository.folder / "said").read_text()
