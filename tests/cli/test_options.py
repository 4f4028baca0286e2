"""Options that commands share, and their refusals."""

from __future__ import annotations

import os
from pathlib import Path

from tests import processes


def test_names_wrong_setting(folder: Path) -> None:
    environment = {**os.environ, "FILEWRIGHT_PAGE_CHARS": "many"}
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}"], env=environment
    )
    assert result.returncode == 2
    assert "FILEWRIGHT_PAGE_CHARS" in result.stderr


def test_missing_root_is_two(folder: Path) -> None:
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}", "--root", "absent"]
    )
    assert result.returncode == 2
    assert "absent" in result.stderr
