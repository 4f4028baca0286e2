"""The seeded author of a recording: looks at the files as they are, and makes the next call.

Most calls are such as would work; others are nearly right (other blanks, a typo, an old version, a hunk that
has drifted), and some are plain nonsense made from the tool's schema.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from tests.recording.sessions import OUTSIDE, Stage

from filewright.dialects import surface as surface_of
from filewright.tools import entries

T = TypeVar("T")
Arguments = dict[str, Any]

WORDS = (
    "total",
    "value",
    "item",
    "note",
    "milk",
    "main",
    "line",
    "caf\u00e9",
    "self",
    "one",
    "def",
    "missing words",
    "Cart",
    "tax",
)
REGEXES = (
    r"\btotal\b",
    r"def (\w+)\(",
    r"^\s*return\b",
    r"[0-9]+$",
    r"(?i)TOTAL",
    r"(\w+), (\w+)",
    r"va.ue",
    r"o$",
    r"^$",
    r"\s+$",
    r".*",
    r"(",
    r"(?=x)",
    r"[a-",
    r"(?P<a>t)(?P<b>o)",
    r"total|tax|milk",
    r"\u00e9|\u65e5",
    r"one\n",
    r"(?s)for.*?value",
    r"\t",
)
REPLACEMENTS = (
    "sum",
    "",
    "$0!",
    "$1",
    "${1}_x",
    "${a}",
    "$9",
    "$$",
    "new\nline",
    "caf\u00e9",
    "\u6f22\u5b57",
    "\U0001f600",
    "total",
)
_SWAPS = (
    (r"(\w+)\(", "$1_x("),
    (r"(?P<a>t)(\w)", "${a}$2$2"),
    (r"[0-9]+", "#"),
    (r"\btotal\b", "sum"),
    (r"e$", "E"),
    (r"[aeiou]", "\u00e9"),
    (r"\n\s*\n", "\n"),
)
GLOBS = (
    "**/*.py",
    "*.txt",
    "{src,web}/**",
    "**/*total*",
    "[a-m]*",
    "!*.py",
    "*.{py,js}",
    "data/*",
    "**/.*",
    "[",
    "**",
    "nothing/*",
    "/src/*.py",
    "../*",
)
NAMES = (
    "new.txt",
    "made/new.py",
    "made/deep/new.md",
    "src/new.py",
    ".git/hooks/x",
    ".GIT/x",
    "to-src/new.txt",
    "to-outside/x",
    "../x",
    "/etc/x",
    "notes.txt/x",
    "pipe",
    "hollow/x",
    "hollow",
    "caf\u00e9/x.txt",
    '"quoted\\tname"',
    '"bad',
    "with space/x",
    "x" * 300,
    "a//b",
    "./dot/../dot2.txt",
    "data/new.json",
    "",
)
CONTENTS = (
    "",
    "one\n",
    "one\ntwo",
    "one\r\ntwo\r\n",
    "caf\u00e9\n",
    "\ufeffmarked\n",
    "tab\tand \0 nul",
    "\u6f22\u5b57\n\U0001f600\n",
    "x\n" * 40,
    "half \ud800 pair\n",
)
_GOOD_NAMES = (
    "new.txt",
    "new.py",
    "made/new.py",
    "made/deep/new.md",
    "src/new.py",
    "sub/new.txt",
    "\u65e5\u672c.txt",
    "two words.txt",
    "data/new.json",
)
_WRONG: tuple[Any, ...] = (None, 1, "x", [], {}, True, 1.5, -1, 10**30, "\0", "\ud800", [[]], {"a": 1})


class Author:
    """Makes calls for one session from a seed and from what the session's files are."""

    def __init__(self, random: Random, stage: Stage, tools: Tools) -> None:
        self.random = random
        self.stage = stage
        self.surface = stage.session.surface
        offered = entries().values() if self.surface == "native" else surface_of(self.surface).tools()
        self.schemas: dict[str, Any] = {tool.name: tool.schema for tool in offered}
        self.makers, weights = tools
        assert set(self.makers) == set(self.schemas), set(self.makers) ^ set(self.schemas)
        self.recent: list[str] = []
        """Files that calls have changed."""
        self.weights = [weights.get(name, 2) for name in self.makers]

    def next(self) -> tuple[str, Arguments]:
        """A tool and its arguments."""
        if self.chance(0.04) and (names := self.files()):
            name = self.pick(names)
            return OUTSIDE, {"path": name, "content": self.mutated(self.bytes_of(name))}
        (tool,) = self.random.choices([*self.makers], self.weights)
        if self.chance(0.05):
            return tool, self.nonsense(self.schemas[tool])
        arguments = self.makers[tool](self)
        if self.chance(0.04):
            self.spoil(arguments)
        return tool, arguments

    # Choosing

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, items: Sequence[T]) -> T:
        return self.random.choice(items)

    def some(self, make: Callable[[], Any], most: int = 3) -> list[Any]:
        return [make() for _ in range(self.pick(range(1, most + 1)))]

    def option(self, arguments: Arguments, share: float, **values: Callable[[], Any]) -> Arguments:
        """Adds each of `values` now and then."""
        arguments.update({name: make() for name, make in values.items() if self.chance(share)})
        return arguments

    def flag(self) -> bool:
        return self.chance(0.6)

    # What is there

    @property
    def fresh(self) -> bool:
        """Whether nothing has been changed yet, so that times are still as they were made."""
        return self.stage.tree == self.stage.session.before

    def files(self, *, texts: bool = False) -> list[str]:
        """Files below the roots, not of `.git`; only those that look like text."""
        found = [
            name for name, node in self.stage.tree.items() if node.kind == "file" and "/.git/" not in name
        ]
        return [name for name in found if not texts or not name.endswith((".bin", ".png", "nul.txt"))]

    def bytes_of(self, name: str) -> str:
        return self.stage.tree[name].content

    def text_of(self, name: str) -> str:
        """A file's text with plain line ends, as far as can be told from its name."""
        data = self.bytes_of(name).encode("latin-1")
        encoding = "utf-8"
        for part, known in (
            ("sjis", "shift_jis"),
            ("latin1", "latin-1"),
            ("koi8", "koi8-r"),
            ("utf16", "utf-16"),
            ("bom", "utf-8-sig"),
        ):
            encoding = known if part in name else encoding
        text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
        return text.replace("\ufffd", "?")

    def named(self, name: str) -> str:
        """How a caller writes a name of the tree."""
        root, _, rest = name.partition("/")
        if re.search("[\udc80-\udcff\n\x0c]", rest) and self.surface != "largefile" and self.chance(0.8):
            escapes = {"\n": "\\n", "\x0c": "\\f", "\udcff": "\\377"}
            return '"' + "".join(escapes.get(letter, letter) for letter in rest) + '"'
        if self.surface == "largefile" or self.chance(0.04):
            return f"<base>/{name}"
        if root != "root":
            return f"two:{rest}" if self.surface == "native" else f"<base>/{name}"
        return rest or "."

    def path(self) -> str:
        """Any name: mostly a file, now and then a folder, a link, a pipe, nothing, or what is out of reach."""
        if self.chance(0.75):
            return self.named(self.pick(self.files()))
        if self.chance(0.6):
            return self.named(self.pick([*self.stage.tree]))
        return self.new()

    def file(self) -> str:
        """A text file as a caller writes it, or (now and then) any name."""
        return self.named(self.pick(self.files(texts=True))) if self.chance(0.93) else self.path()

    def folder(self) -> str:
        folders = [name for name, node in self.stage.tree.items() if node.kind == "folder"]
        if self.chance(0.4):
            return self.named("root")
        return self.named(self.pick(folders)) if self.chance(0.85) else self.path()

    def somewhere(self) -> str:
        """A file or a folder to search in."""
        return self.file() if self.flag() else self.folder()

    def new(self) -> str:
        """A name for something new; some cannot be."""
        name = self.pick(_GOOD_NAMES if self.chance(0.6) else NAMES)
        return f"<base>/root/{name}" if self.surface == "largefile" and self.chance(0.9) else name

    def version(self) -> str:
        return self.pick([*self.stage.spelling.known("version")[-6:], "0123456789abcdef", "~", "x"])

    def change(self) -> str:
        known = self.stage.spelling.known("change")[-4:]
        return self.pick(known) if known and self.chance(0.9) else self.pick(["1234567890123", "x"])

    def swap(self, text: str, *, regex: bool) -> tuple[str, str]:
        """What to search in a text, and its replacement; a few of them make no sense."""
        if self.chance(0.2):
            return self.pick(REGEXES if regex else WORDS), self.pick(REPLACEMENTS)
        if regex:
            pattern, replacement = self.pick(_SWAPS)
            return pattern, replacement
        return self.pick(re.findall(r"\w+", text) or ["total"]), self.pick(REPLACEMENTS)

    def changed(self) -> str:
        """A file that an earlier call changed, if there is one."""
        return self.named(self.pick(self.recent)) if self.recent and self.chance(0.85) else self.path()

    def cursor(self) -> str:
        return self.pick([*self.stage.spelling.known("cursor")[-3:], "x", "WyJsaXN0Il0"])

    # Texts

    def mutated(self, text: str) -> str:
        """A text with one to three lines changed, added or gone."""
        lines = text.splitlines(keepends=True) or ["new\n"]
        for _ in range(self.pick([1, 1, 2, 3])):
            at = self.pick(range(len(lines))) if lines else 0
            match self.pick("cccadm"):
                case "c" if lines:
                    lines[at] = self.reworded(lines[at])
                case "d" if len(lines) > 1:
                    del lines[at]
                case "m" if lines:
                    lines.insert(0, lines.pop(at))
                case _:
                    lines.insert(at, "a new line\n")
        return "".join(lines)

    def reworded(self, line: str) -> str:
        words = re.findall(r"\w+", line)
        if not words or self.chance(0.2):
            return line.rstrip("\r\n") + " more" + line[len(line.rstrip("\r\n")) :]
        return line.replace(self.pick(words), self.pick(["changed", "other", "x", "1"]), 1)

    def excerpt(self, text: str) -> tuple[str, int]:
        """One to four whole lines of a text, or a word of one; the first line's number."""
        lines = text.splitlines(keepends=True) or [""]
        at = self.pick(range(len(lines)))
        if self.chance(0.25):
            words = re.findall(r"\S+", lines[at]) or ["nothing"]
            return self.pick(words), at + 1
        found = "".join(lines[at : at + self.pick([1, 1, 1, 2, 3, 4])])
        return found if self.chance(0.5) else found.rstrip("\n"), at + 1

    def slipped(self, text: str) -> str:
        """A text as a model may remember it."""
        match self.pick("bitqcueaw"):
            case "b":
                return re.sub(r"[ \t]+\n", "\n", text) + "  "
            case "i":
                return "\n".join("  " + line if line else line for line in text.split("\n"))
            case "t":
                at = self.pick(range(len(text))) if text else 0
                return text[:at] + "z" + text[at + 1 :]
            case "q":
                return text.replace('"', "\u201c").replace("'", "\u2019").replace("-", "\u2014")
            case "c":
                return text.replace("\n", "\r\n")
            case "u":
                return text.upper()
            case "e":
                lines = text.split("\n")
                return "\n".join([lines[0], "...", lines[-1]])
            case "w":
                return text.replace("    ", "\t")
            case _:
                return "no such text at all\nnor this\n"

    def edit(self, text: str) -> tuple[str, str, int]:
        """What to search in a text, what to put there, and the line it begins at."""
        search, line = self.excerpt(text)
        replace = self.pick(
            [
                self.mutated(search),
                self.mutated(search),
                self.reworded(search),
                "",
                search,
                "caf\u00e9 \u6f22\n",
                search + "added\n",
                "total",
            ]
        )
        if self.chance(0.17):
            search = self.slipped(search)
        return search, replace, line

    # Patches

    def patch(self) -> str:
        if self.chance(0.05):
            return self.pick(
                [
                    "",
                    "no patch",
                    "--- a\n+++ b\n",
                    "*** Begin Patch\n",
                    "@@ -1 +1 @@\n-a\n+b\n",
                    "*** Begin Patch\n*** End Patch\n",
                ]
            )
        make = self.pick([self.hunks, self.hunks, self.envelope])
        parts = [make() for _ in range(self.pick([1, 1, 1, 2, 3]))]
        if make == self.envelope:
            text = "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"
        else:
            text = "".join(parts)
        return self.slipped(text) if self.chance(0.05) else text

    def target(self) -> tuple[str, str, str]:
        """A file's name as a patch writes it, its text, and another."""
        name = self.pick(self.files(texts=True))
        text = self.text_of(name)
        return self.named(name), text, self.mutated(text)

    def hunks(self) -> str:
        """A unified diff of one file; its lines may have drifted."""
        kind = self.pick("mmmmmmcdr")
        name, before, after = self.target()
        old, new = f"a/{name}", f"b/{name}"
        if kind == "c":
            name, before, old, new = self.new(), "", "/dev/null", f"b/{self.new()}"
        elif kind == "d":
            after, new = "", "/dev/null"
        elif kind == "r":
            other = self.new()
            head = f"diff --git a/{name} b/{other}\nsimilarity index 90%\nrename from {name}\nrename to {other}\n"
            return head if self.chance(0.5) else head + self.unified(before, after, f"a/{name}", f"b/{other}")
        if self.chance(0.2):
            old, new = old.removeprefix("a/"), new.removeprefix("b/")
        return self.unified(before, after, old, new)

    def unified(self, before: str, after: str, old: str, new: str) -> str:
        made = list(
            difflib.unified_diff(
                before.splitlines(True), after.splitlines(True), old, new, n=self.pick([0, 1, 3, 3])
            )
        )
        lines = [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in made]
        text = "".join(lines)
        if self.chance(0.15):
            shift = self.pick([1, 3, 20])
            text = re.sub(r"@@ -(\d+)", lambda found: f"@@ -{int(found[1]) + shift}", text)
        if self.chance(0.08):
            text = self.reworded(text)
        if self.chance(0.05):
            text = text.replace("\n", "\r\n")
        return text

    def envelope(self) -> str:
        """One file of a patch in an envelope."""
        name, before, after = self.target()
        match self.pick("uuuuuadm"):
            case "a":
                return f"*** Add File: {self.new()}\n" + "".join(
                    f"+{line}\n" for line in self.pick(CONTENTS).split("\n")
                )
            case "d":
                return f"*** Delete File: {name}\n"
            case "m":
                return f"*** Update File: {name}\n*** Move to: {self.new()}\n" + self.sections(before, after)
            case _:
                return f"*** Update File: {name}\n" + self.sections(before, after)

    def sections(self, before: str, after: str) -> str:
        text = ""
        for line in self.unified(before, after, "a", "b").split("\n")[2:-1]:
            if line.startswith("@@"):
                text += (
                    self.pick(["@@\n", "@@\n", "@@ def total\n", "@@ class Cart\n"])
                    if self.chance(0.9)
                    else ""
                )
            elif not line.startswith("\\"):
                text += line + "\n"
        return text

    # Nonsense

    def nonsense(self, schema: dict[str, Any]) -> Arguments:
        """Arguments of the right shape and no sense, made from the schema."""
        needed = set(schema.get("required", ()))
        fields = schema.get("properties", {}).items()
        made = {
            name: self.anything(each)
            for name, each in fields
            if self.chance(0.95 if name in needed else 0.35)
        }
        if self.chance(0.1):
            made[self.pick(["pth", "unknown", "file_path", ""])] = 1
        return made

    def anything(self, schema: dict[str, Any]) -> Any:
        if self.chance(0.05):
            return self.pick(_WRONG)
        if "enum" in schema:
            return self.pick(schema["enum"])
        if "anyOf" in schema:
            return self.anything(self.pick(schema["anyOf"]))
        match schema.get("type"):
            case "integer":
                return self.pick([0, 1, 2, 3, -1, -3, 100, 10**6, 10**30])
            case "number":
                return self.pick([0.5, 0.9, 1, 2])
            case "boolean":
                return self.flag()
            case "array":
                return [self.anything(schema.get("items", {})) for _ in range(self.pick([0, 1, 1, 2, 3]))]
            case "object":
                return self.nonsense(schema)
            case _:
                texts = [
                    self.path(),
                    self.path(),
                    self.new(),
                    self.pick(WORDS),
                    self.pick(REGEXES),
                    self.pick(CONTENTS),
                    "~",
                    "644",
                    "u+x",
                ]
                return self.pick(texts)

    def spoil(self, arguments: Arguments) -> None:
        """Makes one argument wrong."""
        if not arguments:
            return
        name = self.pick(sorted(arguments))
        match self.pick("wdx"):
            case "w":
                arguments[name] = self.pick(_WRONG)
            case "d":
                del arguments[name]
            case _:
                arguments[name + "s"] = arguments.pop(name)


Maker = Callable[[Author], Arguments]
Tools = tuple[dict[str, Maker], dict[str, int]]
"""What makes the arguments of each tool, and how often tools are called where that is not 2."""
