"""The diffs of a repository's history, whole and damaged.

What is right is the file that git has after the change. A damaged diff may be
refused; damages are those that models make of diffs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.case import Case, Patch
from bench.generator.edits import SUFFIXES, git
from bench.parts.damaged import repository_of
from bench.parts.part import Options, from_cases, plain_file

_HEAD = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*$", re.M)
_MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file of a history."""

    name: str
    before: str
    after: str
    hunks: str


def read_changes(repository: Path, limit: int) -> list[Change]:
    """Return changes of text files with LF, the newest first."""
    found: list[Change] = []
    options = ("--no-merges", "--max-count=2000")
    for commit in git(repository, "rev-list", *options, "HEAD").split():
        words = ("diff-tree", "-r", "-z", "--no-commit-id", "--diff-filter=M")
        fields = git(repository, *words, commit.decode()).split(b"\0")
        for entry, path in zip(fields[::2], fields[1::2], strict=False):
            name = path.decode("utf-8", "replace")
            old, new = (blob.decode() for blob in entry.split()[2:4])
            if name.endswith(SUFFIXES):
                change = read_change(repository, name, old, new)
                if change is not None:
                    found.append(change)
            if len(found) == limit:
                return found
    return found


def read_change(
    repository: Path, name: str, old: str, new: str
) -> Change | None:
    """Return the change between two blobs, if they are ordinary text."""
    blobs = [git(repository, "cat-file", "blob", blob) for blob in (old, new)]
    for content in blobs:
        is_plain = b"\r" not in content and b"\0" not in content
        if not is_plain or len(content) > _MOST_BYTES:
            return None
    try:
        before, after = (content.decode() for content in blobs)
    except UnicodeDecodeError:
        return None
    diff = git(repository, "diff", "--no-ext-diff", "--no-color", old, new)
    text = diff.decode()
    first = _HEAD.search(text)
    if first is None:
        return None
    return Change(Path(name).name, before, after, text[first.start() :])


def shift_numbers(hunks: str, chance: random.Random) -> str:
    """Return hunks whose line numbers are off by some lines."""
    shift = chance.choice((-7, -2, 3, 11))

    def replace(match: re.Match[str]) -> str:
        old, new = (max(1, int(match[group]) + shift) for group in (1, 3))
        counts = [
            f",{match[group]}" if match[group] else "" for group in (2, 4)
        ]
        return f"@@ -{old}{counts[0]} +{new}{counts[1]} @@"

    return _HEAD.sub(replace, hunks)


def miscount(hunks: str, chance: random.Random) -> str:
    """Return hunks whose heads count one line too many or too few."""
    by = chance.choice((-1, 1))

    def replace(match: re.Match[str]) -> str:
        old, new = (int(match[group] or 1) + by for group in (2, 4))
        return f"@@ -{match[1]},{max(0, old)} +{match[3]},{max(0, new)} @@"

    return _HEAD.sub(replace, hunks)


def strip_blank_lines(hunks: str, _: random.Random) -> str:
    """Return hunks whose empty lines of context have lost their blank."""
    return re.sub(r"^ $", "", hunks, flags=re.M)


def strip_line_ends(hunks: str, _: random.Random) -> str:
    """Return hunks without the blanks at the ends of lines of context."""
    return re.sub(r"^( .*?\S)[ \t]+$", r"\1", hunks, flags=re.M)


def remove_numbers(hunks: str, _: random.Random) -> str:
    """Return hunks whose heads have no numbers."""
    return _HEAD.sub("@@", hunks)


def expand_tabs(hunks: str, _: random.Random) -> str:
    """Return hunks with four blanks for each tab."""
    return hunks.replace("\t", "    ")


Damage = Callable[[str, random.Random], str]

DAMAGES: dict[str, Damage] = {
    "wrong line numbers": shift_numbers,
    "wrong counts": miscount,
    "no line numbers": remove_numbers,
    "bare empty lines": strip_blank_lines,
    "no blanks at line ends": strip_line_ends,
    "tabs as blanks": expand_tabs,
}


def make_cases(options: Options) -> list[Case]:
    """Return each diff as it is, and damaged in each way that changes it."""
    limit = 8 if options.is_quick else max(1, options.cases // 4)
    cases = []
    for index, change in enumerate(read_changes(repository_of(options), limit)):
        variants = {"as git made it": change.hunks}
        for name, damage in DAMAGES.items():
            chance = random.Random(f"{options.seed} {index} {name}")
            variants[name] = damage(change.hunks, chance)
        for place, (name, hunks) in enumerate(variants.items()):
            if place and hunks == change.hunks:
                continue
            case = Case(
                index * 10 + place,
                name,
                plain_file(change.name, change.before),
                Patch(hunks),
                (change.after.encode(),),
                may_refuse=place > 0,
            )
            cases.append(case)
    return cases


PART = from_cases(
    "patches",
    "The diffs of a repository's history, whole and damaged",
    make_cases,
    (Patch,),
)
