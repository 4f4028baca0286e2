"""The rollback tables: every pair of contents has an action, and none loses a save."""

from __future__ import annotations

import pytest

from filewright.changes.file_match import FileMatch
from filewright.changes.rollback_table import (
    EXCHANGE_BACK_TABLE,
    ROLLBACK_TABLE,
    RollbackAction,
    SlotContent,
    classify_slot,
)

_SAVES = (SlotContent.FOREIGN, SlotContent.EDITED_ORIGINAL)
_FOREIGN_TARGETS = (*_SAVES, SlotContent.EQUAL_COPY, SlotContent.ORIGINAL)


def test_is_total() -> None:
    assert set(ROLLBACK_TABLE) == set(SlotContent)
    for row in ROLLBACK_TABLE.values():
        assert set(row) == set(SlotContent)
    assert set(EXCHANGE_BACK_TABLE) == set(SlotContent)


@pytest.mark.parametrize("target", SlotContent)
@pytest.mark.parametrize("backup", _SAVES)
def test_no_save_is_discarded(target: SlotContent, backup: SlotContent) -> None:
    action = ROLLBACK_TABLE[target][backup]
    # A file that is discarded is compared first: what others have written into it is kept.
    if target is not SlotContent.ORIGINAL:
        assert action not in (
            RollbackAction.NOTHING,
            RollbackAction.DISCARD_OURS,
        )


@pytest.mark.parametrize("backup", SlotContent)
@pytest.mark.parametrize("target", _FOREIGN_TARGETS)
def test_no_foreign_target_is_replaced(
    target: SlotContent, backup: SlotContent
) -> None:
    assert ROLLBACK_TABLE[target][backup] not in (
        RollbackAction.EXCHANGE,
        RollbackAction.RESTORE,
    )


@pytest.mark.parametrize("is_staged_file", [True, False])
@pytest.mark.parametrize("keeps_content", [True, False])
@pytest.mark.parametrize("ours", FileMatch)
@pytest.mark.parametrize("original", FileMatch)
def test_classifies_every_comparison(
    original: FileMatch,
    ours: FileMatch,
    *,
    keeps_content: bool,
    is_staged_file: bool,
) -> None:
    content = classify_slot(
        original=original,
        ours=ours,
        is_staged_file=is_staged_file,
        keeps_content=keeps_content,
    )
    assert (content is SlotContent.MISSING) == (ours is FileMatch.MISSING)
    if ours.is_same_content and is_staged_file and not keeps_content:
        assert content is SlotContent.OURS


@pytest.mark.parametrize(
    ("original", "ours", "content"),
    [
        (FileMatch.SAME, FileMatch.DIFFERENT, SlotContent.ORIGINAL),
        (FileMatch.MODIFIED, FileMatch.DIFFERENT, SlotContent.EDITED_ORIGINAL),
        (FileMatch.APPENDED, FileMatch.DIFFERENT, SlotContent.EDITED_ORIGINAL),
        (FileMatch.MODIFIED, FileMatch.SAME, SlotContent.OURS),
        (FileMatch.EQUAL, FileMatch.DIFFERENT, SlotContent.EQUAL_COPY),
        (FileMatch.DIFFERENT, FileMatch.APPENDED, SlotContent.OURS_APPENDED),
        (FileMatch.DIFFERENT, FileMatch.MODIFIED, SlotContent.FOREIGN),
        (FileMatch.DIFFERENT, FileMatch.DIFFERENT, SlotContent.FOREIGN),
    ],
)
def test_classifies_staged_files(
    original: FileMatch, ours: FileMatch, content: SlotContent
) -> None:
    assert (
        classify_slot(
            original=original,
            ours=ours,
            is_staged_file=True,
            keeps_content=False,
        )
        is content
    )
