"""The command `doctor`, which checks the system and settles unfinished changes.

A check yields its findings one by one, and each is printed at once: an error in a later
check hides nothing.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from filewright import __version__, system
from filewright.cli import write
from filewright.cli.options import workspace_command
from filewright.errors import FilewrightError
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.boundary.location import Root
    from filewright.workspace import Workspace

CHECK_SECONDS = 30.0
"""The time for a check that reads many files."""
MAX_SHOWN_RULES = 20
MAX_SHOWN_ITEMS = 5
"""The most damaged changes, or files, that a finding names."""
MAX_COUNTED_CHANGES = 100
_LABEL_WIDTH = len("unfinished changes")


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check; `is_good` is None for plain information."""

    label: str
    detail: str
    is_good: bool | None = None


_MARKS = {
    True: ("ok  ", "green"),
    False: ("weak", "yellow"),
    None: ("    ", ""),
}


@click.command(
    short_help="Check this system, and finish what a crash interrupted",
    epilog="\b\nExample:\n  filewright doctor --root ~/project",
)
@workspace_command()
@click.option(
    "--leave",
    metavar="CHANGE",
    help="Keep the files of an unsettled change as they are, and record it as made.",
)
def doctor(workspace: Workspace, leave: str | None) -> None:
    """Check this system, and finish or roll back changes that a crash interrupted."""
    if leave is not None:
        workspace.leave_unsettled(leave)
        write(
            f"{leave} is recorded as made: its files stay as they are, and "
            f"`filewright undo {leave}` undoes it"
        )
        return
    findings = chain(
        _check_system(),
        _check_packages(),
        _check_clients(),
        _check_workspace(workspace),
    )
    has_colours = sys.stdout.isatty()
    for finding in findings:
        write(_render_finding(finding, has_colours=has_colours))


def _render_finding(finding: Finding, *, has_colours: bool) -> str:
    """Return the line of a finding."""
    mark, colour = _MARKS[finding.is_good]
    if colour and has_colours:
        mark = click.style(mark, fg=colour)
    return f"{mark}  {finding.label:<{_LABEL_WIDTH}}  {finding.detail}"


_PLATFORMS = {
    "linux": ("tested on every change", True),
    "darwin": ("tested with a stand-in for its own calls only", False),
    "win32": ("tested in Wine, not on Windows itself", False),
}
_CAPABILITIES = (
    (
        "kernel_resolution",
        "paths are resolved beneath a root by the kernel",
        "paths are opened part by part",
    ),
    (
        "exchange",
        "files are exchanged in one step",
        "they are renamed one after the other",
    ),
    (
        "lease",
        "the kernel tells which files are being written",
        "writes are detected by times and contents only",
    ),
    (
        "attributes",
        "extended attributes are kept",
        "they are lost when a file is replaced",
    ),
    (
        "confinement",
        "the server confines itself",
        "only the checks of paths hold, and git is not used",
    ),
)
"""Each capability with the findings for a system that has it, and one that lacks it.

`docs/platforms.md` describes them.
"""
_RECOVERY_TEXTS = {
    "rolled_back": "change {} rolled back",
    "taken_back": "{}",
    "finished": "change {} finished",
    "set_aside": "{} set aside",
    "conflicts": "check this: {}",
    "waiting": "{} waits for a program to close it",
    "unsettled": "unsettled, and kept: {}",
}
"""The text for each list of a recovery's report."""


def _check_system() -> Iterator[Finding]:
    yield Finding(
        "filewright",
        f"{__version__} on Python {platform.python_version()}, {platform.platform()}",
    )
    """Yield the version, the platform and its capabilities."""
    tests, is_good = _PLATFORMS.get(sys.platform, ("never tested", False))
    yield Finding("platform", f"{sys.platform}: {tests}", is_good)
    for name, text_if_present, text_if_missing in _CAPABILITIES:
        is_present = getattr(system.capabilities, name)
        detail = text_if_present
        if not is_present:
            detail = f"not on this system: {text_if_missing}"
        yield Finding(name, detail, is_present)


def _check_packages() -> Iterator[Finding]:
    """Yield the versions of the packages and of ripgrep, and the languages."""
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
    yield _check_ripgrep()
    languages = set()
    for distribution in metadata.distributions():
        name = str(distribution.metadata["Name"]).lower()
        if name.startswith("tree-sitter-"):
            languages.add(name.removeprefix("tree-sitter-"))
    detail = ", ".join(sorted(languages)) or "none"
    yield Finding("languages", detail, bool(languages))


def _check_ripgrep() -> Finding:
    """Return the version of ripgrep, after running it."""
    from filewright.boundary.launcher import Launcher, find_program

    program = find_program("rg")
    if program is None:
        return Finding(
            "ripgrep", "not found: folders are searched without it", False
        )
    launcher = Launcher()
    try:
        with launcher.start([program, "--version"], seconds=10) as child:
            version = child.stdout.readall().decode(errors="replace")
            if child.wait():
                raise OSError(f"status {child.wait()}")
    except (OSError, FilewrightError) as error:
        return Finding("ripgrep", f"{program} does not run: {error}", False)
    finally:
        launcher.close()
    return Finding(
        "ripgrep", f"{version.partition(chr(10))[0]} ({program})", True
    )


def _check_clients() -> Iterator[Finding]:
    """Yield the clients that are configured."""
    from filewright.cli.clients import find_configured_titles

    titles = find_configured_titles()
    detail = "none configured: filewright setup CLIENT"
    if titles:
        detail = f"configured in {', '.join(titles)}"
    yield Finding("clients", detail)


def _check_workspace(workspace: Workspace) -> Iterator[Finding]:
    """Yield the state of the roots, the history, and unfinished changes."""
    from filewright.changes.state_dir import state_base_folder

    for root in workspace.roots:
        yield Finding("root", os.fsdecode(root.path), root.folder.is_writable())
        yield from _count_denied(workspace, root)
    state = Path(state_base_folder(workspace.settings))
    yield Finding("state folder", f"{state}", _can_write(state))
    for note in workspace.changes.state_notes:
        yield Finding("history", note, False)
    yield from _find_other_histories(workspace, state)
    problems = workspace.log_problems()
    if problems:
        # Nothing can be settled by a log that SQLite cannot read.
        yield Finding("log of changes", "; ".join(problems), False)
        return
    damage = workspace.log_damage(seconds=CHECK_SECONDS)
    yield Finding(
        "log of changes",
        join_limited(damage, MAX_SHOWN_ITEMS) or "sound",
        not damage,
    )
    yield from _recover(workspace)


def _can_write(state: Path) -> bool:
    """Return True if the state folder can be written, or made in the folder above."""
    existing = state
    while not existing.exists():
        existing = existing.parent
    with system.open_folder(os.fsencode(existing)) as folder:
        return folder.is_writable()


def _recover(workspace: Workspace) -> Iterator[Finding]:
    """Settle unfinished changes, and yield the outcome and the files that are left."""
    try:
        recovery = workspace.recover()
    except FilewrightError as error:
        yield Finding(
            "unfinished changes", f"not looked at: {error.message}", False
        )
        return
    parts = []
    for name, text in _RECOVERY_TEXTS.items():
        for item in getattr(recovery, name):
            parts.append(text.format(item))
    needs_person = recovery.conflicts or recovery.waiting or recovery.unsettled
    yield Finding(
        "unfinished changes", "; ".join(parts) or "none", not needs_person
    )
    versions = workspace.changes.kept_versions
    if versions:
        yield Finding(
            "kept of conflicts",
            f"{join_limited(versions, MAX_SHOWN_ITEMS)}; delete those that you "
            "do not need",
        )
    leftovers = workspace.left_over(seconds=CHECK_SECONDS)
    if leftovers:
        yield Finding(
            "left over",
            f"{join_limited(leftovers, MAX_SHOWN_ITEMS)}: no unfinished change "
            "names them, so a damaged or removed history has left them; check "
            "them, and delete those that you do not need",
            False,
        )


def _find_other_histories(
    workspace: Workspace, state: Path
) -> Iterator[Finding]:
    """Yield other state folders that have changes of the workspace's roots.

    They are looked for at the default places, and where clients are configured.
    """
    from filewright.changes.state_dir import state_base_folder
    from filewright.cli.clients import find_named_state_folders
    from filewright.settings import Settings

    folders = {
        Path(state_base_folder(Settings.defaults())),
        Path("~/.local/state/filewright").expanduser(),
        *map(Path, find_named_state_folders()),
    }
    for folder in sorted(folders - {state}):
        if not folder.is_dir():
            continue
        count = _count_changes(workspace, folder)
        if not count:
            continue
        number = f"{count}"
        if count == MAX_COUNTED_CHANGES:
            number += " or more"
        yield Finding(
            "second history",
            f"{folder} has {number} changes of these roots: give "
            f"--state-dir {state} wherever filewright is started, or {folder} "
            "here too",
            False,
        )


def _count_changes(workspace: Workspace, state: Path) -> int:
    """Count the changes of the workspace's roots in another state folder.

    A folder that cannot be read, such as one of another version, has none.
    """
    from filewright.workspace import Workspace

    roots = [os.fsdecode(root.path) for root in workspace.roots]
    try:
        with Workspace(*roots, read_only=True, state_dir=state) as other:
            return len(other.history(limit=MAX_COUNTED_CHANGES))
    except FilewrightError:
        return 0


def _count_denied(workspace: Workspace, root: Root) -> Iterator[Finding]:
    """Yield the number of files below a root that are invisible to agents, by rule."""
    from filewright.progress import Task

    label = "kept from agents"
    try:
        counts = workspace.context.boundary.count_denied_names(
            root, Task(seconds=CHECK_SECONDS)
        ).most_common()
    except FilewrightError as error:
        yield Finding(label, f"not counted: {error.message}", False)
        return
    for rule, count in counts[:MAX_SHOWN_RULES]:
        # A rule is "FILE: PATTERN"; an unusable rule file is a sentence instead.
        is_usable = ": " in rule
        yield Finding(
            label, f"{count:,} by {rule}", None if is_usable else False
        )
    rest = counts[MAX_SHOWN_RULES:]
    if rest:
        total = sum(count for _, count in rest)
        yield Finding(label, f"{total:,} by {len(rest)} more rules")
