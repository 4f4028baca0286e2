"""Encodings and lines."""

from __future__ import annotations

import re

from tests.recording.differences import Now, Outcome, Retold

_CONFIDENCE = re.compile(r"\(guessed, confidence [\d.]+\)")

_VERSION = re.compile(r"<version \d+>")


def _counted_on(text: str) -> str:
    return _VERSION.sub("", _CONFIDENCE.sub("", text))


RETOLD = (
    Retold(
        "a write tells the version of a file too large to be held, which the recording numbers before the next ones",
        lambda was, now: (
            was.text != now.text
            and _counted_on(was.text) == _counted_on(now.text)
            and [int(each[9:-1]) + 1 for each in _VERSION.findall(was.text)]
            == [int(each[9:-1]) for each in _VERSION.findall(now.text)]
        ),
    ),
    Retold(
        "the confidence of a guess says how it compares with the next best reading, and never that it is certain",
        lambda was, now: (
            was.text != now.text and _CONFIDENCE.sub("", was.text) == _CONFIDENCE.sub("", now.text)
        ),
    ),
    Retold(
        "the refusal of an encoding names those that are read",
        lambda was, now: "unknown encoding" in was.text and was.code == now.code == "invalid_input",
    ),
    Retold(
        "the undone change is another one, since UTF-16 text was edited before it",
        lambda was, now: now.id in {"native-52.16", "largefile-25.14", "largefile-25.18"},
    ),
    Retold(
        "UTF-16 text is edited in place: the edit changes nothing, and is refused for that",
        lambda was, now: now.id == "filesystem-23.02",
    ),
)

OUTCOMES = (
    Outcome(
        "UTF-16 text is edited in place as any other: it was refused, or left out of a replacement",
        {
            "filesystem-04.12": Now(None, "903ab202386567a0"),
            "filesystem-08.12": Now(None, "ce1370a7c2e22021"),
            "filesystem-19.17": Now(None, "7febc04c5c45d125"),
            "largefile-25.12": Now(None, "0f6ef11298244bde"),
            "native-14.04": Now("no_change", "c4507b0fcd84bf78"),
            "native-36.16": Now(None, "05795af6c8a0dc71"),
            "native-40.10": Now(None, "e527a447aac7d3e5"),
            "native-52.06": Now(None, "cf1a71e71b93c6ce"),
            "native-52.11": Now("overlap", "3bac541483ddb43b"),
            "native-53.18": Now(None, "587e55d9f7e7cde8"),
        },
    ),
    Outcome(
        "the change undone by its place in the session is another one, since UTF-16 text was edited before it",
        {"native-52.14": Now("no_change", "3bac541483ddb43b")},
    ),
)
