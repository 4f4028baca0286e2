"""Arguments of `search_content`."""

import pytest

from filewright import FilewrightError


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "none*.log", "pattern": "x"}, "not_found"),
        ({"path": "app.log"}, "invalid_input"),
        ({"path": "app.log", "since": "soon"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "level,"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "$1", "pattern": "x"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "0m"}, "invalid_input"),
        ({"path": "app.jsonl", "where": {}}, "invalid_input"),
        (
            {"path": "app.jsonl", "where": {"ms": {"gt": 1}}},
            "invalid_input",
        ),
    ],
    ids=str,
)
def test_refuses(logs, arguments, code):
    with pytest.raises(FilewrightError) as caught:
        logs.search(**arguments)
    assert caught.value.code == code
