"""What changes did, as the sentence that a person would write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    RecordedPath,
    parent_paths,
)
from filewright.recording.damage import GuardSentence
from filewright.wording import pluralize, to_one_line

Deed = tuple[str, str]
"""What was done, as a verb, and to what."""
LOOKED_AT = 1_000
"""Entries of a change that are looked at for its title; one that has more is only counted."""
_VERBS = {
    "created": "created",
    "modified": "edited",
    "deleted": "deleted",
    "moved": "moved",
    "attributes": "changed the mode of",
}
_PARTS = 3
"""Parts of a sentence."""


def deeds_of(record: ChangeRecord) -> list[Deed]:
    """What a change did; a folder that was moved or deleted represents all that is in it."""
    entries = record.file_changes[:LOOKED_AT]
    folders = {
        (entry.action, entry.path) for entry in entries if is_folder(entry)
    }
    filled = {
        (entry.action, above) for entry in entries for above in _above(entry)
    }
    found: list[Deed] = []
    for entry in entries:
        if (
            entry.action == "created"
            and (entry.action, entry.path) in filled & folders
        ):
            continue  # its files are named
        if entry.action != "created" and any(
            (entry.action, above) in folders for above in _above(entry)
        ):
            continue
        name = f"{entry.path.display_path}{'/' if is_folder(entry) else ''}"
        if entry.renamed_from is None:
            found.append((_VERBS[entry.action], name))
        elif entry.renamed_from.parts[:-1] == entry.path.parts[:-1]:
            found.append(
                ("renamed", f"{entry.renamed_from.display_path} to {name}")
            )
        else:
            found.append(
                ("moved", f"{entry.renamed_from.display_path} to {name}")
            )
    if record.tool == "shell":
        command = to_one_line(record.summary.removeprefix("shell: "))
        return [("ran", f"{command} ({pluralize(len(found), 'file')})")]
    return found


def sentence(deeds: Iterable[Deed]) -> str:
    """What was done, by what was done; each thing is named once, with the first that was done to it."""
    done: dict[str, list[str]] = {}
    named: set[str] = set()
    for verb, name in deeds:
        if name not in named:
            named.add(name)
            done.setdefault(verb, []).append(name)
    parts = [f"{verb} {_names(names, verb)}" for verb, names in done.items()]
    if len(parts) > _PARTS:
        parts = [*parts[: _PARTS - 1], "more"]
    text = (
        ", ".join(parts[:-1])
        + (" and " if len(parts) > 1 else "")
        + "".join(parts[-1:])
    )
    return text[:1].upper() + text[1:]


def title_of(record: ChangeRecord, deeds: Sequence[Deed]) -> str:
    """The title of a change that is no undo."""
    if len(record.file_changes) > LOOKED_AT and record.tool != "shell":
        return f"Changed {pluralize(len(record.file_changes), 'path')} with {record.tool}"
    if record.tool == "shell":
        shell = "Shell: " if record.summary.startswith("shell: ") else ""
        return "".join(f"{shell}{done}" for _, done in deeds)
    if record.tool == "replace_content":
        words = to_one_line(record.summary)
        return words[:1].upper() + words[1:]
    return sentence(deeds) or to_one_line(record.summary)


def healing_title(record: ChangeRecord) -> str:
    """Return the title of a change by which the guard healed an edit."""
    healing = GuardSentence.parse(record.summary)
    if healing is None:
        return to_one_line(record.summary)
    return f"Healed {healing.path}: {', '.join(healing.damage)}"


def _names(names: Sequence[str], verb: str) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    if verb == "ran":
        return pluralize(len(names), "command")
    folders = {name.rpartition("/")[0] for name in names}
    where = (
        f" in {folder}"
        if len(folders) == 1
        and (folder := folders.pop())
        and " to " not in folder
        else ""
    )
    return f"{pluralize(len(names), 'file')}{where}"


def is_folder(entry: FileChange) -> bool:
    """Whether an entry is of a folder."""
    side = entry.after or entry.before
    return side is not None and side.kind == "folder"


def _above(entry: FileChange) -> Iterable[RecordedPath]:
    return parent_paths(entry.path)
