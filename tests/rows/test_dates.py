"""Dates and times in texts."""

from __future__ import annotations

import pytest

from filewright.rows.dates import (
    DAY_FIRST,
    MONTH_FIRST,
    find_day_order,
    is_unclear_date,
    read_date,
    read_time,
)


@pytest.mark.parametrize(
    ("text", "order", "date"),
    [
        ("2025-05-24", None, "2025-05-24"),
        ("2025-05", None, "2025-05"),
        ("2025/05/24 10:30", None, "2025-05-24 10:30"),
        ("2025-05-24T10:30:00Z", None, "2025-05-24 10:30:00Z"),
        ("20250524T103000", None, "2025-05-24 10:30:00"),
        ("24.05.2025", None, "2025-05-24"),
        (" 4.5.2025, 9:30 ", None, "2025-05-04 09:30"),
        ("24/05/2025", None, "2025-05-24"),
        ("05/24/2025", DAY_FIRST, "2025-05-24"),
        ("05/04/2025", None, None),
        ("05/04/2025", DAY_FIRST, "2025-04-05"),
        ("05/04/2025", MONTH_FIRST, "2025-05-04"),
        ("31.02.2025", None, None),
        ("05.24.2025", None, None),
        ("24/24/2025", None, None),
        ("24.05.25", None, None),
        ("24.05/2025", None, None),
        ("offen", None, None),
    ],
)
def test_reads_date(text: str, order: str | None, date: str | None) -> None:
    assert read_date(text, lambda: order) == date


@pytest.mark.parametrize(
    ("text", "order", "is_unclear"),
    [
        ("24/05/2025", DAY_FIRST, False),
        ("05/24/2025", MONTH_FIRST, False),
        ("05/04/2025", None, True),
        ("24.05.2025", None, False),
        ("2025-05-24", None, False),
    ],
)
def test_day_order(text: str, order: str | None, is_unclear: bool) -> None:
    assert find_day_order(text) == order
    assert is_unclear_date(text) == is_unclear


@pytest.mark.parametrize(
    ("text", "time"),
    [("9:30", "09:30"), ("10:30:15,5", "10:30:15,5"), ("9:30 pm", None)],
)
def test_reads_time(text: str, time: str | None) -> None:
    assert read_time(text) == time
