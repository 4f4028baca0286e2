"""The lines above the hunks of a unified diff: git's lines, and the names of a file.

Names are bytes, as a file system has them. A header may quote them like C strings, with
a prefix such as ``a/`` before them and a time behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.boundary.names import unquote

NO_FILE = b"/dev/null"

# Prefixes that git writes before names: a/ and b/, or, with diff.mnemonicPrefix, those
# of the commit, the index, the working tree and an object; 1/ and 2/ outside of git.
_PREFIX_LETTERS = "[abciwo12]"
_PREFIX = re.compile(rf"{_PREFIX_LETTERS}/(?=.)".encode(), re.DOTALL)

# Models put the prefix before the quotes of a quoted name.
_QUOTED = rf'(?:{_PREFIX_LETTERS}/)?"(?:[^"\\]|\\.)*"'
_QUOTED_NAME = re.compile(_QUOTED)

# A name, then a time as GNU diff writes it or anything behind a tab. A name longer than
# any path is not searched for a time, so that this stays linear.
_NAME_AND_TIME = re.compile(
    rf"({_QUOTED}|[^\t]{{0,5000}}?)"
    r"(\t.*| {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]{0,99}|)\Z"
)
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TWO_PREFIXES = re.compile(
    rf'"?({_PREFIX_LETTERS})/.+ "?(?!\1){_PREFIX_LETTERS}/'
)

# The blob of an empty file has this name in every repository.
_EMPTY_BLOB = "e69de29"
_GIT_LINE = re.compile(
    r"diff --git (?P<names>.*)"
    r"|(?P<state>old|new|new file|deleted file) mode (?P<mode>[0-7]{6})"
    r"|(?P<verb>rename|copy) (?:(?:from|old) (?P<source>.*)|(?:to|new) (?P<target>.*))"
    r"|similarity index (?P<similarity>\d{1,3})%"
    r"|dissimilarity index .*"
    # The blob of no file, all zeros, and that of an empty file count as none.
    rf"|index (?:0+|{_EMPTY_BLOB}[0-9a-f]*|(?P<before>[0-9a-f]+))"
    rf"\.\.(?:0+|{_EMPTY_BLOB}[0-9a-f]*|(?P<after>[0-9a-f]+))"
    r"(?: (?P<unchanged_mode>[0-7]{6}))?"
)
# The first two digits of a mode are the kind of file.
_SPECIAL_FILES = {
    "12": "a symbolic link",
    "16": "a submodule",
    "04": "a folder",
}
_REGULAR_FILE = "10"


@dataclass(frozen=True, slots=True)
class GitLine:
    """One of git's lines above a file.

    `statements` are the fields of a `GitHeader` that it sets, by name. `mode` is the
    mode it names, six octal digits, even if that mode does not change.
    """

    statements: dict[str, str]
    mode: str | None

    @property
    def special_file(self) -> str | None:
        """The kind of file that the mode stands for, or None for a regular file."""
        if self.mode is None or self.mode.startswith(_REGULAR_FILE):
            return None
        return _SPECIAL_FILES.get(self.mode[:2], "a special file")


@dataclass(frozen=True, slots=True)
class GitHeader:
    """The statements of git's lines above a file; empty where there is no such line.

    `names` is the text after ``diff --git``. `state` is the last text before a mode:
    "old", "new", "new file" or "deleted file"; `mode` is that mode, six octal digits.
    `verb` is "rename" or "copy", from the name `source` to `target`, both as written.
    `similarity` is in percent. `before` and `after` name the blobs of both sides; they
    are empty for a file that does not exist or has no content.
    """

    names: str = ""
    state: str = ""
    mode: str = ""
    verb: str = ""
    source: str | None = None
    target: str | None = None
    similarity: str = "100"
    before: str = ""
    after: str = ""

    @property
    def permissions(self) -> int | None:
        """The permission bits that the file gets, or None if git's lines name none."""
        if not self.state.startswith("new"):
            return None
        return int(self.mode, 8) & 0o777

    @property
    def is_complete(self) -> bool:
        """True if the content is the same on both sides, so that no hunks are needed."""
        return self.before == self.after and self.similarity == "100"


@dataclass(frozen=True, slots=True)
class NamePair:
    """The names of a file on both sides of a diff."""

    old: bytes
    new: bytes


def parse_git_line(line: str) -> GitLine | None:
    """Return one of git's lines above a file, or None for any other line."""
    match = _GIT_LINE.fullmatch(line)
    if match is None:
        return None
    groups = match.groupdict()
    statements = {
        name: text for name, text in groups.items() if text is not None
    }
    unchanged_mode = statements.pop("unchanged_mode", None)
    return GitLine(statements, statements.get("mode") or unchanged_mode)


def parse_name(field: str) -> bytes:
    """Return the name in a header, without quotes and the time behind it.

    It is empty if the field is.
    """
    match = _NAME_AND_TIME.match(field.removesuffix("\r").strip(" "))
    return unquote_name(match[1] if match else field)


def unquote_name(name: str) -> bytes:
    """Return a name as bytes, without its quotes, if it has any.

    A prefix may come before the quotes (``a/"b c"``) or within them (``"a/b c"``).
    """
    if not _QUOTED_NAME.fullmatch(name):
        return unquote(name)
    prefix = name[: name.index('"')]
    return prefix.encode() + unquote(name.removeprefix(prefix))


def has_epoch(line: str) -> bool:
    """Return True if a header has the time by which GNU diff -N marks a missing file."""
    return _EPOCH.search(line) is not None


def split_git_names(names: str) -> NamePair | None:
    """Return both names after ``diff --git`` if they are equally long, or None.

    Only a space separates them, and names may have spaces themselves. But if a file is
    not renamed, both are equally long, and the space is in the middle. If it is renamed,
    the lines below have the names again.
    """
    half = len(names) // 2
    if names[half : half + 1] != " ":
        return None
    return NamePair(unquote_name(names[:half]), unquote_name(names[half + 1 :]))


def has_two_prefixes(names: str, pair: NamePair | None) -> bool | None:
    """Return True if both names after ``diff --git`` have prefixes such as a/ and b/.

    `names` is the text, `pair` the names in it if they could be split. Return None if
    the text is empty, so that git's line says nothing.
    """
    if not names:
        return None
    if pair is None:
        return _TWO_PREFIXES.match(names) is not None
    have_both = _PREFIX.match(pair.old) and _PREFIX.match(pair.new)
    return pair.old != pair.new and have_both is not None


def strip_prefixes(names: NamePair, has_prefixes: bool | None) -> NamePair:
    """Return both names without ``a/`` and ``b/``, if these are no folders.

    `has_prefixes` is the answer of `has_two_prefixes`. If it is None, the two names
    must tell. They have prefixes if both begin with different ones (``a/x``, ``b/x``),
    if one side is no file and the other has the prefix of its side, or if the names
    differ by a prefix alone (``a/x``, ``x``: a model left one out). Otherwise ``a`` is a
    folder, as in a plain ``diff -u a/x a/x``.
    """
    if NO_FILE in (names.old, names.new):
        own_prefix = b"a/" if names.new == NO_FILE else b"b/"
        return NamePair(
            _strip_own_prefix(names.old, own_prefix, has_prefixes),
            _strip_own_prefix(names.new, own_prefix, has_prefixes),
        )
    if b"a/" + names.new == names.old:
        return NamePair(names.new, names.new)
    if b"b/" + names.old == names.new:
        return NamePair(names.old, names.old)
    if not _PREFIX.match(names.old) or not _PREFIX.match(names.new):
        return names
    if names.old[:1] != names.new[:1] or has_prefixes:
        return NamePair(names.old[2:], names.new[2:])
    return names


def _strip_own_prefix(
    name: bytes, own_prefix: bytes, has_prefixes: bool | None
) -> bytes:
    if not _PREFIX.match(name):
        return name
    if has_prefixes is None:
        return name.removeprefix(own_prefix)
    return name[2:] if has_prefixes else name
