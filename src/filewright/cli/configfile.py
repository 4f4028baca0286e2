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

Entry = Mapping[str, Any]
Path = Sequence[str | int]
"""The names, and in lists the numbers, that lead to a value."""

_STRING_OR_REMARK = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_BESIDE = re.compile(r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n]*(?=\n))?")
"""What is behind a value in its line and belongs to it: a remark."""
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?\r?\n")
_decoded = json.JSONDecoder().raw_decode


def with_entry(text: str, keys: Sequence[str], entry: Entry, *, toml: bool = False) -> str:
    """`text` with the members of `entry` in the table at `keys`.

    Only values that differ are replaced; what else is there stays. Raises `ValueError` for text that cannot be
    read or whose form is not known here.
    """
    wanted = read(text, toml=toml)
    for name, value in entry.items():
        wanted = _with(wanted, (*keys, name), value)
    if toml:
        return _verified(_in_toml(text, keys, entry), wanted, toml=True)
    for name, value in entry.items():
        text = _put(text, (*keys, name), value)
    return _verified(text, wanted)


def with_item(text: str, path: Path, item: Any) -> str:
    """JSON with one more item at the end of the list at `path`. Raises `ValueError` likewise."""
    there = read(text)
    end = (*path, len(value_at(there, path) or ()))
    return _verified(_put(text, end, item), _with(there, end, item))


def without(text: str, path: Path, *, toml: bool = False) -> str:
    """`text` without what is at `path`, and without what that leaves empty. Raises `ValueError` likewise."""
    there = read(text, toml=toml)
    value = value_at(there, path)
    if value is None:
        return text
    after = _out_of_toml(text, path) if toml else _cut(text, path)
    if _with(read(after, toml=toml), path, value) != there:
        raise ValueError("the entry cannot be taken out of it safely")
    return after


def value_at(there: Any, path: Path) -> Any:
    """What a configuration has at `path`; None if nothing is there."""
    for key in path:
        if isinstance(key, str) and isinstance(there, dict):
            there = there.get(key)
        elif isinstance(key, int) and isinstance(there, list):
            there = there[key]
        else:
            return None
    return there


def read(text: str, *, toml: bool = False) -> Any:
    """What a configuration says; an empty one is an object. Raises `ValueError`."""
    if toml:
        return tomllib.loads(text, parse_float=str)  # as they are written: one of them is not equal to itself
    try:
        return json.loads(_bare(_plain(text)), parse_constant=str) if text.strip() else {}
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _verified(text: str, wanted: Any, *, toml: bool = False) -> str:
    if read(text, toml=toml) != wanted:
        raise ValueError("the entry cannot be put into it safely")
    return text


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
        raise ValueError("something other than a table is where the entry should be")  # noqa: TRY004  one kind for all that does not fit
    return {**there, key: _with(there.get(key), inside, value)}


# JSON with remarks


class _Member(NamedTuple):
    """Where a value of an object or a list is: from `begin` on with its name, then the value itself."""

    begin: int
    start: int
    end: int


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """`text` with spaces for what is found and is no string, so that all else is where it was."""
    return pattern.sub(lambda found: found[0] if found[0][0] == '"' else re.sub(r"\S", " ", found[0]), text)


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
        raise ValueError("something other than a table is where the entry should be")
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


def _put(text: str, path: Path, value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip():
        return text + (_json(_with(None, path, value)) + "\n").replace("\n", newline)
    plain = _plain(text)
    bare = _bare(plain)
    at = _next(bare, 0)
    for depth, key in enumerate(path):
        members = _members(bare, at)
        if key not in members:
            made = _with(None, path[depth + 1 :], value)
            return _inserted(text, plain, at, [*members.values()], key, made, newline)
        at = members[key].start
    found, end = _decoded(bare, at)
    if found == value:
        return text
    made = _json(value, _unit(text)).replace("\n", newline + _indent(text, at))
    return text[:at] + made + text[end:]


def _inserted(
    text: str, plain: str, at: int, members: Sequence[_Member], key: str | int, value: Any, newline: str
) -> str:
    """`text` with one value more, behind the last one of the object or list at `at`."""
    unit, outer, last = _unit(text), _indent(text, at), max(members, key=lambda each: each.end, default=None)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    before, after, inner = "", "", outer + unit
    at += 1
    if last is not None:
        comma = re.compile(r"\s*,").match(plain, last.end)
        at = comma.end() if comma else last.end
        before, after = ("", ",") if comma else (",", "")
        if not text[text.rfind("\n", 0, last.begin) + 1 : last.begin].strip():
            inner = _indent(text, last.begin)
    if "\n" not in text.strip():  # It stays in one line.
        gap = " " if last is not None else ""
        return f"{text[:at]}{before}{gap}{name}{json.dumps(value, ensure_ascii=False)}{after}{text[at:]}"
    member = f"{name}{_json(value, unit)}{after}".replace("\n", newline + inner)
    beside = _BESIDE.match(text, at)
    assert beside is not None
    remark = beside[0].rstrip()
    follows = text[at + len(remark) :]
    closing = newline + outer if follows.lstrip(" \t").startswith(("}", "]")) else ""
    return f"{text[:at]}{before}{remark}{newline}{inner}{member}{closing}{follows}"


def _cut(text: str, path: Path) -> str:
    """`text` without a value, without its line if that is left empty, and without what is left empty around it."""
    plain = _plain(text)
    bare = _bare(plain)
    at = _next(bare, 0)
    for key in path:
        members = _members(bare, at)
        at = members[key].start
    if len(members) == 1 and path[:-1]:
        return _cut(text, path[:-1])
    begin, _, end = members[path[-1]]
    ahead = plain[:begin].rstrip()
    if comma := re.compile(r"\s*,").match(plain, end):
        end = comma.end()
        if "\n" not in text.strip() and text[end : end + 1] == " ":
            end += 1
    elif ahead.endswith(","):
        gap = text[len(ahead) : begin]
        if gap == " ":  # In one line, the blank came with the comma.
            return text[: len(ahead) - 1] + text[end:]
        text = text[: len(ahead) - 1] + text[len(ahead) :]
        begin, end = begin - 1, end - 1
    line = text.rfind("\n", 0, begin) + 1
    rest = _REST_OF_LINE.match(text, end)
    if rest is not None and not text[line:begin].strip():
        begin, end = line, rest.end()
    return text[:begin] + text[end:]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _json(value: Any, unit: str = "  ") -> str:
    """As people write it: what holds no objects in one line."""
    if isinstance(value, Mapping) and value:
        inside = [
            f"{json.dumps(key, ensure_ascii=False)}: {_json(inner, unit)}" for key, inner in value.items()
        ]
    elif isinstance(value, list) and any(isinstance(inner, Mapping | list) for inner in value):
        inside = [_json(inner, unit) for inner in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    begin, end = "{}" if isinstance(value, Mapping) else "[]"
    lines = ",\n".join(inside).replace("\n", f"\n{unit}")
    return f"{begin}\n{unit}{lines}\n{end}"


# TOML


_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def _header(keys: Path, more: str = "") -> re.Pattern[str]:
    """What finds the line that begins a table."""
    parts = r"\s*\.\s*".join(rf"[\"']?{re.escape(str(key))}[\"']?" for key in keys)
    return re.compile(rf"^[ \t]*\[[ \t]*{parts}{more}[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE)


def _out_of_toml(text: str, keys: Path) -> str:
    """Without the table, those in it, and the empty line before them."""
    while (header := _header(keys, r"(?:\s*\.[^\]\n]*)?").search(text)) is not None:
        before, following = text[: header.start()], _TABLE.search(text, header.end())
        if following is None:
            kept = before.rstrip("\r\n")
            before = kept + before[len(kept) :][: before[len(kept) :].find("\n") + 1]
        text = before + (text[following.start() :] if following else "")
    return text


def _in_toml(text: str, keys: Sequence[str], entry: Entry) -> str:
    # JSON's strings, lists and booleans are TOML's, but for the one character that TOML wants escaped.
    values = {
        key: json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") for key, value in entry.items()
    }
    newline = "\r\n" if "\r\n" in text else "\n"
    header = _header(keys).search(text)
    if header is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        lines = [f"[{'.'.join(keys)}]", *(f"{key} = {value}" for key, value in values.items())]
        return text + gap + "".join(f"{line}{newline}" for line in lines)
    for key, value in values.items():
        table = _TABLE.search(text, header.end())
        name = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*", re.MULTILINE)
        old = name.search(text, header.end(), table.start() if table else len(text))
        if old is None:
            gap = "" if header[0].endswith("\n") else newline
            text = f"{text[: header.end()]}{gap}{key} = {value}{newline}{text[header.end() :]}"
            continue
        stop = _toml_end(text, old.end())
        if tomllib.loads(f"x = {text[old.end() : stop]}")["x"] != entry[key]:
            text = text[: old.end()] + value + text[stop:]
    return text


def _toml_end(text: str, start: int) -> int:
    """Where the value that begins at `start` ends: the first place up to which it can be read."""
    for found in re.compile(r"[ \t]*(?:#|\r?\n|\Z)").finditer(text, start):
        try:
            tomllib.loads(f"x = {text[start : found.start()]}")
        except tomllib.TOMLDecodeError:
            continue
        return found.start()
    raise ValueError("a value has no end")
