"""The export of changes: as a patch, as Markdown, and as a commit message."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.page.conftest import Served, expect

from filewright import Workspace
from filewright.page.export import (
    ExportContent,
    PromptDeeds,
    draft_message,
    to_markdown,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def git(folder: Path, *words: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words],
        cwd=folder,
        input=given,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "replace")


def fill(folder: Path) -> None:
    (folder / "a.txt").write_bytes("für\r\nzwei\r\n".encode("latin-1"))
    (folder / "blob.bin").write_bytes(bytes(range(256)))
    (folder / "old dir").mkdir()
    (folder / "old dir/b.txt").write_text("b\n")
    (folder / "old dir/c.txt").write_text("c\n")
    (folder / "gone.txt").write_text("gone\n")
    (folder / "run.sh").write_text("exit 0\n")


@pytest.fixture
def history(workspace: Workspace, folder: Path) -> Path:
    """A repository whose working tree an agent has changed in every way."""
    fill(folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Begin")
    identifier = workspace.begin_command()
    (folder / "a.txt").write_bytes("für\r\ndrei\r\n".encode("latin-1"))
    (folder / "blob.bin").write_bytes(bytes(255))
    (folder / "run.sh").chmod(0o755)
    (folder / "gone.txt").unlink()
    (folder / "link").symlink_to("a.txt")
    workspace.end_command(identifier, "do", turn="Change *everything*, please")
    workspace.move("old dir", "new")
    workspace.edit("new/b.txt", [{"search": "b", "replace": "B"}])
    workspace.write("new/fresh <x>.txt", "fresh\n")
    return folder


@pytest.mark.parametrize("address", ["session", "between"])
def test_patch(
    history: Path,
    workspace: Workspace,
    tmp_path: Path,
    serve: Callable[..., Served],
    address: str,
) -> None:
    session = workspace.history(limit=1)[0].session
    if address == "between":
        session = "begin..now"
    with serve().client() as client:
        patch = client.get(f"/{address}/{session}?part=patch").content
    assert b"not in this patch" not in patch
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(history), str(clone))
    git(clone, "apply", "--check", given=patch)
    git(clone, "apply", "--index", given=patch)
    git(history, "add", "-A")
    assert git(clone, "write-tree") == git(history, "write-tree")


def test_patch_of_each_change(
    history: Path,
    workspace: Workspace,
    tmp_path: Path,
    serve: Callable[..., Served],
) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(history), str(clone))
    with serve().client() as client:
        for record in reversed(workspace.history()):
            answer = client.get(f"/change/{record.id}?part=patch")
            # Files that were moved with their folder are not known later.
            if b"not in this patch: new" in answer.content:
                git(clone, "mv", "old dir", "new")
            else:
                git(clone, "apply", "--index", given=answer.content)
    git(history, "add", "-A")
    assert git(clone, "write-tree") == git(history, "write-tree")


def test_the_menu(history: Path, opened: Opened) -> None:
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("details.export summary").click()
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator("#said")).to_contain_text("copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "- created `new/fresh <x>.txt`" in text
    assert "+fresh" in text
    page.locator("details.export summary").click()
    page.get_by_role("button", name="Copy a commit message").click()
    expect(page.locator("#said")).to_contain_text("commit message")
    page.locator("details.export summary").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Copy as a patch")).to_be_hidden()
    page.locator("details.export summary").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the patch").click()
    content = waiting.value.path().read_bytes()
    assert b"\n+fresh\n" in content


LONG = (
    "Speed up the reply path of the server so that nobody waits for it any more"
)


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        pytest.param(
            [PromptDeeds("Fix the total.", "Edited a.py", "codex")],
            "Fix the total\n\nEdited a.py.\n",
            id="one",
        ),
        pytest.param(
            [PromptDeeds("Edited a.py", "Edited a.py", "codex")],
            "Edited a.py\n",
            id="without words",
        ),
        pytest.param(
            [PromptDeeds(LONG, "Edited 3 files in lib", "codex")],
            "Speed up the reply path of the server so that nobody waits for it any…\n"
            "\n"
            "Speed up the reply path of the server so that nobody waits for it any\n"
            "more\n\nEdited 3 files in lib.\n",
            id="long",
        ),
        pytest.param(
            [
                PromptDeeds("Fix the total", "Edited a.py", "codex"),
                PromptDeeds("Add a test", "Created test_a.py", "codex"),
            ],
            "Fix the total\n\n"
            "- Fix the total: edited a.py\n"
            "- Add a test: created test_a.py\n",
            id="two",
        ),
    ],
)
def test_message(
    workspace: Workspace, prompts: list[PromptDeeds], message: str
) -> None:
    workspace.write("a.txt", "a\n")
    record = workspace.history()[0]
    assert draft_message(ExportContent("Title", prompts, record)) == message


def test_markdown_is_safe(workspace: Workspace) -> None:
    workspace.write("a`b.txt", "```\n````\n")
    record = workspace.history()[0]
    title = "A <script> *and* [link](x)\n# heading"
    text = to_markdown(
        ExportContent(title, [], record), workspace.diff(record.id).text
    )
    assert text.startswith("## A \\<script\\> \\*and\\* \\[link\\](x)")
    assert "\n# heading" not in text
    assert "- created `` a`b.txt ``" in text
    assert "\n`````diff\n" in text
