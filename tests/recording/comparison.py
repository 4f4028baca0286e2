"""The recording against the code as it is, less what `differences.py` explains."""

from __future__ import annotations

import difflib
import multiprocessing
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

from tests.parsers import share
from tests.recording.differences import outcomes, retold, wordings
from tests.recording.sessions import Call, Session, load, replayed

WORDINGS, RETOLD, OUTCOMES = wordings(), retold(), outcomes()


@dataclass(frozen=True, slots=True)
class Difference:
    """A call that is not as it was: recorded, and now."""

    then: Call
    now: Call

    @property
    def strict(self) -> bool:
        """Whether more than the text differs."""
        return (self.then.code, self.then.tree) != (self.now.code, self.now.tree)


@dataclass(slots=True)
class Report:
    """What is not explained, and the entries of `differences.py` that explain nothing."""

    calls: int = 0
    explained: int = 0
    unexplained: list[Difference] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)


def compare(names: Sequence[str] = (), processes: int | None = None) -> Report:
    """Replay the recording (or the sessions of `names`) on the code as it is."""
    sessions = [each for each in load() if not names or each.name in names]
    report = Report(sum(len(session.calls) for session in sessions))
    used: set[str] = set()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes or min(4, os.cpu_count() or 1), context, share) as pool:
        for found in pool.map(differing, sessions, chunksize=4):
            for difference in found:
                reasons = explained(difference)
                used |= reasons
                report.explained += bool(reasons)
                if not reasons:
                    report.unexplained.append(difference)
    report.stale = [] if names else [entry for entry in _entries() if entry not in used]
    return report


def differing(session: Session) -> list[Difference]:
    """The calls of a session that are not as they were."""
    found = []
    for then, now in replayed(session):
        if (then.text, then.code, then.tree) != (now.text, now.code, now.tree):
            found.append(Difference(then, replace(now, changed=now.changed)))
    return found


def explained(difference: Difference) -> set[str]:
    """The entries that explain a difference; empty if they do not."""
    then, now = difference.then, difference.now
    for number, outcome in enumerate(OUTCOMES):
        wanted = outcome.calls.get(then.id)
        if wanted is not None:
            same = (now.code, now.tree) == (wanted.code, wanted.tree)
            return {_outcome(number, then.id)} if same else set()
    if difference.strict:
        return set()
    text = then.text
    used = set()
    for number, wording in enumerate(WORDINGS):
        if wording.surface in (None, then.surface) and wording.tool in (None, then.tool):
            changed = re.sub(wording.old, wording.new, text)
            if changed != text:
                used.add(f"WORDINGS[{number}]: {wording.why}")
            text = changed
    if text == now.text:
        return used
    worded = replace(then, text=text)
    return {
        f"RETOLD[{number}]: {retold.why}"
        for number, retold in enumerate(RETOLD)
        if retold.covers(worded, now)
    }


def _outcome(number: int, call: str) -> str:
    return f"OUTCOMES[{number}], {call}: {OUTCOMES[number].why}"


def _entries() -> list[str]:
    return [
        *(f"WORDINGS[{number}]: {each.why}" for number, each in enumerate(WORDINGS)),
        *(f"RETOLD[{number}]: {each.why}" for number, each in enumerate(RETOLD)),
        *(_outcome(number, call) for number, each in enumerate(OUTCOMES) for call in each.calls),
    ]


# Telling


def tell(report: Report, *, most: int = 25) -> str:
    """The unexplained differences, grouped by shape, and the stale entries."""
    parts = [
        f"{report.calls} calls; {report.explained} differ as explained, {len(report.unexplained)} are not explained."
    ]
    groups: dict[str, list[Difference]] = defaultdict(list)
    for difference in report.unexplained:
        groups[shape(difference)].append(difference)
    ordered = sorted(groups.items(), key=lambda group: (not group[1][0].strict, -len(group[1])))
    for title, members in ordered[:most]:
        names = " ".join(each.then.id for each in members[:6]) + (" …" if len(members) > 6 else "")
        parts.append(f"\n== {len(members)} x {title}\n   {names}\n{lines_of(members[0])}")
    if len(ordered) > most:
        parts.append(f"\n… and {len(ordered) - most} more shapes")
    if entries := paste(report.unexplained):
        parts.append("\nIf these outcomes are right, for differences.py:\n" + entries)
    for stale in report.stale:
        parts.append(f"\nThis entry of differences.py explains nothing any more, take it out:\n    {stale}")
    return "\n".join(parts)


def shape(difference: Difference) -> str:
    """What differences of one kind have in common."""
    then, now = difference.then, difference.now
    if then.code != now.code:
        return f"{then.surface} {then.tool}: code {then.code} is now {now.code}"
    if then.tree != now.tree:
        return f"{then.surface} {then.tool}: another tree (code {then.code})"
    lines = (line for line in lines_of(difference).splitlines() if line[4:5] in "-+")
    general = re.sub(r"[\w./<>~-]*[/\d.][\w./<>~-]*|'[^']*'", "…", " ".join(lines))
    return f"{then.surface} {then.tool}: text {general[:160]}"


def lines_of(difference: Difference, *, most: int = 12, width: int = 200) -> str:
    """A difference as lines: of the text, then of the files."""
    then, now = difference.then, difference.now
    made: list[str] = []
    if then.text != now.text:
        made += [
            line
            for line in difflib.unified_diff(then.text.splitlines(), now.text.splitlines(), n=0, lineterm="")
            if not line.startswith(("---", "+++", "@@"))
        ]
        if not made:
            made = ["-" + repr(then.text[-60:]), "+" + repr(now.text[-60:])]
    if then.tree != now.tree:
        before, after = then.changed or {}, now.changed or {}
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name, "as before the call"), after.get(name, "as before the call")
            if old != new:
                made += [f"- {name!r}: {old or 'gone'}", f"+ {name!r}: {new or 'gone'}"]
    shown = [line if len(line) <= width else line[:width] + " …" for line in made[:most]]
    return "\n".join("    " + line for line in [*shown, *(["…"] if len(made) > most else [])])


def paste(differences: Iterable[Difference]) -> str:
    """`Outcome` entries for the differences that are more than wording."""
    grouped: dict[tuple[str, str | None, str | None], list[Call]] = defaultdict(list)
    for each in differences:
        if each.strict:
            grouped[each.then.tool, each.then.code, each.now.code].append(each.now)
    made = []
    for (tool, old, new), calls in grouped.items():
        rows = "".join(
            f'        "{call.id}": Now({new and repr(str(new))}, "{call.tree}"),\n'.replace("'", '"')
            for call in calls
        )
        made.append(
            f'    Outcome(\n        "{tool}, {old} is now {new}: WHY IT IS RIGHT",\n        {{\n    {rows.replace(chr(10), chr(10) + "    ").rstrip(" ")}        }},\n    ),'
        )
    return "\n".join(made)
