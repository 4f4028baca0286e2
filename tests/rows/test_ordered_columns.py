"""Ordered comparisons of columns in one form, against Python's decimals and dates."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any

import pytest
from tests.examples import is_long_run

from filewright import FilewrightError
from filewright.progress import Task
from filewright.rows.conditions import parse_conditions
from filewright.rows.numbers import to_number
from filewright.rows.table import Table
from filewright.text.snapshot import Snapshot

NUMBER_FORMS = [(".", ""), (".", ","), (",", ""), (",", "."), (",", " ")]
DATE_FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"]
OPERATORS = {">": gt, ">=": ge, "<": lt, "<=": le}
SEEDS = range(2000 if is_long_run() else 25)


def write_number(number: Decimal, decimal_sign: str, thousands: str) -> str:
    """Return a number as the programs of some country write it."""
    text = f"{number:,f}" if thousands else f"{number:f}"
    signs = {".": decimal_sign, ",": thousands}
    return "".join(signs.get(character, character) for character in text)


def random_number(chance: random.Random) -> Decimal:
    """Return a number with up to three decimals."""
    digits = chance.randrange(10 ** chance.randrange(1, 8))
    decimals = chance.choice([0, 1, 2, 2, 3])
    return chance.choice([1, -1]) * Decimal(digits).scaleb(-decimals)


def require_no_wrong_row(
    values: Sequence[Any], cells: Sequence[str], operand: Any, text: str
) -> int:
    """Return the number of rows left out; fail if another row is judged wrongly."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows(
        [["x", "y"], *([cell, "end"] for cell in cells)]
    )
    snapshot = Snapshot(file.getvalue().encode(), encoding="utf-8")
    left_out = 0
    for sign, compare in OPERATORS.items():
        conditions = parse_conditions({"x": f"{sign}{text}"})
        table = Table.of(snapshot, ["x"], ";")
        accepted = [
            snapshot.lines.line_at(row.offset) - 2
            for row in table.iterate_rows(conditions, (), Task())
        ]
        expected = [
            index
            for index, value in enumerate(values)
            if compare(value, operand)
        ]
        left_out_here = sum(rows.count for rows in table.left_out)
        assert set(accepted) <= set(expected), (sign, text, cells)
        assert len(expected) - len(accepted) <= left_out_here, (text, cells)
        left_out += left_out_here
    return left_out


@pytest.mark.parametrize("form", NUMBER_FORMS, ids=str)
def test_numbers(form: tuple[str, str]) -> None:
    for seed in SEEDS:
        chance = random.Random(seed)
        # The second number shows the form of the column.
        numbers = [random_number(chance), Decimal("0.25")]
        numbers += [random_number(chance) for _ in range(8)]
        cells = [write_number(number, *form) for number in numbers]
        operand = chance.choice([random_number(chance), numbers[0]])
        for other_form in NUMBER_FORMS:
            text = write_number(operand, *other_form)
            number = operand
            if form[0] == "." and to_number(text) is not None:
                # In this column, 1.234 is no thousand.
                number = Decimal(text)
            try:
                left_out = require_no_wrong_row(numbers, cells, number, text)
            except FilewrightError:
                # An operand such as 1,234 is refused.
                assert other_form != (".", "")
                continue
            has_sign = form[0] in text
            if other_form == form and has_sign and "." not in form[1]:
                assert left_out == 0, (text, cells)


@pytest.mark.parametrize("form", DATE_FORMS)
def test_dates(form: str) -> None:
    for seed in SEEDS:
        chance = random.Random(seed)
        dates = [date(2025, 12, 24)]
        for _ in range(8):
            days = chance.randrange(900)
            dates.append(date(2024, 1, 1) + timedelta(days))
        cells = [day.strftime(form) for day in dates]
        operand = chance.choice(dates)
        for operand_form in ("%Y-%m-%d", "%d.%m.%Y"):
            text = operand.strftime(operand_form)
            assert require_no_wrong_row(dates, cells, operand, text) == 0
