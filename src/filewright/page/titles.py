"""Titles of changes: sentences about the files that they changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from filewright.changes.model import ChangeRecord, FileChange, parent_paths
from filewright.page.names import readable_path
from filewright.page.words import ACTION_WORDS, capitalize
from filewright.recording.damage import GuardSentence
from filewright.wording import pluralize, to_one_line

MAX_TITLE_FILES = 1_000
"""The most file changes that a title is made of; a larger change is only counted."""
MAX_VERBS = 3
"""The most verbs of a sentence, "more" counted as one."""
MAX_NAMED_FILES = 2


@dataclass(frozen=True, slots=True)
class Phrase:
    """A verb in the past tense, and the file or command that it is about."""

    verb: str
    target: str


def describe_files(record: ChangeRecord) -> list[Phrase]:
    """Return a phrase for each file of a change.

    A moved or deleted folder stands for its files; created files for their folders. The
    change of a shell command is one phrase.
    """
    changes = record.file_changes[:MAX_TITLE_FILES]
    folders = set()
    filled_folders = set()
    for change in changes:
        if is_folder(change):
            folders.add((change.action, change.path))
        for parent in parent_paths(change.path):
            filled_folders.add((change.action, parent))
    phrases: list[Phrase] = []
    for change in changes:
        if change.action == "created":
            action_path = (change.action, change.path)
            is_covered = (
                action_path in folders and action_path in filled_folders
            )
        else:
            is_covered = any(
                (change.action, parent) in folders
                for parent in parent_paths(change.path)
            )
        if not is_covered:
            phrases.append(_describe_file(change))
    if record.tool == "shell":
        command = to_one_line(record.summary.removeprefix("shell: "))
        count = pluralize(count_files(record), "file")
        return [Phrase("ran", f"{command} ({count})")]
    return phrases


def _describe_file(change: FileChange) -> Phrase:
    """Return the phrase of one file or folder."""
    name = readable_path(change.path.display_path)
    if is_folder(change):
        name += "/"
    previous = change.renamed_from
    if previous is None:
        return Phrase(ACTION_WORDS[change.action].past, name)
    has_same_folder = previous.parts[:-1] == change.path.parts[:-1]
    verb = "renamed" if has_same_folder else "moved"
    return Phrase(verb, f"{readable_path(previous.display_path)} to {name}")


def join_phrases(phrases: Iterable[Phrase]) -> str:
    """Return a sentence of phrases, by verb: "Created a.txt and edited 3 files in b".

    A target is named once, with its first verb.
    """
    targets_by_verb: dict[str, list[str]] = {}
    known_targets: set[str] = set()
    for phrase in phrases:
        if phrase.target not in known_targets:
            known_targets.add(phrase.target)
            targets_by_verb.setdefault(phrase.verb, []).append(phrase.target)
    clauses = []
    for verb, targets in targets_by_verb.items():
        clauses.append(f"{verb} {_join_targets(targets, verb)}")
    if len(clauses) > MAX_VERBS:
        clauses = [*clauses[: MAX_VERBS - 1], "more"]
    sentence = "".join(clauses)
    if len(clauses) > 1:
        sentence = f"{', '.join(clauses[:-1])} and {clauses[-1]}"
    return capitalize(sentence)


def _join_targets(targets: Sequence[str], verb: str) -> str:
    """Return one or two names, or the number of files with their common folder."""
    if len(targets) <= MAX_NAMED_FILES:
        return " and ".join(targets)
    if verb == "ran":
        return pluralize(len(targets), "command")
    count_text = pluralize(len(targets), "file")
    folders = {target.rpartition("/")[0] for target in targets}
    if len(folders) == 1:
        folder = folders.pop()
        # The target of a move is "SOURCE to DESTINATION", which has no common folder.
        if folder and " to " not in folder:
            count_text += f" in {folder}"
    return count_text


def make_title(record: ChangeRecord, phrases: Sequence[Phrase]) -> str:
    """Return the title of a change that is neither an undo nor a healing."""
    if record.tool == "shell":
        prefix = "Shell: " if record.summary.startswith("shell: ") else ""
        return "".join(f"{prefix}{phrase.target}" for phrase in phrases)
    if len(record.file_changes) > MAX_TITLE_FILES:
        count = pluralize(len(record.file_changes), "path")
        return f"Changed {count} with {record.tool}"
    if record.tool == "replace_content":
        return capitalize(to_one_line(record.summary))
    return join_phrases(phrases) or to_one_line(record.summary)


def count_files(record: ChangeRecord) -> int:
    """Return the number of files of a change, or of its folders if it has no file."""
    changes = record.file_changes
    folder_count = sum(
        is_folder(change) for change in changes[:MAX_TITLE_FILES]
    )
    return len(changes) - folder_count or folder_count


def name_files(record: ChangeRecord) -> str:
    """Return one or two names of the files of a change, or their number."""
    changes = record.file_changes[:MAX_TITLE_FILES]
    names = [
        readable_path(change.path.display_path)
        for change in changes
        if not is_folder(change)
    ]
    if not names or len(names) > MAX_NAMED_FILES:
        count = len(names) or len(record.file_changes)
        return pluralize(count, "file")
    return " and ".join(names)


def make_healing_title(record: ChangeRecord) -> str:
    """Return the title of a change by which the guard healed an edit."""
    healing = GuardSentence.parse(record.summary)
    if healing is None:
        return to_one_line(record.summary)
    return f"Healed {healing.path}: {', '.join(healing.damage)}"


def is_folder(change: FileChange) -> bool:
    """Return True if a change is about a folder."""
    state = change.after or change.before
    return state is not None and state.kind == "folder"
