"""Edits, patches and what is said when they are refused."""

from __future__ import annotations

from tests.recording.differences import Now, Outcome, Retold, Wording

_EDITING = frozenset(
    [
        "edit_content",
        "multi_edit",
        "edit",
        "search_replace",
        "apply_diff",
        "edit_file",
        "apply_patch",
        "replace_content",
    ]
)
_REFUSED = (
    "no_match",
    "ambiguous_match",
    "overlap",
    "already_applied",
    "no_change",
    "patch_failed",
    "block ",
)

WORDINGS = (
    Wording("plain words: a hunk comes before", r"a hunk stands before any", "a hunk comes before any"),
)

RETOLD = (
    Retold(
        "a refused edit offers a ready-made one only where that would do what was meant; edits of named lines, "
        "hunks and searches are refused in the same words, with the same nearest text",
        lambda was, now: (
            was.tool in _EDITING and was.code == now.code and any(w in was.text for w in _REFUSED)
        ),
    ),
    Retold(
        "an edit before it in the session is made now, or is refused now: change ids and versions are others",
        lambda was, now: was.id in {"native-40.13", "native-40.15", "native-40.18", "largefile-19.14"},
    ),
    Retold(
        "a name that is missing in a header of several lines is told with the first line it is missing in",
        lambda was, now: (
            was.id in {"native-67.02", "native-73.13", "native-81.14", "agent-tools-14.10"}
            and was.code == now.code
        ),
    ),
)

OUTCOMES = (
    Outcome(
        "two edits of one call that make the very same change make it once: it was written twice",
        {"native-23.05": Now(None, "c94cde0bdd10401b")},
    ),
    Outcome(
        "the request is indented otherwise than the file, and a new line can be read in two ways: it was guessed",
        {"largefile-19.13": Now(None, "7ebe5cb8708cf56e")},
    ),
    Outcome(
        "what is left of a deletion stands there before it, too: already_applied was false, the edit is made",
        {"native-40.12": Now(None, "1a9722c82881a4b2")},
    ),
    Outcome(
        "the change undone by its place in the session is another one, for an edit before it is made now",
        {"native-40.16": Now(None, "31e4817411d454f7")},
    ),
    Outcome(
        "the replacement stands on the lines that were named: said as of any edit",
        {"native-48.17": Now("already_applied", "938905c117651aed")},
    ),
    Outcome(
        "an edit that changes nothing of its lines is in no other's way",
        {"filesystem-21.11": Now(None, "2c359fcd28487297")},
    ),
    Outcome(
        "a created file has the carriage returns that its lines in the patch have, as with git",
        {
            "native-68.12": Now(None, "203b58a71b614376"),
            "native-71.08": Now(None, "5adb1954a02a1248"),
        },
    ),
)
