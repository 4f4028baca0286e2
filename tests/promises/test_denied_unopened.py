"""What is denied is not opened by anybody: seen by tracing every process, not by what is answered."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.test_denied import CALLS, DENIED, DENIED_PATHS, LINKS, build, placed, whole_tree

pytestmark = outside.needs_tracing

CALL = """
with Workspace(given["root"], state_dir=given["state"]) as workspace:
    offer = workspace.offer(given["surface"])
    for tool, arguments in given["calls"]:
        offer.call(tool, arguments)
say(None)
"""

_OPENED = re.compile(r"\bopen(?:at2?)?\((.*)\) += \d+<([^>]*)>")
RULES = "vault.log\n/trees/kept/\n/lib/\n*.key\n!public.key\nsecret.txt\n/private/\n"


def git(folder: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *who, *words], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with denied files, folders, links to them, a denied submodule and a denied worktree."""
    top = tmp_path_factory.mktemp("denied")
    root = top / "root"
    build(root, denied=True)
    (root / ".agentsignore").write_text(RULES)
    # The walk comes back to the root after the folder `free`: what is denied there comes between.
    (root / "vault.log").write_text("API_KEY=k7fq2\n" + "nothing to see\n" * 1000)
    (root / "zz.txt").write_text("word\n")
    (top / "other").mkdir()
    (top / "other" / "inner.py").write_text("def f():\n    return 'canary'\n")
    for folder in (top / "other", root):
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "first")
    git(root, "submodule", "add", "-q", str(top / "other"), "lib")
    git(root, "worktree", "add", "-q", "-b", "kept", "trees/kept")
    (root / "to-lib").symlink_to("lib/inner.py")
    (root / "to-tree").symlink_to("trees/kept")
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    shutil.copytree(template, tmp_path / "root", symlinks=True)
    return tmp_path / "root"


def denied(root: Path) -> set[str]:
    """All that is denied below the root, and is there."""
    tops = [*DENIED, "vault.log", "lib", "trees/kept", "private"]
    below = [
        str(path.relative_to(root))
        for top in ("lib", "trees/kept", "private")
        for path in (root / top).rglob("*")
    ]
    return {str(root / name) for name in (*tops, *below)}


def opened(
    root: Path, state: Path, surface: str | None, calls: list[tuple[str, dict[str, Any]]]
) -> Iterator[str]:
    """Every opening, by any process, of something below the root; those that only look (`O_PATH`) are none."""
    log = state.with_suffix(".trace")  # one for each process
    under = ["strace", "-ff", "-qq", "-y", "--seccomp-bpf", "-s", "4096", "-e", "trace=open,openat,openat2"]
    given = {"root": root, "state": state, "surface": surface, "calls": placed(calls, root)}
    outside.run(CALL, under=[*under, "-o", str(log)], **given)
    traces = log.parent.glob(f"{log.name}.*")
    for line in (line for trace in traces for line in trace.read_text(errors="replace").splitlines()):
        if (found := _OPENED.search(line)) and "O_PATH" not in found[1] and found[2].startswith(f"{root}/"):
            yield found[2]


@pytest.mark.parametrize("surface", CALLS)
def test_nobody_opens_what_is_denied(root: Path, tmp_path: Path, surface: str) -> None:
    paths = [
        *DENIED_PATHS,
        "vault.log",
        "lib",
        "lib/inner.py",
        "trees/kept/open.txt",
        "to-lib",
        "to-tree/open.txt",
    ]
    calls = [
        *whole_tree(surface),
        *(call for path in paths if path not in LINKS for call in CALLS[surface](path)),
    ]
    calls += whole_tree(surface)
    seen = set(opened(root, tmp_path / "state", None if surface == "native" else surface, calls))
    assert str(root / "open.txt") in seen, "the trace shows nothing"
    assert not seen & denied(root)


SEARCHES: list[dict[str, Any]] = [
    {},
    {"include_ignored": True},
    {"output": "counts"},
    {"mode": "regex", "multiline": True},
    {"glob": "**/*"},
    {"case": "insensitive"},
]


def test_a_search_reads_the_same_whether_or_not_a_denied_file_holds_what_is_sought(
    root: Path, tmp_path: Path
) -> None:
    read = []
    for pattern in ("API_KEY=k", "API_KEY=x"):
        searches = [("search_content", {"pattern": pattern, **options}) for options in SEARCHES]
        read.append(sorted(opened(root, tmp_path / f"state-{pattern}", None, searches)))
    assert read[0] == read[1]
    assert read[0].count(str(root / "zz.txt")) >= len(SEARCHES)
    assert not set(read[0]) & denied(root)


def test_what_was_shown_is_not_looked_at_again_where_it_is_denied_by_now(root: Path, tmp_path: Path) -> None:
    (root / "way-in").symlink_to("free")
    program = """
import pathlib
root = pathlib.Path(given["root"])
with Workspace(root, state_dir=given["state"]) as workspace:
    for path in ("free/a.txt", "way-in/a.txt", "sub/open.py"):
        assert not workspace.call("read_content", {"path": path}).is_error
    with open(root / ".agentsignore", "a") as rules:
        rules.write("/free/\\nopen.py\\n")
    os.close(os.open(root / "zz.txt", os.O_RDONLY))
    for name in ("free/a.txt", "sub/open.py"):
        os.truncate(root / name, 0)
    say(workspace.call("list_files", {"path": "."}).text)
"""
    log = tmp_path / "trace"
    under = ["strace", "-ff", "-qq", "-y", "--seccomp-bpf", "-e", "trace=open,openat,openat2", "-o", str(log)]
    said = outside.run(program, under=under, root=root, state=tmp_path / "state")
    assert "since you read it" not in said
    traces = [trace.read_text(errors="replace") for trace in tmp_path.glob("trace.*")]
    (after,) = (rest for _, mark, rest in (text.partition('/zz.txt", O_RDONLY') for text in traces) if mark)
    later = {
        found[2]
        for line in after.splitlines()
        if (found := _OPENED.search(line)) and "O_PATH" not in found[1]
    }
    assert str(root / ".agentsignore") in later
    assert not later & {str(root / name) for name in ("free", "free/a.txt", "sub/open.py")}


def linked(root: Path) -> None:
    (root / ".git" / "objects").rename(root / "store")
    (root / ".git" / "objects").symlink_to("../store")


def borrowed(root: Path) -> None:
    (root / ".git" / "objects").rename(root / "store")
    (root / ".git" / "objects" / "info").mkdir(parents=True)
    (root / ".git" / "objects" / "info" / "alternates").write_text("../../store\n")


def as_it_was(root: Path) -> None:
    pass


@pytest.mark.needs("confine")  # or git is not run
@pytest.mark.parametrize(
    ("rule", "prepare", "denied_below"),
    [
        ("/.git/objects/", as_it_was, ".git/objects"),
        ("**/objects/info/", as_it_was, ".git/objects/info"),
        ("/store/", linked, "store"),
        ("/store/", borrowed, "store"),
        ("# nothing", as_it_was, None),
    ],
)
def test_git_opens_nothing_that_is_denied(
    root: Path, tmp_path: Path, rule: str, prepare: Callable[[Path], None], denied_below: str | None
) -> None:
    prepare(root)
    (root / ".agentsignore").write_text(f"{rule}\n")
    (root / "sub" / "open.py").write_text("def f():\n    return 'other'\n")
    call = ("get_overview", {"path": "sub/open.py", "since": "HEAD"})
    seen = set(opened(root, tmp_path / "state", None, [call]))
    objects = [name for name in seen if re.search(r"/objects/[0-9a-f]{2}/", name)]
    assert bool(objects) == (denied_below is None), objects
    assert not any(f"{name}/".startswith(f"{root}/{denied_below}/") for name in seen)
