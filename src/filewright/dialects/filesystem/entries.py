"""Tools that create, delete, move and copy files and directories, or change their status."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from filewright.dialects.call import Call
from filewright.dialects.dialect import Answer
from filewright.dialects.filesystem.batch import (
    PathPair,
    Paths,
    answer_items,
    pair_of,
    path_of,
)
from filewright.dialects.filesystem.paths import resolve, to_native
from filewright.dialects.json_answers import Json
from filewright.tools.arguments import Arguments


class FileContent(Arguments):
    """One file of `write_content`."""

    path: str
    content: str
    append: bool = False


class WriteContent(Arguments):
    """Arguments of `write_content`."""

    items: Annotated[list[FileContent], Field(min_length=1)]


def write_content(call: Call, arguments: WriteContent) -> Answer:
    """Write files, or append to them."""

    def write(file: FileContent, _share: int) -> Json:
        (result,) = call.write(
            to_native(file.path),
            file.content,
            mode="append" if file.append else "overwrite",
            newline="keep",
        ).results
        answer: Json = {
            "success": True,
            "operation": "appended" if file.append else "written",
        }
        if result.syntax_warning is not None:
            answer["warning"] = result.syntax_warning
        return answer

    return answer_items(
        call, arguments.items, lambda file: path_of(file.path), write
    )


class DeleteItems(Arguments):
    """Arguments of `delete_items`."""

    paths: Annotated[
        list[str],
        Field(
            min_length=1,
            description="Relative paths of files or directories to delete.",
        ),
    ]


def delete_items(call: Call, arguments: DeleteItems) -> Answer:
    """Delete files, links and directories with all below them."""

    def delete(path: str, _share: int) -> Json:
        (result,) = call.delete(
            to_native(path), recursive=True, missing_ok=True
        ).results
        if result.operation == "did not exist":
            note = "Path not found, nothing to delete"
            return {"success": True, "note": note}
        return {"success": True}

    return answer_items(call, arguments.paths, path_of, delete)


class CreateDirectories(Arguments):
    """Arguments of `create_directories`."""

    paths: Annotated[
        list[str],
        Field(min_length=1, description="Relative directory paths to create."),
    ]


def create_directories(call: Call, arguments: CreateDirectories) -> Answer:
    """Create directories with their parents; existing ones stay."""

    def create(path: str, _share: int) -> Json:
        (result,) = call.create_directories(to_native(path)).results
        answer: Json = {"success": True}
        if result.operation == "exists":
            answer["note"] = "Directory already exists"
        answer["resolvedPath"] = resolve(call, path)
        return answer

    return answer_items(call, arguments.paths, path_of, create)


class ChmodItems(Arguments):
    """Arguments of `chmod_items`."""

    paths: Paths
    mode: Annotated[
        str,
        Field(pattern="^[0-7]{3,4}$", description="Octal, such as 755."),
    ]


def chmod_items(call: Call, arguments: ChmodItems) -> Answer:
    """Set the permission mode of files and directories."""

    def set_mode(path: str, _share: int) -> Json:
        call.set_permissions(to_native(path), mode=arguments.mode)
        return {"success": True, "mode": arguments.mode}

    return answer_items(call, arguments.paths, path_of, set_mode)


class ChownItems(Arguments):
    """Arguments of `chown_items`."""

    paths: Paths
    uid: Annotated[int, Field(ge=0)]
    gid: Annotated[int, Field(ge=0)]


def chown_items(call: Call, arguments: ChownItems) -> Answer:
    """Set the owner and the group of files and directories."""

    def set_owner(path: str, _share: int) -> Json:
        call.set_permissions(
            to_native(path),
            owner=str(arguments.uid),
            group=str(arguments.gid),
        )
        return {"success": True, "uid": arguments.uid, "gid": arguments.gid}

    return answer_items(call, arguments.paths, path_of, set_owner)


class MoveItems(Arguments):
    """Arguments of `move_items`."""

    operations: Annotated[list[PathPair], Field(min_length=1)]
    overwrite: Annotated[
        bool, Field(description="Replace existing destinations.")
    ] = False


def move_items(call: Call, arguments: MoveItems) -> Answer:
    """Move or rename files and directories."""

    def move(pair: PathPair, _share: int) -> Json:
        overwrite = pair.overwrite
        if overwrite is None:
            overwrite = arguments.overwrite
        call.move(
            to_native(pair.source),
            to_native(pair.destination),
            overwrite=overwrite,
        )
        return {"success": True}

    return answer_items(call, arguments.operations, pair_of, move)


class CopyItems(Arguments):
    """Arguments of `copy_items`."""

    operations: Annotated[list[PathPair], Field(min_length=1)]
    overwrite: Annotated[
        bool, Field(description="Replace existing destinations.")
    ] = False


def copy_items(call: Call, arguments: CopyItems) -> Answer:
    """Copy files and directories."""

    def copy(pair: PathPair, _share: int) -> Json:
        overwrite = pair.overwrite
        if overwrite is None:
            overwrite = arguments.overwrite
        call.copy(
            to_native(pair.source),
            to_native(pair.destination),
            overwrite=overwrite,
        )
        return {"success": True}

    return answer_items(call, arguments.operations, pair_of, copy)
