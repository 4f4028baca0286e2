"""RECORD: put on record what shells and other tools change below the roots of a workspace.

Owns the journals: the state of each root after its last observation, the commands that are open in it, and the stored
contents of files. It calls `changes` to read contents and to write records; `changes` knows nothing of it, but for a
function that is called before each change. It never changes a file below a root.

In: a `Command`, and its end. Out: change records, which are listed, shown and undone like those of tools.

`session` begins and ends commands. Both, and every change of a tool while a command is open, first observe the root
(`journal`): the file states (`scan`) are compared (`compare`) with the state after the last observation, every
difference is recorded at once (`entries`), and what there is now is the state. What files hold is stored ahead of
commands (`baseline`). `model` has the values.
"""

from __future__ import annotations

from filewright.recording.baseline import Budget
from filewright.recording.model import Command
from filewright.recording.session import (
    Recorder,
    begun_in,
    command_summary,
    new_command,
)

__all__ = [
    "Budget",
    "Command",
    "Recorder",
    "begun_in",
    "command_summary",
    "new_command",
]
