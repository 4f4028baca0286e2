"""The one exception of filewright, its closed set of codes, and its constructors.

=================  ==================================  =================================
code               meaning                             next step of the caller
=================  ==================================  =================================
not_found          nothing has that name               list the folder, correct the path
not_a_file         a folder or special file is there   name a regular file
not_a_directory    it is not a folder                  name a folder
already_exists     the name is taken                   choose another, or overwrite
is_binary          the file is not text for this tool  use a tool for bytes
too_large          a limit on size or count is passed  send less, or raise the setting
path_escape        the path leads out of the roots     stay below a root
symlink            the path's last part is a link      name the link's target
permission_denied  the system or a rule forbids it     ask the user
read_only          the workspace is read-only          ask the user
no_match           the text is not in the file         copy it from the nearest text
ambiguous_match    the text occurs more than once      add context, or a start line
already_applied    the file has this change already    nothing
no_change          the file would stay as it is        nothing, or correct the text
overlap            two edits of one call touch         join them into one
stale_version      the file changed since it was read  read it again
in_use             another process writes the file     wait, or stop that process
patch_failed       a hunk does not apply               correct the hunk
unencodable        the encoding lacks a character      use other characters
hard_linked        the file has other names            give break_hard_links=true
invalid_input      the request is wrong                correct the argument named
unsupported        filewright cannot do it here        use what the hint names
timeout            the time limit passed               narrow the request
cancelled          the caller cancelled                nothing
no_space           the disk or a quota is full         free some space
io_error           the system failed to read or write  look at the disk; try again
internal           a bug in filewright                 report it
=================  ==================================  =================================
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from filewright.hints import Hint, fill, join_words
from filewright.wording import join_limited


class Code(StrEnum):
    """The closed set of error codes; the table above explains them."""

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
    """The only exception that operations raise.

    `summary` names the path as the caller wrote it, `hint` says what to do next (a `Hint`
    if the command line has other words for it), and `details` holds the same facts as
    JSON values for programs. `also` has a line for each further problem of the call, so
    that the next one can correct them all.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        hint: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.summary = message
        self.hint = hint
        self.also: tuple[str, ...] = ()
        self.details: dict[str, Any] = {**(details or {}), **facts}

    @property
    def message(self) -> str:
        """The summary, and a line for each further problem."""
        further = [fill("also: {}", line) for line in self.also]
        return join_words("\n", [self.summary, *further])

    @property
    def ends_call(self) -> bool:
        """Return True if the call is over, so that none of its other items is tried."""
        return self.code in (Code.CANCELLED, Code.TIMEOUT)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling passes only `args`, the message, to a class that needs a code too.
        return (
            type(self),
            (self.code, self.summary, self.hint),
            {"details": self.details, "also": self.also},
        )

    def __str__(self) -> str:
        if not self.hint:
            return fill("{}: {}", self.code, self.message)
        return fill("{}: {}\nhint: {}", self.code, self.message, self.hint)


_BY_ERRNO = {
    errno.ENOENT: Code.NOT_FOUND,
    errno.ENOTDIR: Code.NOT_A_DIRECTORY,
    errno.EISDIR: Code.NOT_A_FILE,
    errno.EEXIST: Code.ALREADY_EXISTS,
    errno.ENOTEMPTY: Code.ALREADY_EXISTS,
    # The kernel reports a path that would leave its folder as EXDEV.
    errno.EXDEV: Code.PATH_ESCAPE,
    errno.ELOOP: Code.SYMLINK,
    errno.EACCES: Code.PERMISSION_DENIED,
    errno.EPERM: Code.PERMISSION_DENIED,
    errno.EROFS: Code.PERMISSION_DENIED,
    errno.ENOSPC: Code.NO_SPACE,
    errno.EDQUOT: Code.NO_SPACE,
    # A limit on the size of files, such as that of ulimit.
    errno.EFBIG: Code.NO_SPACE,
    errno.ENAMETOOLONG: Code.INVALID_INPUT,
    errno.ETXTBSY: Code.IN_USE,
}

_HINTS = {
    Code.NOT_FOUND: "list the folder to see its entries",
    Code.NOT_A_FILE: "name a regular file",
    Code.NOT_A_DIRECTORY: "name a folder",
    Code.ALREADY_EXISTS: "choose another name, or ask to overwrite",
    Code.PATH_ESCAPE: "paths must stay below a root",
    Code.SYMLINK: "name the link's target itself",
    Code.PERMISSION_DENIED: ("ask the user to change the permissions"),
    Code.NO_SPACE: "free some space and try again; nothing was changed",
    Code.IN_USE: "wait until the other process closes the file, or stop it",
    Code.INVALID_INPUT: "correct the path",
}


def from_os_error(
    error: OSError, path: str, *, doing: str = "open"
) -> FilewrightError:
    """Return the `FilewrightError` for an `OSError`.

    `doing` is the verb of the message, such as "write to"; `path` follows it.
    """
    code = _BY_ERRNO.get(error.errno or 0, Code.IO_ERROR)
    reason = error.strerror or str(error)
    return FilewrightError(
        code,
        f"cannot {doing} {path}: {reason}",
        hint=_HINTS.get(
            code,
            "nothing was changed; try again, and if it fails again ask "
            "the user to check the disk",
        ),
        details={
            "path": path,
            "errno": errno.errorcode.get(error.errno or 0, str(error.errno)),
        },
    )


# Refusals of one path. `path` is as the caller wrote it, or as shown below its root.


def path_error(
    code: Code,
    path: str,
    message: str,
    hint: str | None = None,
    **details: Any,
) -> FilewrightError:
    """Return an error about one path, which is also in its details."""
    return FilewrightError(code, message, hint, path=path, **details)


# The path does not exist, or another thing is there.


def missing(path: str, part: str | None = None) -> FilewrightError:
    """Return the error for a path that does not exist.

    `part` names the missing folder on the way to it, if any.
    """
    why = f": there is no {part}" if part else ""
    return path_error(
        Code.NOT_FOUND,
        path,
        f"{path} does not exist{why}",
        "list the folder to see its entries",
    )


def not_a_file(
    path: str, kind: str, *, hint: str = "name a regular file"
) -> FilewrightError:
    """Return the error for a folder, link or special file where a file is needed."""
    if kind == "fifo":
        described = "a FIFO"
    elif kind == "other":
        described = "a special file"
    else:
        described = f"a {kind}"
    return path_error(
        Code.NOT_A_FILE, path, f"{path} is {described}, not a file", hint
    )


def not_a_folder(
    path: str, part: str | None = None, *, hint: str = "name a folder"
) -> FilewrightError:
    """Return the error for a path that is not a folder.

    `part` names the folder on the way to it that is something else, if any.
    """
    subject = f"{path}: {part}" if part else path
    return path_error(
        Code.NOT_A_DIRECTORY, path, f"{subject} is not a folder", hint
    )


def slash_after_file(path: str) -> FilewrightError:
    """Return the error for a file whose path ends in a slash."""
    return path_error(
        Code.NOT_A_DIRECTORY,
        path,
        f"{path} is a file, but the / at its end means a folder",
        "leave out the / at the end",
    )


def write_to_symlink(path: str, target: str | None = None) -> FilewrightError:
    """Return the error for a write to a link.

    Pass `target` only if the caller may know where the link leads.
    """
    message = (
        f"{path} is a symbolic link; a write neither follows nor replaces it"
    )
    if target is None:
        hint = "name the link's target itself, or delete the link first"
        return path_error(Code.SYMLINK, path, message, hint)
    hint = f"it leads to {target}: name that, or delete the link first"
    return path_error(Code.SYMLINK, path, message, hint, target=target)


def already_exists(path: str) -> FilewrightError:
    """Return the error for a new name that is taken."""
    return path_error(
        Code.ALREADY_EXISTS,
        path,
        f"{path} already exists",
        "choose another name, or ask to overwrite",
    )


def source_is_destination(path: str) -> FilewrightError:
    """Return the error for moving or copying a path to itself."""
    return path_error(
        Code.INVALID_INPUT,
        path,
        f"{path} is both source and destination",
        "choose another destination",
    )


def into_itself(path: str, destination: str) -> FilewrightError:
    """Return the error for moving or copying a folder below itself."""
    return path_error(
        Code.INVALID_INPUT,
        path,
        f"{path} cannot be moved or copied into itself ({destination})",
        "choose a destination outside of it",
    )


def unusable_path(path: str, why: str) -> FilewrightError:
    """Return the error for a path that no file may have; `why` is the predicate.

    Such a path names no file on this system, or other programs read it as another path.
    """
    return path_error(
        Code.INVALID_INPUT,
        path,
        f"{path} {why}",
        "give another path below the root",
    )


# Another process has changed the path, or is changing it.


def appeared_meanwhile(path: str) -> FilewrightError:
    """Return the error for a name that another process took during the change."""
    return path_error(
        Code.ALREADY_EXISTS,
        path,
        f"another process has just created {path}; nothing was changed",
        "read the file, then try again",
    )


def changed_since_read(path: str) -> FilewrightError:
    """Return the error for a change that was planned against earlier content."""
    return path_error(
        Code.STALE_VERSION,
        path,
        f"{path} has changed since it was read; nothing was changed",
        "read the file again and repeat the edit with its current text",
    )


def replaced_meanwhile(what: str, path: str) -> FilewrightError:
    """Return the error for a folder or link on the way to `path` that was replaced."""
    return path_error(
        Code.STALE_VERSION,
        path,
        f"{what} has just been replaced by another program",
        "try again",
    )


def saved_meanwhile(path: str) -> FilewrightError:
    """Return the error for a change that another program's save interrupted.

    The change was undone, but the program may have read the changed content before it
    saved: `stays` in the details says that the change must not simply be repeated.
    """
    return path_error(
        Code.STALE_VERSION,
        path,
        f"another program saved {path} during this change; the file may have "
        "this change already",
        "read the file before you repeat the change",
        stays=True,
    )


def in_use(path: str) -> FilewrightError:
    """Return the error for a file that another program is writing."""
    return path_error(
        Code.IN_USE,
        path,
        f"{path} is open for writing in another program",
        "wait until that program closes the file, or stop the program",
    )


# The user's rules forbid it.


def denied_by_rules(path: str) -> FilewrightError:
    """Return the error for a denied path.

    The message is the same for a path that does not exist: it must not reveal
    which denied files there are.
    """
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} is denied to agents by the user's rules",
        "continue without this path, or ask the user to allow it",
    )


def read_only_by_rules(path: str) -> FilewrightError:
    """Return the error for a change of a path that a rule lets agents only read."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} may be read but not changed, by the user's rules",
        "leave this file unchanged, or ask the user to change it",
    )


def contains_denied(path: str) -> FilewrightError:
    """Return the error for an operation on a whole folder that holds denied paths."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} contains paths that the user's rules deny to agents or make "
        "read-only",
        "name the entries of the folder one by one",
    )


def unusable_rules(
    path: str, why: str, number: int | None = None
) -> FilewrightError:
    """Return the error for a path below a rule file that cannot be used.

    `number` is the errno if reading the rule file failed.
    """
    code = _BY_ERRNO.get(number or errno.EACCES, Code.IO_ERROR)
    # Without its rules the folder is refused, as if they denied it: a broken
    # rule file must not open what it was to withhold.
    if code not in (Code.IO_ERROR, Code.NO_SPACE):
        code = Code.PERMISSION_DENIED
    return path_error(
        code,
        path,
        f"{path} is not accessible: {why}",
        "ask the user to correct that file; until then its folder is not accessible",
    )


def protected(
    path: str,
    rule: str,
    *,
    hint: str = (
        "use the program that owns this file (such as git), or ask the user "
        "to allow it (--allow-write)"
    ),
) -> FilewrightError:
    """Return the error for a change of a protected path."""
    message = f"{path} is protected: agents cannot write to {rule}"
    return path_error(
        Code.PERMISSION_DENIED, path, message, hint, protected=rule
    )


def protected_link(path: str, rule: str) -> FilewrightError:
    """Return the error for adding or removing a link on the way to a protected path."""
    message = f"{path} is protected as a link: changing it would replace {rule}"
    hint = "leave this link unchanged, or ask the user to change it"
    return path_error(
        Code.PERMISSION_DENIED, path, message, hint, protected=rule
    )


def own_state(path: str) -> FilewrightError:
    """Return the error for a path in the folder of the history and its key."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} is filewright's own state, which no tool reads or changes",
        Hint(
            "use get_history; the user may look at the folder",
            shell="use filewright log; the user may look at the folder",
        ),
    )


# The operating system forbids it, or cannot do it.


def unwritable_file(path: str, mode: str) -> FilewrightError:
    """Return the error for a file without write permission.

    `mode` has four octal digits.
    """
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} is read-only (mode {mode})",
        "if the user agrees, make the file writable first",
        mode=mode,
    )


def unwritable_folder(path: str, mode: int) -> FilewrightError:
    """Return the error for a path whose folder cannot be changed."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"the folder of {path} is not writable (mode {mode:04o}); nothing was changed",
        "if the user agrees, make the folder writable first",
    )


def not_permitted(path: str, why: str) -> FilewrightError:
    """Return the error for a change that only another user may make.

    `why` is the predicate of the message.
    """
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} {why}; nothing was changed",
        "ask the user who owns the file to do this",
    )


def immutable(path: str) -> FilewrightError:
    """Return the error for a file with the immutable flag."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} is immutable; nothing was changed",
        "ask the user to remove the flag (chattr -i)",
    )


def special_mode_bits(path: str) -> FilewrightError:
    """Return the error for a mode that would let a file run with its owner's rights."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path}: setting the setuid or setgid bit is refused",
        "ask the user to do it",
    )


def unsupported_mode(path: str, mode: int, nearest: int) -> FilewrightError:
    """Return the error for a mode that the system cannot keep.

    `nearest` is the mode that it would keep instead.
    """
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"{path}: this system has no mode {mode:o}",
        f"the nearest mode that it has is {nearest:o}",
    )


def hard_linked(path: str, hard_links: int) -> FilewrightError:
    """Return the error for replacing a file that has other names."""
    return path_error(
        Code.HARD_LINKED,
        path,
        f"{path} has {hard_links} names (hard links); "
        "replacing it leaves the others as they are",
        Hint(
            "give break_hard_links=true to replace it nevertheless",
            shell="set FILEWRIGHT_BREAK_HARD_LINKS=1 to replace it nevertheless",
            plain="the user may set FILEWRIGHT_BREAK_HARD_LINKS=1 to allow it",
        ),
        hard_links=hard_links,
    )


def other_file_system(path: str) -> FilewrightError:
    """Return the error for a change that would reach into another file system."""
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"{path} is on another file system (a mount); nothing was changed",
        "name the files inside it one by one, or leave it out",
    )


def contains_mount(path: str, mount: str) -> FilewrightError:
    """Return the error for changing a mount, or a folder that contains one."""
    subject = (
        f"{path} is a mount"
        if path == mount
        else f"{path} contains a mount ({mount})"
    )
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"{subject}; nothing was changed",
        "unmount it first, change its source, or leave it out",
    )


def too_deep(path: str, levels: int) -> FilewrightError:
    """Return the error for a tree with more levels than one change may have."""
    # A path this deep may have thousands of characters.
    shown = path if len(path) < 200 else path[:100] + "…"
    return FilewrightError(
        Code.TOO_LARGE,
        f"{shown} has more than {levels} levels of folders, "
        "which is too deep for one change; nothing was changed",
        "start with a deeper folder; a move has no such limit",
        levels=levels,
    )


# The path leads out of the workspace, or is one of its roots.


def outside_root(
    path: str, root: str, target: str | None = None
) -> FilewrightError:
    """Return the error for a path that leaves its root (to `target`, if known)."""
    destination = f" (to {target})" if target else ""
    details = {"resolved": target} if target else {}
    return path_error(
        Code.PATH_ESCAPE,
        path,
        f"{path} leads out of the root {root}{destination}",
        "give a path below the root; absolute links are never followed",
        root=root,
        **details,
    )


def folder_moved_out(path: str, root: str) -> FilewrightError:
    """Return the error for a folder that was moved out of its root meanwhile."""
    return path_error(
        Code.PATH_ESCAPE,
        path,
        f"the folder of {path} has just been moved out of the root {root}",
        "try again",
        root=root,
    )


def root_itself(path: str, root: str) -> FilewrightError:
    """Return the error for a change of a root."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} is a root of the workspace, and a root is never changed",
        "name a path below the root",
        root=root,
    )


def contains_root(path: str, root_name: str) -> FilewrightError:
    """Return the error for deleting or moving a folder that contains a root."""
    return path_error(
        Code.PERMISSION_DENIED,
        path,
        f"{path} contains the root {root_name}, which is never deleted or moved",
        "name a folder that contains no root",
    )


# The history cannot do it.


def beyond_roots(path: str, root: str) -> FilewrightError:
    """Return the error for undoing a change that affects a root that is not open."""
    return path_error(
        Code.PATH_ESCAPE,
        path,
        f"that change reaches beyond the roots: {path} is below {root}",
        "serve that folder as a root too, then try again",
        root=root,
    )


def not_rolled_back(path: str, change_id: str) -> FilewrightError:
    """Return the error for a path whose unfinished change could not be rolled back."""
    return path_error(
        Code.IN_USE,
        path,
        f"{path}: the unfinished change {change_id} could not be rolled back here",
        "run filewright doctor to see what prevents it",
        unsettled=change_id,
    )


def interrupted(path: str, root: str) -> FilewrightError:
    """Return the error for a path whose unfinished change is not rolled back yet.

    A read-only workspace does not roll it back.
    """
    return path_error(
        Code.IN_USE,
        path,
        f"{path} is part of a change that was interrupted and not rolled back yet",
        f"run `filewright doctor --root {root}`: it rolls the change back, or "
        "says what prevents it",
        root=root,
    )


def not_in_change(path: str, what: str) -> FilewrightError:
    """Return the error for a path that was not changed by `what`.

    `what` names a change or a session.
    """
    return path_error(
        Code.NOT_FOUND,
        path,
        f"{what} did not change {path}",
        Hint(
            "get_history lists the files of each change",
            shell="filewright log lists the files of each change",
        ),
    )


def no_undo_by_hunks(path: str) -> FilewrightError:
    """Return the error for undoing single hunks of a change that has none."""
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"hunks of {path} cannot be undone one by one: "
        "the file is too large, or the change is not an edit",
        "undo the whole change of that file",
    )


def unknown_hunk(path: str, hunk: int, hunks: int) -> FilewrightError:
    """Return the error for a hunk number above the number of hunks of a file."""
    return path_error(
        Code.NOT_FOUND,
        path,
        f"there is no hunk {hunk} in the change of {path}, which has {hunks}",
        "hunks count from 1, in the order of the diff",
        hunk=hunk,
        hunks=hunks,
    )


def read_only(path: str | None = None) -> FilewrightError:
    """Return the error for a change in a read-only workspace."""
    message = "the workspace is served read-only"
    hint = "ask the user to start the server without --read-only"
    if path is None:
        return FilewrightError(Code.READ_ONLY, message, hint)
    return path_error(
        Code.READ_ONLY, path, f"cannot change {path}: {message}", hint
    )


# Errors about a request, not about a path.


def invalid(
    message: str, hint: str | None = None, **details: Any
) -> FilewrightError:
    """Return the error for a request that is wrong.

    `argument` in the details names the wrong argument.
    """
    return FilewrightError(Code.INVALID_INPUT, message, hint, **details)


def invalid_setting(name: str, why: str) -> FilewrightError:
    """Return the error for a setting that cannot be used; `why` is the predicate."""
    message = f"the setting FILEWRIGHT_{name.upper()} {why}"
    return invalid(
        message, "correct the setting, or leave it out", setting=name
    )


def workspace_closed() -> FilewrightError:
    """Return the error for a call on a closed workspace."""
    return invalid("the workspace is closed", "open the workspace again")


def too_many(
    count: int, limit: int, what: str, hint: str, key: str = "count"
) -> FilewrightError:
    """Return the error for more items in one call than a setting allows.

    `what` names the items in the plural, `key` is the name of `count` in the details.
    """
    message = f"{count:,} {what} in one call; the limit is {limit:,}"
    return FilewrightError(
        Code.TOO_LARGE, message, hint, details={key: count, "limit": limit}
    )


def lock_timeout(reason: str, seconds: float) -> FilewrightError:
    """Return the error for a lock that was not released in time.

    `reason` goes on after "another", such as "process kept the database".
    """
    return FilewrightError(
        Code.TIMEOUT,
        f"another {reason} for more than {seconds:g} s",
        "try again; FILEWRIGHT_LOCK_SECONDS sets how long to wait",
    )


def unknown_snapshot(snapshot_id: str) -> FilewrightError:
    """Return the error for ending a snapshot that was not begun, or has ended."""
    message = f"no snapshot {snapshot_id or '(no id)'} is open"
    hint = (
        "give the id that filewright snapshot begin printed, once and within "
        "two days"
    )
    return FilewrightError(Code.NOT_FOUND, message, hint, snapshot=snapshot_id)


def unknown_change(change_id: str) -> FilewrightError:
    """Return the error for a change that is not in the history."""
    return FilewrightError(
        Code.NOT_FOUND,
        f"there is no change {change_id}",
        Hint(
            "get_history lists the changes that can still be undone",
            shell="filewright log lists the changes with their ids",
        ),
        change_id=change_id,
    )


def nothing_changed() -> FilewrightError:
    """Return the error for a change of a folder whose history is empty."""
    return FilewrightError(
        Code.NOT_FOUND,
        "nothing has been changed here yet",
        "filewright setup connects a client, so that its changes are recorded",
        change_id=None,
    )


def unknown_scope(text: str, *, can_be_session: bool = True) -> FilewrightError:
    """Return the error for a text that names no changes."""
    nouns = "change, session or time" if can_be_session else "change or time"
    times = "14:30, 20 min ago, yesterday, 2026-11-27"
    return FilewrightError(
        Code.NOT_FOUND,
        f"{text!r} is no {nouns}",
        Hint(
            f"try {times}; get_history lists the changes",
            shell=f"try {times}; filewright log lists the changes",
        ),
        given=text,
    )


def unknown_session(name: str, known: Mapping[str, str]) -> FilewrightError:
    """Return the error for a session without changes.

    `known` are descriptions of the newest sessions, by name.
    """
    if known:
        message = f"no session {name} has changed anything in this folder"
        hint = f"the newest sessions are {', '.join(known.values())}"
    else:
        message = "no session has changed anything in this folder yet"
        hint = None
    return FilewrightError(
        Code.NOT_FOUND, message, hint, session=name, sessions=list(known)
    )


def no_session_changes() -> FilewrightError:
    """Return the error for "the last session" where none has a change to undo."""
    hint = (
        "all changes here are undone, or came from the command line or setup; "
        "name a change or a time instead"
    )
    message = "no agent session here has changes left to undo"
    return FilewrightError(
        Code.NOT_FOUND, message, hint, session="last", sessions=[]
    )


def before_history(time: str, oldest: str | None) -> FilewrightError:
    """Return the error for a time before the oldest change in the history."""
    if oldest is None:
        return invalid(
            "nothing has been changed in this folder yet", since=time
        )
    return invalid(
        f"{time} is before the oldest change in the history ({oldest})",
        f"give {oldest} or later",
        since=time,
    )


def time_in_future(time: str) -> FilewrightError:
    """Return the error for a time that is yet to come."""
    return invalid(
        f"{time} is in the future",
        "give an earlier time; times without a zone are local",
        since=time,
    )


def clock_was_ahead(time: str) -> FilewrightError:
    """Return the error for selecting changes by time while some have later dates."""
    return FilewrightError(
        Code.INVALID_INPUT,
        "the newest changes are dated later than now, because the clock was ahead "
        f"when they were made, so {time} does not select changes reliably",
        hint=Hint(
            "name a change instead of a time, such as since=CHANGE from get_history",
            shell="name a change instead of a time, such as CHANGE from filewright log",
        ),
        details={"given": time},
    )


def shared_with_commands(
    what: str,
    commands: Sequence[str],
    paths: Sequence[str],
    details: Mapping[str, Any],
) -> FilewrightError:
    """Return the error for undoing changes that other commands may have made.

    `what` names the selected changes, `details` are added to those of the error.
    """
    # A command may have changed thousands of files: an error is read whole.
    files = join_limited(paths, 5)
    return FilewrightError(
        Code.UNSUPPORTED,
        f"{what} cannot be undone alone: another command that ran at the same time "
        f"({', '.join(commands[:3])}) may have changed {files}; nothing was changed",
        hint=Hint(
            "give include_shared=true (--include-shared on the command line) to undo "
            "these files too, or path to undo another file only",
            shell="give --include-shared to undo these files too, or --path to undo "
            "another file only",
        ),
        details={
            **details,
            "shared_with": list(commands[:20]),
            "shared_files": list(paths[:200]),
        },
    )


def made_by_setup(change_id: str) -> FilewrightError:
    """Return the error for an agent that undoes a change of `filewright setup`."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"the change {change_id} is protected: `filewright setup` made it, "
        "and only the user can undo it",
        hint="ask the user to run `filewright setup CLIENT --remove`, "
        f"or `filewright undo {change_id}`",
        details={"change_id": change_id},
    )


def hunk_needs_path(what: str) -> FilewrightError:
    """Return the error for a hunk of a change of several files."""
    return invalid(
        f"{what} changed several files, and a hunk belongs to one",
        Hint("name the file with path", shell="name the file with --path"),
        argument="hunk",
    )
