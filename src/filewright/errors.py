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
from collections.abc import Callable, Mapping, Sequence
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
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = {**(details or {}), **facts}

    @property
    def ends_call(self) -> bool:
        """Whether the call is at its end, so that no further item of it is tried."""
        return self.code in (Code.CANCELLED, Code.TIMEOUT)

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is made again from its arguments alone, and the code is not among them.
        return (
            type(self),
            (self.code, self.message, self.hint),
            {"details": self.details},
        )

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return f"{text}\nhint: {self.hint}" if self.hint else text


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


def from_os_error(
    error: OSError, asked: str, *, doing: str = "open"
) -> FilewrightError:
    """The `FilewrightError` for an `OSError` met while `doing` something to the path `asked`."""
    code = _BY_ERRNO.get(error.errno or 0, Code.IO_ERROR)
    reason = error.strerror or str(error)
    return FilewrightError(
        code,
        f"cannot {doing} {asked}: {reason}",
        hint=_HINTS.get(code, "look at the disk and try again; nothing was changed"),
        details={
            "path": asked,
            "errno": errno.errorcode.get(error.errno or 0, str(error.errno)),
        },
    )


# Refusals of a path. `asked` is the path as the caller wrote it, or as it is shown below its root.


def refused(
    code: Code, asked: str, message: str, hint: str, **facts: Any
) -> FilewrightError:
    """An error that speaks of one path; `facts` are further details."""
    return FilewrightError(code, message, hint, path=asked, **facts)


def _plain(
    code: Code, message: str, hint: str, names: str = ""
) -> Callable[..., FilewrightError]:
    """A refusal of a path, which message and hint have as `{asked}`; further facts have these `names` there.

    It is called with the path and those facts in their order. Those whose names begin with `_` are no details.
    """

    def refusal(asked: str, *given: object) -> FilewrightError:
        facts = dict(zip(names.split(), given, strict=True))
        shown = {**facts, "asked": asked}
        details = {name: fact for name, fact in facts.items() if name[0] != "_"}
        return refused(
            code, asked, message.format_map(shown), hint.format_map(shown), **details
        )

    return refusal


taken = _plain(
    Code.ALREADY_EXISTS,
    "{asked} already exists",
    "choose another name, or ask to overwrite",
)
"""The name is taken."""
appeared = _plain(
    Code.ALREADY_EXISTS,
    "{asked} has appeared meanwhile; nothing was changed",
    "look at it, then try again",
)
"""Somebody has taken the name while the change was being made."""
stale = _plain(
    Code.STALE_VERSION,
    "{asked} has changed since it was read; nothing was changed",
    "read it again and redo the edit on what is there now",
)
"""A change was made against content that is no longer there."""
overtaken = _plain(
    Code.STALE_VERSION,
    "{asked} was saved by another program while it was changed; what is there now may hold this change already",
    "read it before you make the change again",
    "stays",
)
"""A change was taken back, but another program may have read it and saved what it had read."""
in_use = _plain(
    Code.IN_USE,
    "{asked} is open for writing in another program",
    "wait until it is closed, or stop that program",
)
"""Another program writes to the file."""
slash_after_file = _plain(
    Code.NOT_A_DIRECTORY,
    "{asked} is a file, and the / at its end asks for a folder",
    "leave the / out",
)
"""A file is there, and a slash behind its name asks for a folder."""
denied = _plain(
    Code.PERMISSION_DENIED,
    "{asked} is kept from agents by the user's rules",
    "go on without it, or ask the user for it",
)
"""What the user keeps from agents; the same whether or not anything is there."""
only_read = _plain(
    Code.PERMISSION_DENIED,
    "{asked} may be read but not changed, by the user's rules",
    "leave it as it is, or ask the user to change it",
)
"""A change of what a file of the user's lets agents read only."""
holds_denied = _plain(
    Code.PERMISSION_DENIED,
    "{asked} holds something that the user keeps from agents, or from their changes",
    "name what is in it, one by one",
)
"""To delete, move or copy a folder with all below, of which something is kept from agents."""
own_state = _plain(
    Code.PERMISSION_DENIED,
    "{asked} belongs to filewright's own state, which is neither read nor changed through it",
    "ask for it with get_history; the user may look at the folder itself",
)
"""A look into the folder where the history and its key are kept."""
immutable = _plain(
    Code.PERMISSION_DENIED,
    "{asked} is immutable; nothing was changed",
    "ask the user to take the flag away (chattr -i)",
)
"""What can be neither replaced nor removed."""
special_bits = _plain(
    Code.PERMISSION_DENIED,
    "{asked}: setting the setuid or setgid bit is refused",
    "ask the user to do it",
)
"""To let a file run with its owner's rights."""
same_place = _plain(
    Code.INVALID_INPUT,
    "{asked} is source and destination at once",
    "choose another destination",
)
"""To put a thing where it is."""
other_file_system = _plain(
    Code.UNSUPPORTED,
    "{asked} is on another file system (a mount); nothing was changed",
    "name what is inside that file system, or leave it out",
)
"""What would reach into another file system."""
no_hunks = _plain(
    Code.UNSUPPORTED,
    "what was changed of {asked} cannot be taken back by hunks: it is too large, or not an edit",
    "take the whole change of that file back",
)
"""A change of a file that is not taken back by hunks."""
unusable = _plain(
    Code.INVALID_INPUT,
    "{asked} {_why}",
    "give a path below the root, by another name",
    "_why",
)
"""A path that names no file on this system, or one that other programs read as another."""
root_itself = _plain(
    Code.PERMISSION_DENIED,
    "{asked} is a root of the workspace, which is never changed itself",
    "name something below it",
    "root",
)
"""A change of a root itself."""
holds_root = _plain(
    Code.PERMISSION_DENIED,
    "{asked} holds the root {_name}, which is never deleted or moved",
    "name something else",
    "_name",
)
"""To delete or move what a root lies in."""
replaced = _plain(
    Code.STALE_VERSION, "{_what} was replaced meanwhile", "try again", "_what"
)
"""A folder or a link on the way to something was replaced since it was looked at."""
not_touched = _plain(
    Code.NOT_FOUND,
    "nothing of {_what} was done to {asked}",
    "get_history lists the files of each change",
    "_what",
)
"""A path at which nothing of what was named was done."""
unwritable = _plain(
    Code.PERMISSION_DENIED,
    "{asked} is read-only (mode {mode})",
    "make it writable first, if the user wants that",
    "mode",
)
"""A file without a right to write to it; its mode is in four octal digits."""
not_ours = _plain(
    Code.PERMISSION_DENIED,
    "{asked} {_why}; nothing was changed",
    "ask the user who owns it to do it",
    "_why",
)
"""What only another user may change; `why` goes on after the path."""
unwritable_folder = _plain(
    Code.PERMISSION_DENIED,
    "the folder of {asked} cannot be written to (mode {_mode:04o}); nothing was changed",
    "make the folder writable first, if the user wants that",
    "_mode",
)
"""Something in a folder without a right to make and remove names in it."""
no_such_mode = _plain(
    Code.UNSUPPORTED,
    "{asked}: this system has no mode {_mode:o}",
    "the nearest that it has is {_kept:o}",
    "_mode _kept",
)
"""To set a mode of which the system keeps only a part."""
hard_linked = _plain(
    Code.HARD_LINKED,
    "{asked} has {hard_links} names (hard links); replacing it leaves the others as they are",
    "give break_hard_links=true if that is meant",
    "hard_links",
)
"""To replace a file under one of its names."""
into_itself = _plain(
    Code.INVALID_INPUT,
    "{asked} cannot be put into itself ({_destination})",
    "choose a destination outside of it",
    "_destination",
)
"""A folder cannot be below itself."""
moved_out = _plain(
    Code.PATH_ESCAPE,
    "the folder of {asked} was moved out of the root {root} meanwhile",
    "try again",
    "root",
)
"""The folder was moved out of the root while it was opened."""
beyond_roots = _plain(
    Code.PATH_ESCAPE,
    "that change reaches beyond the roots: {asked} is below {root}",
    "serve that folder as a root too, then try again",
    "root",
)
"""What an earlier change did below a root that is not open now."""
unsettled = _plain(
    Code.IN_USE,
    "{asked}: the unfinished change {unsettled} could not be rolled back here",
    "run filewright doctor, which says what is in the way",
    "unsettled",
)
"""What an unfinished change of a dead process has left half done, and nobody can roll back."""
interrupted = _plain(
    Code.IN_USE,
    "{asked} is part of a change that was interrupted and is not settled yet",
    "open {root} without --read-only (filewright doctor --root does), which settles it or says what is in the way",
    "root",
)
"""What an unfinished change of a dead process has left half done, and this workspace may not settle."""
no_such_hunk = _plain(
    Code.NOT_FOUND,
    "there is no hunk {hunk} in what was changed of {asked}: there are {hunks}",
    "hunks count from 1, as the diff of the change shows them",
    "hunk hunks",
)
"""The diff of a file has fewer hunks."""


def missing(asked: str, part: str | None = None) -> FilewrightError:
    """Nothing has that name, or the name of a `part` on the way to it."""
    why = f": there is no {part}" if part else ""
    return refused(
        Code.NOT_FOUND,
        asked,
        f"{asked} does not exist{why}",
        "list the folder to see what is there",
    )


def not_a_file(
    asked: str, kind: str, *, hint: str = "name a regular file"
) -> FilewrightError:
    """Something else than a file is there."""
    article = (
        "a FIFO"
        if kind == "fifo"
        else f"a {'special file' if kind == 'other' else kind}"
    )
    return refused(Code.NOT_A_FILE, asked, f"{asked} is {article}, not a file", hint)


def not_a_folder(
    asked: str, part: str | None = None, *, hint: str = "name a folder"
) -> FilewrightError:
    """Something else than a folder is there, or at a `part` on the way to it."""
    message = f"{asked}{f': {part}' if part else ''} is not a folder"
    return refused(Code.NOT_A_DIRECTORY, asked, message, hint)


def link_itself(asked: str, target: str | None = None) -> FilewrightError:
    """A write to a link, which leads to `target` if that may be told."""
    message = (
        f"{asked} is a symbolic link; it is neither followed nor replaced by a write"
    )
    if target is None:
        hint = "name the link's target itself, or delete the link first"
        return refused(Code.SYMLINK, asked, message, hint)
    hint = f"it leads to {target}: name that, or delete the link first"
    return refused(Code.SYMLINK, asked, message, hint, target=target)


def read_only(asked: str | None = None) -> FilewrightError:
    """A change of a workspace that is only read."""
    message = "the workspace is served read-only"
    hint = "ask the user to start the server without --read-only"
    if asked is None:
        return FilewrightError(Code.READ_ONLY, message, hint)
    return refused(Code.READ_ONLY, asked, f"cannot change {asked}: {message}", hint)


def protected(
    asked: str,
    rule: str,
    *,
    hint: str = "change it with the program it belongs to, or ask the user to allow it (--allow-write)",
) -> FilewrightError:
    """A change of what is protected."""
    message = f"{asked} is protected: nothing is written to {rule}"
    return refused(Code.PERMISSION_DENIED, asked, message, hint, protected=rule)


def protected_way(asked: str, rule: str) -> FilewrightError:
    """A link is put on the way to what is protected, or taken from there."""
    message = (
        f"{asked} is protected as a link: another file would take the place of {rule}"
    )
    hint = "leave the link as it is, or ask the user to change it"
    return refused(Code.PERMISSION_DENIED, asked, message, hint, protected=rule)


def rules_unusable(asked: str, why: str, number: int | None = None) -> FilewrightError:
    """Whatever is below a file of such rules that cannot be used; by a disk's error `number`, if it is one."""
    message = f"{asked} is not offered: {why}"
    hint = (
        "ask the user to correct that file; until then nothing in its folder is offered"
    )
    code = _BY_ERRNO.get(number or errno.EACCES, Code.IO_ERROR)
    if code not in (Code.IO_ERROR, Code.NO_SPACE):
        code = Code.PERMISSION_DENIED
    return refused(code, asked, message, hint)


def bad_setting(name: str, why: str) -> FilewrightError:
    """A setting that cannot be used; `why` goes on after its name."""
    message = f"the setting FILEWRIGHT_{name.upper()} {why}"
    return invalid(message, "correct it, or leave it out", setting=name)


def too_deep(asked: str, levels: int) -> FilewrightError:
    """A tree with more levels than one change takes on."""
    shown = asked if len(asked) < 200 else asked[:100] + "…"
    message = f"{shown} has more than {levels} levels of folders, which is too deep for one change"
    hint = "begin with a folder further down; moving is possible at any depth"
    return FilewrightError(
        Code.TOO_LARGE, f"{message}; nothing was changed", hint, levels=levels
    )


def mounted(asked: str, mount: str) -> FilewrightError:
    """To replace, move or delete what is mounted, or holds a mount."""
    message = (
        f"{asked} is a mount" if asked == mount else f"{asked} holds a mount ({mount})"
    )
    hint = "unmount it first, change it where it is mounted from, or leave it out"
    return refused(Code.UNSUPPORTED, asked, f"{message}; nothing was changed", hint)


def leads_out(asked: str, root: str, to: str | None = None) -> FilewrightError:
    """A path whose links or dots lead out of its root, where that is known `to` somewhere."""
    where = f" (to {to})" if to else ""
    facts = {"resolved": to} if to else {}
    hint = "give a path below the root; absolute links are never followed, wherever they point"
    message = f"{asked} leads out of the root {root}{where}"
    return refused(Code.PATH_ESCAPE, asked, message, hint, root=root, **facts)


# Other refusals that more than one place makes


def invalid(message: str, hint: str | None = None, **facts: Any) -> FilewrightError:
    """A request that is wrong itself; `facts` are further details, `argument` among them the one that is wrong."""
    return FilewrightError(Code.INVALID_INPUT, message, hint, **facts)


def closed() -> FilewrightError:
    """Something is asked of a workspace that was closed."""
    return invalid("the workspace is closed", "open it again")


def too_many(
    count: int, limit: int, what: str, hint: str, key: str = "count"
) -> FilewrightError:
    """More of something in one call than a setting allows."""
    message = f"{count:,} {what} in one call; the limit is {limit:,}"
    return FilewrightError(
        Code.TOO_LARGE, message, hint, details={key: count, "limit": limit}
    )


def locked(what: str, seconds: float) -> FilewrightError:
    """Somebody held a lock for as long as one may wait for it."""
    return FilewrightError(
        Code.TIMEOUT,
        f"another {what} for more than {seconds:g} s",
        "try again; FILEWRIGHT_LOCK_SECONDS sets how long to wait",
    )


def unknown_listing(given: str) -> FilewrightError:
    """Nothing was noted under that id before a command."""
    message = f"there is no snapshot {given or '(no id)'} to end"
    hint = (
        "filewright snapshot begin prints an id; it can be ended once, within two days"
    )
    return FilewrightError(Code.NOT_FOUND, message, hint, snapshot=given)


def shared(
    what: str, commands: Sequence[str], paths: Sequence[str], named: Mapping[str, Any]
) -> FilewrightError:
    """What is to be taken back may be the change of another command."""
    others, files = ", ".join(commands[:3]), ", ".join(paths[:5])
    files += f" and {len(paths) - 5:,} more" * (len(paths) > 5)
    return FilewrightError(
        Code.UNSUPPORTED,
        f"{what} cannot be undone alone: {files} may have been changed by another command that ran at the "
        f"same time ({others}); nothing was changed",
        hint="give include_shared=true, or --include-shared on the command line, to take that back too, or name "
        "a file of which that is not so with path",
        details={
            **named,
            "shared_with": list(commands[:20]),
            "shared_files": list(paths[:200]),
        },
    )


def unknown_session(given: str, known: Sequence[str]) -> FilewrightError:
    """History has no such session."""
    message = f"there is no session {given} that changed something"
    hint = (
        f"the newest that did: {', '.join(known)}"
        if known
        else "nothing was changed here yet"
    )
    return FilewrightError(
        Code.NOT_FOUND, message, hint, session=given, sessions=list(known)
    )


def before_history(given: str, begins: str | None) -> FilewrightError:
    """A moment of which history knows nothing."""
    hint = (
        f"the oldest change that is kept was made at {begins}"
        if begins
        else "nothing was changed here yet"
    )
    return invalid(f"{given} is before the history begins", hint, since=given)


def clock_was_ahead(given: str) -> FilewrightError:
    """The newest changes are dated later than now: a time tells nothing of them."""
    return FilewrightError(
        Code.INVALID_INPUT,
        f"the newest changes are dated later than now, since the clock was ahead when they were made: {given} does not "
        "tell which of them are meant",
        hint="name a change instead of a time, such as since=CHANGE from get_history",
        details={"given": given},
    )


def no_session(has_changes: bool) -> FilewrightError:
    """No agent's session has changed anything that is not undone."""
    hint = "nothing was changed here yet"
    if has_changes:
        hint = (
            "what was changed here came from the command line or from setup, or is undone already; name a change or a "
            "time instead"
        )
    message = "no agent session has changed anything here that is not undone"
    return FilewrightError(Code.NOT_FOUND, message, hint, session="last", sessions=[])


def of_setup(change_id: str) -> FilewrightError:
    """The change configured a client, which agents do not take back."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"the change {change_id} is protected: `filewright setup` made it, and only the user takes it back",
        hint=f"ask the user to run `filewright setup CLIENT --remove`, or `filewright undo {change_id}`",
        details={"change_id": change_id},
    )


def in_the_future(given: str) -> FilewrightError:
    """A moment that is yet to come."""
    return invalid(
        f"{given} is in the future", "times without a zone are local ones", since=given
    )


def one_file_for_a_hunk(what: str) -> FilewrightError:
    """A hunk of several files."""
    return invalid(
        f"{what} changed several files, and a hunk is of one",
        "name the file with path",
        argument="hunk",
    )


def unknown_change(change_id: str) -> FilewrightError:
    """History has no such change."""
    return FilewrightError(
        Code.NOT_FOUND,
        f"there is no change {change_id}",
        "get_history lists the changes that can still be undone",
        change_id=change_id,
    )
