r"""Rules of Windows for names and paths, and the reasons why some are refused.

The kernel takes a name below a folder's handle as it is. In a path of another program
the same name may be a device (`nul.txt`), a stream of another file (`a:b`), or another
file (`a.` is `a`). A name that two programs read differently is refused. Nothing here
calls the system, so it is tested on every platform.
"""

from __future__ import annotations

import re
from typing import NamedTuple

DEVICE_NAMES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [device + digit for device in ("COM", "LPT") for digit in "123456789¹²³"]
)
FORBIDDEN_CHARACTER = re.compile(r'[<>"|?*\x00-\x1f]')
DRIVE = re.compile(r"[A-Za-z]:")
SHORT_NAME = re.compile(r"[^.\\/ ]{1,6}~[0-9A-Za-z]{1,6}(\.[^.\\/ ]{1,3})?")


def name_problem(name: bytes) -> str | None:
    """Return why a path may not use this name, as the end of a sentence, or None."""
    return invalid_name(name) or misread_name(name)


def invalid_name(name: bytes) -> str | None:
    """Return why no file can have this name, as the end of a sentence, or None."""
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
    if forbidden := FORBIDDEN_CHARACTER.search(text):
        return f"holds {forbidden.group()!a}, which no name on Windows does"
    if len(units) > 2 * 255:
        return "is longer than the 255 characters of a name"
    return None


def misread_name(name: bytes) -> str | None:
    """Return why most programs take a name for something else, or None.

    The reason is the end of a sentence. The kernel takes such a name as it is below a
    folder's handle, and some programs make such files.
    """
    if (
        name.split(b".", 1)[0].rstrip(b" ").decode("utf-8", "replace").upper()
        in DEVICE_NAMES
    ):
        return "is a device on Windows, whatever follows the dot"
    if name.endswith((b".", b" ")):
        return "ends in a dot or a space, which Windows leaves out: it would be another file"
    return None


def may_be_short(name: bytes) -> bool:
    """Return True if a name has the form of a generated short name (`PROGRA~1`)."""
    return (
        b"~" in name
        and SHORT_NAME.fullmatch(name.decode("utf-8", "replace")) is not None
    )


class SplitPath(NamedTuple):
    """A path in pieces: `anchor` is empty for a relative path; no part is `.`."""

    anchor: bytes
    parts: tuple[bytes, ...]


def split_path(path: bytes) -> SplitPath:
    r"""Split a Windows path into its anchor, `C:/` or `//server/share/`, and its parts.

    `\\?\C:\` and `\\?\UNC\` are other spellings of the same anchors. Raises
    `ValueError`, whose text completes a sentence, for a path that names no file by
    itself: a drive without a folder (`C:a`), a folder without a drive (`\a`), devices
    (`\\.\`), volumes (`\\?\Volume{…}\`).
    """
    text = path.replace(b"\\", b"/")
    if text.startswith((b"//?/", b"//./", b"/??/")):
        rest = text[4:]
        if rest[:4].upper() == b"UNC/":
            text = b"//" + rest[4:]
        elif (
            not text.startswith(b"//./")
            and _is_drive(rest[:2])
            and rest[2:3] == b"/"
        ):
            text = rest
        else:
            raise ValueError("names a device or a volume, not a file")
    if text.startswith(b"//"):
        server, _, rest = text[2:].partition(b"/")
        share, _, below = rest.partition(b"/")
        if (
            not server
            or not share
            or name_problem(server)
            or name_problem(share)
        ):
            raise ValueError(
                "names a network share incompletely: //server/share/… is one"
            )
        # The names of servers and shares are the same in any case, as drives are.
        return SplitPath(
            b"//" + server.lower() + b"/" + share.lower() + b"/",
            _split_parts(below),
        )
    if text.startswith(b"/"):
        raise ValueError("begins at the top of a drive without saying which")
    if _is_drive(text[:2]):
        if text[2:3] != b"/":
            raise ValueError(
                "names a drive without the folder on it: C:/… does, C:… does not"
            )
        return SplitPath(text[:1].upper() + b":/", _split_parts(text[3:]))
    return SplitPath(b"", _split_parts(text))


def path_from_file_url(host: str, path: bytes) -> bytes | None:
    """Return the path of a `file:` URL: for the unescaped path `/C:/a`, `C:/a`."""
    if host not in ("", "localhost"):
        return b"//" + host.encode() + path
    return path[1:] if _is_drive(path[1:3]) else path


def path_to_file_url(path: bytes) -> str:
    """Return a `file:` URL: `file:///C:/a`, or `file://server/share/a`."""
    from urllib.parse import quote

    return ("file:" if path.startswith(b"//") else "file:///") + quote(
        path, safe="/:"
    )


def _is_drive(text: bytes) -> bool:
    return DRIVE.fullmatch(text.decode("latin-1")) is not None


def _split_parts(path: bytes) -> tuple[bytes, ...]:
    return tuple(part for part in path.split(b"/") if part not in (b"", b"."))
