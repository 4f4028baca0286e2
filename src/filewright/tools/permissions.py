"""`set_permissions`: mode, owner and group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated

from pydantic import Field

from filewright.edit.changeset import SetMode, SetOwner, Step
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.batch import Manner, Outcome, Planned, answer, item_named, run_batch
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult

_OCTAL = re.compile(r"0?[0-7]{3,4}")
_SYMBOLIC = re.compile(r"[ugoa]*[-+=][rwxXstugo]*(,[ugoa]*[-+=][rwxXstugo]*)*")


class PermissionArguments(Arguments):
    """What to set, on what."""

    paths: Annotated[list[str], Field(min_length=1)]
    mode: Annotated[str | None, Field(description='octal "644" or symbolic "u+x"')] = None
    owner: Annotated[str | None, Field(description="user name or uid")] = None
    group: Annotated[str | None, Field(description="group name or gid")] = None
    atomic: bool = True


def run(context: Context, arguments: PermissionArguments, task: Task) -> ToolResult:
    """Set mode, owner or group of every path."""
    mode = arguments.mode
    if mode is None and arguments.owner is None and arguments.group is None:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "set_permissions needs mode, owner or group",
            hint='for example mode="644" or mode="u+x"',
        )
    if mode is not None and not (_OCTAL.fullmatch(mode) or _SYMBOLIC.fullmatch(mode)):
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"mode {mode!r} is neither octal nor symbolic",
            hint='for example "644", "0755", "u+x", "go-w"',
            details={"argument": "mode"},
        )
    uid = _number(arguments.owner, "owner")
    gid = _number(arguments.group, "group")
    changes = [
        text
        for text in (
            f"mode {mode}" if mode is not None else "",
            f"owner {arguments.owner}" if uid is not None else "",
            f"group {arguments.group}" if gid is not None else "",
        )
        if text
    ]

    def plan(paths: Sequence[str], _stack: ExitStack) -> Planned:
        steps: list[Step] = []
        outcomes: list[Outcome] = []
        for index, path in enumerate(paths):
            with item_named(index, len(paths)):
                location = context.boundary.locate(path)
                context.boundary.guard_write(location)
                if mode is not None:
                    steps.append(SetMode(location, mode))
                if uid is not None or gid is not None:
                    steps.append(SetOwner(location, uid, gid))
                outcomes.append(Outcome(path, "set " + ", ".join(changes), location))
        return Planned(steps, outcomes)

    outcomes, records = run_batch(
        context, Manner("set_permissions", arguments.atomic), arguments.paths, plan, task
    )
    return answer(context, outcomes, records)


def _number(name: str | None, argument: str) -> int | None:
    if name is None:
        return None
    if name.isascii() and name.isdigit() and int(name) < 2**32 - 1:
        return int(name)
    try:
        if argument == "owner":
            import pwd

            return pwd.getpwnam(name).pw_uid
        import grp

        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError, ImportError) as error:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"unknown {argument} {name!r}",
            hint="give a name this system knows, or a number",
            details={"argument": argument},
        ) from error


TOOL = Tool(
    name="set_permissions",
    title="Set permissions",
    description=("Set mode, owner or group of files and folders."),
    arguments=PermissionArguments,
    run=run,
    toolset="files",
    writes=True,
)
