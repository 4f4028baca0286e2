"""No process opens a denied file, as tracing all of them shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.test_denied import (
    CALLS,
    DENIED,
    DENIED_PATHS,
    LINKS,
    build,
    placed,
    whole_tree,
)

pytestmark = outside.needs_tracing

CALL = (
    outside.MAY_BE_TRACED
    + """
say("begun")
hear()
for number, (root, surface, calls) in enumerate(given["jobs"]):
    with Workspace(root, state_dir=f"{given['state']}/{number}") as workspace:
        offer = workspace.offer(surface)
        for tool, arguments in calls:
            offer.call(tool, arguments)
say(None)
"""
)

OPENING = "trace=open,openat,openat2"
_OPENED = re.compile(r"\bopen(?:at2?)?\((.*)\) += \d+<([^>]*)>")
RULES = "vault.log\n/trees/kept/\n/lib/\n*.key\n!public.key\nsecret.txt\n/private/\n"


def git(folder: Path, *words: str) -> None:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    who = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "protocol.file.allow=always",
    ]
    subprocess.run(
        ["git", *who, *words],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with denied files, folders, links to them, a denied submodule and a denied worktree."""
    top = tmp_path_factory.mktemp("denied")
    root = top / "root"
    build(root, denied=True)
    (root / ".agentsignore").write_text(RULES)
    # The walk comes back to the root after the folder `free`: what is denied there comes between.
    (root / "vault.log").write_text(
        "API_KEY=k7fq2\n" + "nothing to see\n" * 1000
    )
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
    return copied(template, tmp_path / "root")


def copied(template: Path, root: Path) -> Path:
    shutil.copytree(template, root, symlinks=True)
    return root


def denied(root: Path) -> set[str]:
    """All that is denied below the root, and is there."""
    tops = [*DENIED, "vault.log", "lib", "trees/kept", "private"]
    below = [
        str(path.relative_to(root))
        for top in ("lib", "trees/kept", "private")
        for path in (root / top).rglob("*")
    ]
    return {str(root / name) for name in (*tops, *below)}


Job = tuple[Path, str | None, list[tuple[str, dict[str, Any]]]]
"""A root, a set of tools, and calls of them."""


def traced(program: str, log: Path, given: dict[str, Any]) -> Any:
    """Run a program, and return what it says after it was begun; log what it opens from then on."""
    with outside.Beside(program, given) as child:
        assert child.hear() == "begun"
        # Each process has a log of its own, with the path of each descriptor.
        child.trace("-ff", "-y", "-s", "4096", "-e", OPENING, "-o", str(log))
        child.say("go")
        said = child.hear()
        assert child.ended() == 0
    return said


def opened(place: Path, jobs: list[Job]) -> list[list[str]]:
    """For each job every opening, by any process, of something below its root; those that only look (`O_PATH`) are
    none."""
    log = place / "trace"  # one for each process
    given = [
        (root, surface, placed(calls, root)) for root, surface, calls in jobs
    ]
    traced(CALL, log, {"jobs": given, "state": place / "state"})
    names = [
        found[2]
        for trace in place.glob("trace.*")
        for line in trace.read_text(errors="replace").splitlines()
        if (found := _OPENED.search(line)) and "O_PATH" not in found[1]
    ]
    return [
        [name for name in names if name.startswith(f"{root}/")]
        for root, _, _ in jobs
    ]


PATHS = [
    *(path for path in DENIED_PATHS if path not in LINKS),
    "vault.log",
    "lib",
    "lib/inner.py",
    "trees/kept/open.txt",
    "to-lib",
    "to-tree/open.txt",
]


@pytest.mark.extra
@pytest.mark.parametrize(
    "step", [8, pytest.param(1, marks=pytest.mark.sweep)], ids=["some", "all"]
)
def test_nobody_opens_what_is_denied(
    template: Path, tmp_path: Path, step: int
) -> None:
    """Look at one path in `step` with each set of tools."""
    jobs: list[Job] = []
    for number, surface in enumerate(CALLS):
        paths = PATHS[number % step :: step]
        calls = [
            call
            for path in (*paths, "open.txt")
            for call in CALLS[surface](path)
        ]
        calls = [*whole_tree(surface), *calls, *whole_tree(surface)]
        root = copied(template, tmp_path / surface)
        jobs.append((root, None if surface == "native" else surface, calls))
    for (root, surface, _), names in zip(
        jobs, opened(tmp_path, jobs), strict=True
    ):
        assert str(root / "open.txt") in names, f"no trace of {surface}"
        assert not {*names} & denied(root), surface


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
    roots = [root, copied(root, tmp_path / "copy")]
    jobs: list[Job] = []
    for each, pattern in zip(roots, ("API_KEY=k", "API_KEY=x"), strict=True):
        searches = [
            ("search_content", {"pattern": pattern, **options})
            for options in SEARCHES
        ]
        jobs.append((each, None, searches))
    read = [
        sorted(name.removeprefix(f"{each}/") for name in names)
        for each, names in zip(roots, opened(tmp_path, jobs), strict=True)
    ]
    assert read[0] == read[1]
    assert read[0].count("zz.txt") >= len(SEARCHES)
    assert not {str(root / name) for name in read[0]} & denied(root)


def test_what_was_shown_is_not_looked_at_again_where_it_is_denied_by_now(
    root: Path, tmp_path: Path
) -> None:
    (root / "way-in").symlink_to("free")
    program = (
        outside.MAY_BE_TRACED
        + """
import pathlib
say("begun")
hear()
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
    )
    log = tmp_path / "trace"
    said = traced(program, log, {"root": root, "state": tmp_path / "state"})
    assert "since you read it" not in said
    traces = [
        trace.read_text(errors="replace") for trace in tmp_path.glob("trace.*")
    ]
    (after,) = (
        rest
        for _, mark, rest in (
            text.partition('/zz.txt", O_RDONLY') for text in traces
        )
        if mark
    )
    later = {
        found[2]
        for line in after.splitlines()
        if (found := _OPENED.search(line)) and "O_PATH" not in found[1]
    }
    assert str(root / ".agentsignore") in later
    assert not later & {
        str(root / name) for name in ("free", "free/a.txt", "sub/open.py")
    }


def linked(root: Path) -> None:
    (root / ".git" / "objects").rename(root / "store")
    (root / ".git" / "objects").symlink_to("../store")


def borrowed(root: Path) -> None:
    (root / ".git" / "objects").rename(root / "store")
    (root / ".git" / "objects" / "info").mkdir(parents=True)
    (root / ".git" / "objects" / "info" / "alternates").write_text(
        "../../store\n"
    )


def as_it_was(root: Path) -> None:
    pass


GIT: list[tuple[str, Callable[[Path], None], str | None]] = [
    ("/.git/objects/", as_it_was, ".git/objects"),
    ("**/objects/info/", as_it_was, ".git/objects/info"),
    ("/store/", linked, "store"),
    ("/store/", borrowed, "store"),
    ("# nothing", as_it_was, None),
]
"""A rule, what is done to the repository, and what is denied by it."""


@pytest.mark.needs("confinement")  # or git is not run
def test_git_opens_nothing_that_is_denied(
    template: Path, tmp_path: Path
) -> None:
    roots = [
        copied(template, tmp_path / f"root{number}")
        for number in range(len(GIT))
    ]
    for root, (rule, prepare, _) in zip(roots, GIT, strict=True):
        prepare(root)
        (root / ".agentsignore").write_text(f"{rule}\n")
        (root / "sub" / "open.py").write_text("def f():\n    return 'other'\n")
    call = ("get_overview", {"path": "sub/open.py", "since": "HEAD"})
    seen = opened(tmp_path, [(root, None, [call]) for root in roots])
    for root, names, (rule, _, denied_below) in zip(
        roots, seen, GIT, strict=True
    ):
        objects = [
            name for name in names if re.search(r"/objects/[0-9a-f]{2}/", name)
        ]
        assert bool(objects) == (denied_below is None), (rule, objects)
        assert not any(
            f"{name}/".startswith(f"{root}/{denied_below}/") for name in names
        ), rule
