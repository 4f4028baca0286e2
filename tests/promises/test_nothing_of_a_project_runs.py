"""No command, hook or server of ours imports a module or starts a program that lies in the project."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the planted programs are shell scripts"
)

THIRD_PARTY = [
    "anyio",
    "chardet",
    "click",
    "filewright",
    "h11",
    "httpx",
    "jinja2",
    "mcp",
    "mcp_types",
    "platformdirs",
    "pydantic",
    "pydantic_core",
    "pygments",
    "rapidfuzz",
    "re2",
    "sitecustomize",
    "starlette",
    "stringzilla",
    "tree_sitter",
    "tree_sitter_python",
    "typing_extensions",
    "usercustomize",
    "uvicorn",
    "xxhash",
]
PROGRAMS = [
    "claude",
    "code",
    "filewright",
    "gcc",
    "git",
    "ldconfig",
    "less",
    "more",
    "open",
    "python",
    "python3",
    "rg",
    "sensible-browser",
    "sh",
    "uname",
    "uvx",
    "which",
    "www-browser",
    "xdg-open",
]
HOOK = {
    "session_id": "s",
    "tool_use_id": "t",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}
CALLS: Sequence[tuple[str, Mapping[str, str]]] = (
    ("search_content", {"pattern": "x"}),
    ("get_overview", {"path": "code.py"}),
    ("get_overview", {"path": "."}),
)


class Project:
    """A folder full of modules and programs that tell of it when they are run."""

    def __init__(self, folder: Path) -> None:
        self.root, self.traces = folder / "project", folder / "traces"
        self.root.mkdir()
        self.traces.mkdir()
        (folder / "home").mkdir()
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("FILEWRIGHT", "PYTHON"))
            },
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
            "FILEWRIGHT_FLUSH": "false",
            "TRACES": str(self.traces),
            "LINES": "5",
        }

    def plant(self) -> None:
        """Put shadows of every module and every program that may be asked for into the root and its folder bin."""
        shadow = 'import os\nopen(os.environ["TRACES"] + "/" + os.path.basename(__file__), "a").close()\n'
        script = '#!/bin/sh\n: > "$TRACES/${0##*/}"\n'
        for folder in (self.root, self.root / "bin"):
            folder.mkdir(exist_ok=True)
            for name in {*sys.stdlib_module_names, *THIRD_PARTY}:
                (folder / f"{name}.py").write_text(shadow)
            for name in PROGRAMS:
                (folder / name).write_text(script)
                (folder / name).chmod(0o755)
        (self.root / "code.py").write_text("x = 1\n")
        subprocess.run(
            ["/usr/bin/env", "git", "init", "-q", "."],
            cwd=self.root,
            env=self.environment,
            check=False,
        )

    def run(
        self, words: Sequence[str], given: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command line in the root."""
        return subprocess.run(
            words, input=given, text=True, cwd=self.root, env={**self.environment, **environment},
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    def ran(self, *, seconds: float = 0) -> list[str]:
        """Return the names of what was run; wait so long for a process that goes on in the background."""
        end = time.monotonic() + seconds
        while not any(self.traces.iterdir()) and time.monotonic() < end:
            time.sleep(0.05)
        names = sorted(path.name for path in self.traces.iterdir())
        for name in names:
            (self.traces / name).unlink()
        return names


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    planted = Project(tmp_path_factory.mktemp("hostile"))
    planted.plant()
    yield planted
    # Some of what the hooks begin goes on in the background.
    assert planted.ran(seconds=1.5) == []


SCRIPT = str(Path(sysconfig.get_path("scripts"), "filewright"))
PATHS: Mapping[str, Mapping[str, str]] = {
    "plain": {},
    "path": {"PATH": f".:bin::{os.environ['PATH']}"},
    "whole path": {"PATH": f"$ROOT/bin:{os.environ['PATH']}"},
    "all": {"PATH": f"$ROOT/bin:.:bin::{os.environ['PATH']}"},
}


@pytest.fixture(
    params=[
        "all",
        *(
            pytest.param(name, marks=pytest.mark.sweep)
            for name in PATHS
            if name != "all"
        ),
    ]
)
def environment(
    project: Project, request: pytest.FixtureRequest
) -> dict[str, str]:
    """An environment that names the project as people's shells may, or does not."""
    return {
        name: value.replace("$ROOT", str(project.root))
        for name, value in PATHS[request.param].items()
    }


COMMANDS = {
    "log": ["log"],
    "show": ["show", "0"],
    "undo": ["undo", "--yes"],
    "rewind": ["rewind", "last", "--yes"],
    "doctor": ["doctor"],
    "guard check": ["guard", "check"],
    "guard fix": ["guard", "check", "--staged", "--fix"],
    "guard report": ["guard", "report"],
    "review": ["review", "--help"],
    "begin": ["snapshot", "begin"],
    "keep": ["snapshot", "keep"],
    "config": ["config", "claude-code"],
    "setup": ["setup", "claude-code", "--dry-run"],
    "check": ["setup", "--check"],
    "completion": ["completion", "bash"],
    **{
        f"call {number}": ["call", name, json.dumps(arguments)]
        for number, (name, arguments) in enumerate(CALLS)
    },
}


ALIKE = {
    "doctor",
    "show",
    "rewind",
    "guard fix",
    "guard report",
    "keep",
    "config",
    "check",
    "completion",
    "call 2",
}
"""Commands that load what others load, `doctor` as in `test_of_python`."""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            command, marks=[pytest.mark.sweep] if command in ALIKE else []
        )
        for command in COMMANDS
    ],
)
def test_commands(
    project: Project, command: str, environment: dict[str, str]
) -> None:
    done = project.run([SCRIPT, *COMMANDS[command]], **environment)
    assert "Traceback" not in done.stderr, done.stderr
    assert project.ran() == []


def test_of_python(project: Project) -> None:
    """As the clients are told to start it where there is no script."""
    done = project.run([sys.executable, "-P", "-m", "filewright", "doctor"])
    assert "filewright" in done.stdout
    assert project.ran() == []


@pytest.mark.extra
@pytest.mark.parametrize(
    "event", ["UserPromptSubmit", "PreToolUse", "PostToolUse"]
)
@pytest.mark.parametrize("key", ["cwd", "CLAUDE_PROJECT_DIR"])
def test_hooks(
    project: Project, event: str, key: str, environment: dict[str, str]
) -> None:
    folder = str(project.root)
    told = {**HOOK, "hook_event_name": event} | (
        {"cwd": folder} if key == "cwd" else {}
    )
    if event == "UserPromptSubmit":
        told = {
            "session_id": "s",
            "hook_event_name": event,
            "prompt": "hello",
            "cwd": folder,
        }
    more = {
        **environment,
        **({key: folder} if key != "cwd" else {}),
        "XDG_STATE_HOME": f"{folder}-{event}-{key}",
    }
    done = project.run(
        [SCRIPT, "snapshot", "end" if "Post" in event else "begin", "--hook"],
        json.dumps(told),
        **more,
    )
    assert done.returncode == 0
    assert project.ran() == []


def test_keeping_ahead_goes_on(project: Project, tmp_path: Path) -> None:
    """The process that a prompt begins in the background stores the project's files."""
    told = {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "hello",
        "cwd": str(project.root),
    }
    done = project.run(
        [SCRIPT, "snapshot", "begin", "--hook"],
        json.dumps(told),
        FILEWRIGHT_STATE_DIR="../relative",
    )
    assert done.stderr == ""
    end = time.monotonic() + 60
    shadow = 'import os\nopen(os.environ["TRACES"]'
    while not any(
        path.stat().st_size > len(shadow)
        for path in _blobs(project.root.parent / "relative")
    ):
        assert time.monotonic() < end, "nothing was kept"
        time.sleep(0.1)
    assert project.ran() == []


def _blobs(state: Path) -> list[Path]:
    return [
        path
        for path in state.rglob("*")
        if path.is_file() and path.suffix not in (".db", ".lock")
    ]


@pytest.mark.extra
@pytest.mark.parametrize(
    "address", [(), ("--http", "127.0.0.1:0")], ids=["stdio", "http"]
)
def test_server(
    project: Project, address: Sequence[str], environment: dict[str, str]
) -> None:
    requests = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}},
        {"method": "notifications/initialized"},
        *({"id": 2 + number, "method": "tools/call", "params": {"name": name, "arguments": arguments}} for number, (name, arguments) in enumerate(CALLS)),
    ]  # fmt: skip
    given = "".join(
        json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests
    )
    process = subprocess.Popen(
        [SCRIPT, "serve", ".", *address], cwd=project.root, env={**project.environment, **environment, "FILEWRIGHT_HTTP_TOKENS": "t" * 40},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if address:
            assert process.stderr is not None
            assert any("listening" in line for line in process.stderr)
            process.terminate()
            process.communicate(timeout=60)
        else:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(given)
            process.stdin.flush()
            answers = [
                json.loads(process.stdout.readline())
                for _ in range(1 + len(CALLS))
            ]
            assert sum(
                answer["result"].get("isError") is False for answer in answers
            ) == len(CALLS), answers
            process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert project.ran() == []


EIGHT_CHANGES = """
from filewright import Workspace
with Workspace(".") as workspace:
    for number in range(8):
        workspace.write(f"n{number}", "x", mode="overwrite")
"""


@pytest.mark.extra
def test_pager_and_browser(
    project: Project, environment: dict[str, str]
) -> None:
    done = project.run([sys.executable, "-P", "-c", EIGHT_CHANGES])
    assert done.returncode == 0, done.stderr
    for words in (["log"], ["review"]):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [SCRIPT, *words], cwd=project.root, env={**project.environment, "TERM": "xterm", **environment},
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        with suppress(OSError):  # It has ended without a word.
            os.read(ours, 1 << 16)
        names = project.ran(seconds=2.5)
        process.kill()
        process.wait()
        os.close(ours)
        assert names == []
