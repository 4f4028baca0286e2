"""The files of one call of `edit_content`, each with the edits that name it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.boundary.location import Location
from filewright.edit.request import LineEdit
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    missing,
    path_error,
)
from filewright.text.file_identity import FileIdentity
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit_arguments import (
    BaseEdit,
    CreateFile,
    DeleteFile,
    EditArguments,
    MoveFile,
    MoveText,
)
from filewright.tools.pipeline import StalePlanError


@dataclass(frozen=True, slots=True)
class EditCall:
    """One call of `edit_content`, with the defaults that it has for its edits."""

    context: Context
    arguments: EditArguments

    def version_for(self, edit: BaseEdit) -> str | None:
        """Return the version that an edit is for: its own, else that of the call."""
        return edit.expected_version or self.arguments.expected_version

    def is_fuzzy(self, edit: BaseEdit) -> bool:
        """Return True if the text of an edit may be found by lenient matching."""
        return self.arguments.fuzzy if edit.fuzzy is None else edit.fuzzy

    def invalid(self, number: int, message: str, hint: str) -> FilewrightError:
        """Return an `invalid_input` error that names the edit by its number."""
        count = len(self.arguments.edits)
        prefix = f"edit {number + 1} of {count}: " if count > 1 else ""
        return invalid(f"{prefix}{message}", hint, edit=number)


@dataclass(frozen=True, slots=True)
class NumberedEdit:
    """An edit with its position in the call, from 0."""

    number: int
    edit: BaseEdit


@dataclass
class FileEdits:
    """The edits of one file of a call, in order.

    `whole` deletes or moves the file itself. `removals` are the lines and symbols that
    edits of this or another file move away.
    """

    location: Location
    is_new: bool
    whole: NumberedEdit | None = None
    edits: list[NumberedEdit] = field(default_factory=list)
    removals: list[LineEdit] = field(default_factory=list)

    @property
    def requested_path(self) -> str:
        """The path as the caller wrote it."""
        return self.location.requested_path

    @property
    def is_deleted(self) -> bool:
        """True if an edit deletes the file."""
        return self.whole is not None and isinstance(
            self.whole.edit, DeleteFile
        )


class EditsByFile:
    """The files of a call, in the order in which its edits name them."""

    def __init__(self, call: EditCall) -> None:
        self._call = call
        self._files: dict[Location, FileEdits] = {}
        self._identities: dict[Location, FileIdentity | None] = {}
        self._edited: dict[FileIdentity | None, Location] = {}

    def __iter__(self) -> Iterator[FileEdits]:
        return iter(self._files.values())

    def add(self, numbered: NumberedEdit) -> FileEdits:
        """Add an edit to the file that it names, and return that file.

        Raise the refusal of an edit that cannot be done to the file as a whole.
        """
        edit = numbered.edit
        location = self._locate(numbered)
        creates = isinstance(edit, CreateFile)
        if isinstance(edit, MoveText):
            creates = edit.content is not None or (
                edit.at is None or location in self._files
            )
        file = self.find(location, numbered.number, creates=creates)
        has_content = isinstance(edit, CreateFile) or (
            isinstance(edit, MoveText) and edit.content is not None
        )
        if has_content and (file.edits or not file.is_new):
            raise _already_exists(file)
        if isinstance(edit, (DeleteFile, MoveFile)) and not file.is_new:
            self._add_whole(file, numbered)
        else:
            file.edits.append(numbered)
        return file

    def find(
        self, location: Location, number: int, *, creates: bool = False
    ) -> FileEdits:
        """Return the file at a location, for edit `number`.

        It is a new file if it does not exist and the first edit that names it `creates`
        it.
        """
        context = self._call.context
        file = self._files.get(location)
        if file is None:
            is_new = creates and not context.exists(location)
            file = self._files[location] = FileEdits(location, is_new)
            if is_new:
                context.boundary.require_writable(location)
        if file.is_new and not creates:
            raise self._call.invalid(
                number,
                f"{location.requested_path} is created by this call",
                "give the whole text of the new file: content, and from",
            )
        return file

    def open(self, file: FileEdits) -> Snapshot:
        """Open a file as text.

        Raise `StalePlanError` if it is not the file that was opened earlier in this plan.
        """
        context, location = self._call.context, file.location
        context.boundary.require_writable(location)
        snapshot = context.open(
            location, encoding=self._call.arguments.encoding, text=True
        )
        earlier_identity = self._identities.get(location)
        # Lines and symbols that were read from the earlier file may be elsewhere in
        # this one.
        if earlier_identity not in (None, snapshot.identity):
            snapshot.close()
            raise StalePlanError(
                Code.STALE_VERSION,
                f"{file.requested_path} was changed meanwhile",
                "send the edit again",
                path=file.requested_path,
            )
        self._identities[location] = snapshot.identity
        return snapshot

    def require_one_path(self, file: FileEdits, snapshot: Snapshot) -> None:
        """Raise `invalid_input` if the file is edited by another path too."""
        # A link or another spelling may lead to the same file, and two plans of it
        # would clash.
        other = self._edited.setdefault(snapshot.identity, file.location)
        if other != file.location:
            raise self._call.invalid(
                file.edits[0].number if file.edits else 0,
                f"{file.requested_path} and {other.requested_path} are one file",
                "name it by one path",
            )

    def _locate(self, numbered: NumberedEdit) -> Location:
        """Return the location of an edit: of its own path, else of that of the call."""
        boundary = self._call.context.boundary
        own_path, call_path = numbered.edit.path, self._call.arguments.path
        path = own_path if own_path is not None else call_path
        if path is None:
            raise self._call.invalid(
                numbered.number,
                "no path was given",
                "give path, or a path in every edit",
            )
        location = boundary.locate(path)
        if own_path is None or call_path is None:
            return location
        if location != boundary.locate(call_path):
            raise self._call.invalid(
                numbered.number,
                f"its path {own_path} is not the path of the call, {call_path}",
                "leave out the path of the call, and give every edit its own",
            )
        return location

    def _add_whole(self, file: FileEdits, numbered: NumberedEdit) -> None:
        """Add the edit that deletes or moves a file."""
        context = self._call.context
        if file.whole is not None:
            raise self._call.invalid(
                numbered.number,
                f"{file.requested_path} is deleted or moved by edit "
                f"{file.whole.number + 1} too",
                "delete or move it once",
            )
        file.whole = numbered
        context.boundary.require_writable(file.location, link_itself=True)
        version = self._call.version_for(numbered.edit)
        if version is not None:
            with self.open(file) as snapshot:
                context.check_version(snapshot, version)
        elif not context.exists(file.location):
            raise missing(file.requested_path)


def _already_exists(file: FileEdits) -> FilewrightError:
    """Return the refusal to create a file a second time."""
    path = file.requested_path
    message = f"{path} exists already"
    if file.is_new:
        message = f"{path} is created by another edit"
    return path_error(
        Code.ALREADY_EXISTS,
        path,
        message,
        'change a part of it, or overwrite it with write_content and mode="overwrite"',
    )
