"""Which names nothing is ever written to, in all the spellings a file system may take for them.

A case-insensitive or normalising file system opens `.git` for `.GIT`, `.g<zero-width joiner>it`,
`.git. ` or `git~1`. Git refuses all of them in a tree on every system; so does this.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from filewright import errors
from filewright.boundary.ignore import NOTHING, Matcher, problem_of

# What HFS+ ignores in a name.
_IGNORABLE = dict.fromkeys(
    [0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


_NAME_BYTES = 1024
"""No file system has a longer name: what a caller writes may be of any length, and is not remembered."""


def plain_form(name: bytes) -> str:
    """The name as the most forgiving file system would compare it: two equal ones may be one file."""
    return _plain_form(name) if len(name) <= _NAME_BYTES else _plain_form.__wrapped__(name)


@lru_cache(maxsize=4096)
def _plain_form(name: bytes) -> str:
    text = name.decode("utf-8", "surrogateescape")
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE)).casefold()
    # NTFS: a stream's name, then dots and spaces at the end are nothing.
    return text.split(":", 1)[0].rstrip(". ") or text


def folded(rules: bytes) -> bytes:
    """The text of rules for names in their plain form: what such a file system takes for the same, is."""
    text = rules.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE))
    return text.casefold().encode("utf-8", "surrogateescape")


_SHORT = {"git~1": ".git"}  # what Windows calls it besides

DEFAULT = (
    ".git",
    # By these, agents and editors are made to run something on the user's machine. Instructions to agents
    # and CI workflows are not among them: agents are asked to edit those every day.
    ".mcp.json",
    "**/.claude/settings*.json",
    "**/.claude/hooks/",
    "**/.claude/commands/",
    "**/.cursor/mcp.json",
    "**/.cursor/hooks*",
    "**/.vscode/tasks.json",
    "**/.vscode/settings.json",
    "**/.vscode/launch.json",
    "**/.vscode/mcp.json",
    ".codex/",
    "**/.gemini/settings.json",
    "**/.qwen/settings*.json",
    "**/opencode.json*",
    "**/.opencode/plugin*/",
    "**/.continue/mcpServers/",
    ".envrc",
    ".husky/",
)
"""What is never written to unless the user allows it."""


class Protection:
    """What is protected below a root, by rules as in `.gitignore`: `DEFAULT` without what is `allowed`, and
    `more`; and `paths` of our own, from the root, which nothing allows.

    Names are compared in their plain form. Raises `invalid_input` for a rule that can match nothing.
    """

    def __init__(
        self, more: Sequence[str] = (), allowed: Sequence[str] = (), paths: Sequence[str] = ()
    ) -> None:
        self._rules = _matcher((*DEFAULT, *more), "protected")
        self._allowed = _matcher(tuple(allowed), "allow_write")
        lasts = _last_parts((*DEFAULT, *more))
        self._last = re.compile(lasts, re.DOTALL)
        self._part = re.compile(rf"(?:\A|/)(?:{lasts})(?:/|\Z)", re.DOTALL)
        self._paths = [
            (tuple(plain_form(part) for part in os.fsencode(path).split(b"/")), path) for path in paths
        ]

    def rule_for(self, parts: Sequence[bytes]) -> str | None:
        """The rule by which the path below a root is protected, or what it lies in; None if there is none."""
        plain = tuple(_SHORT.get(form, form) for form in map(plain_form, parts))
        # Most paths have no part that could be the last one of a rule: one search finds that out.
        found = _first(self._rules, plain) if self._part.search("/".join(plain)) else None
        if found is not None and (not self._allowed or _first(self._allowed, plain) is None):
            return found
        return next((name for path, name in self._paths if plain[: len(path)] == path), None)

    def concerns(self, name: bytes) -> bool:
        """Whether a path that ends in `name` may be protected although its folder is not; quick."""
        form = plain_form(name)
        plain = _SHORT.get(form, form)
        return self._last.fullmatch(plain) is not None or any(
            path[-1:] == (plain,) for path, _ in self._paths
        )

    def covers_below(self, parts: Sequence[bytes]) -> str | None:
        """A protected path that lies below the folder `parts` and would go with it; None if there is none."""
        plain = tuple(plain_form(part) for part in parts)
        return next((name for path, name in self._paths if path[: len(plain)] == plain), None)


def checked(rules: Sequence[str], setting: str) -> bytes:
    """The rules of a setting as the text of an ignore file. Raises `invalid_input` for one that is none."""
    lines = [rule.encode("utf-8", "surrogateescape") for rule in rules]
    for rule, line in zip(rules, lines, strict=True):
        if not line or b"\n" in line or problem_of(line):
            raise errors.bad_setting(setting, f"has a rule that can match nothing: {rule!r}")
    return b"\n".join(lines)


@lru_cache(maxsize=16)
def _matcher(rules: tuple[str, ...], setting: str) -> Matcher:
    return NOTHING.with_files(0, folded(checked(rules, setting)), None)


def _last_parts(rules: Sequence[str]) -> str:
    """A pattern of every name that may be the last part of a path that one of the rules matches."""
    text = folded(checked(rules, "protected")).decode("utf-8", "surrogateescape")
    lasts = {rule.rstrip("/").rpartition("/")[2] for rule in text.split("\n")}
    plain = [
        ".*" if set(last) & set("\\[]! ") else re.escape(last).replace(r"\*", ".*").replace(r"\?", ".")
        for last in sorted(lasts)
    ]
    return "|".join(plain)


def _first(matcher: Matcher, plain: Sequence[str]) -> str | None:
    """The rule that matches a path, or what it lies in."""
    prefix = b""
    for part in plain:
        name = part.encode("utf-8", "surrogateescape")
        if matcher.suspects([name]):
            # What it is matters to no rule: what is written to `.codex` as a file is not wanted either.
            found = matcher.decides(prefix, name, True)
            if found is not None and not found.rule.negated:
                return str(found.rule).removeprefix("**/").removesuffix("/")
        prefix += name + b"/"
    return None
