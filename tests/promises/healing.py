"""Random files, meant edits and damage: is the file that the guard rebuilds the one that was meant?

    python -m tests.promises.healing --cases 50000 [--seed N]

A case is a file in one of many encodings, an edit of some of its lines, and what a careless
tool does to the rest while it writes the file. The rebuilt file must be the edit applied to
the original, byte for byte, or the guard must have said why not. Anything else is wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from filewright.boundary.location import Location
from filewright.progress import Task
from filewright.recording.damage import Healing
from filewright.recording.expectation import expect
from filewright.recording.literal import heal_plain_edit
from filewright.recording.rebuild import rebuild
from filewright.recording.tool_arguments import (
    PatchText,
    RequestedReplacement,
    ToolEdit,
    WholeText,
)
from filewright.text.snapshot import Snapshot
from filewright.workspace import Workspace

WORDS = {
    "latin": [
        "port",
        "host",
        "name",
        "=",
        "value",
        "café",
        "naïve",
        "Straße",
        "señor",
        "über",
        "“quoted”",
        "x",
        "y",
        "80",
        "#",
        "note",
    ],
    "plain": [
        "port",
        "host",
        "name",
        "=",
        "value",
        "list",
        "of",
        "items",
        "if",
        "else",
        "return",
        "x",
        "y",
        "80",
        "#",
        "note",
    ],
    "japanese": [
        "ポート",
        "番号",
        "=",
        "80",
        "設定",
        "名前",
        "port",
        "name",
        "表示",
        "ソース",
        "#",
        "説明",
        "日本語",
    ],
}
ENCODINGS = {
    "utf-8": ("utf-8", b"", "latin"),
    "utf-8 with a mark": ("utf-8", b"\xef\xbb\xbf", "latin"),
    "utf-8 japanese": ("utf-8", b"", "japanese"),
    "utf-8 with broken parts": ("utf-8", b"", "latin"),
    "ascii": ("ascii", b"", "plain"),
    "cp1252": ("cp1252", b"", "latin"),
    "shift_jis": ("cp932", b"", "japanese"),
    "utf-16-le": ("utf-16-le", b"\xff\xfe", "latin"),
    "utf-16-be": ("utf-16-be", b"\xfe\xff", "japanese"),
}
ENDINGS = {
    "LF": ["\n"],
    "CRLF": ["\r\n"],
    "mixed": ["\n", "\r\n"],
    "lone CR": ["\n", "\n", "\n", "\r"],
}


@dataclass(frozen=True)
class Case:
    """An original file, the same with its edit, what the tool made, and what it was told."""

    name: str
    original: bytes
    meant: bytes
    damaged: bytes
    request: ToolEdit | None
    how: str
    damage: tuple[str, ...]
    touched: set[int]
    ends: set[bytes]


Line = tuple[bytes, bytes]


def random_case(rng: random.Random) -> Case | None:
    """Return a case; None where the drawn one has no edit that can be told."""
    kind = rng.choice([*ENCODINGS])
    codec, bom, words = ENCODINGS[kind]
    endings = ENDINGS[rng.choice([*ENDINGS])]
    lines: list[Line] = []
    for _ in range(rng.randrange(3, 30)):
        text = rng.choice(["", "", "\t", "    ", "\t\t", "  \t"])
        text += " ".join(rng.choices(WORDS[words], k=rng.randrange(0, 7)))
        text += rng.choice(["", "", "", " ", "\t", "  "])
        if rng.random() < 0.1:
            text = unicodedata.normalize("NFD", text)
        body = text.encode(codec, "replace")
        if kind == "utf-8 with broken parts" and rng.random() < 0.3:
            at = rng.randrange(len(body) + 1)
            body = (
                body[:at]
                + rng.choice([b"\xff", b"\xe9", b"\xc3", b"\xf0\x9f"])
                + body[at:]
            )
        lines.append((body, rng.choice(endings).encode(codec)))
    if rng.random() < 0.3:
        lines[-1] = (lines[-1][0], b"")
        if not lines[-1][0]:
            lines.pop()
    if joins_lines(lines, codec):
        return None
    original = bom + b"".join(body + end for body, end in lines)
    if words != "plain" and not says_encoding(original, codec):
        return None
    how = rng.choice(
        ["string", "string", "strings", "everywhere", "whole", "patch"]
    )
    if how == "strings":
        edited = several_edits(rng, lines, codec, words)
    elif how == "everywhere":
        edited = edit_everywhere(rng, lines, codec)
    else:
        edited = random_edit(rng, lines, codec, words)
    if edited is None:
        return None
    meant_lines, touched, request = edited
    meant = bom + b"".join(body + end for body, end in meant_lines)
    told = rng.random() < 0.7
    if how == "whole" and told:
        return whole_case(rng, kind, original, meant_lines, lines)
    # A word of ASCII that is replaced leaves the rest of its line as it was read.
    originals = meant_lines if how == "everywhere" else lines
    damage = random_damage(
        rng, bom, meant_lines, touched, codec, originals, told=told
    )
    if damage is None:
        return None
    damaged, names = damage
    if told and how != "everywhere" and names[-1:] == ("replaced-bytes",):
        # The model saw the file as the tool read it.
        request = read_leniently(request, lines, codec)
    told_edit: ToolEdit | None = request if told else None
    if told and how == "patch":
        told_edit = as_patch(request)
        if told_edit is None:
            return None
    return Case(
        kind,
        original,
        meant,
        damaged,
        told_edit,
        how if told else "not told",
        names,
        touched,
        {end for _, end in lines if end},
    )


def whole_case(
    rng: random.Random,
    kind: str,
    original: bytes,
    meant_lines: list[Line],
    lines: list[Line],
) -> Case | None:
    """Return a case of a tool that was told the whole text, and wrote it as it does."""
    codec, bom, _ = ENCODINGS[kind]
    ends = {end for _, end in lines if end}
    if len(ends) != 1:
        return None  # Which ends the new lines have would be a guess.
    body = b"".join(body + end for body, end in meant_lines)
    text = as_read(body, codec)
    if "\ufffd" in text:
        return None  # What cannot be shown cannot be written.
    written, names = text, []
    if rng.random() < 0.5:
        written, names = text.replace("\n", "\r\n"), ["line-endings"]
    damaged = written.encode("utf-8")
    if codec not in ("utf-8", "ascii"):
        names.append("encoding")
    elif bom and rng.random() < 0.5:
        damaged = bom + damaged
    return Case(
        kind,
        original,
        bom + body,
        damaged,
        WholeText(text),
        "whole",
        tuple(names),
        set(),
        ends,
    )


def several_edits(
    rng: random.Random, lines: list[Line], codec: str, words: str
) -> tuple[list[Line], set[int], tuple[RequestedReplacement, ...]] | None:
    """Return the lines after an edit of two of them, by two strings."""
    if len(lines) < 5:
        return None
    half = len(lines) // 2
    changed: list[Line] = []
    touched: set[int] = set()
    request: tuple[RequestedReplacement, ...] = ()
    for part in (lines[:half], lines[half:]):
        edited = random_edit(rng, part, codec, words)
        if edited is None:
            return None
        new, part_touched, part_request = edited
        # Each of them is to be there once, before and after the other.
        whole = as_read(b"".join(body + end for body, end in lines), codec)
        search, replacement = (
            part_request[0].search,
            part_request[0].replacement,
        )
        if whole.count(search) != 1 or any(
            search in other.replacement or other.search in replacement
            for other in request
        ):
            return None
        touched |= {number + len(changed) for number in part_touched}
        changed += new
        request += part_request
    if joins_lines(changed, codec) or any(not end for _, end in changed[:-1]):
        return None
    return changed, touched, request


def edit_everywhere(
    rng: random.Random, lines: list[Line], codec: str
) -> tuple[list[Line], set[int], tuple[RequestedReplacement, ...]] | None:
    """Return the lines with a word replaced wherever it is."""
    old, new = (
        rng.choice(["port", "name", "80", "="]),
        rng.choice(["", "gate", "==", "9"]),
    )
    changed: list[Line] = []
    touched: set[int] = set()
    for number, (body, end) in enumerate(lines):
        text = body.decode(codec, "surrogateescape")
        if old in text:
            touched.add(number)
            body = text.replace(old, new).encode(codec, "surrogateescape")
        changed.append((body, end))
    if not touched or (not changed[-1][0] and not changed[-1][1]):
        return None
    if joins_lines(changed, codec):
        return None
    return (
        changed,
        touched,
        (RequestedReplacement(old, new, is_everywhere=True),),
    )


def as_patch(request: tuple[RequestedReplacement, ...]) -> PatchText | None:
    """Return a request as a patch of its lines; None if it cannot be one."""
    hunks = []
    for replacement in request:
        if replacement.search.endswith(
            "\n"
        ) != replacement.replacement.endswith("\n"):
            return None
        old = replacement.search.removesuffix("\n").split("\n")
        new = replacement.replacement.removesuffix("\n").split("\n")
        hunks += [
            "@@",
            *(f"-{line}" for line in old),
            *(f"+{line}" for line in new),
        ]
    text = "\n".join(
        ["*** Begin Patch", "*** Update File: file", *hunks, "*** End Patch"]
    )
    return PatchText(text + "\n", "file")


def read_leniently(
    request: tuple[RequestedReplacement, ...], lines: list[Line], codec: str
) -> tuple[RequestedReplacement, ...]:
    """Return a request in the words of a model that saw U+FFFD in the original lines."""
    seen: dict[str, str] = {}
    for body, _ in lines:
        seen[as_read(body, codec)] = body.decode("utf-8", "replace")
    result = []
    for replacement in request:
        texts = []
        for text in (replacement.search, replacement.replacement):
            texts.append(
                "\n".join(lenient_line(line, seen) for line in text.split("\n"))
            )
        result.append(RequestedReplacement(*texts))
    return tuple(result)


def lenient_line(line: str, seen: dict[str, str]) -> str:
    """Return a line with the original line that it begins with as the model saw it."""
    start = max(
        (text for text in seen if line.startswith(text)), key=len, default=""
    )
    return seen.get(start, "") + line[len(start) :]


def says_encoding(content: bytes, codec: str) -> bool:
    """Return True if a file has characters that only its encoding has."""
    if codec == "utf-8":
        return not content.decode("utf-8", "ignore").isascii()
    return not content.isascii()


def as_read(content: bytes, codec: str) -> str:
    """Return what a tool that reads the file well shows of it, with plain line ends."""
    return re.sub("\r\n?", "\n", content.decode(codec, "replace"))


def random_edit(
    rng: random.Random, lines: list[Line], codec: str, words: str
) -> tuple[list[Line], set[int], tuple[RequestedReplacement, ...]] | None:
    """Return the lines after a random edit, those that it touched, and what it says."""
    first = rng.randrange(len(lines))
    last = min(len(lines), first + rng.randrange(1, 4))
    old = lines[first:last]
    if any(
        b"\xef\xbf\xbd" in body.decode(codec, "replace").encode("utf-8")
        for body, _ in old
    ):
        return None  # What cannot be shown cannot be named.
    search = "\n".join(as_read(body, codec) for body, _ in old)
    whole = as_read(b"".join(body + end for body, end in lines), codec)
    padded = f"\n{whole}\n"
    if (
        not search.strip()
        or padded.count(search) != 1
        or f"\n{search}\n" not in padded
    ):
        return None
    new: list[Line] = []
    how = rng.choice(["replace", "insert", "delete", "word"])
    if how == "replace" and len({end for _, end in lines}) > 1:
        how = "word"  # Which of several line ends new lines have is for the engine to say.
    if how == "delete" and (len(old) < 2 or not old[-1][1]):
        return None
    if how == "word":
        new = [*old]
        body, end = new[0]
        text = body.decode(codec)
        new[0] = (
            (text + " changed" + rng.choice(WORDS[words])).encode(
                codec, "replace"
            ),
            end,
        )
    elif how == "delete":
        new = old[1:]
    else:
        new = [*old] if how == "insert" else []
        for _ in range(rng.randrange(1, 3)):
            text = "new " + " ".join(rng.choices(WORDS[words], k=3))
            position = rng.randrange(len(new) + 1) if new else 0
            new.insert(position, (text.encode(codec, "replace"), b""))
    # A new line ends as the line above it does, the last as the last one did.
    result: list[Line] = []
    above = lines[first - 1][1] if first else old[0][1]
    for index, (body, end) in enumerate(new):
        if index == len(new) - 1 and how != "delete":
            end = old[-1][1]
        elif not end:
            end = above or b"\n"
        above = end or above
        result.append((body, end))
    replacement = "\n".join(as_read(body, codec) for body, _ in result)
    if how == "delete":
        search, replacement = search + "\n", replacement + "\n"
    if search == replacement:
        return None
    touched = set(range(first, first + len(result)))
    changed = [*lines[:first], *result, *lines[last:]]
    if joins_lines(changed, codec):
        return None
    return (
        changed,
        touched,
        (RequestedReplacement(search, replacement),),
    )


def joins_lines(lines: list[Line], codec: str) -> bool:
    """Return True if a lone CR comes before an empty line, which makes a CRLF of both."""
    empty, lone = (b"", "\n".encode(codec)), "\r".encode(codec)
    return any(
        line[1] == lone and following == empty
        for line, following in pairwise(lines)
    )


Damager = Callable[[random.Random, list[Line], set[int], str], list[Line]]


def _untouched(change: Callable[[str], str]) -> Damager:
    def apply(
        rng: random.Random, lines: list[Line], touched: set[int], codec: str
    ) -> list[Line]:
        result = []
        for number, (body, end) in enumerate(lines):
            if number not in touched:
                body = change(body.decode(codec, "surrogateescape")).encode(
                    codec, "surrogateescape"
                )
            result.append((body, end))
        return result

    return apply


def _unify(
    rng: random.Random, lines: list[Line], touched: set[int], codec: str
) -> list[Line]:
    ending = rng.choice(["\n", "\r\n"]).encode(codec)
    return [(body, ending if end else b"") for body, end in lines]


def _final_newline(
    rng: random.Random, lines: list[Line], touched: set[int], codec: str
) -> list[Line]:
    body, end = lines[-1]
    if not body or len(lines) - 1 in touched:
        return lines
    return [*lines[:-1], (body, b"" if end else "\n".encode(codec))]


def _truncate(
    rng: random.Random, lines: list[Line], touched: set[int], codec: str
) -> list[Line]:
    first = max(touched, default=0) + 1
    if first + 1 >= len(lines):
        return lines
    return lines[: rng.randrange(first + 1, len(lines))]


HARD: dict[str, Damager] = {"line-endings": _unify}
SOFT: dict[str, Damager] = {
    "trailing-whitespace": _untouched(lambda text: text.rstrip(" \t")),
    "indentation": _untouched(lambda text: text.replace("\t", "    ")),
    "final-newline": _final_newline,
    "truncated": _truncate,
}
UNICODE: dict[str, Damager] = {
    "normalisation": _untouched(
        lambda text: unicodedata.normalize("NFC", text)
    ),
    "quotes": _untouched(lambda text: text.replace("“", '"').replace("”", '"')),
}


def longest_start(body: bytes, originals: list[Line]) -> bytes:
    """Return the longest original line that a line begins with."""
    starts = [
        original for original, _ in originals if body.startswith(original)
    ]
    return max(starts, key=len, default=b"")


def random_damage(
    rng: random.Random,
    bom: bytes,
    lines: list[Line],
    touched: set[int],
    codec: str,
    originals: list[Line],
    *,
    told: bool,
) -> tuple[bytes, tuple[str, ...]] | None:
    """Return a file that a careless tool makes of these lines, and what it damages.

    What the tool read of the `originals` it has as it decoded them; new text is whole.
    """
    kinds = {**HARD, **(SOFT if told else {})}
    if told and (codec.startswith("utf") or codec == "cp932"):
        kinds |= UNICODE
    names = rng.sample(
        [*kinds], k=min(len(kinds), rng.choice([0, 1, 1, 2, 3, 4]))
    )
    if "truncated" in names:
        names = ["truncated"]
    for name in names:
        lines = kinds[name](rng, lines, touched, codec)
    if joins_lines(lines, codec):
        return None
    content = b"".join(body + end for body, end in lines)
    how = rng.choice(["keep", "lossy", "transcode", "drop mark", "guess"])
    if how == "guess" and codec == "cp932" and told:
        # A tool that took it for another encoding: the byte 90 becomes 9D.
        written = []
        for number, (body, end) in enumerate(lines):
            known = body
            if number in touched:
                known = longest_start(body, originals)
            damaged = known.replace(b"\x90", b"\x9d")
            written.append(damaged + body[len(known) :] + end)
        return b"".join(written), (*names, "guess")
    if how == "lossy" and not codec.startswith("utf-16"):
        read = []
        for number, (body, end) in enumerate(lines):
            known = (
                body
                if number not in touched
                else longest_start(body, originals)
            )
            text = known.decode("utf-8", "replace") + body[len(known) :].decode(
                codec, "replace"
            )
            read.append(text.encode() + end)
        return bom + b"".join(read), (*names, "replaced-bytes")
    if how == "transcode" and codec != "utf-8":
        return content.decode(codec).encode(), (*names, "encoding")
    if how == "drop mark" and bom and codec == "utf-8":
        return content, (*names, "byte-order-mark")
    return bom + content, tuple(names)


def same_but_new_ends(case: Case, result: bytes) -> bool:
    """Return True if a file with several line ends differs in those of its new lines alone.

    A new line may end as the line above it or as the one below it.
    """
    if len(case.ends) == 1:
        return False
    codec = ENCODINGS[case.name][0]
    texts = [case.meant, result]
    if codec.startswith("utf-16"):
        texts = [text.decode(codec, "replace").encode() for text in texts]
    meant, actual = (text.splitlines(keepends=True) for text in texts)
    if len(meant) != len(actual):
        return False
    for number, (line, other) in enumerate(zip(meant, actual, strict=True)):
        if number in case.touched:
            line, other = line.rstrip(b"\r\n"), other.rstrip(b"\r\n")
        if line != other:
            return False
    return True


SOFT_KINDS = {*SOFT, *UNICODE}


def judge(case: Case) -> tuple[str, Healing]:
    """Return what the guard makes of a case: right, refused or wrong."""
    healing = heal_plain_edit(case.original, case.damaged, case.request)
    snapshot = Snapshot(case.original, location=location())
    if healing is None:
        healing = rebuild(snapshot, case.damaged, case.request, Task())
    result = case.damaged if healing.content is None else healing.content
    if result == case.meant or same_but_new_ends(case, result):
        return "right", healing
    if healing.content is None and healing.doubt:
        return "refused", healing
    is_known = case.request is not None and not snapshot.binary_type
    if is_known and expect(snapshot, case.request, Task()) is None:
        doubt = "the edit cannot be made again"
        return "refused", replace(healing, doubt=doubt)
    return "wrong", healing


@cache
def location() -> Location:
    """Return the location of a file of the name that patches have."""
    root = Workspace(tempfile.mkdtemp()).roots[0]
    return Location(root, (b"file",))


def show(title: str, meant: bytes, content: bytes) -> None:
    """Print the lines in which a file differs from the one that was meant."""
    print(f"  {title}:")
    left, right = (
        meant.splitlines(keepends=True),
        content.splitlines(keepends=True),
    )
    for tag, start, end, new_start, new_end in SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            print("    meant", left[start:end], "is", right[new_start:new_end])


def main() -> int:
    """Run random cases and count the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    options = parser.parse_args()
    results: Counter[str] = Counter()
    by_kind: Counter[tuple[str, str]] = Counter()
    by_edit: Counter[tuple[str, str]] = Counter()
    doubts: Counter[str] = Counter()
    number = 0
    while sum(results.values()) < options.cases:
        number += 1
        case = random_case(random.Random(f"{options.seed}/{number}"))
        if case is None:
            continue
        result, healing = judge(case)
        results[result] += 1
        by_kind[case.name, result] += 1
        by_edit[case.how, result] += 1
        if result == "refused":
            doubts[re.sub(r"'.*?'", "a character", healing.doubt)] += 1
        if result == "wrong" and results["wrong"] <= options.show:
            print(number, case.name, case.damage, case.how)
            print("  ", case.request)
            show("damaged", case.meant, case.damaged)
            show("healed", case.meant, healing.content or case.damaged)
            print("  ", healing.damage, healing.doubt)
    print(dict(results))
    for (name, result), count in sorted(by_kind.items()):
        print(f"  {name}: {result} {count}")
    for (how, result), count in sorted(by_edit.items()):
        print(f"  by edit: {how}: {result} {count}")
    for doubt, count in doubts.most_common():
        print(f"  refused: {doubt}: {count}")
    return 1 if results["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
