"""The call path of every surface."""

from __future__ import annotations

from tests.recording.differences import Now, Outcome, Retold, Wording

WORDINGS = (
    Wording(
        "the hint names no tool, since every surface has its own",
        r"list_files of (\S+) shows what is there",
        r"list \1 to see what is there",
    ),
    Wording(
        "a refusal speaks of an object, as JSON does, not of a class of the program",
        r"a valid dictionary or instance of \w+",
        "an object",
    ),
)

RETOLD = (
    Retold(
        "a line past the end is refused as the line that was asked for, not as a start",
        lambda was, now: (
            was.code == now.code == "invalid_input"
            and "line=" in now.text
            and "is past the end of" in now.text
        ),
    ),
    Retold(
        "a control character is the same escape in a diff or a refusal as in a read, and no picture of its own",
        lambda was, now: (
            was.code == now.code and any(chr(0x2400 + n) in was.text for n in (*range(9), *range(11, 32)))
        ),
    ),
    Retold(
        "a refusal names every unknown argument and up to five other problems, not the first and a count",
        lambda was, now: was.code == now.code == "invalid_input" and "(and " in was.text,
    ),
    Retold(
        "every dialect says where a missing path led and which names are like it, as the native tools do",
        lambda was, now: was.code == now.code == "not_found" and ", in the root " in now.text,
    ),
    Retold(
        "a character that cannot be shown is spelled out in every answer, not only in those of the server",
        lambda was, now: any(spelled in now.text for spelled in ("\\u0000", "\\u000b", "\\udcff")),
    ),
    Retold(
        "a number of more than 64 bits is refused before anything else is looked at",
        lambda was, now: was.code == now.code == "invalid_input" and "more than 64 bits" in now.text,
    ),
)

OUTCOMES = (
    Outcome(
        "an optional argument that is null is absent: adapters fill in nulls for what a model left out",
        {"filesystem-00.04": Now(None, "77f10f025d25d6b0")},
    ),
    Outcome(
        "a number of more than 64 bits is refused: to count with it, or to write it out, can fail",
        {
            "native-77.14": Now("invalid_input", "64a73ebbab475dd3"),
            "agent-tools-14.13": Now("invalid_input", "8f2f6df369edf229"),
            "largefile-01.05": Now("invalid_input", "a809f70b2eab751c"),
        },
    ),
)
