"""The command `doctor`, which checks the system and finishes interrupted changes.

The verdict comes first, so the findings are collected; an error in a later check hides
none of them.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from filewright import __version__, system
from filewright.cli import write
from filewright.cli.columns import Styled
from filewright.cli.options import json_option, workspace_command
from filewright.cli.terminal import has_colours, show_progress, write_json
from filewright.errors import FilewrightError
from filewright.wording import join_limited, pluralize

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


Status = Literal["good", "limit", "problem", "plain"]
"""The status of a finding: this system sets a limit, the user can solve a problem."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check."""

    label: str
    detail: str
    status: Status = "plain"


_MARKS: Mapping[Status, Styled] = {
    "good": Styled("ok  ", "green"),
    "limit": Styled("weak", "yellow"),
    "problem": Styled("look", "red"),
    "plain": Styled("    "),
}
"""The mark before each finding."""


@click.command(
    short_help="Check this system, and finish what a crash interrupted",
    epilog="\b\nExample:\n  filewright doctor --root ~/project",
)
@json_option
@workspace_command()
@click.option(
    "--leave",
    metavar="CHANGE",
    help="Keep the files of an unsettled change as they are, and record it as made.",
)
def doctor(workspace: Workspace, *, leave: str | None, as_json: bool) -> None:
    """Check this system, and finish or roll back changes that a crash interrupted.

    The first line is the verdict.
    """
    if leave is not None:
        workspace.leave_unsettled(leave)
        write(
            f"change {leave} is recorded as made: its files stay as they are, "
            f"and `filewright undo {leave}` undoes it"
        )
        return
    from filewright.cli.setup.clients import find_configured_titles

    clients = find_configured_titles()
    checks = chain(
        _check_system(),
        _check_packages(),
        _describe_clients(clients),
        _check_workspace(workspace),
    )
    findings: list[Finding] = []
    try:
        with show_progress("checking", CHECK_SECONDS):
            findings.extend(checks)
    finally:
        # What was found before an error helps to understand it.
        verdict = judge(findings, has_clients=bool(clients))
        if as_json:
            write_json(_to_json(verdict, findings))
        else:
            _write_findings(verdict, findings)


def judge(findings: Sequence[Finding], *, has_clients: bool) -> str:
    """Return the verdict on all findings: what works, and what to do."""
    problems: list[str] = []
    limits: list[str] = []
    for finding in findings:
        if finding.status == "problem":
            problems.append(finding.label)
        elif finding.status == "limit":
            limits.append(finding.label)
    if problems:
        labels = join_limited([*dict.fromkeys(problems)], MAX_SHOWN_ITEMS)
        return f"Please look at: {labels}."
    verdict = "Everything works."
    if limits:
        verdict = f"Everything works, within limits: {', '.join(limits)}."
    if not has_clients:
        verdict += " No client is configured: filewright setup"
    return verdict


def _write_findings(verdict: str, findings: Sequence[Finding]) -> None:
    """Write the verdict and a line for each finding."""
    is_coloured = has_colours()
    is_good = all(finding.status != "problem" for finding in findings)
    if is_coloured:
        verdict = click.style(
            verdict, fg="green" if is_good else "red", bold=True
        )
    write(f"{verdict}\n\n")
    for finding in findings:
        write(_render_finding(finding, is_coloured=is_coloured))


def _to_json(verdict: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the verdict and the findings as JSON values."""
    return {
        "verdict": verdict,
        "is_good": all(finding.status != "problem" for finding in findings),
        "findings": [asdict(finding) for finding in findings],
    }


def _render_finding(finding: Finding, *, is_coloured: bool) -> str:
    """Return the line of a finding."""
    mark = _MARKS[finding.status].render(has_colours=is_coloured)
    return f"{mark}  {finding.label:<{_LABEL_WIDTH}}  {finding.detail}"


def _status(*, is_good: bool, otherwise: Status) -> Status:
    """Return "good", or another status for a check that failed."""
    return "good" if is_good else otherwise


@dataclass(frozen=True, slots=True)
class _PlatformTests:
    """The tests of a platform, and True if they are all that they should be."""

    text: str
    is_complete: bool = False


_PLATFORM_TESTS = {
    "linux": _PlatformTests("tested on every change", is_complete=True),
    "darwin": _PlatformTests("tested with a stand-in for its own calls only"),
    "win32": _PlatformTests("tested in Wine, not on Windows itself"),
}


@dataclass(frozen=True, slots=True)
class _CapabilityTexts:
    """The words for a capability of the system, by the name of its attribute."""

    attribute: str
    label: str
    if_present: str
    if_missing: str


_CAPABILITIES = (
    _CapabilityTexts(
        "kernel_resolution",
        "path safety",
        "paths are resolved beneath a root by the kernel",
        "paths are opened part by part",
    ),
    _CapabilityTexts(
        "exchange",
        "atomic swap",
        "files are exchanged in one step",
        "files are renamed one after the other",
    ),
    _CapabilityTexts(
        "lease",
        "write detection",
        "the kernel tells which files are being written",
        "writes are detected by times and contents only",
    ),
    _CapabilityTexts(
        "attributes",
        "attributes",
        "extended attributes are kept",
        "extended attributes are lost when a file is replaced",
    ),
    _CapabilityTexts(
        "confinement",
        "sandbox",
        "the server confines itself",
        "only the checks of paths hold, and git is not used",
    ),
)
"""The capabilities that `docs/platforms.md` describes."""
_RECOVERY_TEXTS = {
    "rolled_back": "change {} rolled back",
    "taken_back": "{}",
    "finished": "change {} finished",
    "set_aside": "{} set aside",
    "conflicts": "check this: {}",
    "waiting": "{} waits for a program to close it",
    "unsettled": "needs your decision: {}",
}
"""The text for each list of a recovery's report."""


def _check_system() -> Iterator[Finding]:
    """Yield the version, the platform and its capabilities."""
    yield Finding(
        "filewright",
        f"{__version__} on Python {platform.python_version()}, {platform.platform()}",
    )
    tests = _PLATFORM_TESTS.get(sys.platform, _PlatformTests("never tested"))
    yield Finding(
        "platform",
        f"{sys.platform}: {tests.text}",
        _status(is_good=tests.is_complete, otherwise="limit"),
    )
    for texts in _CAPABILITIES:
        is_present = getattr(system.capabilities, texts.attribute)
        detail = texts.if_present
        if not is_present:
            detail = f"not on this system: {texts.if_missing}"
        yield Finding(
            texts.label, detail, _status(is_good=is_present, otherwise="limit")
        )


_PACKAGE_USES = {
    "mcp": "server",
    "google-re2": "regular expressions",
    "stringzilla": "literal search",
    "rapidfuzz": "fuzzy search",
    "chardet": "encodings",
    "tree-sitter": "structure",
}
"""The packages whose absence breaks a part, and that part."""


def _check_packages() -> Iterator[Finding]:
    """Yield the versions of the packages and of ripgrep, and the number of languages."""
    from importlib import metadata

    versions: list[str] = []
    for package, use in _PACKAGE_USES.items():
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            yield Finding(package, f"not installed ({use})", "problem")
    yield Finding("packages", ", ".join(versions), "good")
    yield _check_ripgrep()
    languages = set()
    for distribution in metadata.distributions():
        name = str(distribution.metadata["Name"]).lower()
        if name.startswith("tree-sitter-"):
            languages.add(name.removeprefix("tree-sitter-"))
    yield Finding(
        "languages",
        f"{pluralize(len(languages), 'grammar')} for outlines and symbols",
        _status(is_good=bool(languages), otherwise="problem"),
    )


def _check_ripgrep() -> Finding:
    """Return the version of ripgrep, after running it."""
    from filewright.boundary.launcher import Launcher, find_program

    program = find_program("rg")
    if program is None:
        return Finding(
            "ripgrep", "not found: folders are searched without it", "limit"
        )
    launcher = Launcher()
    try:
        with launcher.start([program, "--version"], seconds=10) as child:
            version = child.stdout.readall().decode(errors="replace")
            if child.wait():
                raise OSError(f"status {child.wait()}")
    except (OSError, FilewrightError) as error:
        return Finding("ripgrep", f"{program} does not run: {error}", "problem")
    finally:
        launcher.close()
    return Finding(
        "ripgrep", f"{version.partition(chr(10))[0]} ({program})", "good"
    )


def _describe_clients(titles: Sequence[str]) -> Iterator[Finding]:
    """Yield the clients that are configured."""
    detail = "none configured: filewright setup"
    if titles:
        detail = f"configured in {', '.join(titles)}"
    yield Finding("clients", detail)


def _check_workspace(workspace: Workspace) -> Iterator[Finding]:
    """Yield the state of the roots, the history, and unfinished changes."""
    from filewright.changes.state_dir import state_base_folder

    for root in workspace.roots:
        yield Finding(
            "root",
            os.fsdecode(root.path),
            _status(is_good=root.folder.is_writable(), otherwise="problem"),
        )
        yield from _count_denied(workspace, root)
    state = Path(state_base_folder(workspace.settings))
    yield Finding(
        "state folder",
        f"{state}",
        _status(is_good=_can_write(state), otherwise="problem"),
    )
    for note in workspace.changes.state_notes:
        yield Finding("history", note, "problem")
    yield from _find_other_histories(workspace, state)
    problems = workspace.log_problems()
    if problems:
        # Nothing can be settled by a log that SQLite cannot read.
        yield Finding("log of changes", "; ".join(problems), "problem")
        return
    damage = workspace.log_damage(seconds=CHECK_SECONDS)
    yield Finding(
        "log of changes",
        join_limited(damage, MAX_SHOWN_ITEMS) or "sound",
        _status(is_good=not damage, otherwise="problem"),
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
            "unfinished changes", f"not checked: {error.message}", "problem"
        )
        return
    parts = []
    for name, text in _RECOVERY_TEXTS.items():
        for item in getattr(recovery, name):
            parts.append(text.format(item))
    needs_person = recovery.conflicts or recovery.waiting or recovery.unsettled
    yield Finding(
        "unfinished changes",
        "; ".join(parts) or "none",
        _status(is_good=not needs_person, otherwise="problem"),
    )
    versions = workspace.changes.kept_versions
    if versions:
        yield Finding(
            "versions kept from conflicts",
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
            "problem",
        )


def _find_other_histories(
    workspace: Workspace, state: Path
) -> Iterator[Finding]:
    """Yield other state folders that have changes of the workspace's roots.

    They are looked for at the default places, and where clients are configured.
    """
    from filewright.changes.state_dir import state_base_folder
    from filewright.cli.setup.clients import find_named_state_folders
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
        number = pluralize(count, "change")
        if count == MAX_COUNTED_CHANGES:
            number = f"{count} or more changes"
        yield Finding(
            "second history",
            f"{folder} has {number} of these roots: give "
            f"--state-dir {state} wherever filewright is started, or {folder} "
            "here too",
            "problem",
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
        yield Finding(label, f"not counted: {error.message}", "problem")
        return
    for rule, count in counts[:MAX_SHOWN_RULES]:
        # A rule is "FILE: PATTERN"; an unusable rule file is a sentence instead.
        is_usable = ": " in rule
        yield Finding(
            label,
            f"{count:,} by {rule}",
            "plain" if is_usable else "problem",
        )
    rest = counts[MAX_SHOWN_RULES:]
    if rest:
        total = sum(count for _, count in rest)
        yield Finding(label, f"{total:,} by {len(rest)} more rules")
