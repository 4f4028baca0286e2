"""Clients from npm, each installed once for all tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.clients.real_clients import CLIENTS, NotInstalledError, install

Install = Callable[[str], Path]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    """Install a client by its name; skip the test where it cannot be had.

    The folder that `FILEWRIGHT_TEST_CLIENTS` names stays, and is used again.
    """
    named = os.environ.get("FILEWRIGHT_TEST_CLIENTS")
    parent = Path(named) if named else tmp_path_factory.mktemp("clients")

    def install_client(name: str) -> Path:
        try:
            return install(CLIENTS[name], parent)
        except NotInstalledError as error:
            pytest.skip(str(error))

    yield install_client
    if not named:
        shutil.rmtree(parent)  # Some gigabytes.
