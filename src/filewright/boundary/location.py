r"""`Root` and `Location`: the only form in which a path travels between rooms; how names are shown.

A name is any bytes but NUL and `/`. It is shown as it is when it is UTF-8 without anything that
would change how the rest of a page reads; otherwise as git writes it with `core.quotePath=false`,
in double quotes with C's escapes and octal bytes: `"bad\377\nname"`. A text that begins with a
double quote is always the quoted form, so every name has exactly one reading.
"""

from __future__ import annotations

import errno
import os
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.launcher import Launcher
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import Settings
from filewright.system import Folder
from filewright.wording import BREAKS, CONTROLS, DIRECTIONS, HIDDEN, SURROGATES

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A folder the workspace may touch, held open: what it was called may change, what it is may not.

    `path` is absolute, as it was opened; `resolved` is the same with links resolved. `identity` is its
    device and inode, which say which folder it is. `number` is its
    place among the workspace's roots and `several` says whether there are others; `strict`, that no path
    is taken without its root. `launcher` starts
    programs that can read below all of these roots and do nothing else.
    """

    name: str
    path: bytes
    folder: Folder
    identity: tuple[int, int]
    launcher: Launcher
    resolved_path: bytes = b""
    index: int = 0
    has_siblings: bool = False
    requires_prefix: bool = False

    @property
    def descriptor(self) -> int:
        """The folder's descriptor."""
        return self.folder.fileno()

    def parts_within(self, folders: Sequence[bytes]) -> list[tuple[bytes, ...]]:
        """The paths below it of those of `folders`, absolute and without links, that lie there."""
        start = self.resolved_path.rstrip(b"/") + b"/"
        return [
            tuple(path[len(start) :].split(b"/"))
            for path in folders
            if path.startswith(start)
        ]


class _RootAndParts(NamedTuple):
    """What makes two locations the same one."""

    root: Root
    parts: tuple[bytes, ...]


class Location(_RootAndParts):
    """A place below a root. A name, not a promise: nothing is known about it until it is opened.

    `parts` holds no `..`, no `.` and no empty part; `()` is the root itself. `given` is how the
    caller wrote it: whoever makes it of that says so at once, and it takes no part in equality.
    """

    spelling: str = ""

    @property
    def name(self) -> bytes:
        """The last part; empty for the root."""
        return self.parts[-1] if self.parts else b""

    @property
    def path(self) -> bytes:
        """The path below the root, `b"."` for the root: for sorting and keys, never for trust."""
        return b"/".join(self.parts) or b"."

    @property
    def absolute(self) -> bytes:
        """The path from the top, for messages and for other programs."""
        return (
            b"/".join((self.root.path.rstrip(b"/"), *self.parts))
            if self.parts
            else self.root.path
        )

    @property
    def requested_path(self) -> str:
        """How messages name it: as the caller wrote it, or as results do if nobody asked for it."""
        return self.spelling or self.display_path

    @property
    def display_path(self) -> str:
        """How results name it: what `Boundary.locate` reads back as this same place.

        The path below its root, quoted where needed, after `name:` unless it is in the first root.
        """
        return self.display_path_with(quote)

    @property
    def exact_display_path(self) -> str:
        """The same in a form that tells it from every path that looks the same."""
        return self.display_path_with(quote_exactly)

    def display_path_with(self, quoting: Callable[[bytes], str]) -> str:
        """The same with the path in another quoted form."""
        root, parts = self.root, self.parts
        prefix = f"{root.name}:" if root.index or root.requires_prefix else ""
        if not parts:
            return prefix or "."
        path = b"/".join(parts)
        if not prefix and (
            path.startswith((b"~", b"file:"))
            or (root.has_siblings and b":" in parts[0])
        ):
            path = b"./" + path
        return prefix + quoting(path)

    @property
    def parent(self) -> Location:
        """The folder that holds it; the root is its own parent."""
        return Location(self.root, self.parts[:-1]) if self.parts else self

    def child(self, name: bytes) -> Location:
        """The place `name` in this folder."""
        return Location(self.root, (*self.parts, name))

    def is_within(self, other: Location) -> bool:
        """Whether this is the other place or is named below it."""
        return self.root == other.root and self.parts[: len(other.parts)] == other.parts


def find_working_tree(folder: Location) -> Location | None:
    """The top of the working tree that a folder is in, if it lies below its root; or the root, if it is a tree."""
    top = folder.root.folder
    for depth in range(len(folder.parts), -1, -1):
        parts = folder.parts[:depth]
        if top.contains_any((b"/".join((*parts, b".git")),)):
            return Location(folder.root, parts)
    return None


# Opening


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
        from filewright.boundary.worktrees import find_linked_worktrees

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


# Naming


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


_UNSAFE = f"[\t{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]"
_HEADING = "==> "
"""How the headings of files begin in some answers: a name that does is quoted, so that it forges none."""
_NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"
_ESCAPES = {
    plain: f"\\{c}" for plain, c in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True)
}
_UNESCAPES = {text.encode(): character.encode() for character, text in _ESCAPES.items()}
_ESCAPED = f'["\\\\]|{_UNSAFE}'
_ESCAPE = rb"\\(?:[0-7]{3}|.)"
_QUOTED = rb'"(?:\\(?:[abtnvfr"\\]|[0-3][0-7]{2})|[^\\"])*+"'


TEMPORARY = b".fw~"
"""How the names of a change's temporaries begin."""
_TEMPORARY = rb"\.fw~([0-9a-f]{12})([0-9a-f]{8})"


def temporary_name() -> bytes:
    """A short random name with a checksum in it, which no user would give a file."""
    random = os.urandom(6)
    return TEMPORARY + b"%s%08x" % (random.hex().encode(), zlib.crc32(random))


def is_temporary(name: bytes) -> bool:
    """Whether a name is one of ours: such are never listed or walked."""
    found = re.fullmatch(_TEMPORARY, name) if name.startswith(TEMPORARY) else None
    return found is not None and zlib.crc32(bytes.fromhex(found[1].decode())) == int(
        found[2], 16
    )


def quote(name: bytes) -> str:
    """The text that names `name` (a name or a path): itself, or git's quoted form.

    Quoted are names with control characters, line separators, direction marks or characters that do not
    show, invalid UTF-8, a double quote or ``==>`` at the start, and white space at either end.
    """
    text = name.decode("utf-8", "surrogateescape")
    if text.startswith(('"', _HEADING)) or text != text.strip():
        return _quoted(text)
    return printable_path(text)


def printable_path(asked: str) -> str:
    """A path as a caller wrote it, made safe to repeat in a message: quoted where `quote` would.

    A text already in quoted form stays as it is unless it is itself unsafe.
    """
    return (
        asked
        if asked.isprintable() or not re.search(_UNSAFE, asked)
        else _quoted(asked)
    )


def quote_escaping(name: bytes, characters: Iterable[str]) -> str:
    """Return git's quoted form of a name or a path, in which these characters are written as their bytes, too."""
    wanted = set(characters)
    parts = []
    for character in name.decode("utf-8", "surrogateescape"):
        if character in wanted:
            parts += [
                f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")
            ]
        else:
            parts.append(_quoted(character)[1:-1])
    return f'"{"".join(parts)}"'


def quote_exactly(name: bytes) -> str:
    """Return the text that names `name`, in quoted form where it has more than composed letters, digits and ASCII."""
    text = name.decode("utf-8", "surrogateescape")
    odd = [
        character
        for character in text
        if not character.isascii() and not _is_plain_letter(character)
    ]
    return quote_escaping(name, odd) if odd else quote(name)


def _is_plain_letter(character: str) -> bool:
    is_jamo = "\u1100" <= character <= "\u11ff"
    return (
        character.isalnum()
        and not is_jamo
        and unicodedata.normalize("NFKC", character) == character
    )


def _quoted(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        mode = "surrogatepass" if re.match(_NO_BYTE, found[0]) else "surrogateescape"
        octal = (f"\\{byte:03o}" for byte in found[0].encode("utf-8", mode))
        return _ESCAPES.get(found[0]) or "".join(octal)

    return f'"{re.sub(_ESCAPED, escaped, text)}"'


def unquote(text: str) -> bytes:
    """The bytes that `text` names: the inverse of `quote`.

    Text that does not begin with a double quote is taken as it is. Raises `invalid_input` for a
    malformed quoted form, for a NUL, and for lone surrogates that are no byte.
    """

    def plain(found: re.Match[bytes]) -> bytes:
        return _UNESCAPES.get(found[0]) or bytes((int(found[0][1:], 8),))

    quoted = text.startswith('"')
    try:
        name = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        hint = 'write bytes that are not UTF-8 in the quoted form, as in "bad\\377name"'
        raise _unreadable(
            text, "holds half of a surrogate pair, which no file name does", hint
        ) from None
    if quoted and not re.fullmatch(_QUOTED, name):
        hint = 'a quoted name ends in a double quote and writes \\" \\\\ \\n \\t and bytes as \\377'
        raise _unreadable(
            text, "begins with a double quote but is not a quoted name", hint
        )
    name = re.sub(_ESCAPE, plain, name[1:-1]) if quoted else name
    if b"\0" in name:
        raise _unreadable(
            text, "holds a NUL, which no file name does", "correct the path"
        )
    return name


def _unreadable(text: str, why: str, hint: str) -> FilewrightError:
    safe = printable_path(text)
    return errors.invalid(f"the path {safe} {why}", hint, path=safe)


# As other file systems compare names

# What HFS+ ignores in a name.
_IGNORABLE = dict.fromkeys(
    [
        0x200C,
        0x200D,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x206A, 0x2070),
        0xFEFF,
    ]
)


def plain_form(name: bytes) -> bytes:
    """The name as the most forgiving file system would compare it: two equal ones may be one file.

    One that ignores case or normalises opens `.git` for `.GIT`, `.g<zero-width joiner>it`, `.git. ` or `git~1`. Git
    refuses all of them in a tree on every system.
    """
    plain = name.lower() if name.isascii() else folded(name)
    if b":" in plain or plain[-1:] in (b".", b" "):
        # NTFS: a stream's name, then dots and spaces at the end are nothing.
        plain = plain.split(b":", 1)[0].rstrip(b". ") or plain
    return b".git" if plain == b"git~1" else plain


def folded(rules: bytes) -> bytes:
    """A name, or the text of rules, with what such a file system takes for the same letters alike."""
    text = rules.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE))
    return text.casefold().encode("utf-8", "surrogateescape")
