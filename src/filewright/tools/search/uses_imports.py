"""Import statements around a name: the module, and other names that the name has or gets.

The grammar has said that the name is in an import. The statement is read from the text,
in the forms of the languages whose imports name members of modules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from filewright.languages import Language
from filewright.structure.symbol import split_words

MAX_STATEMENT_BYTES = 8 << 10
"""Bytes before and behind a name in which its import statement is looked for."""

MAX_NAME_BYTES = 200
MAX_OCCURRENCES = 5

SCRIPT_LANGUAGES = frozenset(
    [Language.JAVASCRIPT, Language.JSX, Language.TYPESCRIPT, Language.TSX]
)
PATH_LANGUAGES = frozenset(
    [
        Language.JAVA,
        Language.KOTLIN,
        Language.SCALA,
        Language.PHP,
        Language.SWIFT,
        Language.CSHARP,
    ]
)
"""Languages in which a name is the last part of the path that an import names."""

READ_LANGUAGES = (
    SCRIPT_LANGUAGES | PATH_LANGUAGES | {Language.PYTHON, Language.RUST}
)

_SCRIPT_START = re.compile(rb"^[ \t]*(?:import|export|const|let|var)\b", re.M)
_SCRIPT = re.compile(
    rb"[ \t]*(?P<export>export\b)?\s*(?P<import>import\b|const\b|let\b|var\b)?\s*(?:type\b(?!\s*,)|typeof\b)?"
    rb"(?P<clause>[^'\";=]*?)(?:\bfrom|=\s*(?:await\s+)?(?:require|import)\s*\()\s*"
    rb"['\"](?P<module>[^'\"\n]+)['\"]"
)
_PYTHON_START = re.compile(rb"^[ \t]*(?:from|import)\b", re.M)
_PYTHON = re.compile(
    rb"[ \t]*from\s+(?P<module>[.\w]+)\s+import\s*"
    rb"(?:\((?P<many>(?:[^)#]|#[^\n]*)*)\)|(?P<names>(?:[^\n\\]|\\\r?\n)*))"
)
_PLAIN_NAMES = re.compile(rb"[ \t]+[\w., \t]*")
_RUST_START = re.compile(rb"(?P<pub>\bpub\b[^;{}]{0,40})?\buse\s+")
_PATH_START = re.compile(
    rb"^[ \t]*(?:global\s+)?(?:import|use|using)\s+(?:static\s+|function\s+|const\s+)?",
    re.M,
)
_ALIAS = re.compile(rb"\s+as\s+([\w$]+)|\s*:(?!:)\s*([\w$]+)")
_ALIASED = re.compile(rb"([\w$*]+)\s+as\s+\Z|([\w$]+)\s*:\s*\Z")
_SCRIPT_SUFFIXES = split_words(".ts .tsx .d.ts .js .jsx .mts .mjs .cts .cjs")
_SCRIPT_ENDING = re.compile(r"\.[cm]?jsx?$")
_FILE_SUFFIXES = {
    Language.PYTHON: (".py", "/__init__.py", ".pyi"),
    Language.RUST: (".rs", "/mod.rs"),
    Language.JAVA: (".java", ".kt"),
    Language.KOTLIN: (".kt", ".java"),
    Language.SCALA: (".scala", ".java"),
}


@dataclass(frozen=True, slots=True)
class SurveyedImport:
    """A name in an import statement. `module` is "" if it could not be read.

    `alias` is another name by which the file calls the imported one, and `original` another
    name by which the module defines it; "" if there is none. With `is_module`, the name is
    that of a module, or in the path of one.
    """

    module: str = ""
    alias: str = ""
    original: str = ""
    is_reexport: bool = False
    is_module: bool = False


def read_import(
    data: bytes, start: int, end: int, path: str, language: Language | None
) -> SurveyedImport:
    """Return the import of the name [start, end) in a text in UTF-8."""
    first = max(0, start - MAX_STATEMENT_BYTES)
    text = data[first : end + MAX_STATEMENT_BYTES]
    span = start - first, end - first
    if language in SCRIPT_LANGUAGES:
        return _read_script(text, span)
    if language is Language.PYTHON:
        return _read_python(text, span, path)
    if language is Language.RUST:
        return _read_rust(text, span)
    if language in PATH_LANGUAGES:
        return _read_path(text, span)
    return SurveyedImport()


def find_import(
    data: bytes, name: str, path: str, language: Language | None
) -> SurveyedImport | None:
    """Return the import that gives a file the name of a receiver, or None.

    An import comes before the uses of its name, so only the first occurrences are read.
    """
    if language not in SCRIPT_LANGUAGES and language is not Language.PYTHON:
        return None
    word = re.escape(name.encode())
    occurrences = re.finditer(rb"(?<![\w$.])" + word + rb"(?![\w$])", data)
    for occurrence in islice(occurrences, MAX_OCCURRENCES):
        start, end = occurrence.span()
        imported = read_import(data, start, end, path, language)
        if imported.module and (
            not imported.is_module or language is Language.PYTHON
        ):
            return imported
    return None


def _last_match(
    pattern: re.Pattern[bytes], text: bytes, end: int
) -> re.Match[bytes] | None:
    """Return the last match that begins before `end`."""
    last = None
    for match in pattern.finditer(text, 0, end):
        last = match
    return last


def _read_script(text: bytes, span: tuple[int, int]) -> SurveyedImport:
    """Return the import of a name in JavaScript or TypeScript."""
    start = _last_match(_SCRIPT_START, text, span[1])
    match = _SCRIPT.match(text, start.start()) if start is not None else None
    if match is None:
        return SurveyedImport()
    module = _decode(match["module"])
    clause_start, clause_end = match.span("clause")
    if not clause_start <= span[0] < clause_end:
        in_module = match.start("module") <= span[0] < match.end("module")
        return SurveyedImport(module if in_module else "", is_module=in_module)
    before = text[clause_start : span[0]]
    imported = _read_names(text[:clause_end], span)
    original = imported.original
    is_default = b"{" not in before and match["import"] == b"import"
    if is_default and not original:
        original = "default"
    return SurveyedImport(
        module=module,
        alias=imported.alias,
        original=original,
        is_reexport=match["export"] is not None and match["import"] is None,
    )


def _read_names(text: bytes, span: tuple[int, int]) -> SurveyedImport:
    """Return the alias and the original of a name in the clause of an import."""
    name = text[span[0] : span[1]]
    after = _ALIAS.match(text, span[1])
    before = _ALIASED.search(text[max(0, span[0] - MAX_NAME_BYTES) : span[0]])
    alias = original = None
    if after is not None:
        alias = after[1] or after[2]
    if before is not None:
        original = before[1] or before[2]
    # `import { has as has }` gives no other name.
    return SurveyedImport(
        alias=_other(alias, name), original=_other(original, name)
    )


def _read_python(
    text: bytes, span: tuple[int, int], path: str
) -> SurveyedImport:
    """Return the import of a name in Python."""
    start = _last_match(_PYTHON_START, text, span[1])
    if start is None:
        return SurveyedImport()
    match = _PYTHON.match(text, start.start())
    if match is None:
        return _read_plain_import(text, start.end(), span)
    module = _decode(match["module"])
    if match.start("module") <= span[0] < match.end("module"):
        return SurveyedImport(module, is_module=True)
    group = "many" if match["many"] is not None else "names"
    clause_start, clause_end = match.span(group)
    if not clause_start <= span[0] < clause_end:
        return SurveyedImport()
    imported = _read_names(text[:clause_end], span)
    return SurveyedImport(
        module=module,
        alias=imported.alias,
        original=imported.original,
        is_reexport=posixpath.basename(path) == "__init__.py",
    )


def _read_plain_import(
    text: bytes, start: int, span: tuple[int, int]
) -> SurveyedImport:
    """Return the import of a name in `import a.b, c as d` from `start` on."""
    before = text[start : span[0]]
    if not _PLAIN_NAMES.fullmatch(before):
        return SurveyedImport()
    names = _read_names(text, span)
    before = before.rpartition(b",")[2].strip()
    module = before + text[span[0] : span[1]]
    if names.original:
        module = before.split()[0]
    return SurveyedImport(
        module=_decode(module),
        alias=names.alias,
        original=names.original,
        is_module=True,
    )


def _read_rust(text: bytes, span: tuple[int, int]) -> SurveyedImport:
    """Return the import of a name in Rust, whose lists of names may be nested."""
    start = _last_match(_RUST_START, text, span[0])
    if start is None:
        return SurveyedImport()
    prefixes: list[str] = []
    prefix = current = ""
    for character in _decode(text[start.end() : span[0]]):
        if character == "{":
            prefixes.append(prefix)
            prefix += current
            current = ""
        elif character == "}" and prefixes:
            prefix = prefixes.pop()
            current = ""
        elif character == ",":
            current = ""
        elif not character.isspace():
            current += character
    module = (prefix + current).removesuffix("::")
    after = text[span[1] : span[1] + MAX_NAME_BYTES]
    is_module = after.lstrip().startswith(b"::")
    alias = ""
    if not is_module:
        alias = _read_names(text, span).alias
    return SurveyedImport(
        module=module,
        alias=alias,
        is_reexport=start["pub"] is not None,
        is_module=is_module,
    )


def _read_path(text: bytes, span: tuple[int, int]) -> SurveyedImport:
    """Return the import of a name that is part of a path, as in Java."""
    start = _last_match(_PATH_START, text, span[1])
    if start is None:
        return SurveyedImport()
    module = _decode(text[start.end() : span[0]]).strip().rstrip(".\\")
    names = _read_names(text, span)
    is_module = text[span[1] : span[1] + 1] in (b".", b"\\")
    return SurveyedImport(module, names.alias, is_module=is_module)


def _other(name: bytes | None, own: bytes) -> str:
    """Return a name, or "" if it is that of the import itself."""
    return "" if name is None or name == own else _decode(name)


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


class ModuleFiles:
    """The files that modules are in, found by a test whether a file exists.

    No more than `max_tests` files are tested: a tree may import from thousands.
    """

    def __init__(
        self, has_file: Callable[[str], bool], max_tests: int = 2_000
    ) -> None:
        self._has_file = has_file
        self._tests_left = max_tests
        self._is_file: dict[str, bool] = {}
        self._files: dict[tuple[str, str, str], str] = {}

    def find(
        self, module: str, name: str, path: str, language: Language | None
    ) -> str:
        """Return the path of the file that an import in `path` means, or ""."""
        folder = posixpath.dirname(path)
        key = (folder, module, name if language is Language.JAVA else "")
        if key not in self._files:
            self._files[key] = self._find(module, name, folder, language)
        return self._files[key]

    def _find(
        self, module: str, name: str, folder: str, language: Language | None
    ) -> str:
        if language in SCRIPT_LANGUAGES:
            candidates = _script_files(module, folder)
        elif language is Language.PYTHON:
            candidates = self._python_files(module, folder)
        elif language in _FILE_SUFFIXES:
            candidates = _path_files(module, name, folder, language)
        else:
            return ""
        for candidate in candidates:
            if self._test(candidate):
                return candidate
        return ""

    def _test(self, path: str) -> bool:
        """Return True if a file exists, as far as so many files may be tested."""
        is_file = self._is_file.get(path)
        if is_file is None:
            if self._tests_left <= 0:
                return False
            self._tests_left -= 1
            is_file = self._is_file[path] = self._has_file(path)
        return is_file

    def _python_files(self, module: str, folder: str) -> Iterator[str]:
        """Yield the files that a module of Python may be in."""
        parts = module.lstrip(".").replace(".", "/")
        suffixes = _FILE_SUFFIXES[Language.PYTHON]
        if module.startswith("."):
            for _ in range(len(module) - len(module.lstrip(".")) - 1):
                folder = posixpath.dirname(folder)
            if parts:
                for suffix in suffixes:
                    yield posixpath.join(folder, parts + suffix)
            else:
                yield posixpath.join(folder, "__init__.py")
            return
        for ancestor in _ancestors(folder):
            # A package is no folder in which modules are looked for.
            if self._test(posixpath.join(ancestor, "__init__.py")):
                continue
            for top in (ancestor, posixpath.join(ancestor, "src")):
                for suffix in suffixes:
                    yield posixpath.join(top, parts + suffix)


def _ancestors(folder: str) -> Iterator[str]:
    """Yield a folder and those around it, up to the top, which is ""."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _script_files(module: str, folder: str) -> Iterator[str]:
    """Yield the files that a module of JavaScript or TypeScript may be in."""
    bases = []
    if module.startswith("."):
        bases.append(posixpath.normpath(posixpath.join(folder, module)))
    elif not module.startswith("/"):
        # A package of the same repository has its sources below its own name.
        parts = module.split("/")
        if module.startswith("@"):
            parts = parts[1:]
        for ancestor in _ancestors(folder):
            if len(parts) > 1:
                bases.append(
                    posixpath.join(ancestor, parts[0], "src", *parts[1:])
                )
            bases.append(posixpath.join(ancestor, *parts))
    for base in bases:
        if base.startswith("../"):
            continue
        stem = _SCRIPT_ENDING.sub("", base)
        if posixpath.splitext(base)[1] in _SCRIPT_SUFFIXES:
            yield base
        for suffix in (".ts", ".tsx", ".js", ".jsx", ".mjs", ".d.ts"):
            yield stem + suffix
        for suffix in ("/index.ts", "/index.tsx", "/index.js"):
            yield base + suffix


def _path_files(
    module: str, name: str, folder: str, language: Language
) -> Iterator[str]:
    """Yield the files that a path of Java or Rust may be in."""
    parts = [
        part
        for part in re.split(r"\.|::", module)
        if part not in ("", "crate", "self")
    ]
    for ancestor in _ancestors(folder):
        for path in ([*parts, name], parts):
            if path:
                for suffix in _FILE_SUFFIXES[language]:
                    yield posixpath.join(ancestor, *path) + suffix
