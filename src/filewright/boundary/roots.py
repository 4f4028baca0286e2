"""Opening and naming the roots."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence

from filewright import system
from filewright.boundary.launcher import Launcher
from filewright.boundary.location import Root
from filewright.boundary.names import quote
from filewright.boundary.worktrees import linked_worktrees
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import Folder, Status

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def open_roots(
    asked: Sequence[Path],
    *,
    confine: bool = True,
    resolves: bool = True,
    worktrees: bool = False,
    strict: bool = False,
) -> tuple[Root, ...]:
    """Open each root and hold its descriptor; without `confine` no child process may read them,
    and without `resolves` paths below them are walked part by part.

    With `worktrees` those linked with them are roots too; where it is `strict`, every path names its root.

    A root is a folder's path, or `name=path` to name it; without a name its folder's name is
    taken, with `-2`, `-3` … where two would be the same. The same folder given twice is one root.
    """
    found: list[tuple[str, bytes, Folder, Status]] = []
    taken: set[str] = set()
    seen: set[tuple[int, int]] = set()
    if not asked:
        raise FilewrightError(Code.INVALID_INPUT, "no root was given", hint="name at least one folder")
    wanted = [_split(os.fsencode(item)) for item in asked]
    if worktrees:
        wanted += [("", linked) for _, path in wanted for linked in linked_worktrees(system.absolute(path))]
    for name, path in wanted:
        absolute = system.absolute(path)
        try:
            folder = system.open_folder(absolute, resolves=resolves)
        except (OSError, ValueError) as error:
            for _, _, opened, _ in found:
                opened.close()
            reason = error if isinstance(error, OSError) else OSError(errno.EINVAL, str(error))
            raise from_os_error(reason, quote(path), doing="open the root") from error
        status = folder.status()
        if status.identity in seen:
            folder.close()
            continue
        seen.add(status.identity)
        unique = _unique(name or _name_of(absolute), taken)
        taken.add(unique)
        found.append((unique, absolute, folder, status))
    launcher = Launcher([folder for _, _, folder, _ in found], confine=confine)
    return tuple(
        Root(
            name=name,
            path=path,
            folder=folder,
            device=status.device,
            inode=status.inode,
            resolved=system.resolved(path),
            index=index,
            several=len(found) > 1,
            strict=strict,
            launcher=launcher,
        )
        for index, (name, path, folder, status) in enumerate(found)
    )


def _split(item: bytes) -> tuple[str, bytes]:
    name, equals, path = item.partition(b"=")
    # A folder whose own name holds `=` is still a folder: a name never holds a slash.
    if equals and path and name and not re.search(rb"[/\\]", name) and not os.path.isdir(item):
        return _clean(name), path
    return "", item


def _clean(name: bytes) -> str:
    text = name.decode("utf-8", "replace")
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text) or "root"


def _name_of(path: bytes) -> str:
    return _clean(path.rpartition(b"/")[2])


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate
