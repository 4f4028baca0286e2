"""The sentences of the history about damage."""

from __future__ import annotations

import pytest

from filewright.recording.damage import Damage, GuardSentence

SENTENCES = {
    "one kind": GuardSentence("a.ini", (Damage.MODE,)),
    "several kinds": GuardSentence(
        "b: c; d.ini", (Damage.REPLACED_BYTES, Damage.HARD_LINK)
    ),
    "advice": GuardSentence("a", (Damage.SYMLINK,), "edit b; or: c, mode"),
    "left": GuardSentence("a/b.ini", (), "another program has saved it"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_parses_its_text(name: str) -> None:
    sentence = SENTENCES[name]
    assert GuardSentence.parse(str(sentence)) == sentence


@pytest.mark.parametrize(
    "text",
    ["", "guard: a.ini", "guard: a: other", "Edit a.ini", "x guard: a: mode"],
)
def test_leaves_other_texts(text: str) -> None:
    assert GuardSentence.parse(text) is None
