"""The files that a repository's index and commits hold, asked of git.

A repository's configuration may name programs: filters, hooks, file system monitors.
None of them runs here. Git is only asked about objects, about its index and about text
files of its configuration, and never looks into the working tree, where a filter would
have to convert the files (`git.py` says more). Where the kernel can confine git, it
reads the repository alone and can start nothing else; only to write an object or the
index it may write, and only below the folders of git.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from filewright import system
from filewright.boundary.launcher import PIPE, Child, Launcher, find_program
from filewright.boundary.repository import RepositoryFolders
from filewright.errors import Code, FilewrightError, invalid
from filewright.progress import Task
from filewright.structure.git import (
    GIT_ENVIRONMENT,
    GitObject,
    ObjectReader,
)
from filewright.structure.git_conversion import ATTRIBUTES
from filewright.system import Closable

GIT_SECONDS = 3600.0
"""The longest time of one run of git; a person waits for it and can interrupt it."""

MAX_INDEX_BYTES = 256 << 20
"""The largest index that is read. One of a million files has about 100 MB."""

_BLOCK_BYTES = 1 << 16
_MAX_COMMIT_BYTES = 1 << 20
_MAX_RENAMES = 400
"""Files of a commit above which git compares no contents to find renames."""

_MAX_TIME_DIGITS = 12
"""Digits of a time in seconds; a forged commit may have one that no date can hold."""

_USER_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE")
_OVERRIDDEN_FOR_USER = (
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_GLOBAL",
    "GIT_ATTR_NOSYSTEM",
)
"""Variables that keep git from the user's own configuration."""
_CONVERSION_SETTINGS = r"^core\.(autocrlf|filemode)$"
_END_SECONDS = 10.0
"""The time that git has to end after its last output."""


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file in the index. A path with several versions is in conflict."""

    path: bytes
    mode: int
    object_id: str
    is_conflict: bool = False


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file of a commit that differs from the file in the index.

    `mode` is 0 if the commit has no such file. `index_mode` and `index_id` are those
    of the index, 0 and zeros if it has no such file, or several versions of it.
    """

    path: bytes
    mode: int
    object_id: str
    index_mode: int
    index_id: str
    is_conflict: bool = False


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The bytes of an index, and its time of change in nanoseconds."""

    content: bytes
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A file that differs between two commits, and its object in the second one.

    The object is zeros if the second commit has no such file.
    """

    path: bytes
    object_id: str


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file, and the nearest ones before it that did."""

    id: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """The author of a commit, its time, and the first line of its message."""

    id: str
    author: str
    time: datetime
    title: str


class GitRepository(Closable):
    """A repository with a working tree, read and staged to by confined git."""

    def __init__(self, folders: RepositoryFolders, task: Task) -> None:
        """Open the folders. Raise `unsupported` without git, and `io_error`."""
        program = find_program("git")
        if program is None:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"there is no git in {os.defpath}",
                "install git there: filewright starts no other git",
            )
        self.folders = folders
        self._program = program
        self._task = task
        self._reader: ObjectReader | None = None
        self._stack = ExitStack()
        paths = dict.fromkeys(
            (
                folders.top,
                folders.git_folder,
                folders.common_folder,
                *folders.object_folders,
            )
        )
        opened = {}
        try:
            for path in paths:
                opened[path] = self._stack.enter_context(
                    system.open_folder(path)
                )
        except OSError as error:
            self._stack.close()
            raise FilewrightError(
                Code.IO_ERROR,
                f"cannot open {os.fsdecode(path)}: {error.strerror}",
            ) from error
        self._top = opened[folders.top]
        own_folders = [
            opened[folders.git_folder],
            opened[folders.common_folder],
        ]
        self._reading = Launcher(
            list(opened.values()), [program], can_run_unconfined=True
        )
        self._writing = Launcher(
            list(opened.values()),
            [program],
            writable_folders=own_folders,
            can_run_unconfined=True,
        )
        # The user's configuration may be anywhere, and include other files.
        self._unconfined = Launcher(
            [], [program], confine=False, can_run_unconfined=True
        )

    def close(self) -> None:
        """End the children, and release the folders."""
        self._close_reader()
        for launcher in (self._reading, self._writing, self._unconfined):
            launcher.close()
        self._stack.close()

    # Reading

    @property
    def index_path(self) -> bytes:
        """The path of the index; while git makes a commit, of the one that git names."""
        git_index_path = os.environ.get("GIT_INDEX_FILE")
        if git_index_path:
            return os.path.join(self.folders.top, os.fsencode(git_index_path))
        return os.path.join(self.folders.git_folder, b"index")

    @property
    def is_index_temporary(self) -> bool:
        """True if git makes a commit of some paths, from an index for it alone."""
        names = (b"index", b"index.lock")
        own_paths = []
        for name in names:
            own_paths.append(os.path.join(self.folders.git_folder, name))
        return system.real_path(self.index_path) not in own_paths

    def read_index_file(self) -> StoredIndex:
        """Return the index as git stores it; an empty one if it cannot be read.

        It serves to leave out unchanged files. Without it, more files are compared.
        """
        with suppress(OSError), system.open_file(self.index_path) as file:
            status = file.status()
            if status.size <= MAX_INDEX_BYTES:
                content = file.read(0, status.size)
                return StoredIndex(content, status.mtime_ns)
        return StoredIndex(b"", 0)

    def resolve(self, revision: str) -> str | None:
        """Return the full name of a commit, or None if there is no such commit."""
        if not revision or revision.startswith("-") or "\0" in revision:
            raise invalid(f"{revision!r} is not a revision")
        # The revision is a caller's, and git must never take it for an option.
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options"]
        try:
            records = [*self._records([*words, f"{revision}^{{commit}}"])]
        except FilewrightError as error:
            if error.code is not Code.IO_ERROR:
                raise
            return None
        return (
            records[0].decode("ascii", "replace").strip() if records else None
        )

    def merge_base(self, commit: str, other: str) -> str | None:
        """Return the commit where two histories part, or None if they never met."""
        try:
            records = [*self._records(["merge-base", commit, other])]
        except FilewrightError as error:
            if error.code is not Code.IO_ERROR:
                raise
            return None
        return records[0].decode("ascii", "replace").split()[0]

    def iter_index(self) -> Iterator[IndexFile]:
        """Yield the files of the index, in the order of their paths."""
        for record in self._records(["ls-files", "--stage", "-z"]):
            facts, _, path = record.partition(b"\t")
            mode, object_id, stage = facts.decode("ascii").split(" ")
            yield IndexFile(path, int(mode, 8), object_id, stage != "0")

    def iter_differences(self, commit: str) -> Iterator[CommittedFile]:
        """Yield the files that differ between the index and a commit."""
        words = ["diff-index", "--cached", "--raw", "-z", "--no-renames"]
        words += ["--no-abbrev", "--ignore-submodules=all", commit, "--"]
        records = self._records(words)
        for record in records:
            path = next(records, b"")
            # Such as `:100644 100755 ID ID M`.
            facts = record.removeprefix(b":").decode("ascii").split(" ")
            yield CommittedFile(
                path,
                mode=int(facts[0], 8),
                object_id=facts[2],
                index_mode=int(facts[1], 8),
                index_id=facts[3],
                is_conflict=facts[4].startswith("U"),
            )

    def iter_tree_changes(
        self, commit: str, other: str
    ) -> Iterator[TreeChange]:
        """Yield the files that differ between a commit and another."""
        words = [
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
        ]
        records = self._records([*words, commit, other, "--"])
        for record in records:
            path = next(records, b"")
            # Such as `:100644 100644 ID ID M`.
            yield TreeChange(path, record.decode("ascii").split(" ")[3])

    def iter_file_commits(
        self, commit: str, path: bytes, limit: int
    ) -> Iterator[FileCommit]:
        """Yield the commits up to one that changed a file, the newest first."""
        words = ["rev-list", "--parents", "--date-order"]
        words += [f"--max-count={limit}", commit, "--", os.fsdecode(path)]
        for record in self._records(words, separator=b"\n"):
            name, *parents = record.decode("ascii", "replace").split()
            yield FileCommit(name, tuple(parents))

    def find_former_path(self, commit: str, path: bytes) -> bytes | None:
        """Return the path from which a commit renamed a file, or None."""
        words = ["diff-tree", "-r", "--raw", "-z", "--no-commit-id"]
        words += [f"-l{_MAX_RENAMES}", "-M", "--diff-filter=R", commit]
        records = self._records(words)
        for _ in records:
            former_path, new_path = next(records, b""), next(records, b"")
            if new_path == path:
                return former_path
        return None

    def read_commit(self, commit: str) -> CommitFacts | None:
        """Return the facts of a commit; None if it is missing or huge."""
        stored = self._read_object(commit.encode(), _MAX_COMMIT_BYTES)
        if stored is None or stored.kind != "commit" or stored.content is None:
            return None
        return _parse_commit(commit, stored.content)

    def read_file_at(
        self, commit: str, path: bytes, limit: int
    ) -> GitObject | None:
        """Return a file of a commit with a content of at most `limit` bytes.

        None if it is larger or missing, and for a path that git cannot be asked for.
        """
        if b"\n" in path:
            return None
        stored = self._read_object(commit.encode() + b":" + path, limit)
        if stored is None or stored.kind != "blob" or stored.content is None:
            return None
        return stored

    def read_settings(self) -> dict[str, str]:
        """Return the settings of the user and the repository, by lower-case name."""
        words = ["config", "--null", "--get-regexp", _CONVERSION_SETTINGS]
        settings = {}
        try:
            for record in self._records(words, is_for_user=True):
                name, _, value = record.decode("utf-8", "replace").partition(
                    "\n"
                )
                settings[name] = value.lower()
        except FilewrightError as error:
            # Git ends with an error if none is set.
            if error.code is not Code.IO_ERROR:
                raise
        return settings

    def read_attributes(
        self, paths: Sequence[bytes]
    ) -> dict[bytes, dict[str, str]]:
        """Return the attributes that matter for a conversion, by path."""
        attributes: dict[bytes, dict[str, str]] = {}
        if not paths:
            return attributes
        records = [
            *self._records(
                ["check-attr", "-z", "--stdin", *ATTRIBUTES],
                stdin=b"\0".join(paths) + b"\0",
                is_for_user=True,
            )
        ]
        for path, name, value in zip(
            records[::3], records[1::3], records[2::3], strict=True
        ):
            values = attributes.setdefault(path, {})
            values[name.decode("ascii")] = value.decode("utf-8", "replace")
        return attributes

    def read_blob(self, object_id: str, limit: int) -> bytes | None:
        """Return a content of at most `limit` bytes; None if it is larger or missing."""
        stored = self._read_object(object_id.encode(), limit)
        if stored is None or stored.kind != "blob":
            return None
        return stored.content

    def _read_object(self, name: bytes, limit: int) -> GitObject | None:
        """Return an object, without its content above `limit`; None if missing."""
        if self._reader is None:
            child = self._start(self._reading, ["cat-file", "--batch"])
            self._reader = ObjectReader(child, b"", GIT_SECONDS, self._task)
        stored = self._reader.read(name, limit)
        if stored is not None and stored.content is None:
            # The content that is too large would be read as the next answer.
            self._close_reader()
        return stored

    def _close_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.child.close()

    # Writing

    def write_blob(self, content: bytes) -> str:
        """Store a content as an object; return its name."""
        words = ["hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"]
        (record,) = self._records(words, stdin=content, is_writing=True)
        return record.decode("ascii", "replace").strip()

    def update_index(self, files: Sequence[IndexFile]) -> None:
        """Put files into the index. Raise `in_use` if it cannot be written."""
        entries = []
        for file in files:
            facts = f"{file.mode:o} {file.object_id} 0\t".encode()
            entries.append(facts + file.path + b"\0")
        words = ["update-index", "-z", "--index-info"]
        try:
            for _ in self._records(
                words, stdin=b"".join(entries), is_writing=True
            ):
                pass
        except FilewrightError as error:
            if error.code is not Code.IO_ERROR:
                raise
            raise FilewrightError(
                Code.IN_USE,
                "git's index cannot be written; nothing was changed",
                "is another git running? Wait until it ends and removes "
                "index.lock",
            ) from error

    # Running git

    def _start(
        self,
        launcher: Launcher,
        words: Sequence[str],
        *,
        is_for_user: bool = False,
    ) -> Child:
        git_folder = os.fsdecode(self.folders.git_folder)
        environment = {
            **GIT_ENVIRONMENT,
            "GIT_WORK_TREE": os.fsdecode(self.folders.top),
            "GIT_INDEX_FILE": os.fsdecode(self.index_path),
            # A name such as `*.c` is a file's, not a pattern.
            "GIT_LITERAL_PATHSPECS": "1",
        }
        if is_for_user:
            environment = _for_user(environment)
        try:
            return launcher.start(
                [self._program, f"--git-dir={git_folder}", *words],
                folder=self._top.fileno(),
                stdin=PIPE,
                environment=environment,
                seconds=GIT_SECONDS,
            )
        except OSError as error:
            raise FilewrightError(
                Code.IO_ERROR, f"git cannot be started: {error.strerror}"
            ) from error

    def _records(
        self,
        words: Sequence[str],
        *,
        stdin: bytes = b"",
        separator: bytes = b"\0",
        is_for_user: bool = False,
        is_writing: bool = False,
    ) -> Iterator[bytes]:
        """Run git; yield its output, divided at NUL or another separator.

        Raise `io_error` if git fails.
        """
        launcher = self._writing if is_writing else self._reading
        if is_for_user:
            launcher = self._unconfined
        with self._start(launcher, words, is_for_user=is_for_user) as child:
            # A thread writes: git answers while it still reads, and both pipes
            # would be full.
            writer = threading.Thread(
                target=_write_all, args=(child, stdin), daemon=True
            )
            writer.start()
            rest = b""
            while block := child.stdout.read(_BLOCK_BYTES):
                self._task.check()
                *records, rest = (rest + block).split(separator)
                yield from records
            writer.join()
            if rest:
                yield rest
            status = child.wait(_END_SECONDS)
        if status != 0:
            raise FilewrightError(
                Code.IO_ERROR,
                f"git {words[0]} failed with status {status}",
                f"try `git {words[0]}` in {os.fsdecode(self.folders.top)}",
            )


def _parse_commit(commit: str, content: bytes) -> CommitFacts:
    """Return the facts that the text of a commit names."""
    head, _, message = content.partition(b"\n\n")
    author, seconds = "", 0
    for line in head.split(b"\n"):
        # Such as `author A. U. Thor <thor@example.com> 1112911993 -0700`.
        if line.startswith(b"author "):
            name, _, rest = line.removeprefix(b"author ").partition(b" <")
            author = name.decode("utf-8", "replace")
            digits = rest.rpartition(b"> ")[2].split(b" ")[0]
            if digits.isdigit() and len(digits) < _MAX_TIME_DIGITS:
                seconds = int(digits)
    title = message.strip().partition(b"\n")[0].decode("utf-8", "replace")
    return CommitFacts(
        id=commit,
        author=author,
        time=datetime.fromtimestamp(seconds, UTC),
        title=title,
    )


def _write_all(child: Child, data: bytes) -> None:
    """Write to the input of a child, and close it."""
    assert child.stdin is not None
    # If git has ended, its status says why.
    with suppress(OSError, ValueError):
        view = memoryview(data)
        while view:
            view = view[child.stdin.write(view) or 0 :]
        child.stdin.close()


def _for_user(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which git also reads the user's configuration."""
    changed = dict(environment)
    for name in _OVERRIDDEN_FOR_USER:
        changed.pop(name, None)
    for name in _USER_VARIABLES:
        if name in os.environ:
            changed[name] = os.environ[name]
    for name in _OVERRIDDEN_FOR_USER:
        if name in os.environ:
            changed[name] = os.environ[name]
    # The attributes file is the user's own, too.
    for name, key in environment.items():
        if key == "core.attributesFile":
            number = name.removeprefix("GIT_CONFIG_KEY_")
            changed[name] = "filewright.unused"
            changed[f"GIT_CONFIG_VALUE_{number}"] = ""
    return changed
