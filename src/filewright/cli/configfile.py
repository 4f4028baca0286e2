"""What is written into the text of a client's configuration, and taken out of it; every other character stays.

It takes JSON with remarks and trailing commas, as editors write it, and TOML. What is made is read again and
compared with what it should say, so that a form that is not known here is refused, not spoiled.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Path = Sequence[str | int]
"""The names, and in lists the numbers, that lead to a value; a number past the end of a list is behind its last one."""

_STRING_OR_REMARK = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL
)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_BESIDE = re.compile(r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n]*(?=\n))?")
"""What is behind a value in its line and belongs to it: a remark."""
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?\r?\n")
_COMMA = re.compile(r"\s*,")
_PLAIN_LIST = re.compile(r'\[\n\s*((?:"(?:[^"\\\n]|\\.)*"|[^][{}"])*?)\s*\]')
_decoded = json.JSONDecoder().raw_decode


def with_value(
    text: str, path: Path, value: Any, *, toml: bool = False, kept: int = 0
) -> str:
    """Return `text` with a value at `path`, in place of another one or behind what is beside it; None: without it.

    Without a value goes what that leaves empty, but for the `kept` outermost objects around it. Raises `ValueError`
    for text that cannot be read or whose form is not known here.
    """
    before = read(text, toml=toml)
    old = value_at(before, path)
    if old == value:
        return text
    wanted = before if value is None else _with(before, path, value)
    after = (
        _in_toml(text, path, value)
        if toml
        else _in_json(text, path, value, kept)
    )
    made = read(after, toml=toml)
    if wanted != (_with(made, path, old) if value is None else made):
        raise ValueError(
            f"the entry cannot be {'taken out of' if value is None else 'put into'} it safely"
        )
    return after


def depth_of(there: Any, path: Path) -> int:
    """Return how many of the objects that lead to a value are there."""
    return next(
        (
            depth
            for depth in range(len(path))
            if value_at(there, path[: depth + 1]) is None
        ),
        len(path),
    )


def says_nothing(text: str) -> bool:
    """Return True for JSON or TOML without any value and any remark."""
    return "".join(text.lstrip("\ufeff").split()) in ("", "{}")


def with_entry(
    text: str,
    keys: Sequence[str],
    entry: Mapping[str, Any],
    *,
    toml: bool = False,
) -> str:
    """`text` with the members of `entry` in the table at `keys`; what else is there stays. Raises `ValueError`."""
    for name in (
        reversed([*entry]) if toml else entry
    ):  # In TOML what is new comes first in its table.
        text = with_value(text, (*keys, name), entry[name], toml=toml)
    return text


def appended(text: str, lines: str) -> str:
    """`text` with lines behind an empty one; the last has no end where `text` had none."""
    if text and not text.endswith("\n"):
        return f"{text}\n\n{lines}"
    return f"{text}\n{lines}\n" if text else f"{lines}\n"


def value_at(there: Any, path: Path) -> Any:
    """What a configuration has at `path`; None if nothing is there."""
    for key in path:
        try:
            there = there[key]
        except (LookupError, TypeError):
            return None
    return there


def read(text: str, *, toml: bool = False) -> Any:
    """What a configuration says; an empty one is an object. Raises `ValueError`."""
    if toml:
        return tomllib.loads(
            text, parse_float=str
        )  # as they are written: one of them is not equal to itself
    try:
        return (
            json.loads(_bare(_plain(text)), parse_constant=str)
            if text.strip()
            else {}
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _with(there: Any, path: Path, value: Any) -> Any:
    """What is `there` with one more value at `path`."""
    if not path:
        return value
    key, inside = path[0], path[1:]
    if there is None:
        there = {} if isinstance(key, str) else []
    if isinstance(key, int) and isinstance(there, list):
        return [*there[:key], value, *there[key:]]
    if isinstance(key, int) or not isinstance(there, dict):
        raise ValueError(  # noqa: TRY004
            "something other than a table is where the entry should be"
        )
    return {**there, key: _with(there.get(key), inside, value)}


# JSON with remarks


class _Member(NamedTuple):
    """Where a value of an object or a list is: from `begin` on with its name, then the value itself."""

    begin: int
    start: int
    end: int


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """`text` with spaces for what is found and is no string, so that all else is where it was."""
    return pattern.sub(
        lambda found: (
            found[0] if found[0][0] == '"' else re.sub(r"\S", " ", found[0])
        ),
        text,
    )


def _plain(text: str) -> str:
    """JSON without its remarks."""
    return _blanked(_STRING_OR_REMARK, text)


def _bare(plain: str) -> str:
    """JSON as the standard has it: without remarks, and without a comma after the last member either."""
    return _blanked(_STRING_OR_LAST_COMMA, plain)


def _next(bare: str, at: int) -> int:
    """Where the next name, value or closing bracket is; the text is known to be JSON."""
    while bare[at].isspace() or bare[at] in ",:":
        at += 1
    return at


def _members(bare: str, at: int) -> dict[str | int, _Member]:
    """What is in the object or list that begins at `at`, by its names or numbers."""
    if bare[at] not in "{[":
        raise ValueError(
            "something other than a table is where the entry should be"
        )
    named = bare[at] == "{"
    found: dict[str | int, _Member] = {}
    begin = _next(bare, at + 1)
    while bare[begin] not in "]}":
        key: str | int = len(found)
        start = begin
        if named:
            key, start = _decoded(bare, begin)
            start = _next(bare, start)
        end = _decoded(bare, start)[1]
        found[key] = _Member(begin, start, end)
        begin = _next(bare, end)
    return found


def _in_json(text: str, path: Path, value: Any, kept: int = 0) -> str:
    """With another value, or with None without it, without its line and without what is left empty around it."""
    if not text.strip():
        return f"{text}{_json(_with(None, path, value))}\n"
    plain = _plain(text)
    bare = _bare(plain)
    at = _next(bare, 0)
    for depth, key in enumerate(path):
        members = _members(bare, at)
        if key not in members:
            made = _with(None, path[depth + 1 :], value)
            return _inserted(text, plain, at, [*members.values()], key, made)
        begin, at, end = members[key]
    if value is not None and "\n" not in text.strip():
        return text[:at] + json.dumps(value, ensure_ascii=False) + text[end:]
    if value is not None:
        return (
            text[:at]
            + _json(value, _unit(text)).replace("\n", f"\n{_indent(text, at)}")
            + text[end:]
        )
    if (
        len(members) == 1
        and len(path) - 1 > kept
        and not has_remark(_object_at(text, bare, path[:-1]))
    ):
        return _in_json(text, path[:-1], None, kept)
    ahead = len(plain[:begin].rstrip())
    if comma := _COMMA.match(plain, end):
        end = comma.end()
    line = text.rfind("\n", 0, begin) + 1
    rest = _REST_OF_LINE.match(text, end)
    if rest is not None and not text[line:begin].strip():
        begin, end = line, rest.end()
    elif comma and text[end : end + 1] == " ":
        end += 1
    elif not text[ahead:begin].strip():
        begin = ahead
    text = text[:begin] + text[end:]
    return (
        text
        if comma or plain[ahead - 1] != ","
        else text[: ahead - 1] + text[ahead:]
    )


def has_remark(text: str) -> bool:
    """Return True if JSON has remarks of a person."""
    return any(match[0][0] == "/" for match in _STRING_OR_REMARK.finditer(text))


def _object_at(text: str, bare: str, path: Path) -> str:
    """Return the text of the object at `path`."""
    at = _next(bare, 0)
    for key in path:
        at = _members(bare, at)[key].start
    return text[at : _decoded(bare, at)[1]]


def _inserted(
    text: str,
    plain: str,
    at: int,
    members: Sequence[_Member],
    key: str | int,
    value: Any,
) -> str:
    """`text` with one value more, behind the last one of the object or list at `at`."""
    name = (
        f"{json.dumps(key, ensure_ascii=False)}: "
        if isinstance(key, str)
        else ""
    )
    outer = _indent(text, at)
    inner, before, after = outer + _unit(text), "", ""
    in_line = "\n" not in (
        text[at : _decoded(_bare(plain), at)[1]] if members else text.strip()
    )
    at += 1
    if members:
        last = max(members, key=lambda each: each.end)
        comma = _COMMA.match(plain, last.end)
        at = comma.end() if comma else last.end
        before, after = ("", ",") if comma else (",", "")
        if not text[text.rfind("\n", 0, last.begin) + 1 : last.begin].strip():
            inner = _indent(text, last.begin)
    if in_line:
        gap = " " if members else ""
        return f"{text[:at]}{before}{gap}{name}{json.dumps(value, ensure_ascii=False)}{after}{text[at:]}"
    beside = _BESIDE.match(text, at)
    assert beside is not None
    remark = beside[0].rstrip()
    follows = text[at + len(remark) :]
    # In a file with both kinds the new lines end as the one beside them.
    end = "\r\n" if follows.lstrip(" \t").startswith("\r\n") else "\n"
    closing = (
        f"{end}{outer}" if follows.lstrip(" \t").startswith(("}", "]")) else ""
    )
    member = f"\n{name}{_json(value, _unit(text))}{after}".replace(
        "\n", f"{end}{inner}"
    )
    return f"{text[:at]}{before}{remark}{member}{closing}{follows}"


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _json(value: Any, unit: str = "  ") -> str:
    """As people write it: a list that holds neither objects nor lists in one line."""
    made = json.dumps(value, indent=unit, ensure_ascii=False)
    return _PLAIN_LIST.sub(
        lambda found: "[" + re.sub(r",\n\s*", ", ", found[1]) + "]", made
    )


# TOML


_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def _header(keys: Path, more: str = "") -> re.Pattern[str]:
    """What finds the line that begins a table."""
    parts = r"\s*\.\s*".join(
        rf"[\"']?{re.escape(str(key))}[\"']?" for key in keys
    )
    return re.compile(
        rf"^[ \t]*\[[ \t]*{parts}{more}[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE
    )


def _in_toml(text: str, path: Path, value: Any) -> str:
    """Return the text with a value in the table that the last name but one begins; a new table comes at the end.

    Without a value: without the table at `path`, those in it, and the empty line before each.
    """
    if value is None:
        header_of_any = _header(path, r"(?:\s*\.[^\]\n]*)?")
        while (header := header_of_any.search(text)) is not None:
            text = _without_table(text, header)
        return text
    *keys, name = path
    # JSON's strings, lists and booleans are TOML's, but for the one character that TOML wants escaped.
    made = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    header = _header(keys).search(text)
    if header is None:
        return appended(text, f"[{'.'.join(map(str, keys))}]\n{name} = {made}")
    table = _TABLE.search(text, header.end())
    line = re.compile(
        rf"^[ \t]*{re.escape(str(name))}[ \t]*=[ \t]*", re.MULTILINE
    )
    old = line.search(text, header.end(), table.start() if table else len(text))
    if old is None:
        gap = "" if header[0].endswith("\n") else "\n"
        return f"{text[: header.end()]}{gap}{name} = {made}\n{text[header.end() :]}"
    return text[: old.end()] + made + text[_end_of_value(text, old.end()) :]


def _end_of_value(text: str, start: int) -> int:
    """Return where a value ends: at the first place up to which it can be read."""
    for end in re.compile(r"[ \t]*(?:#|\r?\n|\Z)").finditer(text, start):
        try:
            tomllib.loads(f"x = {text[start : end.start()]}")
        except tomllib.TOMLDecodeError:
            continue
        return end.start()
    raise ValueError("a value has no end")


_ASSIGNMENT = re.compile(r"[ \t]*[^\s#\[][^\n=]*=[ \t]*")
_NO_VALUE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


def _without_table(text: str, header: re.Match[str]) -> str:
    """Return the text without a table: its header, its values and the empty line before it; remarks of theirs stay."""
    remarks: list[str] = []
    skipped: list[str] = []
    at = end = header.end()
    while at < len(text):
        if (assignment := _ASSIGNMENT.match(text, at)) is not None:
            at = text.find(
                "\n", _end_of_value(text, assignment.end())
            ) + 1 or len(text)
            remarks += skipped
            skipped, end = [], at
        elif (line := _NO_VALUE.match(text, at)) is not None:
            # What is behind the last value belongs to what follows.
            skipped += [line[0]] if "#" in line[0] else []
            at = line.end()
        else:
            break
    before, after = text[: header.start()], text[end:]
    if before.endswith("\n\n") or before == "\n":
        # The last line had no end before the table was appended to it.
        lacking = not after and not text.endswith("\n")
        before = before.removesuffix("\n\n" if lacking else "\n")
    return before + "".join(remarks) + after
