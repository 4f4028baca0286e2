"""Every benchmark starts, and runs to its end on small data."""

from __future__ import annotations

import importlib
import math
from pathlib import Path

import pytest
from benchmarks.__main__ import RATIOS, REPORTS, format_row, main
from benchmarks.row import Row

FOLDER = Path(__file__).parents[1] / "benchmarks"
SECONDS = (
    "startup",
    "large_edit",
    "large_log",
    "hooks",
    "guard",
    "logs",
    "scaling",
)
"""Benchmarks that take seconds also on small data; the scheduled job runs these."""


def names() -> list[object]:
    """Return the names of benchmarks, those that take seconds as sweeps."""
    marked: list[object] = []
    for name in (*RATIOS, *REPORTS):
        marks = [pytest.mark.sweep] if name in SECONDS else []
        marked.append(pytest.param(name, marks=marks))
    return marked


@pytest.mark.extra
@pytest.mark.parametrize("name", names())
def test_runs_on_small_data(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--quick"]) == 0
    assert "nan" not in capsys.readouterr().out


def test_knows_every_module() -> None:
    helpers = {"row"}
    modules = {path.stem for path in FOLDER.glob("[!_]*.py")}
    assert modules == {*RATIOS, *REPORTS, *helpers}
    for name in sorted(modules):
        importlib.import_module(f"benchmarks.{name}")


def test_refuses_an_unknown_name() -> None:
    with pytest.raises(SystemExit):
        main(["no_such_benchmark"])


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Row("a", 2.0, 1.0, 3.0), "| a | 2.00 s | 1.00 s | 2.00 | 3 |"),
        (Row("a", 0.004, 0.001, 3), "| a | 4.0 ms | 1.0 ms | **4.00** | 3 |"),
        (Row("a", 4, 2), "| a | 4 | 2 | 2.00 | inf |"),
        (Row("a", 4e-6, 0.0), "| a | 4.0 µs | 0.0 µs | **nan** | inf |"),
    ],
    ids=["met", "missed", "counts", "failed"],
)
def test_formats_a_row(row: Row, text: str) -> None:
    assert format_row(row) == text


def test_a_row_without_reference_has_no_ratio() -> None:
    row = Row("a", 1.0, 0.0)
    assert math.isnan(row.ratio)
    assert not row.is_met
