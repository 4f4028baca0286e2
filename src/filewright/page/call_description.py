"""A call that waits, in plain words: "Claude Code wants to delete docs/ (42 files)"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.diff import Diff, LostContent
from filewright.mailbox.calls import WaitingCall
from filewright.page.words import ACTION_WORDS, name_client
from filewright.wording import (
    format_size,
    join_limited,
    pluralize,
    to_one_line,
)

_MAX_NAMED = 3
"""The files or folders of one verb that are named."""


@dataclass(frozen=True, slots=True)
class CallDescription:
    """A waiting call in plain words.

    `loss` has the number and size of the files that the call deletes or overwrites. It is
    empty if there are none.
    """

    sentence: str
    loss: str = ""

    @property
    def is_destructive(self) -> bool:
        """True if content is deleted or overwritten."""
        return bool(self.loss)


def describe_call(call: WaitingCall, diff: Diff) -> CallDescription:
    """Return the description of a waiting call, which would make the changes of a diff."""
    phrases = _describe_changes(diff)
    client_name = name_client(call.client)
    if not phrases:
        return CallDescription(
            f"{client_name} asks: {to_one_line(call.question)}"
        )
    sentence = f"{client_name} wants to {_join_phrases(phrases)}"
    return CallDescription(sentence, _describe_loss(diff.lost))


def _describe_changes(diff: Diff) -> list[str]:
    """Return a phrase for each kind of change, the destructive ones first."""
    lost_folders = tuple(
        lost.path for lost in diff.lost if lost.path.endswith("/")
    )
    targets_by_verb = _find_lost_targets(diff)
    lost_targets = {*targets_by_verb["delete"], *targets_by_verb["overwrite"]}
    for file in diff.files:
        path = file.path if file.new_name is not None else file.old_name
        verb = ACTION_WORDS[file.action].infinitive
        if path is None or path in lost_targets:
            continue
        # A deleted folder stands for all files in it.
        if verb != "delete" or not path.startswith(lost_folders):
            target = path
            if verb in ("move", "copy"):
                target = f"{file.old_name} to {path}"
            targets_by_verb.setdefault(verb, []).append(target)
    phrases: list[str] = []
    for verb, targets in targets_by_verb.items():
        if targets:
            phrases.append(f"{verb} {_join_names(targets)}")
    if diff.omitted_files and not lost_folders:
        files = pluralize(diff.omitted_files, "more file")
        phrases.append(f"change {files}")
    return phrases


def _find_lost_targets(diff: Diff) -> dict[str, list[str]]:
    """Return the files and folders whose content a diff deletes or overwrites."""
    written_paths = {
        file.path for file in diff.files if file.new_name is not None
    }
    targets_by_verb: dict[str, list[str]] = {"delete": [], "overwrite": []}
    for lost in diff.lost:
        target = lost.path
        if target.endswith("/"):
            target = f"{target} ({pluralize(lost.files, 'file')})"
        verb = "overwrite" if lost.path in written_paths else "delete"
        targets_by_verb[verb].append(target)
    return targets_by_verb


def _join_names(names: Sequence[str]) -> str:
    """Return names as `a, b and c`, or `a, b, c and 5 more files`."""
    safe_names = [to_one_line(name) for name in names]
    if len(safe_names) > _MAX_NAMED:
        return join_limited(safe_names, _MAX_NAMED, noun="file")
    if len(safe_names) == 1:
        return safe_names[0]
    return f"{', '.join(safe_names[:-1])} and {safe_names[-1]}"


def _join_phrases(phrases: Sequence[str]) -> str:
    if len(phrases) == 1:
        return phrases[0]
    return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"


def _describe_loss(lost_contents: Sequence[LostContent]) -> str:
    """Return the number and size of lost files, or an empty text."""
    if not lost_contents:
        return ""
    file_count = pluralize(
        sum(content.files for content in lost_contents), "file"
    )
    byte_size = format_size(sum(content.size for content in lost_contents))
    return f"{file_count}, {byte_size}"
