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

    `loss` says what content the call deletes or overwrites, and is empty if it does
    neither.
    """

    sentence: str
    loss: str = ""

    @property
    def is_destructive(self) -> bool:
        """True if content is deleted or overwritten."""
        return bool(self.loss)


def describe_call(call: WaitingCall, diff: Diff) -> CallDescription:
    """Return a waiting call, which would make the changes of a diff, in plain words."""
    phrases = _describe_changes(diff)
    who = name_client(call.client)
    if not phrases:
        return CallDescription(f"{who} asks: {to_one_line(call.question)}")
    sentence = f"{who} wants to {_join_phrases(phrases)}"
    return CallDescription(sentence, _describe_loss(diff.lost))


def _describe_changes(diff: Diff) -> list[str]:
    """Return a phrase for each kind of change, the destructive ones first."""
    folders = tuple(lost.path for lost in diff.lost if lost.path.endswith("/"))
    targets = _find_lost_targets(diff)
    lost = {*targets["delete"], *targets["overwrite"]}
    for file in diff.files:
        name = file.path if file.new_name is not None else file.old_name
        verb = ACTION_WORDS[file.action].infinitive
        if name is None or name in lost:
            continue
        if verb == "delete" and name.startswith(folders):
            # The folder stands for what is in it.
            continue
        target = name
        if verb in ("move", "copy"):
            target = f"{file.old_name} to {name}"
        targets.setdefault(verb, []).append(target)
    phrases: list[str] = []
    for verb, names in targets.items():
        if names:
            phrases.append(f"{verb} {_join_names(names)}")
    if diff.omitted_files and not folders:
        files = pluralize(diff.omitted_files, "more file")
        phrases.append(f"change {files}")
    return phrases


def _find_lost_targets(diff: Diff) -> dict[str, list[str]]:
    """Return the files and folders whose content a diff deletes or overwrites."""
    written = {file.path for file in diff.files if file.new_name is not None}
    targets: dict[str, list[str]] = {"delete": [], "overwrite": []}
    for lost in diff.lost:
        name = lost.path
        if name.endswith("/"):
            name = f"{name} ({pluralize(lost.files, 'file')})"
        verb = "overwrite" if lost.path in written else "delete"
        targets[verb].append(name)
    return targets


def _join_names(names: Sequence[str]) -> str:
    """Return names as `a, b and c`, or `a, b, c and 5 more files`."""
    shown = [to_one_line(name) for name in names]
    if len(shown) > _MAX_NAMED:
        return join_limited(shown, _MAX_NAMED, noun="file")
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _join_phrases(phrases: Sequence[str]) -> str:
    if len(phrases) == 1:
        return phrases[0]
    return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"


def _describe_loss(lost: Sequence[LostContent]) -> str:
    """Return the files and bytes that go, or nothing."""
    if not lost:
        return ""
    files = pluralize(sum(content.files for content in lost), "file")
    size = format_size(sum(content.size for content in lost))
    return f"{files}, {size}"
