"""News for agents about the person's undos."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.mailbox.comments import MARK
from filewright.progress import Caller
from filewright.server.notices import Notices
from filewright.workspace import REVIEW_CLIENT

CALLER = Caller(session="s", client="agent 1")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "root").mkdir()
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state", client="agent 1"
    ) as opened:
        opened.write("a.txt", "one\n")
        yield opened


def undo(tmp_path: Path, client: str) -> None:
    """Undo the newest change as another process does."""
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state", client=client
    ) as other:
        other.revert_edit(other.newest())


def test_tells_once_of_an_undo_by_the_person(
    workspace: Workspace, tmp_path: Path
) -> None:
    notices = Notices(workspace)
    notices.begin(CALLER)
    undo(tmp_path, REVIEW_CLIENT)
    news = notices.news(CALLER, "", CALLER)
    assert news.startswith("[the user took back on the review page: ")
    assert str(workspace.newest()) in news
    assert notices.news(CALLER, "", CALLER) == ""


def test_undo_by_an_agent_is_no_news(
    workspace: Workspace, tmp_path: Path
) -> None:
    notices = Notices(workspace)
    notices.begin(CALLER)
    undo(tmp_path, "another agent")
    assert notices.news(CALLER, "", CALLER) == ""


def test_earlier_undo_is_no_news(workspace: Workspace, tmp_path: Path) -> None:
    undo(tmp_path, REVIEW_CLIENT)
    notices = Notices(workspace)
    notices.begin(CALLER)
    assert notices.news(CALLER, "", CALLER) == ""


def test_names_content_that_imitates_the_user(workspace: Workspace) -> None:
    notices = Notices(workspace)
    notices.begin(CALLER)
    assert "was not said by the user" in notices.news(CALLER, MARK, CALLER)
