"""Clients with edit tools of their own, driven by a scripted model.

A session takes some seconds, so all cases of a part are steps of one session,
each a read and an edit, as a client wants them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.case import Case, Patch, Replace, Request
from bench.clients.real_clients import (
    CLIENTS,
    Client,
    Installation,
    Scene,
    install,
    patch_step,
    version,
)
from bench.clients.scripted_model import Step, scripted_model
from bench.environments import Cache, NotInstalledError
from bench.stdio import Answer
from bench.tools.openai_agents import without_numbers
from bench.tools.tool import Played, SessionTool

_NAMES = ("Claude Code", "Codex", "Gemini CLI", "opencode")


def play_session(
    client: Client, cache: Cache, folder: Path, cases: Sequence[Case]
) -> Iterator[Played]:
    """Have a client do the cases in one session. Raises `NotInstalledError`."""
    modules = install(client, clients_folder(cache))
    scene = Scene(folder)
    steps: list[Step] = []
    paths = []
    for case in cases:
        place = scene.project / case.folder_name
        place.mkdir()
        path = case.file.write(place)
        paths.append(path)
        steps += steps_of(client, path, scene.project, case.request)
    with scripted_model(steps) as model:
        try:
            client.start(Installation(scene, model.url, modules, False))
        except (AssertionError, subprocess.TimeoutExpired, ValueError) as error:
            # It may have ended early, or told something else than it used to.
            if not model.answers:
                reason = f"it does not start: {str(error)[-300:]}"
                raise NotInstalledError(reason) from error
    for case, path in zip(cases, paths, strict=True):
        yield Played(case, path, Answer(""))


def steps_of(
    client: Client, path: Path, project: Path, request: Request
) -> list[Step]:
    """Return the steps of a model that makes a request."""
    match request:
        case Replace(old, new):
            steps = [client.read(str(path))] if client.read else []
            return [*steps, client.edit(str(path), old, new)]
        case Patch(hunks):
            body = without_numbers(hunks)
            name = path.relative_to(project)
            return [
                Step(
                    "apply_patch",
                    f"*** Begin Patch\n*** Update File: {name}\n{body}*** End Patch\n",
                )
            ]
    raise ValueError(request)


def clients_folder(cache: Cache) -> Path:
    """Return the folder of clients, which the tests may have filled already."""
    named = os.environ.get("FILEWRIGHT_TEST_CLIENTS")
    return Path(named) if named else cache.folder / "clients"


def installed_version(client: Client, cache: Cache) -> str:
    """Return the version of an installed client."""
    return version(client, install(client, clients_folder(cache)))


def make_tool(client: Client) -> SessionTool:
    """Return the tool of a client."""
    kind = Patch if client.edit is patch_step else Replace
    return SessionTool(
        client.name,
        partial(installed_version, client),
        kind,
        partial(play_session, client),
    )


TOOLS = [make_tool(CLIENTS[name]) for name in _NAMES]
