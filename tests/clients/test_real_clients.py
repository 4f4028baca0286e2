"""A client as its users install it works with what `setup` has written, and all that it did is taken back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.clients.scripted_model import Step, scripted_model

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

LINES = b"".join(f"line {number}\n".encode() for number in range(1, 41))
BEFORE = {
    "tool.txt": b"price\r\nsize\r\n",
    "edited.txt": LINES,
    "shell.txt": b"\xef\xbb\xbfprice, without a line's end",
    "deleted.bin": bytes(range(256)),
}
COMMAND = "sed -i s/price/cost/ shell.txt && rm deleted.bin && echo new > made.txt"
CHANGED = {
    "tool.txt": b"cost\r\nsize\r\n",
    "edited.txt": LINES.replace(b"line 2\n", b"line two\n"),
    "shell.txt": b"\xef\xbb\xbfcost, without a line's end",
    "made.txt": b"new\n",
}
OURS = Step(
    "edit_content", {"path": "tool.txt", "edits": [{"search": "price", "replace": "cost"}]}, "filewright"
)
PATCH = """*** Begin Patch
*** Update File: edited.txt
@@
 line 1
-line 2
+line two
 line 3
*** End Patch
"""

Install = Callable[[str], Path]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    """Installs a package from npm, and gives the folder of its programs; leaves the test out where it cannot be had."""

    parent = tmp_path_factory.mktemp("clients")

    def install(package: str) -> Path:
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("there is no npm")
        folder = Path(tempfile.mkdtemp(dir=parent))
        options = ["--engine-strict", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "0"]
        words = [npm, "install", "--prefix", str(folder), *options, package]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip("npm took too long")
        if done.returncode:
            pytest.skip(f"npm cannot install it: {done.stderr[-500:]}")
        return folder / "node_modules/.bin"

    yield install
    shutil.rmtree(parent)  # half a gigabyte


class Scene:
    """A project and a home; the client is not told where the history is, only `setup` has written it down."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.state = folder / "state"
        self.project.mkdir()
        self.home.mkdir()
        for name, content in BEFORE.items():
            (self.project / name).write_bytes(content)

    def run(self, *words: str, **more: str) -> str:
        """What a program prints."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1"}
        done = subprocess.run(
            words, cwd=self.project, env={**env, **more}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def filewright(self, *arguments: str) -> str:
        """What a command of a person prints."""
        return self.run(sys.executable, "-m", "filewright", *arguments, FILEWRIGHT_STATE_DIR=str(self.state))

    def files(self) -> dict[str, bytes]:
        """The files that are no configuration."""
        found = (path for path in self.project.iterdir() if path.suffix in {".txt", ".bin"})
        return {path.name: path.read_bytes() for path in found}

    def a_person_writes(self) -> dict[str, bytes]:
        """What a rewind must leave: a line in a file that the client has changed, and a file."""
        with (self.project / "edited.txt").open("ab") as file:
            file.write(b"a person's line\n")
        (self.project / "person.txt").write_bytes(b"a person's file\n")
        return {**BEFORE, "edited.txt": LINES + b"a person's line\n", "person.txt": b"a person's file\n"}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def assert_logged(log: str, session: str, clients: Sequence[str], edit: str) -> None:
    """The three newest changes, each with its client; what hooks told has the session that the client names."""
    shell, own, ours = log.splitlines()[:3]
    assert f"shell: {COMMAND}" in shell
    assert edit in own
    assert "edit tool.txt: 1 edit" in ours
    assert all(f"[{clients[0]} {session}" in line for line in (shell, own))
    assert f"[{clients[1]} " in ours


def test_codex_edits_by_our_tool_by_its_own_and_by_its_shell_and_one_rewind_takes_all_back(
    installed: Install, scene: Scene
) -> None:
    codex = installed("@openai/codex")
    steps = (OURS, Step("apply_patch", PATCH), Step("exec_command", {"cmd": COMMAND}))
    with scripted_model(steps) as model:
        config = f"""model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{model.url}/v1"
wire_api = "responses"
"""
        (scene.home / ".codex").mkdir()
        (scene.home / ".codex/config.toml").write_text(config, "utf-8")
        scene.filewright("setup", "codex", "--yes")
        freely = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
        words = (
            str(codex / "codex"),
            "exec",
            "--json",
            "--skip-git-repo-check",
            *freely,
            "Change the files.",
        )
        said = [json.loads(line) for line in scene.run(*words).splitlines() if line.startswith("{")]
    session = next(each["thread_id"] for each in said if each["type"] == "thread.started")
    assert len(model.answers) == len(steps), (said, model.answers)
    assert scene.files() == CHANGED
    assert_logged(scene.filewright("log"), session, ("codex", "codex-mcp-client"), "apply_patch")
    history = json.loads(scene.filewright("call", "get_history", "{}", "--json"))["data"]["changes"][:3]
    assert {change["session"] for change in history} == {session}
    [turn] = {change["turn"] for change in history}
    assert turn is not None
    expected = scene.a_person_writes()
    scene.filewright("rewind", "last", "--yes")
    assert scene.files() == expected


def test_gemini_cli_edits_by_our_tool_by_its_own_and_by_its_shell_and_all_is_taken_back(
    installed: Install, scene: Scene
) -> None:
    gemini = installed("@google/gemini-cli@0")
    own = {
        "file_path": "edited.txt",
        "old_string": "line 2\n",
        "new_string": "line two\n",
        "instruction": "Spell it",
    }
    steps = (OURS, Step("replace", own), Step("run_shell_command", {"command": COMMAND}))
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (scene.home / ".gemini").mkdir()
    (scene.home / ".gemini/settings.json").write_text(json.dumps(settings), "utf-8")
    scene.filewright("setup", "gemini-cli", "--yes")
    with scripted_model(steps) as model:
        words = (str(gemini / "gemini"), "-p", "Change the files.", "-m", "gemini-2.5-flash")
        answer = scene.run(
            *words, "--approval-mode", "yolo", "--output-format", "json",
            GEMINI_CLI_TRUST_WORKSPACE="true", GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=model.url,
        )  # fmt: skip
    assert len(model.answers) == len(steps), (answer, model.answers)
    assert scene.files() == CHANGED
    session = json.loads(answer[answer.index("{\n") :])["session_id"]
    assert_logged(
        scene.filewright("log"), session, ("gemini-cli", "gemini-cli-mcp-client"), "replace edited.txt"
    )
    expected = scene.a_person_writes()
    # What its hooks told has the client's name for the session, and the connection to the server one of its own.
    scene.filewright("rewind", "last", "--yes")
    assert scene.files() == {**expected, "tool.txt": CHANGED["tool.txt"]}
    scene.filewright("rewind", "last", "--yes")
    assert scene.files() == expected
