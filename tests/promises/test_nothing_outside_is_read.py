"""Git, or whatever reads its objects for us, never reads outside the roots."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp import Client
from tests import processes
from tests.promises import outside
from tests.samples import one_in

from filewright import Workspace

SECRET = "secret_function_name"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def place() -> Iterator[Path]:
    """A repository outside the root whose newest commit holds a secret, and a file inside of that name."""
    with outside.folder() as folder:
        other = folder / "other"
        other.mkdir()
        (other / "s.py").write_text(f"def {SECRET}():\n    pass\n")
        _git(other, "init", "-q")
        _git(other, "add", ".")
        _git(
            other,
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "commit",
            "-qm",
            "x",
        )
        (folder / "work" / "s.py").write_text("x = 1\n")
        yield folder


def _git(folder: Path, *words: str) -> None:
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    subprocess.run(
        ["git", "-C", str(folder), *words],
        check=True,
        env=env,
        capture_output=True,
    )


def _linked_objects(place: Path) -> None:
    git, other = place / "work" / ".git", place / "other" / ".git"
    git.mkdir()
    for name in ("objects", "refs"):
        (git / name).symlink_to(other / name)
    shutil.copy(other / "HEAD", git / "HEAD")


def _relative_links(place: Path) -> None:
    git, other = place / "work" / ".git", place / "other" / ".git"
    git.mkdir()
    for name in ("objects", "refs"):
        (git / name).symlink_to(f"../../other/.git/{name}")
    shutil.copy(other / "HEAD", git / "HEAD")


def _alternates(place: Path) -> None:
    git, other = place / "work" / ".git", place / "other" / ".git"
    _git(place / "work", "init", "-q")
    (git / "objects" / "info" / "alternates").write_text(
        f"{other / 'objects'}\n"
    )
    shutil.rmtree(git / "refs")
    shutil.copytree(other / "refs", git / "refs")
    shutil.copy(other / "HEAD", git / "HEAD")


def _common_folder(place: Path) -> None:
    git, other = place / "work" / ".git", place / "other" / ".git"
    git.mkdir()
    (git / "commondir").write_text(f"{other}\n")
    shutil.copy(other / "HEAD", git / "HEAD")


def _git_file(place: Path) -> None:
    (place / "work" / ".git").write_text(
        f"gitdir: {place / 'other' / '.git'}\n"
    )


def _linked_folder(place: Path) -> None:
    (place / "work" / ".git").symlink_to(place / "other" / ".git")


def _configured_tree(place: Path) -> None:
    _linked_objects(place)
    (place / "work" / ".git" / "config").write_text(
        f"[core]\n\tworktree = {place / 'other'}\n"
    )


def _one_linked_pack(place: Path) -> None:
    git, other = place / "work" / ".git", place / "other" / ".git"
    _git(place / "other", "repack", "-adq")
    _git(place / "work", "init", "-q")
    (git / "objects" / "pack").mkdir(exist_ok=True)
    for name in os.listdir(other / "objects" / "pack"):
        (git / "objects" / "pack" / name).symlink_to(
            other / "objects" / "pack" / name
        )
    shutil.rmtree(git / "refs")
    shutil.copytree(other / "refs", git / "refs")
    shutil.copy(other / "HEAD", git / "HEAD")


PLANTED = [
    _linked_objects,
    _relative_links,
    _alternates,
    _common_folder,
    _git_file,
    _linked_folder,
    _configured_tree,
    _one_linked_pack,
]


PLANT = pytest.mark.parametrize(
    "plant", PLANTED, ids=lambda plant: plant.__name__.strip("_")
)


@PLANT
def test_the_library_names_nothing_of_a_repository_outside(
    place: Path, plant: Callable[[Path], None]
) -> None:
    plant(place)
    with Workspace(place / "work", state_dir=place / "state") as workspace:
        for since in ("HEAD", "HEAD~0"):
            answer = workspace.call(
                "get_overview", {"path": "s.py", "since": since}
            )
            assert SECRET not in answer.text
            assert SECRET not in str(answer.data)


@pytest.mark.parametrize(
    "plant", one_in(4, PLANTED), ids=lambda plant: plant.__name__.strip("_")
)
def test_the_command_line_names_nothing_of_a_repository_outside(
    place: Path, plant: Callable[[Path], None]
) -> None:
    plant(place)
    said = outside.command(place, "call", "get_overview", '{"path": "s.py"}')
    assert SECRET not in said.stdout + said.stderr


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
@pytest.mark.parametrize("confined", [True, False])
async def test_the_server_names_nothing_of_a_repository_outside(
    place: Path, confined: bool
) -> None:
    _linked_objects(place)
    words = [
        *processes.FILEWRIGHT,
        "serve",
        str(place / "work"),
        *([] if confined else ["--no-landlock"]),
    ]
    server = processes.for_client(
        words, {"FILEWRIGHT_STATE_DIR": str(place / "state")}
    )
    async with Client(server) as client:
        answer = await client.call_tool("get_overview", {"path": "s.py"})
    assert SECRET not in "".join(
        getattr(part, "text", "") for part in answer.content
    )


@pytest.mark.needs("confinement")
def test_a_repository_inside_is_still_compared_with(place: Path) -> None:
    work = place / "work"
    (work / "s.py").write_text("def kept():\n    pass\n")
    _git(work, "init", "-q")
    _git(work, "add", ".")
    _git(
        work,
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "commit",
        "-qm",
        "x",
    )
    (work / "s.py").write_text("def kept():\n    return 1\n")
    with Workspace(work, state_dir=place / "state") as workspace:
        answer = workspace.get_overview("s.py")
    assert "changed" in answer.text
