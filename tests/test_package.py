"""What is built and what comes along: licences, links of the description, patterns of the archive."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[1]
CONFIG = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|PSF|Python Software Foundation|ISC|Unlicense|MPL-2\.0|Mozilla Public License 2\.0",
    re.IGNORECASE,
)


def dependencies() -> set[str]:
    """The names of everything that is installed with filewright."""
    found: set[tuple[str, str]] = set()
    left = [(Requirement(text), "") for text in CONFIG["project"]["dependencies"]]
    while left:
        wanted, extra = left.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        name = wanted.name.lower().replace("_", "-")
        for each in {"", *wanted.extras} - {known for other, known in found if other == name}:
            found.add((name, each))
            left += [(Requirement(text), each) for text in importlib.metadata.requires(name) or []]
    return {name for name, _ in found}


def licence(name: str) -> str:
    about = importlib.metadata.metadata(name)
    classified = [line for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    return str(about.get("License-Expression") or " ".join(classified) or about.get("License"))


def test_every_dependency_has_a_permissive_licence() -> None:
    found = dependencies()
    assert {"mcp", "pydantic-core", "cryptography"} <= found
    assert {name: licence(name) for name in found if not PERMISSIVE.search(licence(name))} == {}


def test_nothing_large_comes_along_unseen() -> None:
    """The large ones that were weighed and left out, or would come with another one's new version."""
    assert not dependencies() & {"numpy", "scipy", "pandas", "torch", "playwright", "mypy"}


def test_the_description_leads_to_the_repository() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    for each in CONFIG["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    assert len(links) > 20
    assert all((one or other).startswith("https://") for one, other in links)


def test_the_archive_holds_what_it_names_and_only_from_the_top() -> None:
    named = CONFIG["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"/LICENSE", "/tests", "/docs", "/server.json"} <= {*named}
    assert all(name.startswith("/") and (PROJECT / name[1:]).exists() for name in named)


def test_every_benchmark_can_be_loaded():
    for path in (PROJECT / "benchmarks").glob("[!_]*.py"):
        importlib.import_module(f"benchmarks.{path.stem}")


def test_the_benchmark_of_edits_says_what_became_of_a_request() -> None:
    edits = importlib.import_module("benchmarks.edits")
    request = edits.Request("one\ntwo\n", "one\n", "three\n", "three\ntwo\n")
    assert edits.verdict(request, "a.py")[0] == "correct"
