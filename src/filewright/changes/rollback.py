"""The rollback of one replacement, decided by a table of what its two slots hold.

A replacement has a place, the name that the change gives to its file, and a backup: the slot in which the displaced
file is if the exchange was made, and our staged file if it was not. The table looks at nothing else, so it serves a
commit that fails and the recovery after a crash, and may be interrupted and repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from filewright.changes.slots import SAME_CONTENT, SAME_INODE, Look


class SlotContent(Enum):
    """The content of a slot, from the point of view of the change."""

    ORIGINAL = "the thing that was there before the change, as it was"
    EDITED_ORIGINAL = "the inode of the original with other content, or a newer file that got its number"
    EQUAL_COPY = "another file with the content of the original"
    OURS = "what the change puts there"
    OURS_APPENDED = "our file, to which another program has added lines"
    UNFINISHED = "a part of our file, left by an interrupted write"
    FOREIGN = "a file of another program"
    MISSING = "nothing"


class RollbackAction(Enum):
    """The step that takes one replacement back."""

    NOTHING = "the place is as it was"
    DISCARD_OURS = "put our file away from the backup"
    EXCHANGE = "exchange the two, and put our file away"
    RESTORE = "move the backup to the empty place"
    KEEP_ORIGINAL = "leave the place, and keep the original"
    KEEP_BACKUP = "leave the place, and keep the save that was displaced"
    REPORT_EDITED = "leave the place, and report it"
    REPORT_LOST = "report that only the undo data holds the original"


def classify_slot(
    *, original: Look, ours: Look, is_staged_file: bool, keeps_content: bool
) -> SlotContent:
    """Classify a slot by its comparison with the original and with what the change puts there.

    `is_staged_file`: a new file, not something that is moved. `keeps_content`: both hold the same.
    """
    if ours == "missing":
        return SlotContent.MISSING
    # A staged file is known by its content: a disk gives the number of an inode that is gone to the next new file.
    # What is moved is known by its inode.
    is_ours = ours in (SAME_CONTENT if is_staged_file else SAME_INODE)
    is_appended = is_staged_file and ours == "grown"
    if original in SAME_INODE and (keeps_content or not (is_ours or is_appended)):
        return (
            SlotContent.ORIGINAL if original == "same" else SlotContent.EDITED_ORIGINAL
        )
    if is_ours:
        return SlotContent.OURS
    if is_appended:
        return SlotContent.OURS_APPENDED
    return SlotContent.EQUAL_COPY if original == "alike" else SlotContent.FOREIGN


_OUR_FILE_AT_PLACE = {
    # Whatever was displaced goes back, be it the original or another program's save of a moment ago.
    **dict.fromkeys(SlotContent, RollbackAction.EXCHANGE),
    SlotContent.MISSING: RollbackAction.REPORT_LOST,
}
_FOREIGN_FILE_AT_PLACE = {
    SlotContent.ORIGINAL: RollbackAction.KEEP_ORIGINAL,
    SlotContent.EDITED_ORIGINAL: RollbackAction.KEEP_ORIGINAL,
    SlotContent.EQUAL_COPY: RollbackAction.KEEP_ORIGINAL,
    # Nothing was exchanged: the other program saved before.
    SlotContent.OURS: RollbackAction.DISCARD_OURS,
    SlotContent.UNFINISHED: RollbackAction.DISCARD_OURS,
    SlotContent.OURS_APPENDED: RollbackAction.KEEP_BACKUP,
    # Two saves: one was displaced by the change, one came after it.
    SlotContent.FOREIGN: RollbackAction.KEEP_BACKUP,
    SlotContent.MISSING: RollbackAction.REPORT_EDITED,
}

ROLLBACK_TABLE: Mapping[SlotContent, Mapping[SlotContent, RollbackAction]] = {
    # Never exchanged, or given back already.
    SlotContent.ORIGINAL: {
        **dict.fromkeys(SlotContent, RollbackAction.DISCARD_OURS),
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    # Written to in place, unless a save was displaced: then this is a later one, which got the original's number.
    SlotContent.EDITED_ORIGINAL: {
        **_FOREIGN_FILE_AT_PLACE,
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    # Another program has written the content of the original again.
    SlotContent.EQUAL_COPY: {
        **_FOREIGN_FILE_AT_PLACE,
        SlotContent.MISSING: RollbackAction.NOTHING,
    },
    SlotContent.OURS: _OUR_FILE_AT_PLACE,
    SlotContent.OURS_APPENDED: _OUR_FILE_AT_PLACE,
    # Only complete files are published, so another program has cut this one off.
    SlotContent.UNFINISHED: _FOREIGN_FILE_AT_PLACE,
    SlotContent.FOREIGN: _FOREIGN_FILE_AT_PLACE,
    SlotContent.MISSING: {
        SlotContent.ORIGINAL: RollbackAction.RESTORE,
        SlotContent.EDITED_ORIGINAL: RollbackAction.RESTORE,
        SlotContent.EQUAL_COPY: RollbackAction.RESTORE,
        SlotContent.OURS: RollbackAction.DISCARD_OURS,
        SlotContent.UNFINISHED: RollbackAction.DISCARD_OURS,
        SlotContent.OURS_APPENDED: RollbackAction.KEEP_BACKUP,
        SlotContent.FOREIGN: RollbackAction.KEEP_BACKUP,
        SlotContent.MISSING: RollbackAction.REPORT_LOST,
    },
}
"""The action for each content of the place and, in the inner mapping, of the backup."""

LEAVES_OURS_POSSIBLE = (
    RollbackAction.KEEP_ORIGINAL,
    RollbackAction.KEEP_BACKUP,
    RollbackAction.REPORT_EDITED,
)
"""The actions that leave a place in which another program may have saved what it had read of the change."""
