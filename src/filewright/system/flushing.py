"""Flushing many files and folders to the disk, side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from filewright.system import File, Folder

_THREADS = 16


def flush_all(handles: Iterable[File | Folder]) -> None:
    """Flush side by side: 100 flushes in turn take thirty times as long. All are tried; the first error is raised."""
    pending = list(handles)
    if len(pending) < 2:
        for handle in pending:
            handle.flush()
        return
    from concurrent.futures import wait

    threads = min(_THREADS, len(pending))
    results = [
        _pool().submit(_flush_each, pending[start::threads]) for start in range(threads)
    ]
    wait(results)
    for result in results:
        result.result()


@cache  # A change flushes a dozen times: beginning sixteen threads for each takes longer than the flushes.
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(_THREADS, thread_name_prefix="flush")


def stop_flush_threads() -> None:
    """End the threads that flush, until they are needed again: what confines a process asks for a single one."""
    if _pool.cache_info().currsize:
        _pool().shutdown()
        _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        after_in_child=_pool.cache_clear
    )  # A forked process has none of the threads.


def _flush_each(handles: Sequence[File | Folder]) -> None:
    failed: OSError | None = None
    for handle in handles:
        try:
            handle.flush()
        except OSError as error:
            failed = failed or error
    if failed is not None:
        raise failed
