"""Kinds of matching lines on the page of a search, the rarest first."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace


def test_rarest_first(root: Path, workspace: Workspace) -> None:
    lines = [
        f"12:00:{n % 60:02} WARN retry {n} of job {n:08x}-00ff"
        for n in range(500)
    ]
    lines[321] = "12:00:59 WARN the pool is empty " + "z" * 500
    lines[400] = "12:00:59 \u00fcber WARN pool 7 is empty"
    (root / "a.log").write_bytes("\r\n".join(lines).encode())
    (root / "b.log").write_bytes(
        "\ufeffx WARN y\nWARN retry 5\n".encode("utf-16-le")
    )
    asked = {"pattern": "WARN", "output": "kinds"}
    text = workspace.call("search_content", {**asked, "path": "a.log"}).text
    rows = text.splitlines()
    assert [row.partition(" ")[0] for row in rows[:2]] == ["322:", "401:"]
    assert rows[2].startswith(
        "498 like 1: 12:00:00 WARN retry 0 of job 00000000-00ff"
    )
    assert rows[3] == "[3 kinds of 500 matching lines]"
    tree = workspace.call("search_content", asked).data
    assert [
        (kind["path"], kind["line"], kind["count"]) for kind in tree["kinds"]
    ] == [
        *(
            ("a.log", 322, 1),
            ("a.log", 401, 1),
            ("b.log", 1, 1),
            ("b.log", 2, 1),
        ),
        ("a.log", 1, 498),
    ]
    cut = workspace.call("search_content", {**asked, "max_results": 2}).text
    assert cut.splitlines()[1:] == [
        "498 like a.log:1: 12:00:00 WARN retry 0 of job 00000000-00ff",
        "[5 kinds of 502 matching lines, the rarest and the most frequent shown; "
        "3 more kinds; 2 files searched]",
    ]
    less = workspace.call("search_content", {**asked, "without": "retry"}).data
    assert [kind["count"] for kind in less["kinds"]] == [1, 1, 1]
    for name, start in (("two", "  "), ("four", "    "), ("tabs", "\t")):
        (root / f"{name}.json").write_text(f'{start}"version": "1"\r\n')
    named = {"pattern": "version", "glob": "*.json", "output": "kinds"}
    indented = workspace.call("search_content", named).data["kinds"]
    assert [(kind["count"], kind["text"]) for kind in indented] == [
        (1, '\t"version": "1"'),
        (2, '"version": "1"'),
    ]
    for wrong in [{"mode": "fuzzy"}, {"multiline": True}, {"invert": True}]:
        assert (
            workspace.call("search_content", {**asked, **wrong}).data["code"]
            == "invalid_input"
        )


def test_hexadecimal_names_are_one_kind(
    root: Path, workspace: Workspace
) -> None:
    rows = [f"ERROR session {n * 7919:05x} lost" for n in range(10, 500)]
    (root / "a.log").write_text("\n".join([*rows, "ERROR dead beef"]))
    text = workspace.call(
        "search_content", {"pattern": "ERROR", "output": "kinds"}
    ).text
    assert text.count("lost") < 4
    assert "491: ERROR dead beef" in text
