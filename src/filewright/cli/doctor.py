"""`filewright doctor`: what works here, what is weaker, and transactions that were left unfinished."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from filewright import __version__, system
from filewright.cli import write
from filewright.cli.options import workspace_command
from filewright.errors import FilewrightError
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.boundary.location import Root
    from filewright.workspace import Workspace

_LOOK_SECONDS = 30.0
_RULES = 20
_DAMAGE = 5
"""Damaged changes that are named."""
_WIDTH = len("unfinished changes")


class Finding(NamedTuple):
    """One thing looked at: `good` is None for plain information."""

    what: str
    detail: str
    good: bool | None = None


_MARKS = {
    True: ("ok  ", "green"),
    False: ("weak", "yellow"),
    None: ("    ", ""),
}


@click.command(
    short_help="Say what works here; settle what a crash left.",
    epilog="\b\nExample:\n  filewright doctor --root ~/project",
)
@workspace_command()
@click.option(
    "--leave",
    metavar="CHANGE",
    help="Leave the files of a change that cannot be settled as they are, and call it made.",
)
def doctor(workspace: Workspace, leave: str | None) -> None:
    """Say what is available here, and finish or take back what a crash left behind."""
    if leave is not None:
        workspace.leave_unsettled(leave)
        write(
            f"{leave} is made: its files stay as they are, and `filewright undo {leave}` takes it back"
        )
        return
    # Each is written as it is found: an error further on hides nothing.
    for finding in chain(
        _system(), _engines(), _clients(), _workspace(workspace)
    ):
        mark, colour = _MARKS[finding.good]
        if colour and sys.stdout.isatty():
            mark = click.style(mark, fg=colour)
        write(f"{mark}  {finding.what:<{_WIDTH}}  {finding.detail}")


_PLATFORMS = {
    "linux": ("tested on every change", True),
    "darwin": ("tested with a stand-in for its own calls only", False),
    "win32": ("tested in Wine, not on Windows itself", False),
}
_CAPABILITIES = (
    (
        "kernel_resolution",
        "paths are resolved beneath a root by the kernel",
        "they are walked part by part",
    ),
    (
        "exchange",
        "files are exchanged in one step",
        "one is renamed after the other",
    ),
    (
        "lease",
        "the kernel tells who writes to a file",
        "by time and content only",
    ),
    (
        "attributes",
        "extended attributes are kept",
        "they are lost with the file that is replaced",
    ),
    (
        "confinement",
        "the server confines itself",
        "the boundary alone holds, and git is not asked",
    ),
)
"""What this system may lack, in words: `docs/platforms.md` says more of each."""
_SETTLED = {
    "rolled_back": "change {} taken back",
    "taken_back": "{}",
    "finished": "change {} finished",
    "set_aside": "{} set aside",
    "conflicts": "to look at: {}",
    "waiting": "{} waits for a program to close it",
    "unsettled": "not settled, and kept: {}",
}
"""What a recovery has come to, in words."""


def _system() -> Iterator[Finding]:
    yield Finding(
        "filewright",
        f"{__version__} on Python {platform.python_version()}, {platform.platform()}",
    )
    tested, good = _PLATFORMS.get(sys.platform, ("never tested", False))
    yield Finding("platform", f"{sys.platform}: {tested}", good)
    for name, with_it, without in _CAPABILITIES:
        has = getattr(system.capabilities, name)
        yield Finding(
            name, with_it if has else f"not on this system: {without}", has
        )


def _engines() -> Iterator[Finding]:
    from importlib import metadata

    for package, use in (
        ("mcp", "server"),
        ("google-re2", "regular expressions"),
        ("stringzilla", "literal search"),
        ("rapidfuzz", "fuzzy search"),
        ("chardet", "encodings"),
        ("tree-sitter", "structure"),
    ):
        try:
            yield Finding(package, f"{metadata.version(package)} ({use})", True)
        except metadata.PackageNotFoundError:
            yield Finding(package, f"not installed ({use})", False)
    yield _ripgrep()
    found = sorted(
        name.removeprefix("tree-sitter-")
        for name in {
            str(package.metadata["Name"]).lower()
            for package in metadata.distributions()
        }
        if name.startswith("tree-sitter-")
    )
    yield Finding("languages", ", ".join(found) or "none", bool(found))


def _ripgrep() -> Finding:
    from filewright.boundary.launcher import Launcher, find_program

    engine = find_program("rg")
    if engine is None:
        return Finding(
            "ripgrep", "not found: trees are searched in this process", False
        )
    launcher = Launcher()
    try:
        with launcher.start([engine, "--version"], seconds=10) as child:
            version = child.stdout.readall().decode(errors="replace")
            if child.wait():
                raise OSError(f"status {child.wait()}")
    except (OSError, FilewrightError) as error:
        return Finding("ripgrep", f"{engine} does not run: {error}", False)
    finally:
        launcher.close()
    return Finding(
        "ripgrep", f"{version.partition(chr(10))[0]} ({engine})", True
    )


def _clients() -> Iterator[Finding]:
    from filewright.cli.clients import find_configured_titles

    titles = find_configured_titles()
    yield Finding(
        "clients",
        f"configured in {', '.join(titles)}"
        if titles
        else "none configured: filewright setup CLIENT",
    )


def _workspace(workspace: Workspace) -> Iterator[Finding]:
    from filewright.changes.state_dir import state_base_folder

    for root in workspace.roots:
        yield Finding("root", os.fsdecode(root.path), root.folder.is_writable())
        yield from _denied(workspace, root)
    state = Path(state_base_folder(workspace.settings))
    place = next(
        folder for folder in (state, *state.parents) if folder.exists()
    )
    with system.open_folder(os.fsencode(place)) as folder:
        yield Finding("state folder", f"{state}", folder.is_writable())
    changes = workspace.changes
    for note in changes.state_notes:
        yield Finding("history", note, False)
    yield from _other_histories(workspace, state)
    problems = workspace.log_problems()
    damage = [] if problems else workspace.log_damage(seconds=_LOOK_SECONDS)
    yield Finding(
        "log of changes",
        "; ".join(problems) or join_limited(damage, _DAMAGE) or "sound",
        not (problems or damage),
    )
    if problems:
        return
    try:
        found = workspace.recover()
    except FilewrightError as error:
        yield Finding(
            "unfinished changes", f"not looked at: {error.message}", False
        )
        return
    parts = [
        text.format(each)
        for name, text in _SETTLED.items()
        for each in getattr(found, name)
    ]
    good = not (found.conflicts or found.waiting or found.unsettled)
    yield Finding("unfinished changes", "; ".join(parts) or "none", good)
    if kept := changes.kept_versions:
        yield Finding(
            "kept of conflicts",
            f"{join_limited(kept, 5)}; delete what is not needed any more",
        )
    if left := workspace.left_over(seconds=_LOOK_SECONDS):
        yield Finding(
            "left over",
            f"{join_limited(left, 5)}: no unfinished change names them, so they are "
            "what a damaged or removed history has left; look at them, and delete what is not needed",
            False,
        )


def _other_histories(workspace: Workspace, state: Path) -> Iterator[Finding]:
    """Other folders that hold changes of these roots: by default, or since a client's configuration names them."""
    from filewright.changes.state_dir import state_base_folder
    from filewright.cli.clients import find_named_state_folders
    from filewright.settings import Settings
    from filewright.workspace import Workspace

    usual = state_base_folder(Settings.defaults())
    places = {
        Path(usual),
        Path("~/.local/state/filewright").expanduser(),
        *map(Path, find_named_state_folders()),
    }
    for other in sorted(places - {state}):
        if not other.is_dir():
            continue
        try:
            with Workspace(
                *(os.fsdecode(root.path) for root in workspace.roots),
                read_only=True,
                state_dir=other,
            ) as second:
                count = len(second.history(limit=100))
        except FilewrightError:
            continue  # It is of another version, say: nothing is added to it.
        if count:
            yield Finding(
                "second history",
                f"{other} has {count}{' or more' if count == 100 else ''} changes of these roots: give "
                f"--state-dir {state} wherever filewright is started, or {other} here too",
                False,
            )


def _denied(workspace: Workspace, root: Root) -> Iterator[Finding]:
    from filewright.progress import Task

    try:
        rules = workspace.context.boundary.count_denied_names(
            root, Task(seconds=_LOOK_SECONDS)
        ).most_common()
    except FilewrightError as error:
        yield Finding(
            "kept from agents", f"not counted: {error.message}", False
        )
        return
    for rule, count in rules[:_RULES]:
        # A rule comes as FILE: RULE, a file that cannot be used as a sentence.
        yield Finding(
            "kept from agents",
            f"{count:,} by {rule}",
            None if ": " in rule else False,
        )
    if len(rules) > _RULES:
        yield Finding(
            "kept from agents",
            f"{sum(c for _, c in rules[_RULES:]):,} by {len(rules) - _RULES} more rules",
        )
