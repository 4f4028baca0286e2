"""Several changes as if they had been one, where not each of them knew what a file holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from filewright import Settings, Workspace

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="these are commands of a Unix shell"
)

RENAME = "mv t/a t/b"
SAME_CONTENT = {
    "touched": "touch {0}",
    "changed in mode": "chmod 600 {0}",
    "changed in mode and touched": "chmod 600 {0}; touch {0}",
    "installed": "cp {0} t/new; chmod 755 t/new; mv t/new {0}",
    "rewritten": "cp -p {0} ../copy; cat ../copy > {0}; chmod 755 {0}",
}
ORDERS = {
    "renamed before": [RENAME, "{b}"],
    "renamed after": ["{a}", RENAME],
    "renamed by a tool": ["tool", "{b}"],
    "renamed there and back": [RENAME, "mv t/b t/a", "{a}"],
    "in one command": [RENAME + "; {b}"],
}


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes())
        for path in files
    }


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("how", SAME_CONTENT)
def test_reverts_renamed_and_rewritten_file(
    tmp_path: Path, how: str, order: str, *, force: bool
) -> None:
    root = tmp_path / "work"
    (root / "t").mkdir(parents=True)
    (root / "t/a").write_text("one\n" * 10)
    (root / "t/a").chmod(0o644)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=Settings(flush=False)
    ) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        before = _tree(root)
        for line in ORDERS[order]:
            if line == "tool":
                workspace.move("t/a", "t/b")
                continue
            command = line.format(
                a=SAME_CONTENT[how].format("t/a"), b=SAME_CONTENT[how].format("t/b")
            )
            begun = workspace.begin_command()
            subprocess.run(command, shell=True, cwd=root, check=True)
            workspace.end_command(begun, command)
        if _tree(root) == before:
            return
        answer = workspace.call("revert_edit", {"since": since, "force": force})
        assert not answer.is_error, answer.text
        assert _tree(root) == before
