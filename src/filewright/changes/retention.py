"""The limits of a history: the oldest operations go, then what only they needed."""

from __future__ import annotations

import time
from contextlib import suppress

from filewright.changes.log import Log
from filewright.changes.log_reader import DAMAGE_ERRORS
from filewright.errors import FilewrightError

_DAY_NS = 86_400 * 10**9
_ALWAYS_KEPT = 50
"""The newest operations, which no date expires."""
_SHARE_LEFT = 0.95
"""The share of the limit to which a history is cut, so that few changes cut it."""
_PRUNE_SECONDS = 0.02
_DELETED_ROWS = 900
_VACUUMED_PAGES = 500
"""Pages of the database that are given back to the file system at a time."""

_USED_BYTES = (
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
# The recorded usage may be damaged; then the size is NULL.
_SIZE = (
    f"SELECT ({_USED_BYTES}) "
    "+ (SELECT CASE typeof(bytes) WHEN 'integer' THEN bytes END FROM usage)"
)
_OLDEST_AND_LIMITS = (
    "SELECT number, (SELECT max(number) FROM operations), "
    "(SELECT number FROM operations ORDER BY number DESC "
    f"LIMIT 1 OFFSET {_ALWAYS_KEPT - 1}), ({_SIZE}) "
    "FROM operations ORDER BY number LIMIT 1"
)
_DELETE_OPERATION = (
    "DELETE FROM operations WHERE number = ?1 AND NOT EXISTS "
    "(SELECT 1 FROM unfinished WHERE number <= ?1 AND state <> 'aside')"
)
_DELETE_FILE_CHANGES = (
    "DELETE FROM file_changes WHERE (operation, number) IN "
    "(SELECT operation, number FROM file_changes "
    "WHERE operation < (SELECT min(number) FROM operations) "
    f"LIMIT {_DELETED_ROWS})"
)


def enforce_limits(log: Log, *, settle: bool = False) -> None:
    """Keep the history of a log within its limits. Needs the workspace lock.

    With `settle`, operations that are cleaned up are marked so in any case: a change
    over several roots, which are not always open together, is not to be left
    unfinished.
    """
    # The change itself is made, whatever a damaged log holds; the next change tries
    # again.
    with suppress(*DAMAGE_ERRORS, FilewrightError):
        limit = log.settings.history_bytes
        expired = find_expired(log, limit)
        if expired and _recount(log):
            expired = find_expired(log, limit)
        if settle or expired:
            from filewright.changes.recovery import settle_cleaned

            # What is not marked as cleaned up is never dropped.
            settle_cleaned(log)
        if expired:
            prune(log)


def prune(log: Log, *, seconds: float = _PRUNE_SECONDS) -> None:
    """Drop the oldest operations that are past the limits, as far as the time goes.

    The newest operation, those that are unfinished, and all that are newer than these
    stay. Age counts from the fiftieth operation, so a clock that jumps expires nothing.
    """
    limit = log.settings.history_bytes
    if log_bytes(log) > limit:
        limit = int(limit * _SHARE_LEFT)
    deadline = time.monotonic() + seconds
    rounds, is_more = 0, True
    # Two rounds however slow the machine: an operation, then what it alone needed.
    while is_more and (rounds < 2 or time.monotonic() < deadline):
        rounds += 1
        with log.database.transaction(durable=False) as execute:
            files, is_more = log.contents.delete_unneeded(execute)
            if execute(_DELETE_FILE_CHANGES).rowcount > 0:
                is_more = True
            if not is_more:
                expired = find_expired(log, limit)
                if expired is not None:
                    is_more = (
                        execute(_DELETE_OPERATION, (expired,)).rowcount > 0
                    )
            execute(f"PRAGMA incremental_vacuum({_VACUUMED_PAGES})").fetchall()
        log.contents.remove_files(files)


def log_bytes(log: Log) -> int:
    """Return the bytes that operations and contents take."""
    return sum(size or 0 for (size,) in log.database.read(_SIZE))


def find_expired(log: Log, limit: int) -> int | None:
    """Return the oldest operation if it is too old, or all exceed `limit`."""
    max_age = log.settings.history_days * _DAY_NS
    for oldest, newest, fiftieth, size in log.database.read(_OLDEST_AND_LIMITS):
        if oldest == newest:
            # The newest change can be undone, however large it is.
            continue
        is_old = fiftieth is not None and oldest < fiftieth - max_age
        # A damaged usage counts as too much: the caller then counts again.
        if is_old or size is None or size > limit:
            return int(oldest)
    return None


def _recount(log: Log) -> bool:
    """Count the bytes of contents in files; return False if they were counted right."""
    recorded = log.database.read("SELECT bytes FROM usage")
    size = log.contents.total_file_bytes()
    if recorded == [(size,)]:
        return False
    with log.database.transaction(durable=False) as execute:
        execute("DELETE FROM usage")
        execute("INSERT INTO usage VALUES (?)", (size,))
    return True
