"""Outlines compared with the definitions that other readers of the same files find.

    python -m benchmarks readers FOLDER... [--files 60] [--missing 5]

Takes up to `--files` source files of each language from the folders (the same ones every time), counts the
definitions that another reader finds and how many of them the outline has, by name and line, and the reverse;
`--missing` shows examples of the differences. The other reader is Universal Ctags, for Kotlin, Scala and Swift
the names after the words that define them as Pygments reads them, for JSON and TOML Python's own parsers
(without lines), and PyYAML for YAML. A language whose reader is not installed is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sysconfig
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from filewright.languages import Language, language_of
from filewright.settings import Settings
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines

CTAGS_KINDS = {
    Language.PYTHON: ("Python", "class function member"),
    Language.JAVASCRIPT: ("JavaScript", "class function method generator"),
    Language.TYPESCRIPT: (
        "TypeScript",
        "class function method interface enum alias namespace generator",
    ),
    Language.GO: ("Go", "func type struct interface const"),
    Language.RUST: (
        "Rust",
        "function method struct enum interface module macro typedef enumerator field",
    ),
    Language.JAVA: (
        "Java",
        "class interface method enum enumConstant annotation field",
    ),
    Language.CSHARP: (
        "C#",
        "class interface struct enum enumerator method property namespace",
    ),
    Language.C: ("C", "function struct union enum enumerator macro typedef"),
    Language.CPP: (
        "C++",
        "function struct union enum enumerator macro typedef class namespace",
    ),
    Language.RUBY: ("Ruby", "class module method singletonMethod"),
    Language.PHP: ("PHP", "class interface trait function"),
    Language.LUA: ("Lua", "function"),
    Language.BASH: ("Sh", "function"),
    Language.SQL: ("SQL", "table function procedure view index trigger domain"),
    Language.HTML: ("HTML", "heading1 heading2 heading3"),
    Language.CSS: ("CSS", "class selector id"),
    Language.MARKDOWN: (
        "Markdown",
        "chapter section subsection subsubsection l4subsection l5subsection",
    ),
}
DEFINING = {
    Language.KOTLIN: "class interface object fun typealias",
    Language.SCALA: "class object trait def type enum given",
    Language.SWIFT: "class struct enum protocol extension actor func typealias",
}
"""Words after which the next name is a definition's."""
SEARCHED = {
    "import", "package", "variable", "property", "constant", "test", "key", "item", "element", "prototype",
    "instance", "extension", "impl", "alias",
}  # fmt: skip
LOADED = {Language.JSON: json.loads, Language.TOML: tomllib.loads}
READ = CTAGS_KINDS.keys() | DEFINING.keys() | LOADED.keys() | {Language.YAML}
UNNAMED = ("__anon", "anonymous", "AnonymousFunction", "<lambda>", "_ ")
GUARD = re.compile(r"_(H|HH|HPP|HXX|INCLUDED|INC)_*$")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKS = re.compile(r"[*`]|(?<!\w)_|_(?!\w)")
MAX_BYTES = 200_000


class Compared(NamedTuple):
    files: int
    errors: int
    ctags: int
    found: int
    ours: int
    confirmed: int
    examples: list[str]


def report(words: Sequence[str], *, quick: bool = False) -> None:
    """Print the table of the two readers by language."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks readers",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--files", type=int, default=1 if quick else 60)
    parser.add_argument("--missing", type=int, default=0)
    options = parser.parse_args(words)
    folders = options.folders or [
        Path(sysconfig.get_paths()["stdlib"]),
        Path(sysconfig.get_paths()["purelib"]),
    ]
    if quick:
        folders = [Path(__file__).parent]
    outlines = Outlines(Settings(parse_seconds=20))
    print("| language | files | with certain syntax errors | another reader finds | of these in the outline |"
          " outline has | of these found there |\n|---|---|---|---|---|---|---|")  # fmt: skip
    for language, paths in sorted(chosen(folders, options.files).items()):
        if not has_reader(language):
            print(f"| {language} | no reader is installed |")
            continue
        result = compared(paths, language, outlines, options.missing)
        print(
            f"| {language} | {result.files} | {result.errors} | {result.ctags} |"
            f" {share(result.found, result.ctags)} | {result.ours} | {share(result.confirmed, result.ours)} |"
        )
        for example in result.examples:
            print(f"    {example}")
    outlines.close()


def has_reader(language: Language) -> bool:
    """Return whether the other reader of a language is installed."""
    if language in CTAGS_KINDS:
        return shutil.which("ctags") is not None
    if language is Language.YAML:
        return importlib.util.find_spec("yaml") is not None
    return True


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"


def chosen(folders: list[Path], count: int) -> dict[Language, list[Path]]:
    """The same `count` files of each language every time: those with the smallest hashes of their names."""
    found: dict[Language, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in folder.rglob("*"):
            head = (
                path.read_bytes()[:65536]
                if path.suffix == ".h" and path.is_file()
                else b""
            )
            language = (
                language_of(path.name.encode(), head) if path.suffix else None
            )
            if (
                language in READ
                and ".min." not in path.name
                and path.is_file()
                and path.stat().st_size <= MAX_BYTES
            ):
                assert language is not None
                found[language].append(path)
    return {
        language: sorted(
            paths, key=lambda path: hashlib.md5(str(path).encode()).digest()
        )[:count]
        for language, paths in found.items()
    }


def compared(
    paths: list[Path], language: Language, outlines: Outlines, missing: int
) -> Compared:
    counts: Counter[str] = Counter()
    examples: list[str] = []
    for path in paths:
        data = path.read_bytes()
        actual = language_of(path.name.encode(), data)
        if actual is not language:
            continue
        outline = outlines.outline(data, language)
        counts["files"] += 1
        counts["errors"] += bool(
            outline.errors.count and outline.errors.certain
        )
        theirs = list(definitions(path, data, language))
        spans = spans_of(outline)
        for name, line in theirs:
            hit = any(
                not line or first <= line <= last
                for first, last in spans.get(name, ())
            )
            counts["ctags"] += 1
            counts["found"] += hit
            if not hit and counts["shown"] < missing:
                counts["shown"] += 1
                examples.append(f"not in the outline: {name} {path}:{line}")
        known = defaultdict(list)
        for name, line in theirs:
            known[name].append(line)
        for name, places in spans_of(outline, SEARCHED).items():
            for first, last in places:
                confirmed = any(
                    not line or first <= line <= last
                    for line in known.get(name, ())
                )
                counts["ours"] += 1
                counts["confirmed"] += confirmed
                if not confirmed and counts["extra"] < missing:
                    counts["extra"] += 1
                    examples.append(f"not there: {name} {path}:{first}")
    names = ("files", "errors", "ctags", "found", "ours", "confirmed")
    return Compared(*(counts[name] for name in names), examples)


def definitions(
    path: Path, data: bytes, language: Language
) -> Iterator[tuple[str, int]]:
    """The names that another reader finds, with their lines (0: it knows none)."""
    if language in DEFINING:
        return named(data.decode("utf-8", "replace"), language)
    if language is Language.YAML:
        return mapped(data.decode("utf-8", "replace"))
    if language in LOADED:
        try:
            return keys(LOADED[language](data.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            return iter(())
    return tags(path, language)


def named(source: str, language: Language) -> Iterator[tuple[str, int]]:
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Keyword, Name, Text

    words = set(DEFINING[language].split())
    line, last, defines = 1, "", False
    for kind, text in get_lexer_by_name(
        language.value, stripnl=False
    ).get_tokens(source):
        if kind in Name and defines:
            last = text
        elif last:
            if text.strip() not in (
                ".",
                "?.",
            ):  # the receiver of an extension comes before its name
                yield plain(last.strip("`")), line
                last, defines = "", kind in Keyword and text.strip() in words
        elif kind in Keyword:
            defines = text.strip() in words
        elif not (kind in Text or kind in Comment or not text.strip()):
            defines = False
        line += text.count("\n")


def mapped(source: str) -> Iterator[tuple[str, int]]:
    yaml: Any = importlib.import_module("yaml")  # PyYAML, which only this needs
    with contextlib.suppress(yaml.YAMLError):
        pending = [
            node for node in yaml.compose_all(source) if node is not None
        ]
        while pending:
            node = pending.pop()
            if isinstance(node, yaml.SequenceNode):
                pending += node.value
            elif isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    pending.append(value)
                    if isinstance(key, yaml.ScalarNode):
                        yield plain(key.value), key.start_mark.line + 1


def keys(value: object) -> Iterator[tuple[str, int]]:
    """The keys of objects, but not of those in lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield plain(str(name)), 0
            yield from keys(inner)


def tags(path: Path, language: Language) -> Iterator[tuple[str, int]]:
    name, kinds = CTAGS_KINDS[language]
    wanted = set(kinds.split())
    command = [
        "ctags",
        "--options=NONE",
        "--output-format=json",
        "--fields=+nKs",
        "--sort=no",
        "-f",
        "-",
    ]
    done = subprocess.run(
        [*command, f"--language-force={name}", str(path)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    for line in done.stdout.splitlines():
        tag = json.loads(line.decode("utf-8", "replace"))
        guard = tag.get("kind") == "macro" and GUARD.search(tag["name"])
        local = (
            tag.get("kind") == "typedef" and tag.get("scopeKind") == "function"
        )
        if (
            tag.get("kind") in wanted
            and not guard
            and not local
            and not tag["name"].startswith(UNNAMED)
        ):
            yield plain(tag["name"]), tag["line"]


def spans_of(
    outline: Outline, without: set[str] | None = None
) -> dict[str, list[tuple[int, int]]]:
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for _, symbol in outline.walk():
        if without and symbol.kind in without:
            continue
        names = {plain(symbol.name), plain(symbol.lookup_name or symbol.name)}
        if symbol.kind == "rule" and not without:
            names.update(
                re.findall(r"[\w-]+", symbol.name)
            )  # ctags lists the parts of a selector
        if symbol.kind in ("module", "table") and not without:
            names.update(
                (symbol.lookup_name or symbol.name).split(".")
            )  # ctags lists the parts of a::b::c
        if not without and ".prototype." in symbol.name:
            names.add(
                symbol.lookup_name.partition(".")[0]
            )  # ctags lists the class of a prototype's method
        for name in names:
            spans[name].append((symbol.block_start_line, symbol.end_line))
            if without:
                break
    return spans


def plain(name: str) -> str:
    """The last part of a name, as both sides would write it."""
    if "<" in name and "operator" not in name:
        name = name.partition("<")[0].strip()  # a template's arguments
    if " " in name.strip() and not name.startswith("operator"):
        return " ".join(
            MARKS.sub("", LINK.sub(r"\1", LINK.sub(r"\1", name))).split()
        ).strip("# ")
    name = name.replace("\\", ".")
    for separator in ("::", ".", ":"):
        name = name.rpartition(separator)[2] or name
    return (
        name.replace("operator ", "operator")
        .removeprefix("r#")
        .strip("'\"`&*() ")
        .partition("<")[0]
        or name
    )
