"""Requests with each kind of damage that models do, beside text that is nearly the same."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

NAMES = [
    "load",
    "save",
    "item",
    "items",
    "user",
    "path",
    "north",
    "forth",
    "cat",
    "bat",
    "async_",
    "sync_",
]


WORDS = [
    "the",
    "writer",
    "reads",
    "the",
    "first",
    "message",
    "before",
    "it",
    "is",
    "sent",
    "to",
    "another",
    "server",
    "and",
    "keeps",
    "the",
    "settings",
]


STYLES = ["go", "js", "md", "py", "yaml"]


def text_block(rng: random.Random, style: str) -> list[str]:
    """A section of a document, or a mapping of settings."""
    if style == "md":
        body = [
            " ".join(rng.choices(WORDS, k=rng.randint(4, 8))).capitalize() + "."
            for _ in range(rng.randint(1, 3))
        ]
        items = [
            f"- {rng.choice(NAMES)}: the {rng.choice(WORDS)} of it is {rng.randint(0, 3)}"
            for _ in range(rng.randint(0, 3))
        ]
        return [
            f"## The {rng.choice(NAMES)}",
            "",
            *body,
            *([""] if items else []),
            *items,
        ]
    lines = [f"{rng.choice(NAMES)}:"]
    for _ in range(rng.randint(1, 3)):
        lines += [
            f"  {rng.choice(NAMES)}: {rng.choice(NAMES)}",
            f"  {rng.choice(NAMES)}:",
        ]
        lines += [
            f"    - {rng.choice(NAMES)}" for _ in range(rng.randint(1, 2))
        ]
    return lines


def block(rng: random.Random, style: str) -> list[str]:
    """A function of a few lines, in a language of braces or of indents; or a part of a text."""
    if style in ("md", "yaml"):
        return text_block(rng, style)
    name, arg = rng.choice(NAMES), rng.choice(NAMES)
    comment = "#" if style == "py" else "//"
    unit = {"py": "    ", "js": "  ", "go": "\t"}[style]
    end = {"py": "", "js": ";", "go": ""}[style]
    body: list[str] = []
    for _ in range(rng.randint(2, 5)):
        kind = rng.randrange(5)
        if kind == 0:
            body.append(
                f"{unit}{comment} {' '.join(rng.choices(WORDS, k=rng.randint(3, 7)))}"
            )
        elif kind == 1:
            body.append(
                f'{unit}{arg} = {name}("{rng.choice(NAMES)}", {rng.randint(0, 3)}){end}'
            )
        elif kind == 2:
            body.append(
                f"{unit}if {arg} < {rng.randint(0, 3)}"
                + (":" if style == "py" else " {")
            )
            body.append(f"{unit}{unit}{rng.choice(NAMES)}({arg}){end}")
            body += [] if style == "py" else [f"{unit}}}"]
        elif kind == 3:
            body.append(f"{unit}return {arg}{end}")
        else:
            body += [
                "",
                f"{unit}{rng.choice(NAMES)}({arg}, '{rng.choice(NAMES)}'){end}",
            ]
    if style == "py":
        return [f"def {name}({arg}):", *body]
    return [
        f"{'function' if style == 'js' else 'func'} {name}({arg}) {{",
        *body,
        "}",
    ]


def twin(rng: random.Random, lines: list[str]) -> list[str]:
    """Almost the same lines: a word, a number or a line is another, or the indentation."""
    result = list(lines)
    at = rng.randrange(len(result))
    kind = rng.randrange(4)
    if kind == 0:
        result[at] = re.sub(
            r"\d", lambda m: str((int(m[0]) + 1) % 4), result[at]
        ) + ("" if re.search(r"\d", result[at]) else "x")
    elif kind == 1:
        result[at] = re.sub(
            r"[a-z]{3,}", lambda m: rng.choice(NAMES), result[at], count=1
        )
    elif kind == 2 and len(result) > 2:
        del result[at]
    else:
        result = [f"  {line}" if line else line for line in result]
    return result


Damage = Callable[
    [random.Random, list[str], list[str], int], tuple[list[str], list[str]]
]


def _both(change: Callable[[str], str]) -> Damage:
    return lambda rng, search, new, line: (
        [change(one) for one in search],
        [change(one) for one in new],
    )


def _dedented(search: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """All lines a step further left, where all of them can be."""
    for step in ("\t", "  "):
        if all(line.startswith(step) for line in (*search, *new) if line):
            return [line.removeprefix(step) for line in search], [
                line.removeprefix(step) for line in new
            ]
    return search, new


def _numbered(sep: str) -> Damage:
    def damage(
        rng: random.Random, search: list[str], new: list[str], line: int
    ) -> tuple[list[str], list[str]]:
        start = rng.choice([line, line, line + 3])
        return [
            [f"{start + i}{sep}{one}" for i, one in enumerate(text)]
            for text in (search, new)
        ]  # type: ignore[return-value]

    return damage


def _one_line(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    def escaped(text: list[str]) -> list[str]:
        return [
            "\\n".join(
                one.replace("\\", "\\\\")
                .replace('"', '\\"')
                .replace("\t", "\\t")
                for one in text
            )
        ]

    return escaped(search), escaped(new) if rng.random() < 0.8 else new


def _elided(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """A stretch of lines that stay is left out, before the change or behind it."""
    pairs = list(zip(search, new, strict=False))
    head = next(
        (at for at, (old, one) in enumerate(pairs) if old != one), len(pairs)
    )
    more = len(new) - len(search)
    tail = len(search) - head - (more <= 0)
    if rng.random() < 0.5:
        start, end, shift = 1, head - 1, 0
    else:
        start, end, shift = len(search) - tail + 1, len(search) - 1, more
    if end - start < 1:
        return search, new
    first = rng.randint(start, end - 1)
    last = rng.randint(first + 1, end)
    indent = re.match(
        r"[ \t]*", rng.choice([search[first], search[first], search[0], "    "])
    )[0]  # type: ignore[index]
    mark = indent + rng.choice(
        [
            "# ... existing code ...",
            "// ...",
            "...",
            "// ... rest unchanged ...",
        ]
    )
    if search[first:last] != new[first + shift : last + shift]:
        return search, new  # what is left out cannot be moved
    kept = [*search[:first], mark, *search[last:]]
    return kept, [*new[: first + shift], mark, *new[last + shift :]]


def _characters(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """Anything at all happens to one place of the search text."""
    text = "\n".join(search)
    at = rng.randrange(len(text) + 1)
    kind = rng.randrange(5)
    if kind == 0:
        text = text[:at] + text[at + 1 :]
    elif kind == 1:
        text = text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
    elif kind == 2:
        text = (
            text[:at]
            + text[at + 1 : at + 2]
            + text[at : at + 1]
            + text[at + 2 :]
        )
    elif kind == 3:
        word = rng.choice(list(re.finditer(r"\w+|$", text)))
        text = (
            text[: word.start()]
            + rng.choice([*NAMES, *WORDS])
            + text[word.end() :]
        )
    else:
        text = (
            text[:at]
            + rng.choice(" \t.,(){}:;\"'`\\0a\u00a0“…")
            + text[at + 1 :]
        )
    return text.split("\n"), new


def _renamed(
    rng: random.Random, search: list[str], new: list[str]
) -> tuple[list[str], list[str]]:
    """One word is another all through, as of another function, another line of the comment."""
    words = sorted(
        {word for one in search for word in re.findall(r"\b[a-z_]{3,}\b", one)}
    ) or [""]
    old, other = rng.choice(words), rng.choice([*NAMES, *WORDS])
    return tuple(
        [re.sub(rf"\b{old}\b", other, one) if old else one for one in text]
        for text in (search, new)
    )  # type: ignore[return-value]


def _shuffled(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """A line of the search text is dropped, doubled, or stands before another."""
    result, at = list(search), rng.randrange(len(search))
    kind = rng.randrange(3)
    if kind == 0:
        solid = [at for at in range(len(search)) if search[at].strip()]
        inner = solid[1:-1]
        result = [
            line
            for index, line in enumerate(search)
            if index != rng.choice(inner or [-1])
        ]
    elif kind == 1:
        result.insert(at, result[at])
    else:
        to = rng.randrange(len(search))
        result[at], result[to] = result[to], result[at]
    return result, new


def _moved_search(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """Only the search text is indented otherwise than the file."""
    kind = rng.randrange(3)
    if kind == 0:
        return _dedented(search, search)[0], new
    if kind == 1:
        more = rng.choice(["  ", "    ", "\t"])
        return [more + one if one else one for one in search], new
    return [
        one.replace("    ", "\t").replace("  ", "\t") for one in search
    ], new


def _other_numbers(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """The replacement's numbers are set off otherwise than the search text's."""
    one, other = rng.sample([": ", ":  ", "| ", "\t", "\t ", ". ", " "], 2)
    numbered = [
        [f"{line + i}{sep}{text}" for i, text in enumerate(each)]
        for each, sep in ((search, one), (new, other))
    ]
    return numbered[0], numbered[1]


def _scaled(line: str, halves: int) -> str:
    """A line whose indent of spaces has so many halves of its width."""
    return re.sub(
        r"^ +", lambda match: " " * (len(match[0]) * halves // 2), line
    )


def _aside(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """The search text lies some columns aside, and the replacement does not."""
    more = " " * rng.randint(1, 5)
    return [more + one if one else one for one in search], new


def _signed(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """Lines bear the signs of a diff: all of them, or the new ones."""
    prose = not re.search("[(){}]", "".join(search)) and any(
        len(one.split()) > 4 for one in search
    )
    blank = (
        " " if prose else rng.choice([" ", ""])
    )  # where no sign stands before the others, a plus may be an item's
    return [blank + one for one in search], [
        (blank if one in search else "+") + one for one in new
    ]


def _replacement_alone(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """The replacement alone is damaged, as a whole or in one line."""
    result, at = list(new), rng.randrange(len(new) or 1)
    kind = rng.randrange(5)
    text = any(map(str.strip, new))
    prose = not any(sign in "".join(search) for sign in "(){}")
    if not text or (kind == 0 and prose):
        return (
            search,
            new,
        )  # of a blank line nothing is damaged; and in a document a fence is text
    if kind == 0:
        result = rng.choice(
            [["```", *new], [*new, "```"], ["```", *new, "```"]]
        )
    elif kind == 1:
        result = [f"{line + index}: {one}" for index, one in enumerate(new)]
    elif kind == 2:
        result[at : at + 1] = [
            rng.choice(
                ["# ... existing code ...", "// ...", "# [existing code]"]
            )
        ]
    elif kind == 3 and new:
        result[at] = result[at].replace("<", "&lt;")
    else:
        result = ["\\n".join(new)]
    return rng.choice(
        [search, [f"{one} " if one else one for one in search]]
    ), result


def _repaired_inside(
    rng: random.Random, search: list[str], new: list[str], line: int
) -> tuple[list[str], list[str]]:
    """The first line of the search text lost its indent, and another damage is to be undone."""
    name = rng.choice(["backslashes", "entities", "numbers", "one line"])
    if new and new[0] == search[0].lstrip():
        return search, new  # as it is wanted
    search, new = DAMAGES[name](rng, search, new, line)
    return [search[0].lstrip(), *search[1:]], new


DAMAGES: dict[str, Damage] = {
    "none": lambda rng, search, new, line: (search, new),
    "trailing": lambda rng, search, new, line: (
        [one + rng.choice(["", " ", "\t"]) for one in search],
        new,
    ),
    "dedent": lambda rng, search, new, line: _dedented(search, new),
    "indent": _both(lambda one: "    " + one if one else one),
    "tabs": _both(lambda one: one.replace("    ", "\t")),
    "wide": _both(lambda one: re.sub(r"^ +", lambda m: m[0] * 2, one)),
    "spaces": _both(lambda one: one.replace("\t", "    ")),
    "quotes": _both(
        lambda one: re.sub(r'"([^"]*)"', "“\\1”", one).replace("'", "’")
    ),
    "dashes": _both(lambda one: one.replace("-", "–").replace(" <", "\u00a0<")),
    "entities": _both(
        lambda one: (
            one.replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace('"', "&quot;")
        )
    ),
    "half entities": lambda rng, search, new, line: (
        [one.replace("<", "&lt;") for one in search],
        new,
    ),
    "backslashes": _both(lambda one: one.replace('"', '\\"')),
    "half backslashes": lambda rng, search, new, line: (
        [one.replace('"', '\\"') for one in search],
        new,
    ),
    "one line": _one_line,
    "numbers": _numbered("\t"),
    "colons": _numbered(": "),
    "bars": _numbered(" | "),
    "half numbers": lambda rng, search, new, line: (
        _numbered("→")(rng, search, new, line)[0],
        new,
    ),
    "fence": lambda rng, search, new, line: (
        ["```", *search, "```"],
        ["```", *new, "```"],
    ),
    "half indents": _moved_search,
    "lines": _shuffled,
    "lines and indents": lambda rng, search, new, line: _shuffled(
        rng,
        *_both(lambda one: "  " + one if one else one)(rng, search, new, line),
        line,
    ),
    "blank lines": lambda rng, search, new, line: (
        [one for one in search if one] or search,
        new,
    ),
    "elision": _elided,
    "elision and characters": lambda rng, search, new, line: _characters(
        rng, *_elided(rng, search, new, line), line
    ),
    "elision and a word": lambda rng, search, new, line: _renamed(
        rng, *_elided(rng, search, new, line)
    ),
    "a word": lambda rng, search, new, line: _renamed(rng, search, new),
    "characters": _characters,
    "characters twice": lambda rng, search, new, line: _characters(
        rng, *_characters(rng, search, new, line), line
    ),
    "odd indents": lambda rng, search, new, line: tuple(  # type: ignore[return-value]
        [_scaled(one, width) for one in text]
        for text, width in ((search, 1), (new, rng.choice([1, 2, 3])))
    ),
    "some columns": _aside,
    "doubled backslashes": _both(lambda one: one.replace("\\", "\\\\")),
    "other numbers": _other_numbers,
    "signs of a diff": _signed,
    "the replacement alone": _replacement_alone,
    "a repair inside an indent": _repaired_inside,
    "dedent and characters": lambda rng, search, new, line: _characters(
        rng, *_dedented(search, new), line
    ),
}


INDENTS = {"dedent", "indent", "tabs", "wide", "spaces", "odd indents"}


"""Damages of the indents alone: lines that have none, as they are, are another request."""


def changed(rng: random.Random, lines: list[str], style: str) -> list[str]:
    """What the caller wants: a line is added, dropped, doubled or another; some are wrapped or moved."""
    result = list(lines)
    at = rng.randrange(len(result))
    indent = re.match(r"[ \t]*", result[at])[0]  # type: ignore[index]
    unit = {"py": "    ", "js": "  ", "go": "\t"}.get(style, "  ")
    kind = rng.choice([0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 5])
    if kind == 3:
        end = rng.randint(at, len(result))
        opening = (
            f"{indent}if brand_new:"
            if style in ("py", "yaml")
            else f"{indent}if (brand_new) {{"
        )
        inner = [unit + one if one else one for one in result[at:end]]
        closing = [] if style in ("py", "yaml") else [f"{indent}}}"]
        return [*result[:at], opening, *inner, *closing, *result[end:]]
    if kind == 4:
        return [one.removeprefix(unit) for one in result]
    if kind == 5:
        return [*result[: at + 1], *result[at:]]
    if kind == 0:
        result.insert(at, f"{indent}brand_new({rng.randint(10, 99)})")
    elif kind == 1 and len(result) > 1:
        del result[at]
    else:
        result[at] = f"{indent}entirely_new_{rng.randint(10, 99)}"
    return result


def loosely(line: str) -> str:
    return " ".join(line.split())


def stands_in_one(search: list[str], blocks: list[list[str]]) -> bool:
    """Whether all lines asked for, but for a mark, stand in one block in this order."""
    wanted = [
        loosely(line) for line in search if line.strip() and "..." not in line
    ]
    for one in blocks:
        rest = iter(map(loosely, one))
        if all(line in rest for line in wanted):
            return True
    return False
