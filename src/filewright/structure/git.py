"""The content of a file at a revision of its git repository, asked of git so that nothing else runs.

A repository's configuration is written by whoever made the repository, and can name programs: file
system monitors, hooks, filters, textconv, transports of promised objects. So only `git cat-file`
is run, which looks at objects and at none of these; hooks and monitors are switched off besides;
every transport is forbidden, so that a missing object is missing and not fetched; and the user's and
the system's configuration are not read. The repository is looked for in the folders from the file up
to its root and nowhere above.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import Final

from filewright.boundary import Boundary, Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task

_REVISION: Final = re.compile(r"[A-Za-z0-9@][A-Za-z0-9_./@^~{}+-]*")
_HEADER_BYTES: Final = 512
_POLL_MS: Final = 20
_SETTINGS: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.sshCommand": "false",
    "core.askPass": "false",
    "core.pager": "cat",
    "credential.helper": "",
    "protocol.allow": "never",
    "safe.directory": "*",
}
_ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
    **{f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(_SETTINGS)},
    **{f"GIT_CONFIG_VALUE_{number}": value for number, value in enumerate(_SETTINGS.values())},
}


@dataclass(frozen=True, slots=True)
class Committed:
    """A file at a revision: the commit's full name, and the content, None if the file is not in it.

    `note` says why the content is not there although it might be (too large, not a file).
    """

    commit: str
    content: bytes | None
    note: str | None = None


def committed(
    boundary: Boundary,
    where: Location,
    revision: str = "HEAD",
    *,
    limit: int,
    seconds: float = 5.0,
    task: Task | None = None,
) -> Committed | None:
    """The content of `where` at `revision`, at most `limit` bytes of it.

    None if the file is in no repository inside its root, git is not installed, or the repository has
    no such revision yet (no commit). Raises `invalid_input` for what cannot be a revision or is none
    of this repository's, `timeout` after `seconds`, `cancelled` if `task` was.
    """
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise FilewrightError(
            Code.INVALID_INPUT, f"{revision!r} is not a revision", hint='name a commit, a branch or "HEAD"'
        )
    program = shutil.which("git", path=os.defpath)
    if program is None or b"\n" in b"/".join(where.parts):
        return None
    found = _repository(boundary, where)
    if found is None:
        return None
    folder, path = found
    try:
        return _ask(program, folder, revision, path, limit, seconds, task)
    finally:
        os.close(folder)


def _repository(boundary: Boundary, where: Location) -> tuple[int, bytes] | None:
    """A descriptor of the nearest folder that holds a `.git` folder, and the file's path below it."""
    here = where
    while here.parts:
        here = here.parent
        try:
            folder = boundary.open_folder(here)
        except FilewrightError as error:
            if error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                continue  # the file's folder is gone; the repository may still know it
            raise
        try:
            kind = folder.stat(b".git").kind
        except OSError:
            folder.close()
            continue
        if kind == "folder":
            return folder.detach(), b"/".join(where.parts[len(here.parts) :])
        folder.close()
        return None  # a link, or a file that names a folder elsewhere
    return None


def _ask(
    program: str, folder: int, revision: str, path: bytes, limit: int, seconds: float, task: Task | None
) -> Committed | None:
    arguments = [program, f"--git-dir=/proc/self/fd/{folder}/.git", "cat-file", "--batch"]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        pass_fds=(folder,), cwd="/", env=_ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    try:
        answers = _Answers(process, time.monotonic() + seconds, seconds, task)
        answers.ask(f"{revision}^{{commit}}\n".encode())
        commit = answers.object(1 << 20)
        if commit is None:
            if revision == "HEAD":
                return None
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"the repository has no revision {revision!r}",
                hint='leave it out for "HEAD"',
            )
        name = commit[0]
        answers.ask(name.encode() + b":" + path + b"\n")
        blob = answers.object(limit)
        if blob is None:
            return Committed(name, None)
        if blob[1] != "blob":
            return Committed(name, None, f"it is a {blob[1]} there")
        if blob[2] is None:
            return Committed(name, None, f"it is larger there than the limit of {limit} bytes")
        return Committed(name, blob[2])
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
        process.wait()


class _Answers:
    """What `git cat-file --batch` says, read within a deadline."""

    def __init__(
        self, process: subprocess.Popen[bytes], deadline: float, seconds: float, task: Task | None
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._output, False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._deadline, self._seconds, self._task = deadline, seconds, task
        self._data = bytearray()

    def ask(self, request: bytes) -> None:
        """Send one line; a path is far shorter than a pipe."""
        try:
            os.write(self._input, request)
        except BrokenPipeError:
            return  # it ended: reading says so

    def object(self, limit: int) -> tuple[str, str, bytes | None] | None:
        """Name, type and content of the next object; no content above `limit`; None if it is missing."""
        while b"\n" not in self._data:
            if not self._more():
                return None
        header, _, rest = bytes(self._data).partition(b"\n")
        parts = header[-_HEADER_BYTES:].decode("ascii", "replace").split(" ")
        if len(parts) != 3 or not parts[2].isdigit():
            self._data = bytearray(rest)
            return None  # "… missing", "… ambiguous"
        size = int(parts[2])
        if size > limit:
            return parts[0], parts[1], None
        self._data = bytearray(rest)
        while len(self._data) < size + 1:
            if not self._more():
                return None
        content = bytes(self._data[:size])
        del self._data[: size + 1]
        return parts[0], parts[1], content

    def _more(self) -> bool:
        """Wait for more output; False at its end."""
        while True:
            if self._task is not None:
                self._task.check()
            if time.monotonic() > self._deadline:
                raise FilewrightError(
                    Code.TIMEOUT,
                    f"git did not answer within {self._seconds:g} s",
                    hint="leave out the comparison",
                )
            if self._poll.poll(_POLL_MS):
                block = os.read(self._output, 1 << 20)
                self._data += block
                return bool(block)
