"""What is said once: diffs, footers and context of the native tools."""

from __future__ import annotations

import re
from operator import eq

from tests.recording.differences import Now, Outcome, Retold, Wording

_CHANGES = {"edit_content", "apply_patch", "replace_content", "write_content", "revert_edit"}


_NEW = re.compile(
    r"hint: (?:known: |give path, or a path in every edit|give it; wanted: a list of)|edits\[\d+\]: "
)


def _hits(text: str) -> list[str]:
    """The rows of hits, less the definitions they are in."""
    return [re.sub(r"   \[[^]]*\]", "", row) for row in text.splitlines() if re.match(r"\d+(:\d+)?: ", row)]


RETOLD = (
    Retold(
        "history names up to three files of each change",
        lambda was, now: (
            was.surface == "native" and was.tool == "get_history" and was.code is now.code is None
        ),
    ),
    Retold(
        "an overview of a log says what it complains of often, and how to find what is rare",
        lambda was, now: (
            was.surface == "native" and was.tool == "get_overview" and "output=kinds" in now.text
        ),
    ),
    Retold(
        "an overview first looks whether a folder is meant",
        lambda was, now: (
            was.surface == "native" and was.tool == "get_overview" and was.code == now.code == "invalid_input"
        ),
    ),
    Retold(
        "a diff is shown where it is short and new, else counted; an undo names its files",
        lambda was, now: was.surface == "native" and was.tool in _CHANGES and was.code is now.code is None,
    ),
    Retold(
        "a search says how many there are and what it skipped, and shows context where there are few hits",
        lambda was, now: (
            was.surface == "native"
            and was.tool == "search_content"
            and was.code is now.code is None
            and all(map(eq, _hits(was.text), _hits(now.text)))
        ),
    ),
    Retold(
        "files whose hits are alike are named together, and their hits are shown once",
        lambda was, now: (
            was.surface == "native"
            and was.tool == "search_content"
            and was.code is now.code is None
            and all(row.partition(": ")[2] in now.text for row in _hits(was.text))
        ),
    ),
    Retold(
        "a refusal names the arguments that are new, and an edit may have its path in itself",
        lambda was, now: (
            was.surface == "native"
            and was.code == now.code == "invalid_input"
            and _NEW.search(now.text) is not None
        ),
    ),
    Retold(
        "a read has room for more lines, whose numbers are not padded",
        lambda was, now: (
            was.surface == "native"
            and was.tool == "read_content"
            and was.code is now.code is None
            and was.text.splitlines()[1:-2] == now.text.splitlines()[1 : len(was.text.splitlines()) - 2]
            and "continue with start=" in was.text
        ),
    ),
    Retold(
        "who asks for so many lines is not told that there are more: the first row says of how many",
        lambda was, now: (
            was.surface == "native"
            and was.tool == "read_content"
            and "limit" in was.arguments
            and was.code is now.code is None
            and " continue with start=" not in now.text
        ),
    ),
)

WORDINGS = (
    Wording(
        "several places may be read", "takes either path or paths", "takes either path or paths or items"
    ),
    Wording(
        "several places may be read", "paths for several$", "paths for several, items for a place in each"
    ),
    Wording("the definition around a hit is named as tools take it", r'(?<="semantic_context": ")\w+ ', ""),
    Wording("a size is told once", r"(bytes) \([\d.]+ [KMG]B\)", r"\1", tool="stat_items"),
    Wording("numbers of lines are not padded", r"(?m)^ +(\d+)\t", r"\1\t", surface="native"),
    Wording(
        "the way on is told in the same words everywhere",
        r"shown, more to come: cursor=",
        "shown; go on with cursor=",
        tool="list_files",
    ),
    Wording(
        "a size is told in the same words everywhere", r"(?m)(\d) B(;|\)|$)", r"\1 bytes\2", surface="native"
    ),
)

OUTCOMES = (
    Outcome(
        "a folder has an overview too: its map",
        {
            "native-07.16": Now(None, "d82dc08ce59d5df0"),
            "native-83.16": Now(None, "43d8c60e2fd2b0fb"),
        },
    ),
)
