"""A client as its users install it works with what `setup` has written, and all that it did is taken back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clients.scripted_model import Step, scripted_model

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

LINES = [f"line {number}\n".encode() for number in range(1, 41)]
BEFORE = {
    "tool.txt": b"price\r\nsize\r\n",
    "edited.txt": b"".join(LINES),
    "shell.txt": b"\xef\xbb\xbfprice, without a line's end",
    "deleted.bin": bytes(range(256)),
}
STEPS = (
    Step("edit_content", {"path": "tool.txt", "edits": [{"search": "price", "replace": "cost"}]}),
    Step("replace", {"file_path": "edited.txt", "old_string": "line 2\n", "new_string": "line two\n", "instruction": "Spell it"}),
    Step("run_shell_command", {"command": "sed -i s/price/cost/ shell.txt && rm deleted.bin && echo new > made.txt"}),
)  # fmt: skip


@pytest.fixture(scope="module")
def gemini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gemini CLI from its registry; the tests are left out where it cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm")
    folder = tmp_path_factory.mktemp("gemini-cli")
    options = ["--engine-strict", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "0"]
    try:
        done = subprocess.run(
            [npm, "install", "--prefix", str(folder), *options, "@google/gemini-cli@0"],
            capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip("npm took too long")
    if done.returncode:
        pytest.skip(f"npm cannot install it: {done.stderr[-500:]}")
    return folder / "node_modules/.bin/gemini"


def test_gemini_cli_edits_by_our_tool_by_its_own_and_by_its_shell_and_all_is_taken_back(
    gemini: Path, tmp_path: Path
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    (home / ".gemini").mkdir(parents=True)
    project.mkdir()
    for name, content in BEFORE.items():
        (project / name).write_bytes(content)
    own = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (home / ".gemini/settings.json").write_text(json.dumps(own), "utf-8")
    # The client is not told of the folder of the history: only what `setup` has written leads to it.
    client = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    person = {**client, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")}

    def filewright(*arguments: str) -> str:
        return run([sys.executable, "-m", "filewright", *arguments], project, person)

    filewright("setup", "gemini-cli", "--yes")
    with scripted_model(STEPS) as model:
        trusted = {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "NO_PROXY": "127.0.0.1",
        }
        prompt = ["-p", "Change the files.", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"]
        answer = run([str(gemini), *prompt, "--output-format", "json"], project, {**client, **trusted})
    session = json.loads(answer[answer.index("{\n") :])["session_id"]

    assert len(model.answers[-1]) == len(STEPS), model.answers
    changed = {name: (project / name).read_bytes() for name in BEFORE if (project / name).exists()}
    assert changed == {
        "tool.txt": b"cost\r\nsize\r\n",
        "edited.txt": b"".join(LINES).replace(b"line 2\n", b"line two\n"),
        "shell.txt": b"\xef\xbb\xbfcost, without a line's end",
    }
    shell, edit, tool = filewright("log").splitlines()[:3]
    assert f"shell: {STEPS[2].arguments['command']}" in shell
    assert "replace edited.txt" in edit
    assert "edit tool.txt: 1 edit" in tool
    assert all(f"[gemini-cli {session}" in line for line in (shell, edit))
    assert "[gemini-cli-mcp-client" in tool

    with (project / "edited.txt").open("ab") as file:
        file.write(b"a person's line\n")
    (project / "person.txt").write_bytes(b"a person's file\n")
    # What its hooks told has the client's name for the session, and the connection to the server one of its own.
    filewright("rewind", "last", "--yes")
    assert (project / "tool.txt").read_bytes() == b"cost\r\nsize\r\n"
    filewright("rewind", "last", "--yes")
    kept = {"edited.txt": b"".join(LINES) + b"a person's line\n", "person.txt": b"a person's file\n"}
    left = {path.name: path.read_bytes() for path in project.iterdir() if path.suffix in (".txt", ".bin")}
    assert left == {**BEFORE, **kept}


def run(words: Sequence[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
