"""The one exception of filewright and the closed set of codes it carries.

=================== ======================================= =========================================
code                meaning                                 what the caller does next
=================== ======================================= =========================================
not_found           nothing has that name                   list the folder, correct the path
not_a_file          a folder or a special file is there     name a regular file
not_a_directory     something other than a folder is there  name a folder
already_exists      the name is taken                       choose another, or ask to overwrite
is_binary           the file is not text to this tool       use a tool for bytes, or leave it
too_large           a limit on size or count was passed     send less, or raise the setting
path_escape         the path leads out of the roots         stay below a root
symlink             the path's last part is a link          act on the link's target by its own name
permission_denied   the system forbids it                   ask the user to change permissions
read_only           the workspace is served read-only       ask the user
no_match            the text is not in the file             read the file again; use the nearest text shown
ambiguous_match     the text is there more than once        add lines of context, or a start line
already_applied     the change is there already             nothing
no_change           the result would equal what is there    nothing, or correct the replacement
overlap             two edits of one call touch             join them into one
stale_version       the file changed since it was read      read it again
in_use              another process is writing the file     wait, or stop that process
patch_failed        a hunk does not apply                   make the hunk anew from the text shown
unencodable         the file's encoding lacks a character   write it with characters it has
hard_linked         the file has other names                give break_hard_links=true if that is meant
invalid_input       the request itself is wrong             correct the argument named
unsupported         not offered here                        use what the hint names
timeout             the time limit passed                   narrow the request
cancelled           the caller cancelled                    nothing
no_space            the disk or a quota is full             free some space
io_error            the system failed to read or write      look at the disk; try again
internal            a bug in filewright                     report it
=================== ======================================= =========================================
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """The closed set; the table above says what each means."""

    NOT_FOUND = "not_found"
    NOT_A_FILE = "not_a_file"
    NOT_A_DIRECTORY = "not_a_directory"
    ALREADY_EXISTS = "already_exists"
    IS_BINARY = "is_binary"
    TOO_LARGE = "too_large"
    PATH_ESCAPE = "path_escape"
    SYMLINK = "symlink"
    PERMISSION_DENIED = "permission_denied"
    READ_ONLY = "read_only"
    NO_MATCH = "no_match"
    AMBIGUOUS_MATCH = "ambiguous_match"
    ALREADY_APPLIED = "already_applied"
    NO_CHANGE = "no_change"
    OVERLAP = "overlap"
    STALE_VERSION = "stale_version"
    IN_USE = "in_use"
    PATCH_FAILED = "patch_failed"
    UNENCODABLE = "unencodable"
    HARD_LINKED = "hard_linked"
    INVALID_INPUT = "invalid_input"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    NO_SPACE = "no_space"
    IO_ERROR = "io_error"
    INTERNAL = "internal"


class FilewrightError(Exception):
    """What every operation raises.

    `message` names the path as the caller wrote it, `hint` says what to do next, and `details`
    holds the same facts as plain JSON values for callers that act on them.
    """

    def __init__(
        self, code: Code, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is made again from its arguments alone, and the code is not among them.
        return (_again, (type(self), self.code, self.message, self.hint, self.details))

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return f"{text}\nhint: {self.hint}" if self.hint else text


def _again(
    kind: type[FilewrightError], code: Code, message: str, hint: str | None, details: Mapping[str, Any]
) -> FilewrightError:
    """Make an error again from what was pickled."""
    return kind(code, message, hint=hint, details=details)


_BY_ERRNO = {
    errno.ENOENT: Code.NOT_FOUND,
    errno.ENOTDIR: Code.NOT_A_DIRECTORY,
    errno.EISDIR: Code.NOT_A_FILE,
    errno.EEXIST: Code.ALREADY_EXISTS,
    errno.ENOTEMPTY: Code.ALREADY_EXISTS,
    errno.EXDEV: Code.PATH_ESCAPE,
    errno.ELOOP: Code.SYMLINK,
    errno.EACCES: Code.PERMISSION_DENIED,
    errno.EPERM: Code.PERMISSION_DENIED,
    errno.EROFS: Code.PERMISSION_DENIED,
    errno.ENOSPC: Code.NO_SPACE,
    errno.EDQUOT: Code.NO_SPACE,
    errno.EFBIG: Code.NO_SPACE,
    errno.ENAMETOOLONG: Code.INVALID_INPUT,
    errno.ETXTBSY: Code.IN_USE,
}

_HINTS = {
    Code.NOT_FOUND: "list the folder to see what is there",
    Code.NOT_A_FILE: "name a regular file",
    Code.NOT_A_DIRECTORY: "name a folder",
    Code.ALREADY_EXISTS: "choose another name, or ask to overwrite",
    Code.PATH_ESCAPE: "paths must stay below a root",
    Code.SYMLINK: "name the link's target itself",
    Code.PERMISSION_DENIED: "the system's permissions forbid it; ask the user to change them",
    Code.NO_SPACE: "free some space and try again; nothing was changed",
    Code.IN_USE: "another process holds the file; wait for it or stop it",
    Code.INVALID_INPUT: "correct the path",
}


def from_os_error(error: OSError, asked: str, *, doing: str = "open") -> FilewrightError:
    """The `FilewrightError` for an `OSError` met while `doing` something to the path `asked`."""
    code = _BY_ERRNO.get(error.errno or 0, Code.IO_ERROR)
    reason = error.strerror or str(error)
    return FilewrightError(
        code,
        f"cannot {doing} {asked}: {reason}",
        hint=_HINTS.get(code, "look at the disk and try again; nothing was changed"),
        details={"path": asked, "errno": errno.errorcode.get(error.errno or 0, str(error.errno))},
    )
