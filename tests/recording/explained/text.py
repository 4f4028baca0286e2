"""Encodings and lines."""

from __future__ import annotations

import re

from tests.recording.differences import Retold

_CONFIDENCE = re.compile(r"\(guessed, confidence [\d.]+\)")

RETOLD = (
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
)
