"""The lines of a patch with their kinds, and the text around a patch."""

from __future__ import annotations

import pytest

from filewright.edit.patch.scan import PatchLineKind, remove_margin, scan_patch
from filewright.errors import FilewrightError

UNIFIED = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
ENVELOPE = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"


def kinds(text: str) -> list[str]:
    """Return the names of the kinds, from the first line to parse on."""
    patch = scan_patch(text)
    assert len(patch.kinds) == len(patch.lines) == len(patch.signs)
    assert patch.kinds[-1] is PatchLineKind.END_OF_TEXT
    return [kind.name for kind in patch.kinds[patch.start : -1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNIFIED, ["HEADER", "ADDED", "HUNK", "REMOVED", "ADDED"]),
        ("diff --git a/x b/x\n", ["FILE"]),
        ("--- x\n+++ y\n", ["HEADER_WITHOUT_HUNK", "ADDED"]),
        (
            "@@ -1 +1 @@\n a\n\n\\ No newline\nx\n",
            ["HUNK", "CONTEXT", "BLANK", "NO_NEWLINE", "OTHER"],
        ),
        ("@@ -1 +1 @@\n-a\n-- \n2.40\n\n", ["HUNK", "REMOVED", "SIGNATURE", "OTHER", "BLANK"]),
        ("@@ -1 +1 @@\n--\n-a\n-b\n-c\n", ["HUNK", *["REMOVED"] * 4]),
        (ENVELOPE, ["FILE", "HUNK", "REMOVED", "ADDED", "END_OF_PATCH"]),
        (
            "*** Add File: x\n+a\n*** End of File\n",
            ["FILE", "ADDED", "END_OF_FILE"],
        ),
        ("*** Begin Patch\n" + UNIFIED, ["HEADER", "ADDED", "HUNK", "REMOVED", "ADDED"]),
    ],
    ids=[
        "unified", "git", "names alone", "body", "signature", "removed dashes",
        "envelope", "without its marks", "unified between marks",
    ],
)  # fmt: skip
def test_kinds(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "around",
    ["{}", "Here it is:\n\n{}", "```diff\n{}```\n", "  \n{}", "```\n{}  ```"],
)
def test_text_around_envelope(around: str) -> None:
    assert kinds(around.format(ENVELOPE))[:5] == kinds(ENVELOPE)


def test_line_ends() -> None:
    returns = scan_patch(UNIFIED.replace("\n", "\r\n"))
    assert returns.is_crlf
    assert returns.lines == scan_patch(UNIFIED).lines
    mixed = scan_patch(UNIFIED.replace("-a\n", "-a\r\n"))
    assert not mixed.is_crlf
    assert "-a\r" in mixed.lines
    assert not scan_patch(UNIFIED.rstrip()).ends_with_newline


def test_refuses_lost_beginning() -> None:
    with pytest.raises(FilewrightError, match="does not begin with") as caught:
        scan_patch("+a\n*** Update File: x\n@@\n-a\n+b\n")
    assert caught.value.details["patch_line"] == 1


def test_error_quotes_line() -> None:
    patch = scan_patch(UNIFIED)
    error = patch.error(3, "why", "hint")
    assert error.details == {"patch_line": 4, "text": "-a"}
    # Behind the text, the last line is named.
    assert patch.error(5, "why", "hint").details["patch_line"] == 5
    assert patch.skip(3, (PatchLineKind.REMOVED,)) == 4


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("  *** Begin Patch\n  x\n\n", "*** Begin Patch\nx\n\n"),
        ("\t*** Begin Patch\n\t x\n", "*** Begin Patch\n x\n"),
        ("  *** Begin Patch\nx\n", "  *** Begin Patch\nx\n"),
        ("  x\n", "  x\n"),
    ],
)
def test_removes_margin(text: str, removed: str) -> None:
    assert remove_margin(text) == removed
