"""Rows of a mailbox in the databases of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.mailbox.store import MailboxStore

INSERT = "INSERT INTO mailbox VALUES (?, 'kind', 0, '', '', ?, NULL, NULL)"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    with Workspace(*roots, state_dir=tmp_path / "state") as opened:
        yield opened


@pytest.fixture
def store(workspace: Workspace) -> MailboxStore:
    """A store with a row in the database of each root."""
    store = MailboxStore(workspace)
    with store.transaction() as execute:
        execute(INSERT, ("a", "first"))
    _, second = workspace.changes.logs
    second.state.open()
    with second.database.transaction() as execute:
        execute(INSERT, ("b", "second"))
    return store


def test_nothing_without_databases(workspace: Workspace) -> None:
    store = MailboxStore(workspace)
    assert [*store.read("id", "TRUE")] == []
    assert store.update("answer", "yes", "id = ?", "a") is False


def test_reads_all_databases(store: MailboxStore) -> None:
    assert [*store.read("id, content", "TRUE")] == [
        ("a", "first"),
        ("b", "second"),
    ]
    assert [*store.read("id", "id = ?", "b")] == [("b",)]


def test_databases_with_a_row(
    store: MailboxStore, workspace: Workspace
) -> None:
    first, second = workspace.changes.databases
    assert [*store.databases_with("id = ?", "b")] == [second]
    assert [*store.databases_with("TRUE")] == [first, second]


def test_updates_one_row_of_any_database(store: MailboxStore) -> None:
    unanswered = "id = ? AND answer IS NULL"
    assert store.update("answer", "yes", unanswered, "b")
    assert not store.update("answer", "no", unanswered, "b")
    assert [*store.read("id, answer", "TRUE")] == [("a", None), ("b", "yes")]


@pytest.mark.parametrize("durable", [True, False])
def test_failed_transaction_leaves_nothing(
    store: MailboxStore, durable: bool
) -> None:
    with (
        pytest.raises(RuntimeError),
        store.transaction(durable=durable) as execute,
    ):
        execute(INSERT, ("c", "third"))
        raise RuntimeError
    assert [*store.read("id", "id = 'c'")] == []
