"""A client as its users install it works with what `setup` has written, and all that it did is taken back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

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
COMMAND = (
    "sed -i s/price/cost/ shell.txt && rm deleted.bin && echo new > made.txt"
)
CHANGED = {
    "tool.txt": b"cost\r\nsize\r\n",
    "edited.txt": LINES.replace(b"line 2\n", b"line two\n"),
    "shell.txt": b"\xef\xbb\xbfcost, without a line's end",
    "made.txt": b"new\n",
}
OURS = Step(
    "edit_content",
    {"path": "tool.txt", "edits": [{"search": "price", "replace": "cost"}]},
    "filewright",
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
    """Installs a package from npm, and gives the folder of its modules; leaves the test out where it cannot be had."""

    parent = tmp_path_factory.mktemp("clients")

    def install(package: str) -> Path:
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("there is no npm")
        folder = Path(tempfile.mkdtemp(dir=parent))
        options = [
            "--engine-strict",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--fetch-retries",
            "0",
        ]
        words = [npm, "install", "--prefix", str(folder), *options, package]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=180, check=False
            )
        except subprocess.TimeoutExpired:
            pytest.skip("npm took too long")
        if done.returncode:
            pytest.skip(f"npm cannot install it: {done.stderr[-500:]}")
        return folder / "node_modules"

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
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
        }
        done = subprocess.run(
            words, cwd=self.project, env={**env, **more}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def filewright(self, *arguments: str) -> str:
        """What a command of a person prints."""
        return self.run(
            sys.executable,
            "-m",
            "filewright",
            *arguments,
            FILEWRIGHT_STATE_DIR=str(self.state),
        )

    def files(self) -> dict[str, bytes]:
        """The files that are no configuration."""
        found = (
            path
            for path in self.project.iterdir()
            if path.suffix in {".txt", ".bin"}
        )
        return {path.name: path.read_bytes() for path in found}

    def a_person_writes(self) -> dict[str, bytes]:
        """What a rewind must leave: a line in a file that the client has changed, and a file."""
        with (self.project / "edited.txt").open("ab") as file:
            file.write(b"a person's line\n")
        (self.project / "person.txt").write_bytes(b"a person's file\n")
        return {
            **BEFORE,
            "edited.txt": LINES + b"a person's line\n",
            "person.txt": b"a person's file\n",
        }


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


class Running(NamedTuple):
    """A client that is to run: in a scene, with the model at an address, its programs in a folder."""

    scene: Scene
    url: str
    folder: Path

    def settings(self, path: str, content: object) -> None:
        """Write settings of the user."""
        file = self.scene.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            content if isinstance(content, str) else json.dumps(content),
            "utf-8",
        )


def codex(run: Running) -> str:
    config = f"""model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{run.url}/v1"
wire_api = "responses"
"""
    run.settings(".codex/config.toml", config)
    run.scene.filewright("setup", "codex", "--yes")
    freely = (
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
    )
    said = run.scene.run(
        str(run.folder / ".bin/codex"),
        "exec",
        "--json",
        "--skip-git-repo-check",
        *freely,
        PROMPT,
    )
    events = [
        json.loads(line) for line in said.splitlines() if line.startswith("{")
    ]
    return str(
        next(
            each["thread_id"]
            for each in events
            if each["type"] == "thread.started"
        )
    )


def claude(run: Running) -> str:
    run.scene.filewright("setup", "claude-code", "--yes")
    # The one that npm's script would choose.
    [program] = run.folder.glob("@anthropic-ai/claude-code-*/claude")
    answer = run.scene.run(
        str(program), "-p", PROMPT, "--output-format", "json",
        "--dangerously-skip-permissions",
        ANTHROPIC_BASE_URL=run.url, ANTHROPIC_API_KEY="none", IS_SANDBOX="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )  # fmt: skip
    return str(json.loads(answer)["session_id"])


def gemini(run: Running) -> str:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
        },
        "privacy": {"usageStatisticsEnabled": False},
    }
    run.settings(".gemini/settings.json", settings)
    run.scene.filewright("setup", "gemini-cli", "--yes")
    words = (
        str(run.folder / ".bin/gemini"),
        "-p",
        PROMPT,
        "-m",
        "gemini-2.5-flash",
    )
    answer = run.scene.run(
        *words, "--approval-mode", "yolo", "--output-format", "json",
        GEMINI_CLI_TRUST_WORKSPACE="true", GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=run.url,
    )  # fmt: skip
    return str(json.loads(answer[answer.index("{\n") :])["session_id"])


def qwen(run: Running) -> str:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    run.settings(".qwen/settings.json", settings)
    run.scene.filewright("setup", "qwen-code", "--yes")
    answer = run.scene.run(
        str(run.folder / ".bin/qwen"), "-p", PROMPT, "--yolo", "--output-format", "json",
        OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{run.url}/v1", OPENAI_MODEL="scripted",
    )  # fmt: skip
    return str(json.loads(answer)[-1]["session_id"])


def opencode(run: Running) -> str:
    options = {"baseURL": f"{run.url}/v1", "apiKey": "none"}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": options,
        "models": {"scripted": {}},
    }
    settings = {
        "autoupdate": False, "share": "disabled", "permission": "allow",
        "model": "scripted/scripted", "small_model": "scripted/scripted", "provider": {"scripted": provider},
    }  # fmt: skip
    run.settings(".config/opencode/opencode.json", settings)
    run.scene.filewright("setup", "opencode", "--yes")
    # The one that npm's script would choose.
    [program] = run.folder.glob("opencode-*-*[0-9]/bin/opencode")
    said = run.scene.run(
        str(program),
        "run",
        "--format",
        "json",
        PROMPT,
        OPENCODE_DISABLE_MODELS_FETCH="1",
    )
    return str(json.loads(said.splitlines()[0])["sessionID"])


PROMPT = "Change the files."


class Case(NamedTuple):
    """A client: its package, how it is run, and the tools that its model asks for, ours and the shell among them."""

    package: str
    run: Callable[[Running], str]
    names: tuple[str, str]
    steps: tuple[Step, ...]


_CHANGED_LINE = {"old_string": "line 2\n", "new_string": "line two\n"}
CASES = {
    "claude-code": Case(
        "@anthropic-ai/claude-code@2",
        claude,
        ("claude-code", "claude-code"),
        (
            # It does not wait for its servers.
            Step("Read", {"file_path": "PROJECT/edited.txt"}),
            Step("Edit", {"file_path": "PROJECT/edited.txt", **_CHANGED_LINE}),
            Step("Bash", {"command": "sleep 3", "description": "-"}),
            OURS,
            Step("Bash", {"command": COMMAND, "description": "-"}),
        ),
    ),
    "codex": Case(
        "@openai/codex",
        codex,
        ("codex", "codex-mcp-client"),
        (
            OURS,
            Step("apply_patch", PATCH),
            Step("exec_command", {"cmd": COMMAND}),
        ),
    ),
    "gemini-cli": Case(
        "@google/gemini-cli@0",
        gemini,
        ("gemini-cli", "gemini-cli-mcp-client"),
        (
            OURS,
            Step(
                "replace",
                {
                    "file_path": "edited.txt",
                    "instruction": "Spell it",
                    **_CHANGED_LINE,
                },
            ),
            Step("run_shell_command", {"command": COMMAND}),
        ),
    ),
    "qwen-code": Case(
        "@qwen-code/qwen-code@0",
        qwen,
        ("qwen-code", "qwen-cli-mcp-client"),
        (
            Step("read_file", {"file_path": "PROJECT/edited.txt"}),
            Step(
                "tool_search", {"query": "select:mcp__filewright__edit_content"}
            ),
            OURS,
            Step("edit", {"file_path": "PROJECT/edited.txt", **_CHANGED_LINE}),
            Step(
                "run_shell_command",
                {
                    "command": COMMAND,
                    "description": "-",
                    "is_background": False,
                },
            ),
        ),
    ),
    "opencode": Case(
        "opencode-ai@1",
        opencode,
        ("opencode", "opencode"),
        (
            OURS,
            Step(
                "edit",
                {
                    "filePath": "PROJECT/edited.txt",
                    "oldString": "line 2\n",
                    "newString": "line two\n",
                },
            ),
            Step("bash", {"command": COMMAND, "description": "-"}),
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_edits_by_our_tool_by_its_own_and_by_its_shell_and_one_rewind_takes_all_back(
    name: str, installed: Install, scene: Scene
) -> None:
    case = CASES[name]
    folder = installed(case.package)
    steps = [
        step
        if isinstance(step.arguments, str)
        else step._replace(
            arguments={
                key: value.replace("PROJECT", str(scene.project))
                if isinstance(value, str)
                else value
                for key, value in step.arguments.items()
            }
        )
        for step in case.steps
    ]
    with scripted_model(steps) as model:
        session = case.run(Running(scene, model.url, folder))
    assert len(model.answers) == len(steps), model.answers
    assert scene.files() == CHANGED, model.answers
    lines = scene.filewright("log").splitlines()[:3]
    history = json.loads(
        scene.filewright("call", "get_history", "{}", "--json")
    )["data"]["changes"][:3]
    [turn] = {change["turn"] for change in history}
    assert turn, "the client's, or one that its hooks made"
    by_hooks, by_server = case.names
    for what in (
        f"shell: {COMMAND}  [{by_hooks}",
        f"Edit edited.txt  [{by_hooks}",
        f"edit tool.txt: 1 edit  [{by_server}",
    ):
        [line] = [line for line in lines if f"  {what}" in line]
        assert line.endswith(f"{session} turn {turn}]")
    expected = scene.a_person_writes()
    scene.filewright("rewind", "last", "--yes")
    assert scene.files() == expected
