"""Answers that are JSON and fit."""

from __future__ import annotations

import json

import pytest

from filewright import Workspace
from filewright.dialects.call import Call
from filewright.dialects.json_answers import (
    count_fitting,
    count_fitting_json,
    encode_json,
    fit_page,
)


def test_encodes_on_one_line_what_a_transport_can_carry():
    text = encode_json({"a": "é\n\ud800"})
    assert "é" in text
    assert "\n" not in text
    text.encode()
    json.loads(text)


@pytest.mark.parametrize(
    ("limit", "count"),
    [(0, 0), (2, 0), (3, 1), (7, 1), (8, 2), (100, 3)],
)
def test_counts_what_fits(limit, count):
    assert count_fitting([3, 5, 1], limit) == count


def test_counts_the_members_of_an_array_with_their_separators():
    items = ["aa", "bb", "cc"]
    assert count_fitting_json(items, len(json.dumps(items))) == 3
    assert count_fitting_json(items, 3 * 4) == 2


def test_a_page_is_halved_until_its_escapes_fit(tmp_path):
    (tmp_path / "root").mkdir()
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        sizes = []

        def build(call):
            size = call.settings.page_chars
            sizes.append(size)
            return {"content": "\0" * size}

        answer = fit_page(Call(workspace.context), 10_000, build)
    assert sizes == [10_000, 8_500, 5_000, 2_500, 1_250]
    assert len(encode_json(answer)) <= 10_000
