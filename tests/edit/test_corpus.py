"""The score on corpora of edit requests; left out without a corpus.

``FILEWRIGHT_EDIT_CORPUS`` names a folder with ``*.jsonl`` or ``*.jsonl.zst`` files, whose lines are of three kinds:

* a request made by rule: ``class, file, search, replace, expect`` (``apply`` or ``refuse``), ``expected``, ``accept``,
  ``lossy``;
* a call of a model with all its edits: ``path, file, edits, expected`` (None if unknown);
* a call that failed elsewhere: ``kind`` is ``file`` (``key, input, expected``) or ``call`` (``key, variant, args,
  times``), of which ``args`` is what the model sent, a hunk of the envelope or a search and a replacement in JSON.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

FOLDER = os.environ.get("FILEWRIGHT_EDIT_CORPUS", "")


# Classes in which a word of the search text may be misspelled: it is another text then.
MISSPELLED = ("comment_typo", "near_decoy")


REFUSALS = {
    Code.NO_MATCH,
    Code.AMBIGUOUS_MATCH,
    Code.ALREADY_APPLIED,
    Code.NO_CHANGE,
    Code.STALE_VERSION,
    Code.OVERLAP,
}


def rows() -> Iterator[dict[str, Any]]:
    for path in sorted(Path(FOLDER).iterdir()):
        if path.suffix == ".zst":
            import zstandard

            reader = zstandard.ZstdDecompressor(
                max_window_size=1 << 28
            ).stream_reader(path.open("rb"))
            text = io.TextIOWrapper(reader, encoding="utf-8", newline="\n")
        elif path.suffix == ".jsonl":
            text = path.open(encoding="utf-8", newline="\n")
        else:
            continue
        with text:
            yield from (json.loads(line) for line in text if line.strip())


def cases() -> Iterator[dict[str, Any]]:
    """The requests made by rule."""
    return (row for row in rows() if "expect" in row)


def verdict(case: dict[str, Any]) -> str:
    data = case["file"].encode()
    try:
        planned = plan_edits(
            Snapshot(data), [TextEdit(case["search"], case["replace"])]
        )
    except FilewrightError as error:
        if error.code not in REFUSALS:
            raise
        return "correct" if case["expect"] == "refuse" else "missed"
    result = apply_splices(data, planned.splices).decode()
    if case["expect"] == "refuse":
        return "wrong"
    if result == case["expected"] or result in case["accept"]:
        return "correct"
    bare = [
        "".join(text.split())
        for text in (result, case["expected"], *case["lossy"].values())
    ]
    return "lossy" if bare[0] in bare[1:] else "wrong"


@pytest.mark.skipif(not FOLDER, reason="FILEWRIGHT_EDIT_CORPUS names no folder")
def test_score_on_corpus() -> None:
    by_class: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases():
        by_class[case["expect"], case["class"]][verdict(case)] += 1
    total = sum(by_class.values(), Counter[str]())
    assert total.total() > 0
    assert total["wrong"] <= 0.0005 * total.total()
    assert total["lossy"] <= 0.003 * total.total()
    applied = Counter[str]()
    for (expect, name), counts in by_class.items():
        assert expect != "refuse" or counts["correct"] == counts.total(), (
            name,
            counts,
        )
        if expect == "apply" and not name.startswith(("drift", *MISSPELLED)):
            assert counts["correct"] >= 0.95 * counts.total(), (name, counts)
            applied += counts
    assert applied["correct"] >= 0.993 * applied.total(), applied


@pytest.mark.skipif(not FOLDER, reason="FILEWRIGHT_EDIT_CORPUS names no folder")
def test_calls_of_models(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    counts: Counter[str] = Counter()
    others: list[str] = []
    folder = tmp_path_factory.mktemp("work")
    with Workspace(
        folder, state_dir=tmp_path_factory.mktemp("state")
    ) as workspace:
        calls = [row for row in rows() if "committed" in row]
        for number, row in enumerate(calls):
            path = folder / str(number) / Path(row["path"]).name
            path.parent.mkdir()
            path.write_bytes(row["file"].encode())
            try:
                workspace.edit(
                    path.relative_to(folder).as_posix(), row["edits"]
                )
            except FilewrightError:
                counts["refused" if row["expected"] is None else "missed"] += 1
                continue
            right = path.read_bytes().decode() == row["expected"]
            kind = (
                "right"
                if right
                else "unknown"
                if row["expected"] is None
                else "other"
            )
            counts[kind] += 1
            if kind == "other":
                others.append(row["id"])
    print(dict(counts))
    assert not others
    assert counts["missed"] == 0 or not calls


@pytest.mark.skipif(not FOLDER, reason="FILEWRIGHT_EDIT_CORPUS names no folder")
def test_calls_that_failed_elsewhere(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    counts: Counter[str] = Counter()
    elsewhere: list[str] = []
    files = {row["key"]: row for row in rows() if row.get("kind") == "file"}
    folder = tmp_path_factory.mktemp("work")
    with Workspace(
        folder, state_dir=tmp_path_factory.mktemp("state")
    ) as workspace:
        for number, row in enumerate(
            row for row in rows() if row.get("kind") == "call"
        ):
            file, name = files[row["key"]], row["key"].rpartition("/")[2]
            path = folder / str(number) / name
            path.parent.mkdir()
            path.write_bytes(file["input"].encode())
            asked = _asked(row, name)
            if asked is None:
                counts["no edit"] += row["times"]
                continue
            try:
                if isinstance(asked, str):
                    workspace.apply_patch(asked, root=str(number))
                else:
                    workspace.edit(f"{number}/{name}", [asked])
            except FilewrightError:
                assert path.read_bytes() == file["input"].encode()
                counts["refused"] += row["times"]
                continue
            result = path.read_bytes().decode()
            counts["landed"] += row["times"]
            counts["as wanted"] += (
                row["times"] if result == file["expected"] else 0
            )
            if result != file["expected"] and not _is_asked(
                file["input"], result, asked
            ):
                counts["elsewhere"] += row["times"]
                elsewhere.append(f"{row['key']}: {row['args']}")
    print(dict(counts))
    assert not elsewhere, elsewhere[:3]


def _asked(row: dict[str, Any], name: str) -> str | dict[str, Any] | None:
    """What a failed call asks for, as a patch or as an edit; None if it holds no edit."""
    sent = row["args"]
    try:
        parsed = json.loads(sent)
    except ValueError:
        parsed = None
    if row["variant"] == "replace":
        if (
            not isinstance(parsed, dict)
            or not parsed.get("old_text")
            or parsed["old_text"] == parsed["new_text"]
        ):
            return None
        edit = {"search": parsed["old_text"], "replace": parsed["new_text"]}
        return edit | ({"replace_all": True} if parsed.get("all") else {})
    if isinstance(parsed, dict):
        sent = (
            parsed.get("diff") or (parsed.get("update") or {}).get("diff") or ""
        )
    if not any(
        line[:1] in ("+", "-") and line[1:].strip()
        for line in sent.splitlines()
    ):
        return None
    return f"*** Begin Patch\n*** Update File: {name}\n{sent.rstrip(chr(10))}\n*** End Patch\n"


def _is_asked(before: str, after: str, asked: str | dict[str, Any]) -> bool:
    """Whether no line came or went that the call does not name, but for its blanks."""
    if isinstance(asked, str):
        gone = {
            "".join(line[1:].split())
            for line in asked.splitlines()
            if line.startswith("-")
        }
        come = {
            "".join(line[1:].split())
            for line in asked.splitlines()
            if line.startswith("+")
        }
    else:
        search, replace = asked["search"], asked["replace"]
        if before.count(search) and after in (
            before.replace(search, replace),
            before.replace(search, replace, 1),
        ):
            return True
        gone, come = (
            {"".join(line.split()) for line in text.splitlines()}
            for text in (search, replace)
        )
    lines = [
        Counter("".join(line.split()) for line in text.splitlines())
        for text in (before, after)
    ]
    return set(lines[0] - lines[1]) <= gone | {""} and set(
        lines[1] - lines[0]
    ) <= come | {""}
