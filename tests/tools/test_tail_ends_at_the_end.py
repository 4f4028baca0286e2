"""A tail that does not fit into one answer loses its beginning, never its end."""

import pytest


@pytest.mark.parametrize("length", [20, 110, 900])
@pytest.mark.parametrize("terminated", [True, False])
def test_the_last_line_is_always_shown_and_the_way_to_the_rest_is_named(root, workspace, length, terminated):
    lines = [f"{number:05} {'x' * (length - 6)}" for number in range(1, 5001)]
    (root / "app.log").write_text("\n".join(lines) + ("\n" if terminated else ""))
    read = workspace.read("app.log", mode="tail", limit=1000)
    assert read.content.split("\n")[-1] == lines[-1]
    shown = read.content.split("\n")
    assert lines[-len(shown) :] == shown
    assert read.start_line == 5000 - len(shown) + 1
    if len(shown) < 1000:
        assert read.truncated
        assert f"start=4001, limit={1000 - len(shown)}" in read.text
        rest = workspace.read("app.log", start=4001, limit=1000 - len(shown))
        assert rest.content.split("\n")[0] == lines[4000]


def test_lines_of_any_length_end_at_the_end(root, workspace):
    lines = [f"{number} " + "x" * (number * 37 % 900) for number in range(1, 3001)]
    (root / "app.log").write_text("\n".join(lines) + "\n")
    for limit in (1, 10, 100, 1000):
        shown = workspace.read("app.log", mode="tail", limit=limit).content.split("\n")
        assert lines[-len(shown) :] == shown
