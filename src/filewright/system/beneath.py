"""The walk from an open folder to a path below it, part by part."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from filewright.system.errors import EscapesFolderError, NotAFileError, system_error

if TYPE_CHECKING:
    from filewright.system.base import BaseFolder

_LINKS = 40
_RETRIES = 128

CheckPart = Callable[[Any, bytes, bool | None], None]
"""Asked of every part on a way, with the folder it is in and whether it is a folder (None: it could not be looked
at), before anything is done with it. Refuses by raising."""


class _RacedError(OSError):
    """What was a folder a moment ago is something else now; the walk starts again."""


def walk_beneath(
    start: BaseFolder,
    parts: Sequence[bytes],
    links: bool,
    cross: bool,
    ask: CheckPart | None,
    enter: Callable[[BaseFolder, bytes], BaseFolder] | None,
) -> Any:
    """What `parts` lead to below `start`, part by part: a folder as `enter` opens it, or a regular file (None).

    Relative links are followed inside the folder; an absolute link, and a link or `..`
    that leads above it, are refused (`EXDEV`); more than 40 links are a loop (`ELOOP`).
    """
    for _ in range(_RETRIES):
        with suppress(_RacedError):
            return _walked_once(start, parts, links, cross, ask, enter)
    raise OSError(errno.EAGAIN, "the folders above it are being renamed")


def _walked_once(
    start: BaseFolder,
    parts: Sequence[bytes],
    links: bool,
    cross: bool,
    ask: CheckPart | None,
    enter: Callable[[BaseFolder, bytes], BaseFolder] | None,
) -> Any:
    device = None if cross else start.status().device
    pending = [part for part in reversed(parts) if part] or [b"."]
    followed, leads_out = 0, EscapesFolderError()
    folder = start.open_folder(b".", listable=False)
    try:
        while True:
            part = pending.pop()
            if part == b"..":
                if not folder.resolved_parts:
                    raise leads_out
                # Once more from the start: `..` of a folder that was moved may be
                # anywhere.
                pending += [b".", *reversed(folder.resolved_parts[:-1])]
                folder.close()
                folder = start.open_folder(b".", listable=False)
                continue
            if part == b".":
                if pending:
                    continue
                if enter is None:
                    raise NotAFileError("folder")
                found = enter(folder, b".")
                found.resolved_parts = folder.resolved_parts
                return found
            try:
                status = folder.stat(part)
            except OSError:
                if ask is not None:
                    ask(folder, part, None)
                raise
            kind = status.kind
            if ask is not None:
                ask(folder, part, kind == "folder")
            if device is not None and status.device != device:
                raise EscapesFolderError()
            try:
                if kind == "link":
                    followed += 1
                    if not links or followed > _LINKS:
                        raise system_error(errno.ELOOP)
                    target, relative = folder.link_target(part)
                    leads_out = EscapesFolderError(
                        folder.resolved_parts, b"/".join((target, *reversed(pending)))
                    )
                    if not relative:
                        raise leads_out
                    pending += [b"."] * target.endswith(b"/") + [
                        step for step in reversed(target.split(b"/")) if step
                    ]
                    continue
                last = not pending
                if last and enter is None:
                    if kind != "file":
                        raise NotAFileError(kind)
                    found = folder.open(part, known_file=True)
                elif kind != "folder":
                    raise system_error(errno.ENOTDIR)
                elif last and enter is not None:
                    found = enter(folder, part)
                else:
                    found = folder.open_folder(part, listable=False)
            except OSError as error:
                was_folder = error.errno == errno.ENOTDIR and kind == "folder"
                was_link = error.errno == errno.EINVAL and kind == "link"
                if (
                    was_folder
                    or was_link
                    or (error.errno in (errno.ELOOP, errno.EMLINK) and kind != "link")
                ):
                    raise _RacedError from error
                raise
            found.resolved_parts = (*folder.resolved_parts, part)
            if last:
                return found
            folder.close()
            folder = found
    finally:
        folder.close()
