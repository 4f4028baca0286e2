"""The file that an import means, and the name of another file there."""

from __future__ import annotations

import pytest

from filewright.structure.module_names import (
    TWO_MODULES,
    UNRESOLVED,
    ModuleMove,
    NewModule,
    find_twins,
    module_stem,
    python_parts,
    rebase_module,
)

PACKAGE = "src/flask/__init__.py src/flask/sansio/__init__.py"
OTHER_PACKAGE = "the new module is in another package"

# Files, mentions, the old file, the new one, the importer, its module, and the answer.
PYTHON = {
    "relative": ("", "app.py", ".helpers", ".env"),
    "dots and spaces": ("", "app.py", ". helpers", ".env"),
    "two dots": ("", "sansio/app.py", "..helpers", "..env"),
    "absolute": ("", "app.py", "flask.helpers", "flask.env"),
    "absolute with src": ("", "app.py", "src.flask.helpers", "src.flask.env"),
    "of another folder": ("", "sansio/app.py", ".helpers", None),
    "of another package": ("", "app.py", "werkzeug.helpers", None),
    "without its package": ("", "app.py", "helpers", f"!{UNRESOLVED}"),
    "too many dots": ("", "app.py", ".....helpers", None),
    "a folder too": (
        "src/flask/helpers/__init__.py",
        "app.py",
        ".helpers",
        f"!{TWO_MODULES}",
    ),
    "another flask": (
        "@vendor/flask/helpers.py",
        "app.py",
        "flask.helpers",
        f"!{TWO_MODULES}",
    ),
    "another flask is not relative": (
        "@vendor/flask/helpers.py",
        "app.py",
        ".helpers",
        ".env",
    ),
}


def rename(
    files: str, old: str, new: str, importer: str, module: str
) -> str | None:
    """Return the new module, or the reason behind an exclamation mark."""
    paths = files.split()
    there = {path for path in paths if not path.startswith("@")}
    mentions = {tuple(path.removeprefix("@").split("/")) for path in paths}
    move = ModuleMove(
        tuple(old.split("/")),
        tuple(new.split("/")),
        lambda parts: "/".join(parts) in there,
        find_twins(tuple(old.split("/")), mentions),
    )
    result: NewModule | None = move.find_new_module(
        tuple(importer.split("/")), module
    )
    if result is None:
        return None
    return f"!{result.reason}" if result.reason else result.text


@pytest.mark.parametrize(
    ("files", "importer", "module", "expected"), PYTHON.values(), ids=PYTHON
)
def test_python(
    files: str, importer: str, module: str, expected: str | None
) -> None:
    renamed = rename(
        f"{PACKAGE} {files}",
        "src/flask/helpers.py",
        "src/flask/env.py",
        f"src/flask/{importer}",
        module,
    )
    assert renamed == expected


ELSEWHERE = {
    "into a folder": ("src/flask/core/env.py", "src/flask/a.py", ".h", ".core.env"),
    "up to the package": ("src/flask/__init__.py", "src/flask/a.py", ".h", "."),
    "an importer below": ("src/flask/core/env.py", "src/flask/core/b.py", "..h", ".env"),
    "out of the package": ("src/other/env.py", "src/flask/a.py", ".h", f"!{OTHER_PACKAGE}"),
    "out, absolute": ("src/other/env.py", "src/flask/a.py", "flask.h", "other.env"),
    "out of src": ("tools/env.py", "src/flask/a.py", "flask.h", f"!{OTHER_PACKAGE}"),
    "no identifier": ("src/flask/my-env.py", "src/flask/a.py", ".h", "!the new file has no name of a module"),
    "a keyword": ("src/flask/class.py", "src/flask/a.py", ".h", "!the new file has no name of a module"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("new", "importer", "module", "expected"), ELSEWHERE.values(), ids=ELSEWHERE
)
def test_python_in_another_folder(
    new: str, importer: str, module: str, expected: str
) -> None:
    assert rename(PACKAGE, "src/flask/h.py", new, importer, module) == expected


def test_scripts_without_packages() -> None:
    def script(importer: str, module: str) -> str | None:
        return rename("", "tools/h.py", "tools/env.py", importer, module)

    assert script("tools/run.py", "h") == "env"
    assert script("tools/sub/run.py", "h") == "env"
    assert script("tests/run.py", "h") == f"!{UNRESOLVED}"
    assert script("tests/run.py", "tools.h") == "tools.env"
    package = rename(
        PACKAGE, "src/flask/__init__.py", "src/flask/env.py", "t/a.py", "flask"
    )
    assert package == "flask.env"


SCRIPTS = {
    "without extension": ("", "src/a.ts", "./utils", "./env"),
    "as it is written": ("", "src/a.ts", "./utils.ts", "./env.tsx"),
    "as it is compiled": ("", "src/a.ts", "./utils.js", "./env.js"),
    "from a folder": ("", "src/lib/a.ts", "../utils", "../env"),
    "from elsewhere": ("", "test/a.ts", "../src/utils", "../src/env"),
    "another file": ("", "src/lib/a.ts", "./utils", None),
    "a package": ("", "src/a.ts", "lodash", None),
    "an alias": ("", "src/a.ts", "@/utils", f"!{UNRESOLVED}"),
    "out of the root": ("", "src/a.ts", "../../utils", None),
    "two files": ("src/utils.js", "src/a.ts", "./utils", f"!{TWO_MODULES}"),
    "a file and a folder": (
        "src/utils/index.js",
        "src/a.ts",
        "./utils",
        f"!{TWO_MODULES}",
    ),
    "two files, but one with this extension": (
        "src/utils.js",
        "src/a.ts",
        "./utils.ts",
        "./env.tsx",
    ),
    "the compiled file is there": ("src/utils.js", "src/a.ts", "./utils.js", None),
    "two new files": ("src/env.js", "src/a.ts", "./utils", f"!{TWO_MODULES}"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("files", "importer", "specifier", "expected"),
    SCRIPTS.values(),
    ids=SCRIPTS,
)
def test_scripts(
    files: str, importer: str, specifier: str, expected: str | None
) -> None:
    renamed = rename(
        f"src/utils.ts src/env.tsx {files}",
        "src/utils.ts",
        "src/env.tsx",
        importer,
        specifier,
    )
    assert renamed == expected


@pytest.mark.parametrize(
    ("old", "new", "importer", "specifier", "expected"),
    [
        ("src/index.ts", "src/env.ts", "src/a.ts", ".", "./env"),
        ("src/index.ts", "src/env.ts", "a.ts", "./src", "./src/env"),
        ("src/index.ts", "src/env.ts", "a.ts", "./src/index", "./src/env"),
        ("src/u/index.ts", "src/v/index.ts", "src/a.ts", "./u", "./v"),
        ("src/u.ts", "src/v/index.ts", "src/a.ts", "./u", "./v/index"),
        ("src/u.ts", "src/my env.ts", "src/a.ts", "./u", "!"),
        ("src/u.ts", "src/v.mts", "src/a.ts", "./u", "!"),
        ("u.js", "v.js", "a.js", "./u.js", "./v.js"),
    ],
)
def test_folders_of_scripts(
    old: str, new: str, importer: str, specifier: str, expected: str
) -> None:
    renamed = rename("", old, new, importer, specifier)
    assert renamed is not None
    assert renamed == expected or renamed.startswith("!") == (expected == "!")


def test_names_of_files() -> None:
    assert python_parts(("a", "__init__.py")) == ("a",)
    assert module_stem(("a", "b.d.ts")) == "b"
    assert module_stem(("a", "index.ts")) == "a"
    assert module_stem(("index.ts",)) == ""


# Files, the old importer, the new one, the module that the old one imports, and the answer.
REBASED = {
    "same folder": ("", "p/a.py", "p/b.py", ".m", ".m"),
    "below": (
        "p/m.py p/__init__.py p/q/__init__.py",
        "p/a.py",
        "p/q/b.py",
        ".m",
        "..m",
    ),
    "above": ("p/q/m.py p/__init__.py", "p/q/a.py", "p/b.py", ".m", ".q.m"),
    "package": (
        "p/__init__.py p/q/__init__.py",
        "p/a.py",
        "p/q/b.py",
        ".",
        "..",
    ),
    "no package": ("p/m.py", "p/a.py", "p/q/b.py", ".m", f"!{UNRESOLVED}"),
    "missing": (
        "p/__init__.py p/q/__init__.py",
        "p/a.py",
        "p/q/b.py",
        ".m",
        f"!{UNRESOLVED}",
    ),
    "absolute": ("p/m.py", "p/a.py", "q/b.py", "os", "os"),
    "neighbour of a script": (
        "p/m.py",
        "p/a.py",
        "q/b.py",
        "m",
        f"!{UNRESOLVED}",
    ),
    "script": ("", "s/a.ts", "b.ts", "./m.js", "./s/m.js"),
    "script above": ("", "s/a.ts", "s/t/b.ts", "..", "../.."),
    "bare name": ("", "s/a.ts", "t/b.ts", "m", "m"),
    "another package of scripts": (
        "t/package.json",
        "s/a.ts",
        "t/b.ts",
        "m",
        f"!{UNRESOLVED}",
    ),
}


@pytest.mark.parametrize(
    ("files", "old", "new", "module", "expected"), REBASED.values(), ids=REBASED
)
def test_rebase_module(
    files: str, old: str, new: str, module: str, expected: str
) -> None:
    rebased = rebase_module(
        module,
        tuple(old.split("/")),
        tuple(new.split("/")),
        lambda path: "/".join(path) in files.split(),
    )
    assert (rebased.text or f"!{rebased.reason}") == expected
