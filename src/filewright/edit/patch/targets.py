"""The files a patch names: looked up, and compared with one another before any hunk.

Refused are files that do not exist, names that are taken, and files that two parts of
the patch name. Files are compared by their keys, not by their names: one file may have
several spellings, by letter case, links or "./".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from filewright.boundary.location import Location
from filewright.edit.patch.model import FilePatch
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class PatchTarget:
    """The file at a path, or a path without a file.

    `open` opens the file; it is None if there is none. `missing` may then return the
    error for it, with advice that is costly to find. `key` is equal for two spellings of one file. It is the
    device and inode of a file; for a path without one, those of its folder and the name.
    `mode` are the permission bits.
    """

    location: Location
    open: Callable[[], Snapshot] | None
    key: Hashable
    mode: int | None = None
    missing: Callable[[], FilewrightError] | None = None


FindTarget: TypeAlias = Callable[[str], PatchTarget]
"""Returns the target of a path as the patch names it.

Raises the errors of the boundary: `path_escape`, `not_a_file` for folders, `symlink`,
but none for a path without a file.
"""


@dataclass(frozen=True, slots=True)
class FileTargets:
    """A file of a patch with the targets of its old and its new name.

    `old` is None for a file that is created, `new` for one that is deleted.
    """

    file: FilePatch
    old: PatchTarget | None
    new: PatchTarget | None

    @property
    def location(self) -> Location:
        """The location of the file after the patch, or before it is deleted."""
        target = self.new or self.old
        assert target is not None
        return target.location

    def open_old(self) -> AbstractContextManager[Snapshot | None]:
        """Open the file as it is before the patch; None if it is created."""
        if self.old is None or self.old.open is None:
            return nullcontext()
        return self.old.open()


def find_targets(
    file: FilePatch, find_target: FindTarget, names: dict[Hashable, str]
) -> FileTargets:
    """Return the targets of a file, or raise an error if it cannot be changed.

    `names` maps the keys of the files that earlier parts of the patch name to these
    names; those of this part are added. Raise `invalid_input` for a file that is named
    twice and for a new name that is taken, `not_found` for an old name without a file,
    and the errors of `find_target`.
    """
    old_target = new_target = None
    if file.old_path is not None:
        old_target = find_target(file.old_path)
        if old_target.open is not None:
            _check_nested_rename(file)
    if file.new_path is not None:
        try:
            new_target = find_target(file.new_path)
        except FilewrightError as error:
            # A folder or a link is in the way of the new file.
            if error.code in (Code.NOT_A_FILE, Code.SYMLINK):
                raise _name_taken_error(file) from None
            raise error from None
    targets = FileTargets(file, old_target, new_target)
    _check_same_file(targets)
    _claim_names(targets, names)
    # This comes after the comparison of names. A patch that renames a file, and changes
    # it by its new name in another part, is told that it names one file twice, and not
    # that the new name does not exist.
    if old_target is not None and old_target.open is None:
        if old_target.missing is not None:
            raise old_target.missing()
        raise path_error(
            Code.NOT_FOUND,
            file.path,
            f"{file.old_path} does not exist",
            "list the folder to see what is there",
        )
    is_moved = file.new_path != file.old_path
    if is_moved and new_target is not None and new_target.open is not None:
        raise _name_taken_error(file)
    return targets


def _check_same_file(targets: FileTargets) -> None:
    """Raise an error for a rename or copy to another spelling of the same file.

    On a file system that ignores case, ``A`` and ``a`` are one file: a copy is
    impossible, and a rename would find its own name taken.
    """
    file, old_target, new_target = targets.file, targets.old, targets.new
    if (
        file.kind not in ("rename", "copy")
        or old_target is None
        or new_target is None
    ):
        return
    if old_target.key == new_target.key:
        raise invalid(
            f"{file.old_path} and {file.new_path} are the same file",
            "give the new file another name",
            path=file.old_path,
        )


def _claim_names(targets: FileTargets, names: dict[Hashable, str]) -> None:
    """Add the names of a file to `names`; raise an error if it is named already.

    The hunks of both parts were made from the same content. Applied one after the
    other, the second would meet the result of the first.
    """
    file = targets.file
    sides = {file.new_path: targets.new}
    # Several copies of one file may be made.
    if file.kind != "copy":
        sides[file.old_path] = targets.old
    for name, target in sides.items():
        if name is None or target is None:
            continue
        other_name = names.get(target.key)
        if other_name is not None:
            spellings = (
                other_name if name == other_name else f"{other_name} and {name}"
            )
            raise invalid(
                f"the patch names one file twice: {spellings}",
                "put all changes of a file into one part of the patch",
                path=name,
            )
        names[target.key] = name


def _check_nested_rename(file: FilePatch) -> None:
    """Raise an error for a rename to a name below the file's own, or above it.

    For ``a`` to ``a/b`` and ``a/b`` to ``a``, one name would have to be a folder and a
    file at the same moment, so that neither can be done in one step.
    """
    if file.kind != "rename" or file.old_path is None or file.new_path is None:
        return
    if file.new_path.startswith(f"{file.old_path}/"):
        message = (
            f"{file.old_path} is a file: moving it below its own name takes "
            "two changes"
        )
    elif file.old_path.startswith(f"{file.new_path}/"):
        message = (
            f"{file.new_path} is the folder of {file.old_path}: putting the "
            "file in its place takes two changes"
        )
    else:
        return
    raise invalid(
        message,
        f"move it to another name by one patch, then from there to {file.new_path}",
        path=file.new_path,
    )


def _name_taken_error(file: FilePatch) -> FilewrightError:
    match file.kind:
        case "rename":
            verb = "rename to"
        case "copy":
            verb = "copy to"
        case _:
            verb = "create"
    return invalid(
        f"the patch would {verb} {file.new_path}, which exists already",
        "to change it, send hunks against the file as it is; otherwise choose another "
        "name",
        path=file.new_path,
        reason="already_exists",
    )
