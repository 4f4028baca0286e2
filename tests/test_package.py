"""What is built and what comes along: licences, links of the description, patterns of the archive."""

from __future__ import annotations

import importlib.metadata
import json
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
    left = [
        (Requirement(text), "") for text in CONFIG["project"]["dependencies"]
    ]
    while left:
        wanted, extra = left.pop()
        if wanted.marker is not None and not wanted.marker.evaluate(
            {"extra": extra}
        ):
            continue
        name = wanted.name.lower().replace("_", "-")
        for each in {"", *wanted.extras} - {
            known for other, known in found if other == name
        }:
            found.add((name, each))
            left += [
                (Requirement(text), each)
                for text in importlib.metadata.requires(name) or []
            ]
    return {name for name, _ in found}


def licence(name: str) -> str:
    about = importlib.metadata.metadata(name)
    classified = [
        line
        for line in about.get_all("Classifier", [])
        if line.startswith("License ::")
    ]
    return str(
        about.get("License-Expression")
        or " ".join(classified)
        or about.get("License")
    )


def test_every_dependency_has_a_permissive_licence() -> None:
    found = dependencies()
    assert {"mcp", "pydantic-core", "cryptography"} <= found
    assert {
        name: licence(name)
        for name in found
        if not PERMISSIVE.search(licence(name))
    } == {}


def test_nothing_large_comes_along_unseen() -> None:
    """The large ones that were weighed and left out, or would come with another one's new version."""
    assert not dependencies() & {
        "numpy",
        "scipy",
        "pandas",
        "torch",
        "playwright",
        "mypy",
    }


def test_the_description_leads_to_the_repository() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    for each in CONFIG["tool"]["hatch"]["metadata"]["hooks"][
        "fancy-pypi-readme"
    ]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    assert len(links) > 20
    assert all((one or other).startswith("https://") for one, other in links)


def test_the_archive_holds_what_it_names_and_only_from_the_top() -> None:
    named = CONFIG["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"/LICENSE", "/tests", "/docs", "/server.json"} <= {*named}
    assert all(
        name.startswith("/") and (PROJECT / name[1:]).exists() for name in named
    )


WORKFLOWS = sorted((PROJECT / ".github/workflows").glob("*.yml"))
LOCKS = PROJECT / "packaging/locks"


def test_pins_every_action_and_image_by_its_digest() -> None:
    for workflow in WORKFLOWS:
        actions = re.findall(
            r"uses: (\S+)", workflow.read_text(encoding="utf-8")
        )
        assert actions
        assert [
            action
            for action in actions
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
        ] == []
    images = re.findall(
        r"^FROM (\S+)",
        (PROJECT / "Dockerfile").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert images
    assert [
        image
        for image in images
        if not re.search(r"@sha256:[0-9a-f]{64}$", image)
    ] == []


def test_builds_a_release_from_nothing_that_is_not_locked() -> None:
    release = WORKFLOWS[0].read_text(encoding="utf-8")
    for text in (release, (PROJECT / "Dockerfile").read_text(encoding="utf-8")):
        assert not re.search(
            r"\b(npx|pipx|curl|wget)\b|@latest|releases/latest", text
        )
    jobs = dict(
        re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", release, re.MULTILINE)
    )
    for name in ("build", "pypi", "image", "release"):
        for line in re.findall(r"pip install .*", jobs[name]):
            assert "--require-hashes" in line, (name, line)


def test_locks_every_dependency_with_its_hashes() -> None:
    locked = {}
    for name in ("release", "runtime"):
        entries = re.split(
            r"^(?=\S)",
            (LOCKS / f"{name}.txt").read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )[1:]
        assert entries
        assert all("--hash=sha256:" in entry for entry in entries)
        locked[name] = {
            entry.partition("==")[0].lower(): entry for entry in entries
        }
    for text in CONFIG["project"]["dependencies"]:
        wanted = Requirement(text)
        entry = locked["runtime"][re.sub(r"[-_.]+", "-", wanted.name.lower())]
        version = re.match(r"[^=]+==([^\s;]+)", entry)
        assert version is not None
        assert wanted.specifier.contains(version[1], prereleases=True), text
    assert {"build", "twine", "hatchling", "hatch-fancy-pypi-readme"} <= locked[
        "release"
    ].keys()
    packages = json.loads(
        (LOCKS / "npm/package-lock.json").read_text(encoding="utf-8")
    )["packages"]
    assert all(
        "integrity" in package for path, package in packages.items() if path
    )
    assert " h1:" in (LOCKS / "publisher/go.sum").read_text(encoding="utf-8")
