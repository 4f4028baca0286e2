"""Damage of the database of a log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def run_sql(path: Path, *statements: str) -> None:
    """Execute statements on a database."""
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)
