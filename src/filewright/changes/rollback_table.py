"""The rollback of one replacement, decided by a table of what its two slots hold.

A replacement has a target, the name that the change gives to its file, and a backup:
the slot with the displaced file if the exchange was made, and with our staged file if
it was not. The table depends on nothing else, so it serves a commit that fails and the
recovery after a crash, and may be interrupted and repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from filewright.changes.file_match import FileMatch


class SlotContent(Enum):
    """The file in a slot, from the point of view of the change."""

    ORIGINAL = "the file that was there before the change, unchanged"
    EDITED_ORIGINAL = "the inode of the original with other content, or a newer file that got its number"
    EQUAL_COPY = "another file with the content of the original"
    OURS = "the file that the change puts there"
    OURS_APPENDED = (
        "the file of the change, to which another program has added lines"
    )
    UNFINISHED = (
        "a part of the file of the change, left by an interrupted write"
    )
    FOREIGN = "a file of another program"
    MISSING = "no file"


class RollbackAction(Enum):
    """The step that takes one replacement back."""

    NOTHING = "the target is as it was"
    DISCARD_OURS = (
        "remove the file of the change from the backup, or move it back"
    )
    EXCHANGE = "exchange the two, and discard the file of the change"
    RESTORE = "move the backup to the empty target"
    KEEP_ORIGINAL = "leave the target, keep the original as a conflict"
    KEEP_BACKUP = (
        "leave the target, keep the other program's save as a conflict"
    )
    REPORT_EDITED = "leave the target and report a conflict"
    REPORT_LOST = "report that only the undo data holds the original"

    @property
    def leaves_target(self) -> bool:
        """Return True if the target stays as another program has saved it.

        What it saved may have been read while the target showed the change.
        """
        return self in (
            RollbackAction.KEEP_ORIGINAL,
            RollbackAction.KEEP_BACKUP,
            RollbackAction.REPORT_EDITED,
        )


def classify_slot(
    *,
    original: FileMatch,
    ours: FileMatch,
    is_staged_file: bool,
    keeps_content: bool,
) -> SlotContent:
    """Classify a slot by its comparison with the original and with our file.

    `is_staged_file` is False for a folder and for a file that is moved. `keeps_content`
    says that the original and our file have the same content. A part of our file is
    FOREIGN here: to recognise it takes its content.
    """
    if ours is FileMatch.MISSING:
        return SlotContent.MISSING
    # A staged file is known by its content: a disk gives the inode number of a deleted
    # file to the next new file. What the change moves is known by its inode.
    is_ours = ours.is_same_content if is_staged_file else ours.is_same_inode
    is_appended = is_staged_file and ours is FileMatch.APPENDED
    if original.is_same_inode and (
        keeps_content or not (is_ours or is_appended)
    ):
        if original is FileMatch.SAME:
            return SlotContent.ORIGINAL
        return SlotContent.EDITED_ORIGINAL
    if is_ours:
        return SlotContent.OURS
    if is_appended:
        return SlotContent.OURS_APPENDED
    if original is FileMatch.EQUAL:
        return SlotContent.EQUAL_COPY
    return SlotContent.FOREIGN


_OUR_FILE_AT_TARGET = {
    # The displaced file goes back, even if it is not the original but a save that
    # another program made a moment before the change.
    **dict.fromkeys(SlotContent, RollbackAction.EXCHANGE),
    SlotContent.MISSING: RollbackAction.REPORT_LOST,
}
_FOREIGN_FILE_AT_TARGET = {
    SlotContent.ORIGINAL: RollbackAction.KEEP_ORIGINAL,
    SlotContent.EDITED_ORIGINAL: RollbackAction.KEEP_ORIGINAL,
    SlotContent.EQUAL_COPY: RollbackAction.KEEP_ORIGINAL,
    # Nothing was exchanged: the other program saved before the change.
    SlotContent.OURS: RollbackAction.DISCARD_OURS,
    SlotContent.UNFINISHED: RollbackAction.DISCARD_OURS,
    SlotContent.OURS_APPENDED: RollbackAction.KEEP_BACKUP,
    # Two saves: one was displaced by the change, one came after it.
    SlotContent.FOREIGN: RollbackAction.KEEP_BACKUP,
    SlotContent.MISSING: RollbackAction.REPORT_EDITED,
}
_NO_FILE_AT_TARGET = {
    SlotContent.ORIGINAL: RollbackAction.RESTORE,
    SlotContent.EDITED_ORIGINAL: RollbackAction.RESTORE,
    SlotContent.EQUAL_COPY: RollbackAction.RESTORE,
    SlotContent.OURS: RollbackAction.DISCARD_OURS,
    SlotContent.UNFINISHED: RollbackAction.DISCARD_OURS,
    SlotContent.OURS_APPENDED: RollbackAction.KEEP_BACKUP,
    SlotContent.FOREIGN: RollbackAction.KEEP_BACKUP,
    SlotContent.MISSING: RollbackAction.REPORT_LOST,
}

ROLLBACK_TABLE: Mapping[SlotContent, Mapping[SlotContent, RollbackAction]] = {
    # Never exchanged, or given back already.
    SlotContent.ORIGINAL: {
        **dict.fromkeys(SlotContent, RollbackAction.DISCARD_OURS),
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    # Written to in place. Or a save was displaced: then this is a later save, which got
    # the inode number of the original.
    SlotContent.EDITED_ORIGINAL: {
        **_FOREIGN_FILE_AT_TARGET,
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    # Another program has written the content of the original again.
    SlotContent.EQUAL_COPY: {
        **_FOREIGN_FILE_AT_TARGET,
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    SlotContent.OURS: _OUR_FILE_AT_TARGET,
    SlotContent.OURS_APPENDED: _OUR_FILE_AT_TARGET,
    # Only complete files are published, so another program has cut this one off.
    SlotContent.UNFINISHED: _FOREIGN_FILE_AT_TARGET,
    SlotContent.FOREIGN: _FOREIGN_FILE_AT_TARGET,
    SlotContent.MISSING: _NO_FILE_AT_TARGET,
}
"""The action for each content of the target and, inside, of the backup."""


class ExchangeBackAction(Enum):
    """The step that ends an exchange back, during which another program saved."""

    DISCARD_OURS = "remove the file of the change, or move it back"
    KEEP_ORIGINAL = "keep the original as a conflict"
    KEEP_AS_SIBLING = "give the earlier save a name beside the target"


EXCHANGE_BACK_TABLE: Mapping[SlotContent, ExchangeBackAction] = {
    SlotContent.ORIGINAL: ExchangeBackAction.KEEP_ORIGINAL,
    SlotContent.EDITED_ORIGINAL: ExchangeBackAction.KEEP_ORIGINAL,
    SlotContent.EQUAL_COPY: ExchangeBackAction.KEEP_ORIGINAL,
    SlotContent.OURS: ExchangeBackAction.DISCARD_OURS,
    SlotContent.OURS_APPENDED: ExchangeBackAction.KEEP_AS_SIBLING,
    SlotContent.UNFINISHED: ExchangeBackAction.KEEP_AS_SIBLING,
    SlotContent.FOREIGN: ExchangeBackAction.KEEP_AS_SIBLING,
    SlotContent.MISSING: ExchangeBackAction.KEEP_AS_SIBLING,
}
"""The action for the content of the backup, once a newer save is back in the target."""
