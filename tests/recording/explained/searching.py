"""What a search looks at, and what is no text."""

from __future__ import annotations

from tests.recording.differences import Now, Outcome, Retold, Wording

WORDINGS = (
    Wording(
        "what is no text may be UTF-32, which is not read: the hint says what to do with it",
        r"(give its encoding to read_content)(?!; of UTF-32)",
        r"\1; of UTF-32 there is none: convert it to UTF-8",
    ),
)

RETOLD = (
    Retold(
        "a glob holds for a file that is named by itself, and leaves this one out: there is no page of it",
        lambda was, now: now.id == "agent-tools-02.08",
    ),
)

OUTCOMES = (
    Outcome(
        "glob and type hold for a file that is named by itself: one that they leave out is not looked at",
        {
            "native-36.01": Now(None, "2bf55b5b7d66c08f"),
            "native-76.04": Now(None, "08c9dee590791bed"),
            "native-83.11": Now(None, "c0fbbba64b7e2c7a"),
            "native-88.16": Now(None, "b73fb6211f90363c"),
            "agent-tools-00.08": Now(None, "196a218aded3254f"),
        },
    ),
    Outcome(
        "a glob beside a file that is named by itself is no longer passed over, and a wrong one is refused",
        {
            "native-07.18": Now("invalid_input", "d82dc08ce59d5df0"),
            "native-32.11": Now("invalid_input", "45fa9b466756a9f6"),
            "agent-tools-21.18": Now("path_escape", "f1047fe948d48cdf"),
            "filesystem-20.08": Now("path_escape", "a2410fe0c34711de"),
        },
    ),
)
