"""The table of rollbacks: every pair of contents has an action, and none loses a save."""

from __future__ import annotations

from typing import get_args

import pytest

from filewright.changes.rollback import (
    ROLLBACK_TABLE,
    RollbackAction,
    SlotContent,
    classify_slot,
)
from filewright.changes.slots import Look

_SAVES = (SlotContent.FOREIGN, SlotContent.EDITED_ORIGINAL)


def test_is_total() -> None:
    assert set(ROLLBACK_TABLE) == set(SlotContent)
    for row in ROLLBACK_TABLE.values():
        assert set(row) == set(SlotContent)


@pytest.mark.parametrize("place", SlotContent)
@pytest.mark.parametrize("backup", _SAVES)
def test_no_save_is_discarded(place: SlotContent, backup: SlotContent) -> None:
    action = ROLLBACK_TABLE[place][backup]
    # What is put away is looked at first: what others have written into it is kept.
    if place is not SlotContent.ORIGINAL:
        assert action not in (RollbackAction.NOTHING, RollbackAction.DISCARD_OURS)


@pytest.mark.parametrize("backup", SlotContent)
@pytest.mark.parametrize(
    "place", [*_SAVES, SlotContent.EQUAL_COPY, SlotContent.ORIGINAL]
)
def test_no_place_of_others_is_replaced(
    place: SlotContent, backup: SlotContent
) -> None:
    assert ROLLBACK_TABLE[place][backup] not in (
        RollbackAction.EXCHANGE,
        RollbackAction.RESTORE,
    )


@pytest.mark.parametrize("is_staged_file", [True, False])
@pytest.mark.parametrize("keeps_content", [True, False])
@pytest.mark.parametrize("ours", get_args(Look))
@pytest.mark.parametrize("original", get_args(Look))
def test_classifies_every_comparison(
    original: Look, ours: Look, *, keeps_content: bool, is_staged_file: bool
) -> None:
    content = classify_slot(
        original=original,
        ours=ours,
        is_staged_file=is_staged_file,
        keeps_content=keeps_content,
    )
    assert (content is SlotContent.MISSING) == (ours == "missing")
    if ours in ("same", "alike") and is_staged_file and not keeps_content:
        assert content is SlotContent.OURS


@pytest.mark.parametrize(
    ("original", "ours", "content"),
    [
        ("same", "other", SlotContent.ORIGINAL),
        ("changed", "other", SlotContent.EDITED_ORIGINAL),
        ("grown", "other", SlotContent.EDITED_ORIGINAL),
        ("changed", "same", SlotContent.OURS),
        ("alike", "other", SlotContent.EQUAL_COPY),
        ("other", "grown", SlotContent.OURS_APPENDED),
        ("other", "changed", SlotContent.FOREIGN),
        ("other", "other", SlotContent.FOREIGN),
    ],
)
def test_classifies_staged_files(
    original: Look, ours: Look, content: SlotContent
) -> None:
    assert (
        classify_slot(
            original=original, ours=ours, is_staged_file=True, keeps_content=False
        )
        is content
    )
