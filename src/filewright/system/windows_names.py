r"""What Windows makes of names and paths: one table of what is refused, and why.

A name that reaches the kernel by a handle is taken as it is; the same name in another program's path is
a device (`nul.txt`), a stream of another file (`a:b`), or another file (`a.` is `a`). What two programs
read differently is refused. Nothing here asks the system: it can be read and tested anywhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [device + digit for device in ("COM", "LPT") for digit in "123456789¹²³"]
)
_FORBIDDEN = re.compile(r'[<>"|?*\x00-\x1f]')
_DRIVE = re.compile(r"[A-Za-z]:")
_SHORT = re.compile(r"[^.\\/ ]{1,6}~[0-9A-Za-z]{1,6}(\.[^.\\/ ]{1,3})?")


def name_problem(name: bytes) -> str | None:
    """Why a path is not to use this name, as the end of a sentence; None if it may."""
    return no_name(name) or misread(name)


def no_name(name: bytes) -> str | None:
    """Why no file on Windows has this name, as the end of a sentence; None if one may."""
    try:
        text = name.decode("utf-8", "surrogatepass")
        units = text.encode("utf-16-le", "surrogatepass")
        if units.decode("utf-16-le", "surrogatepass") != text:
            raise UnicodeError
    except UnicodeError:
        return "is not UTF-8, as names on Windows are"
    if not text or text in (".", ".."):
        return "is no name"
    if "/" in text or "\\" in text:
        return "holds a separator of folders"
    if ":" in text:
        return "names a stream of another file (behind the colon), or a drive"
    if found := _FORBIDDEN.search(text):
        return f"holds {found.group()!a}, which no name on Windows does"
    if len(units) > 2 * 255:
        return "is longer than the 255 characters of a name"
    return None


def misread(name: bytes) -> str | None:
    """Why most programs take a name for something else, as the end of a sentence; None if they do not.

    The kernel takes it as it is below a folder's handle, and some programs make such files.
    """
    if (
        name.split(b".", 1)[0].rstrip(b" ").decode("utf-8", "replace").upper()
        in _DEVICES
    ):
        return "is a device on Windows, whatever follows the dot"
    if name.endswith((b".", b" ")):
        return "ends in a dot or a space, which Windows leaves out: it would be another file"
    return None


def may_be_short(name: bytes) -> bool:
    """Whether it has the form of a second, short name that Windows made up (`PROGRA~1`)."""
    return (
        b"~" in name and _SHORT.fullmatch(name.decode("utf-8", "replace")) is not None
    )


class SplitPath(NamedTuple):
    """A path as it was written: `anchor` is empty for a relative one, and `parts` hold no `.`."""

    anchor: bytes
    parts: tuple[bytes, ...]


def split_path(path: bytes) -> SplitPath:
    r"""A Windows path in pieces: its anchor is `C:/` or `//server/share/`.

    `\\?\C:\` and `\\?\UNC\` are the same in other words. Raises `ValueError`, whose text is the end of a
    sentence, for what names no file by itself: a drive without a folder (`C:a`), a folder without a drive
    (`\a`), devices (`\\.\`), volumes (`\\?\Volume{…}\`).
    """
    text = path.replace(b"\\", b"/")
    if text.startswith((b"//?/", b"//./", b"/??/")):
        rest = text[4:]
        if rest[:4].upper() == b"UNC/":
            text = b"//" + rest[4:]
        elif not text.startswith(b"//./") and _is_drive(rest[:2]) and rest[2:3] == b"/":
            text = rest
        else:
            raise ValueError("names a device or a volume, not a file")
    if text.startswith(b"//"):
        server, _, rest = text[2:].partition(b"/")
        share, _, below = rest.partition(b"/")
        if not server or not share or name_problem(server) or name_problem(share):
            raise ValueError(
                "names a network share incompletely: //server/share/… is one"
            )
        # A share is the same in any case, as a drive is.
        return SplitPath(
            b"//" + server.lower() + b"/" + share.lower() + b"/", _parts(below)
        )
    if text.startswith(b"/"):
        raise ValueError("begins at the top of a drive without saying which")
    if _is_drive(text[:2]):
        if text[2:3] != b"/":
            raise ValueError(
                "names a drive without the folder on it: C:/… does, C:… does not"
            )
        return SplitPath(text[:1].upper() + b":/", _parts(text[3:]))
    return SplitPath(b"", _parts(text))


def path_from_file_url(host: str, path: bytes) -> bytes | None:
    """The path that a `file:` URL names, by its host and its path without escapes: `/C:/a` is `C:/a`."""
    if host not in ("", "localhost"):
        return b"//" + host.encode() + path
    return path[1:] if _is_drive(path[1:3]) else path


def path_to_file_url(path: bytes) -> str:
    """The `file:` URL of an absolute path: `file:///C:/a`, `file://server/share/a`."""
    from urllib.parse import quote

    return ("file:" if path.startswith(b"//") else "file:///") + quote(path, safe="/:")


def _is_drive(text: bytes) -> bool:
    return _DRIVE.fullmatch(text.decode("latin-1")) is not None


def _parts(path: bytes) -> tuple[bytes, ...]:
    return tuple(part for part in path.split(b"/") if part not in (b"", b"."))
