"""The dialects, nearer to the systems they stand in for."""

from __future__ import annotations

from collections.abc import Callable

from tests.recording.differences import Now, Outcome, Retold, Wording
from tests.recording.sessions import Call

WORDINGS = (
    *(
        Wording(
            "a path through a link that leads out is told by where the link leads, as far as it was looked at",
            rf"\({word} ('?)/etc/x",
            rf"({word} \1/etc",
            tool=tool,
        )
        for word, tool in (
            ("to", "create_directories"),
            ("to", "read_enclosing"),
            ("resolved to", "create_directories"),
            ("resolved to", "copy_items"),
        )
    ),
    Wording(
        "as in the original",
        r"^edited (.*): (\d+) replacement(s?), first at line \d+",
        r"Replaced \2 occurrence\3 in \1.",
        surface="agent-tools",
        tool="edit_file",
    ),
    Wording(
        "as in the original",
        r"^edited (.*): (\d+) replacement(s?), first at line \d+",
        r"Applied \2 edit\3 to \1.",
        surface="agent-tools",
        tool="multi_edit",
    ),
    Wording(
        "as in the original",
        r"^applied: \d+ files? changed",
        r"Applied patch:",
        surface="agent-tools",
        tool="apply_patch",
    ),
    Wording(
        "as in the original",
        r"(?m)^modified (.*)$",
        r"  M \1",
        surface="agent-tools",
        tool="apply_patch",
    ),
    Wording(
        "as in the original",
        r"(?m)^created (.*)$",
        r"  A \1",
        surface="agent-tools",
        tool="apply_patch",
    ),
    Wording(
        "as in the original",
        r"(?m)^deleted (.*)$",
        r"  D \1",
        surface="agent-tools",
        tool="apply_patch",
    ),
    Wording(
        "as in the original",
        r"^(created|overwritten|unchanged) (.*) \((\d+) bytes?\)",
        r"Wrote \3 bytes to \2 (\1).",
        surface="agent-tools",
        tool="write_file",
    ),
    Wording(
        "as in the original",
        r"(?m)^([^{\n]*): (\d+)$",
        r"  M \1 (\2 replacements)",
        surface="agent-tools",
        tool="replace",
    ),
    Wording(
        "as in the original",
        r"^dry run, nothing was written: (\d+) replacements? in (\d+) files?",
        r"\1 replacement(s) across \2 file(s) (dry run — pass dry_run: false to apply)",
        surface="agent-tools",
        tool="replace",
    ),
    Wording(
        "as in the original",
        r"^replaced: (\d+) replacements? in (\d+) files?",
        r"Replaced \1 occurrence(s) in \2 file(s):",
        surface="agent-tools",
        tool="replace",
    ),
    Wording(
        "as in the original", r"^moved (.*) to (.*)$", r"Moved \1 → \2.", surface="agent-tools", tool="move"
    ),
    Wording(
        "as in the original", r"^copied (.*) to (.*)$", r"Copied \1 → \2.", surface="agent-tools", tool="copy"
    ),
    Wording("as in the original", r"^removed (.*)$", r"Removed \1.", surface="agent-tools", tool="remove"),
    Wording(
        "as in the original", r"^created (.*)$", r"Created directory \1.", surface="agent-tools", tool="mkdir"
    ),
    Wording(
        "as in the original",
        r"^exists already: (.*)$",
        r"Directory already exists: \1.",
        surface="agent-tools",
        tool="mkdir",
    ),
    Wording(
        "a hint names the tools of the dialect",
        "write it whole with write_content",
        "write it whole with write_file",
        surface="agent-tools",
    ),
    Wording(
        "a hint names the tools of the dialect",
        r"read_content reads it, stat_items gives",
        "read_file reads it, file_stat gives",
        surface="agent-tools",
    ),
    Wording(
        "plain words: a text occurs",
        r"old_string stands there more than once: at lines",
        "old_string occurs more than once: lines",
        surface="agent-tools",
    ),
    Wording(
        "plain words: a text occurs",
        r"until it stands there once",
        "until it occurs once",
        surface="agent-tools",
    ),
)


def _of(surface: str, *tools: str) -> Callable[[Call, Call], bool]:
    return lambda was, now: was.surface == surface and was.tool in tools and was.code == now.code


def _added(was: Call, now: Call) -> bool:
    """Whether the new text is the old one and more lines."""
    return now.text.startswith(was.text) and was.code == now.code


RETOLD = (
    Retold(
        "a destination below a file is refused by the name of that file, as any other change is",
        lambda was, now: (
            was.surface == "agent-tools"
            and was.tool == "move"
            and was.code == now.code
            and "Not a directory" in was.text
            and " is not a folder" in now.text
        ),
    ),
    Retold(
        "a page of a file ends as in the original, and so does a line that is cut",
        lambda was, now: (
            was.surface == "agent-tools"
            and was.code == now.code
            and ("continue with offset=" in now.text or "[... line truncated ...]" in now.text)
        ),
    ),
    Retold(
        "what was overwritten is said, as in the original",
        lambda was, now: was.surface == "agent-tools" and now.text.endswith(" (overwritten)."),
    ),
    Retold(
        "what would be moved onto itself is refused in plain words",
        lambda was, now: was.code == now.code and "source and destination are the same" in now.text,
    ),
    Retold(
        "a tree is drawn with lines and begins with its folder, as in the original",
        _of("agent-tools", "tree"),
    ),
    Retold(
        "results are counted and pages end as in the original",
        lambda was, now: was.surface == "agent-tools" and was.tool == "grep" and "(showing " in was.text,
    ),
    Retold(
        "two texts are compared by their lines, whatever they end with and are encoded in, as in the original",
        _of("agent-tools", "diff"),
    ),
    Retold(
        "what is newest differs after a call that is refused now",
        lambda was, now: (
            was.surface == "agent-tools"
            and was.tool == "glob"
            and sorted(was.text.split("\n")) == sorted(now.text.split("\n"))
        ),
    ),
    Retold(
        "a replacement of no scope is refused, as in the original, whatever else is wrong with it",
        lambda was, now: was.code == now.code == "invalid_input" and "give path or glob" in now.text,
    ),
    Retold(
        "file_stat and check_syntax answer with a JSON object, as in the original",
        _of("agent-tools", "file_stat", "check_syntax"),
    ),
    Retold(
        "a linked folder is listed among the folders, a broken link has no size, as in the original",
        _of("agent-tools", "list_dir"),
    ),
    Retold(
        "overwriting shows the diff, as in the original",
        lambda was, now: (
            was.tool == "write_file" and was.code == now.code and " (overwritten).\n" in now.text
        ),
    ),
    Retold(
        "a read names the encoding, bytes that are none, and how to read on in a line that was cut",
        lambda was, now: was.surface == "agent-tools" and was.tool == "read_file" and _added(was, now),
    ),
    Retold(
        "the overview's hints are plain texts that its search finds, it counts changed symbols and warns of "
        "syntax errors, as in the original",
        _of("largefile", "get_overview"),
    ),
    Retold(
        "a literal search that finds nothing says that regex=true would make a pattern of its text",
        lambda was, now: (
            was.surface == "largefile"
            and was.tool == "search_content"
            and was.code == now.code
            and '"hint"' in now.text
        ),
    ),
    Retold(
        "inverted hits have the original's match types, a count says which arguments it passes over",
        lambda was, now: (
            was.surface == "largefile"
            and was.code == now.code
            and ('_inverted"' in now.text or '"warnings": [' in now.text)
        ),
    ),
    Retold(
        "a folder to be searched is opened as a folder first, and the refusal says so",
        lambda was, now: was.tool == "search_directory" and was.code == now.code == "not_found",
    ),
    Retold(
        "a range is of line objects unless asked otherwise, and line ends that are not shown are named",
        lambda was, now: (
            was.surface == "filesystem"
            and was.tool == "read_content"
            and was.code == now.code
            and ('"lineNumber"' in now.text or '"line_ending"' in now.text)
        ),
    ),
    Retold(
        "the hits in the files of a folder have the fields that they have in the original",
        _of("largefile", "search_directory"),
    ),
    Retold(
        "a refused edit of several has its index, as in the original",
        lambda was, now: (
            was.tool == "multi_edit" and was.code == now.code == "invalid_input" and '"index"' in now.text
        ),
    ),
    Retold(
        "all lines of a match are shown, and what was cut is said",
        _of("filesystem", "search_files"),
    ),
    Retold(
        "what was made says where it is, what is looked at when it was made, as in the original",
        lambda was, now: (
            was.surface == "filesystem"
            and was.code == now.code
            and ("resolvedPath" in now.text or "birthtime" in now.text)
        ),
    ),
    Retold(
        "a patch that creates a file that does not parse warns of it, as every other change does",
        lambda was, now: was.tool == "apply_patch" and was.code == now.code and "syntax error in" in now.text,
    ),
    Retold(
        "a body with nothing in it does not parse in Python, and an edit that leaves one warns of it",
        lambda was, now: (
            was.surface == "largefile"
            and was.tool == "edit_content"
            and was.code == now.code
            and '"warning": "python syntax error in' in now.text
        ),
    ),
)

OUTCOMES = (
    Outcome(
        "several replacements in one call are made in a file of any size, which was refused where it is not held",
        {
            "filesystem-03.08": Now(None, "f1a969531cbd66e8"),
            "filesystem-09.03": Now(None, "03d6ac8c7a0d21d8"),
            "filesystem-15.04": Now(None, "5ffb4099440b61e1"),
        },
    ),
    Outcome(
        "a kind of file without a grammar is refused, as in the original",
        {
            "agent-tools-00.17": Now("invalid_input", "3f3b19c515d83d10"),
            "agent-tools-02.05": Now("invalid_input", "3724a242323307ad"),
            "agent-tools-08.07": Now("invalid_input", "952e3bddc860bf80"),
            "agent-tools-13.05": Now("invalid_input", "576349a064210700"),
            "agent-tools-16.16": Now("invalid_input", "5ac8684091318f93"),
            "agent-tools-21.06": Now("invalid_input", "6f01e86cf682bacb"),
            "agent-tools-22.09": Now("invalid_input", "f95c0f4b3a1f7f37"),
            "agent-tools-24.18": Now("invalid_input", "69f9a60a1ee39e6e"),
        },
    ),
    Outcome(
        "a kind of file without a grammar is refused, as in the original",
        {
            "agent-tools-01.01": Now("invalid_input", "02a648fd3e9360ed"),
            "agent-tools-02.12": Now("invalid_input", "b5c1966d2c55ea69"),
            "agent-tools-09.06": Now("invalid_input", "55a3a3664f1dca40"),
            "agent-tools-12.07": Now("invalid_input", "32ff05b338525b9a"),
            "agent-tools-12.12": Now("invalid_input", "cf126341b6d76b9a"),
        },
    ),
    Outcome(
        "a replacement in all files at once has to be asked for by path or glob, as in the original",
        {
            "agent-tools-00.07": Now("invalid_input", "196a218aded3254f"),
            "agent-tools-03.09": Now("invalid_input", "cedb5ce94742a116"),
            "agent-tools-04.02": Now("invalid_input", "be2b77140b32bc75"),
            "agent-tools-04.05": Now("invalid_input", "426d31aa72abdb20"),
            "agent-tools-04.14": Now("invalid_input", "28758f58a52615df"),
            "agent-tools-07.08": Now("invalid_input", "296aed69609c07cb"),
            "agent-tools-11.12": Now("invalid_input", "893c01d30a339f17"),
            "agent-tools-15.06": Now("invalid_input", "c6e07fd5c5392e68"),
        },
    ),
    Outcome(
        "an argument the original does not know is passed over, so the call goes on to what is wrong with the path",
        {"agent-tools-01.16": Now("not_found", "86744d8ead067668")},
    ),
    Outcome(
        "two names in a file's header rename it, as in the original: the call goes on to a file that is missing",
        {"agent-tools-15.13": Now("not_found", "cab9a527a57f35e6")},
    ),
    Outcome(
        "a search of a directory refuses a file, as in the original",
        {
            "largefile-02.09": Now("not_a_directory", "4b28e45e4ef36e53"),
            "largefile-04.05": Now("not_a_directory", "6fbe1d2e6df4fa6d"),
            "largefile-18.13": Now("not_a_directory", "867f2c9a7123f453"),
        },
    ),
    Outcome(
        "a pattern that is wrong is said of each file, as in the original; the call as a whole has not failed",
        {
            "filesystem-05.16": Now(None, "5aec1a8016ccc59b"),
            "filesystem-13.01": Now(None, "cc8d4debcdac0005"),
            "filesystem-17.18": Now(None, "16cd61ec51312bec"),
            "filesystem-18.08": Now(None, "f9c483410b8fb257"),
            "filesystem-20.06": Now(None, "a2410fe0c34711de"),
        },
    ),
    Outcome(
        "the limit counts every item of a call, those whose path is refused too",
        {
            "filesystem-11.15": Now("too_large", "dc8b33a0580e6db3"),
            "filesystem-23.17": Now("too_large", "05a3bee5f3293f4e"),
        },
    ),
    Outcome(
        "a folder's stats are asked for by the listing, not by the caller: no limit of items refuses them",
        {"filesystem-23.07": Now(None, "a3db7daccfa82488")},
    ),
    Outcome(
        "a new file gets newlines alone, as the original's page says",
        {
            "agent-tools-00.02": Now(None, "1e64fec37c31abf4"),
            "agent-tools-14.14": Now(None, "7d1a601e2de07965"),
        },
    ),
)
