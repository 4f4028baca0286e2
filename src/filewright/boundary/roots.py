"""The roots of a workspace, and the root that a caller's path is below."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.location import Location, Root
from filewright.boundary.names import plain_form, quote, unquote
from filewright.boundary.worktree_links import find_linked_worktrees
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import Settings
from filewright.system import Folder

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class _RequestedRoot(NamedTuple):
    """A root to open. Without a name it is named after its folder."""

    path: bytes
    name: bytes = b""


def open_roots(
    requested: Sequence[Path], settings: Settings
) -> tuple[Root, ...]:
    """Open each root and hold its descriptor.

    A root is a folder's path, or `name=path` to name it. Without a name it is named
    after its folder, with `-2`, `-3` … if two would be the same. The same folder given
    twice is one root.
    """
    if not requested:
        raise errors.invalid("no root was given", "name at least one folder")
    requested_roots = [_parse_root(os.fsencode(path)) for path in requested]
    if settings.worktrees:
        for requested_root in tuple(requested_roots):
            absolute = system.absolute_path(requested_root.path)
            for worktree in find_linked_worktrees(absolute):
                requested_roots.append(_RequestedRoot(worktree))
    folders: list[Folder] = []
    roots: list[Root] = []
    for requested_root in requested_roots:
        path = system.absolute_path(requested_root.path)
        try:
            folder = system.open_folder(
                path, resolves_in_kernel=settings.openat2
            )
        except (OSError, ValueError) as error:
            for opened in folders:
                opened.close()
            # A path with a NUL raises ValueError.
            os_error = (
                error
                if isinstance(error, OSError)
                else OSError(errno.EINVAL, str(error))
            )
            raise from_os_error(
                os_error, quote(requested_root.path), doing="open the root"
            ) from error
        identity = folder.status().identity
        if any(root.identity == identity for root in roots):
            folder.close()
            continue
        folders.append(folder)
        folder_name = path.rpartition(b"/")[2]
        root = Root(
            name=_unique_name(requested_root.name or folder_name, roots),
            path=path,
            folder=folder,
            identity=identity,
            resolved_path=system.real_path(path),
            index=len(roots),
            requires_prefix=settings.strict_paths,
        )
        roots.append(root)
    return tuple(replace(root, has_siblings=len(roots) > 1) for root in roots)


def _parse_root(requested: bytes) -> _RequestedRoot:
    name, _, path = requested.partition(b"=")
    is_named = name and path and not re.search(rb"[/\\]", name)
    # A folder whose own name holds `=` is still a folder.
    if not is_named or os.path.isdir(requested):
        return _RequestedRoot(requested)
    return _RequestedRoot(path, name)


def _unique_name(name: bytes, roots: Sequence[Root]) -> str:
    """Return a printable name that none of the roots has."""
    text = name.decode("utf-8", "replace")
    base = "".join(
        character if character.isalnum() or character in "-_." else "-"
        for character in text
    )
    base = base or "root"
    taken = {root.name for root in roots}
    unique, number = base, 1
    while unique in taken:
        number += 1
        unique = f"{base}-{number}"
    return unique


class RootMatch(NamedTuple):
    """The root that a path is below, and the parts of the path from there.

    The parts may still hold `..`.
    """

    root: Root
    parts: tuple[bytes, ...]


def split_root(
    roots: Sequence[Root], requested: str, safe_path: str
) -> RootMatch:
    """Return the root that a caller's path is below, by the path alone.

    `safe_path` is the path as messages repeat it. Raise `path_escape`, `invalid_input`
    and the errors of `split_path`.
    """
    named = _match_named_root(roots, requested)
    if named is not None:
        return named
    path = unquote(requested)
    anchor, parts = system.split_path(path)
    if path.startswith(b"~"):
        expanded = os.path.expanduser(path)
        if parts[0] != b"~":
            # `~name` is another user's home, or a file whose name begins with a tilde.
            hint = "write ./ before a name that begins with ~"
            raise _outside_roots(roots, expanded, safe_path, hint)
        path = expanded
        anchor, parts = system.split_path(path)
    elif not anchor:
        if roots[0].requires_prefix and path not in (b"", b"."):
            raise errors.path_error(
                Code.INVALID_INPUT,
                safe_path,
                f"{safe_path} does not say which root it is below",
                f"write {roots[0].name}:{safe_path} or an absolute path; "
                f"the roots are {_list_roots(roots)}",
                roots=_root_paths(roots),
            )
        return RootMatch(roots[0], parts)
    match = _match_absolute_path(roots, anchor, parts)
    if match is None:
        hint = (
            "give a path below the root, or ask the user to add that folder "
            "as a root"
        )
        raise _outside_roots(roots, path, safe_path, hint)
    return match


def _match_named_root(
    roots: Sequence[Root], requested: str
) -> RootMatch | None:
    """Return the root that `name:path` names, or None."""
    if not roots[0].requires_prefix and len(roots) < 2:
        return None
    name, colon, rest = requested.removeprefix('"').partition(":")
    if not colon:
        return None
    for root in roots:
        if root.name == name:
            path = unquote('"' + rest if requested.startswith('"') else rest)
            _, parts = system.split_path(path.lstrip(b"/"))
            return RootMatch(root, parts)
    return None


def _match_absolute_path(
    roots: Sequence[Root], anchor: bytes, parts: tuple[bytes, ...]
) -> RootMatch | None:
    """Return the innermost root that holds an absolute path, or None."""
    best: RootMatch | None = None
    for root in roots:
        for root_path in {root.path, root.resolved_path}:
            root_anchor, root_parts = system.split_path(root_path)
            depth = len(root_parts)
            is_deeper = best is None or len(parts) - depth < len(best.parts)
            if (
                root_anchor == anchor
                and is_deeper
                and _leads_to(root, root_parts, anchor, parts[:depth])
            ):
                best = RootMatch(root, parts[depth:])
    return best


def _leads_to(
    root: Root,
    root_parts: tuple[bytes, ...],
    anchor: bytes,
    parts: tuple[bytes, ...],
) -> bool:
    """Return True if an absolute path is that of a root.

    Case may differ where the file system does not tell it apart.
    """
    if parts == root_parts:
        return True
    if [*map(plain_form, parts)] != [*map(plain_form, root_parts)]:
        return False
    try:
        return (
            system.stat_path(anchor + b"/".join(parts)).identity
            == root.identity
        )
    except OSError:
        return False


def _outside_roots(
    roots: Sequence[Root], path: bytes, safe_path: str, hint: str
) -> FilewrightError:
    return errors.path_error(
        Code.PATH_ESCAPE,
        safe_path,
        f"{safe_path} is outside the workspace (root {_list_roots(roots)})",
        hint,
        resolved=quote(os.path.normpath(path)),
        root=quote(roots[0].path),
        roots=_root_paths(roots),
    )


def _root_paths(roots: Iterable[Root]) -> dict[str, str]:
    """Return the path of each root, by its name."""
    return {root.name: quote(root.path) for root in roots}


def _list_roots(roots: Iterable[Root]) -> str:
    return ", ".join(
        f"{name}: {path}" for name, path in _root_paths(roots).items()
    )


def require_root(root: Root, requested_path: str) -> None:
    """Raise `not_found` unless the root's path still leads to the opened folder.

    Otherwise a change would be made in a folder that the user does not see any more.
    """
    try:
        if system.stat_path(root.path).identity == root.identity:
            return
        event = "was replaced by another folder"
    except PermissionError:
        return  # It cannot be known; the held folder is the one that was opened.
    except (FileNotFoundError, NotADirectoryError):
        event = "was deleted or moved"
    except OSError as error:
        raise from_os_error(error, requested_path) from error
    path = quote(root.path)
    raise errors.path_error(
        Code.NOT_FOUND,
        requested_path,
        f"cannot open {requested_path}: the root {path} {event} since it was opened",
        f"the root {path} was deleted, moved or replaced; start filewright "
        "again with the intended folder",
        root=path,
    )


def enclosing_location(root: Root, roots: Sequence[Root]) -> Location | None:
    """Return the location of a root in the innermost root that holds it, or None."""
    locations = []
    for other in roots:
        # The top of the file system would hold itself.
        if other is not root:
            for parts in other.parts_within([root.resolved_path]):
                locations.append(Location(other, parts))
    return min(
        locations, key=lambda location: len(location.parts), default=None
    )
