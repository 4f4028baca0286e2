"""Opening the roots of a workspace, and finding the root that a caller's path is below."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import replace

from filewright import errors, system
from filewright.boundary.launcher import Launcher
from filewright.boundary.location import Location, Root
from filewright.boundary.names import plain_form, quote, unquote
from filewright.boundary.worktree_links import find_linked_worktrees
from filewright.errors import Code, from_os_error
from filewright.settings import Settings
from filewright.system import Folder

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def open_roots(asked: Sequence[Path], settings: Settings) -> tuple[Root, ...]:
    """Open each root and hold its descriptor.

    A root is a folder's path, or `name=path` to name it; without a name its folder's name is
    taken, with `-2`, `-3` … where two would be the same. The same folder given twice is one root.
    """
    if not asked:
        raise errors.invalid("no root was given", "name at least one folder")
    wanted: list[tuple[bytes, bytes]] = []
    for item in map(os.fsencode, asked):
        name, equals, path = item.partition(b"=")
        # A folder whose own name holds `=` is still a folder: a name never holds a slash.
        if (
            not (equals and path and name)
            or re.search(rb"[/\\]", name)
            or os.path.isdir(item)
        ):
            name, path = b"", item
        wanted.append((name, path))
    if settings.worktrees:
        wanted += [
            (b"", linked)
            for _, path in wanted
            for linked in find_linked_worktrees(system.absolute_path(path))
        ]
    folders: list[Folder] = []
    launcher = Launcher(folders, confine=settings.landlock)
    roots: list[Root] = []
    for name, path in wanted:
        absolute = system.absolute_path(path)
        try:
            folder = system.open_folder(absolute, resolves_in_kernel=settings.openat2)
        except (OSError, ValueError) as error:
            for opened in folders:
                opened.close()
            reason = (
                error
                if isinstance(error, OSError)
                else OSError(errno.EINVAL, str(error))
            )
            raise from_os_error(reason, quote(path), doing="open the root") from error
        identity = folder.status().identity
        if any(root.identity == identity for root in roots):
            folder.close()
            continue
        text = (name or absolute.rpartition(b"/")[2]).decode("utf-8", "replace")
        base = "".join(c if c.isalnum() or c in "-_." else "-" for c in text) or "root"
        unique, number = base, 1
        while any(root.name == unique for root in roots):
            number += 1
            unique = f"{base}-{number}"
        place, strict = system.real_path(absolute), settings.strict_paths
        folders.append(folder)
        roots.append(
            Root(
                unique,
                absolute,
                folder,
                identity,
                launcher,
                place,
                len(roots),
                requires_prefix=strict,
            )
        )
    return tuple(replace(root, has_siblings=len(roots) > 1) for root in roots)


def split_root(
    roots: Sequence[Root], asked: str, safe: str
) -> tuple[Root, tuple[bytes, ...]]:
    """The root that a caller's path is below, and the parts of the path from there, by the path alone; it may hold
    `..` still.

    `safe` is the path as messages repeat it. Raises `path_escape` and `invalid_input`, and as `split_path`.
    """
    strict = roots[0].requires_prefix
    name, colon, rest = asked.removeprefix('"').partition(":")
    for root in roots if colon and (strict or len(roots) > 1) else ():
        if root.name == name:
            path = unquote('"' + rest if asked.startswith('"') else rest)
            return root, system.split_path(path.lstrip(b"/"))[1]
    path = unquote(asked)
    anchor, parts = system.split_path(path)
    hint = (
        "give a path below the root; ask the user to add a root if that one is needed"
    )
    if path.startswith(b"~"):
        path = os.path.expanduser(path)
        if parts[0] != b"~":
            hint = "write ./ before a name that begins with ~"
            anchor = b""
        else:
            anchor, parts = system.split_path(path)
    elif not anchor:
        if strict and path not in (b"", b"."):
            listed, facts = _named(roots)
            raise errors.path_error(
                Code.INVALID_INPUT,
                safe,
                f"{safe} does not say which root it is below",
                f"write {roots[0].name}:{safe} or an absolute path; the roots are {listed}",
                roots=facts,
            )
        return roots[0], parts
    best: tuple[int, Root] | None = None
    for root in roots:
        for top, steps in map(system.split_path, {root.path, root.resolved_path}):
            deeper = top == anchor and (best is None or len(steps) > best[0])
            if deeper and _leads_to(root, steps, anchor, parts[: len(steps)]):
                best = (len(steps), root)
    if best is None:
        listed, facts = _named(roots)
        raise errors.path_error(
            Code.PATH_ESCAPE,
            safe,
            f"{safe} is outside the workspace (root {listed})",
            hint,
            resolved=quote(os.path.normpath(path)),
            root=quote(roots[0].path),
            roots=facts,
        )
    return best[1], parts[best[0] :]


def _named(roots: Sequence[Root]) -> tuple[str, dict[str, str]]:
    """The roots as a refusal lists them: in its hint, and by their names."""
    facts = {root.name: quote(root.path) for root in roots}
    return ", ".join(f"{name}: {path}" for name, path in facts.items()), facts


def _leads_to(
    root: Root, steps: tuple[bytes, ...], anchor: bytes, parts: tuple[bytes, ...]
) -> bool:
    """Whether an absolute path is that of a root, in whatever case where the file system takes that for the same."""
    if parts == steps:
        return True
    try:
        alike = [*map(plain_form, parts)] == [*map(plain_form, steps)]
        return (
            alike
            and system.stat_path(anchor + b"/".join(parts)).identity == root.identity
        )
    except OSError:
        return False


def require_root(root: Root, asked: str) -> None:
    """Raise `not_found` unless the root's path still leads to the folder that was opened as the root.

    Otherwise what is done would be done in a folder that nobody sees any more.
    """
    try:
        if system.stat_path(root.path).identity == root.identity:
            return
        what = "was replaced by another folder"
    except PermissionError:
        return  # Nobody can say; what is held is what was opened.
    except (FileNotFoundError, NotADirectoryError):
        what = "was deleted or moved"
    except OSError as error:
        raise from_os_error(error, asked) from error
    raise errors.path_error(
        Code.NOT_FOUND,
        asked,
        f"cannot open {asked}: the root {quote(root.path)} {what} since it was opened",
        f"the root {quote(root.path)} was deleted, moved or replaced; start filewright again "
        "with the folder that is meant",
        root=quote(root.path),
    )


def enclosing_location(root: Root, roots: Sequence[Root]) -> Location | None:
    """Where a root lies in the innermost of the others that hold it; None if it lies in none."""
    found = [
        Location(other, parts)
        for other in roots
        if other is not root  # The top of the system begins with itself.
        for parts in other.parts_within([root.resolved_path])
    ]
    return min(found, key=lambda place: len(place.parts), default=None)
