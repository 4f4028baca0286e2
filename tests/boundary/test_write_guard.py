"""Protected paths may not be changed, by any spelling and through any link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.names import plain_form
from filewright.boundary.protection import Protection
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

ALLOWED = [
    "file", "new", "sub/new", "new/new", "in-folder/new", ".gitignore", ".github/x", "git-notes", "a.git",
    "git~2", ".gitmodules", "sub/.gitkeep", "x.git/y", ".g/it",
]  # fmt: skip
PROTECTED = [
    ".git", ".git/config", ".git/new/x", "sub/.git", "sub/.git/hooks/post-checkout", "new/.git/x",
    ".GIT/config", ".Git", ".gIt/x", ".git./config", ".git /config", ".git . ./x", "git~1/config", "GIT~1",
    ".git::$INDEX_ALLOCATION/config", ".git:x", ".g\u200cit/config", "\ufeff.git/x", ".gi\u202et",
    "\uff0egit/config", ".g\u200dIT", "git/config", "git/new/x",
]  # fmt: skip


@pytest.mark.parametrize("requested", ALLOWED)
def test_ordinary_names_are_writable(
    standing_boundary: Boundary, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    standing_boundary.require_writable(location)


@pytest.mark.parametrize("requested", PROTECTED)
def test_protects_every_spelling_and_links(
    standing_boundary: Boundary, standing_root: Path, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    before = sorted(standing_root.rglob("*"))
    for change in (
        lambda: standing_boundary.require_writable(location),
        lambda: standing_boundary.require_writable(location, link_itself=True),
    ):
        with pytest.raises(FilewrightError) as caught:
            change()
        assert caught.value.code is Code.PERMISSION_DENIED
        assert caught.value.details["protected"] == ".git"
    assert sorted(standing_root.rglob("*")) == before


def test_protected_files_are_readable(boundary: Boundary) -> None:
    boundary.open_file(boundary.locate(".git/config")).close()


@pytest.mark.parametrize(
    "requested", [".", "", "sub/..", "{root}", "{root}/sub/.."]
)
def test_root_is_never_changed(
    standing_boundary: Boundary, standing_root: Path, requested: str
) -> None:
    location = standing_boundary.locate(
        requested.replace("{root}", str(standing_root))
    )
    for change in (
        lambda: standing_boundary.require_writable(location, link_itself=True),
        lambda: standing_boundary.require_writable(location),
    ):
        with pytest.raises(FilewrightError) as caught:
            change()
        assert caught.value.code is Code.PERMISSION_DENIED


LINKS = [
    "in-file",
    "in-file/",
    "in-folder",
    "in-folder/",
    "out-file",
    "abs-out",
    "dangling",
    "dangling-out",
    "loop",
]


@pytest.mark.parametrize("requested", LINKS)
def test_link_is_only_changed_itself(
    standing_boundary: Boundary, requested: str
) -> None:
    location = standing_boundary.locate(requested)
    with pytest.raises(FilewrightError) as caught:
        standing_boundary.require_writable(location)
    assert caught.value.code is Code.SYMLINK
    standing_boundary.require_writable(location, link_itself=True)


@pytest.mark.parametrize(
    "requested",
    ["out-folder/x", "abs-folder/x", "out-root/x", "proc-root/tmp/x"],
)
def test_change_through_link_outwards_escapes(
    boundary: Boundary, requested: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        boundary.require_writable(boundary.locate(requested))
    assert caught.value.code is Code.PATH_ESCAPE


def test_read_only_refuses_all(root: Path, by_kernel: bool) -> None:
    boundary = Boundary([root], Settings(openat2=by_kernel, read_only=True))
    for requested in ("file", "new", ".git/config", ".", "out-folder/x"):
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.READ_ONLY
    boundary.close()


class TestStateFolderInside:
    @pytest.fixture
    def boundary(self, root: Path, by_kernel: bool) -> Iterator[Boundary]:
        (root / "home" / "state").mkdir(parents=True)
        (root / "home" / "state" / "journal").write_text("")
        (root / "home" / "other").write_text("")
        boundary = Boundary(
            [root],
            Settings(openat2=by_kernel, state_dir=root / "home" / "state"),
        )
        yield boundary
        boundary.close()

    @pytest.mark.parametrize(
        "requested",
        ["home/state", "home/state/journal", "home/STATE/x", "home"],
    )
    def test_nothing_is_written_to_it_and_what_holds_it_stays(
        self, boundary: Boundary, requested: str
    ) -> None:
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED

    def test_its_neighbours_may_be_changed(self, boundary: Boundary) -> None:
        boundary.require_writable(boundary.locate("home/other"))
        boundary.open_folder(boundary.locate("home"), for_change=True).close()

    def test_it_is_never_listed(self, boundary: Boundary) -> None:
        for options in ({}, {"include_git": True, "include_ignored": True}):
            shown = [
                entry.path
                for entry in boundary.walk(
                    boundary.locate("home"), WalkOptions(**options), task=Task()
                )
            ]
            assert shown == [b"other"]

    @pytest.mark.parametrize(
        "requested",
        [
            "home/state/journal",
            "way-in/journal",
            "file-in",
            "home/../home/state/journal",
        ],
    )
    def test_nothing_in_it_is_read(
        self, boundary: Boundary, root: Path, requested: str
    ) -> None:
        (root / "way-in").symlink_to("home/state")
        (root / "file-in").symlink_to("home/state/journal")
        with pytest.raises(FilewrightError) as caught:
            boundary.open_file(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "own state" in caught.value.message

    @pytest.mark.parametrize("requested", ["home/state", "way-in"])
    def test_it_is_not_opened_as_a_folder(
        self, boundary: Boundary, root: Path, requested: str
    ) -> None:
        (root / "way-in").symlink_to("home/state")
        for open_it in (
            boundary.open_folder,
            lambda location: boundary.walk(location, task=Task()),
        ):
            with pytest.raises(FilewrightError) as caught:
                open_it(boundary.locate(requested))
            assert caught.value.code is Code.PERMISSION_DENIED


def test_protected_names_are_a_setting(root: Path) -> None:
    boundary = Boundary(
        [root], Settings(protected=("vendor", "docs/generated", "*.lock"))
    )
    boundary.require_writable(boundary.locate("sub/docs/generated/x"))
    refused = (
        "vendor",
        "sub/Vendor/x",
        "docs/generated",
        "docs/generated/x",
        "a.lock",
        "sub/B.LOCK",
    )
    for requested in (*refused, ".git/config", ".vscode/tasks.json"):
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(requested))
        assert caught.value.code is Code.PERMISSION_DENIED
    boundary.close()


def test_plain_form_keeps_names_apart() -> None:
    names = [".git", ".gitignore", "git", "a", "b", "...", " ", "é", "e"]
    assert len({plain_form(name.encode()) for name in names}) == len(names)
    assert Protection().rule_for((b"sub", b".git")) == ".git"
    assert Protection(allowed_rules=[".git"]).rule_for((b".git",)) is None


MADE_TO_RUN = [
    ".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/pre.sh",
    ".claude/commands/x.md", ".cursor/mcp.json", ".vscode/tasks.json", ".vscode/settings.json",
    ".vscode/launch.json", ".vscode/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".envrc",
    ".github/hooks/filewright.json",
    "sub/.github/copilot/settings.local.json",
    ".clinerules/hooks/PreToolUse",
    ".husky/pre-commit",
]  # fmt: skip
EDITED_EVERY_DAY = [
    "CLAUDE.md", "AGENTS.md", ".claude/rules/x.md", ".github/workflows/ci.yml", ".cursor/rules/x.mdc",
    ".vscode/extensions.json", ".gemini/GEMINI.md", "settings.json", "tasks.json", "vscode/tasks.json",
    "codex/x", "mcp.json", ".env.example", ".gitlab-ci.yml",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "packages/site/"])
@pytest.mark.parametrize("requested", MADE_TO_RUN)
def test_protects_files_that_run_programs(
    root: Path, prefix: str, requested: str
) -> None:
    for spelling in (requested, requested.upper()):
        boundary = Boundary([root], Settings())
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(prefix + spelling))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "--allow-write" in (caught.value.hint or "")
        boundary.close()
    boundary = Boundary([root], Settings(allow_write=(prefix + requested,)))
    boundary.require_writable(boundary.locate(prefix + requested))
    boundary.close()


@pytest.mark.parametrize("requested", EDITED_EVERY_DAY)
def test_instructions_are_not_protected(root: Path, requested: str) -> None:
    boundary = Boundary([root], Settings())
    boundary.require_writable(boundary.locate(requested))
    boundary.close()


@pytest.mark.parametrize("setting", ["protected", "allow_write", "deny"])
@pytest.mark.parametrize("rule", ["a[", "/", "../x", "a\nb", ""])
def test_refuses_rule_that_matches_nothing(
    root: Path, setting: str, rule: str
) -> None:
    given = {setting: ("fine", rule)}
    with pytest.raises(FilewrightError) as caught:
        Boundary([root], Settings(**given))  # type: ignore[arg-type]
    expected = f"the setting FILEWRIGHT_{setting.upper()} has a rule that can match nothing: {rule!r}"
    assert caught.value.message == expected


@pytest.mark.parametrize("given", ['[".env", "*.lock"]', ".env, *.lock"])
def test_rules_from_environment(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("FILEWRIGHT_PROTECTED", given)
    assert Settings().protected == (".env", "*.lock")


@pytest.mark.parametrize("given", ['[".env"', "[1, 2]", '["a", {}]'])
def test_malformed_setting(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("FILEWRIGHT_DENY", given)
    with pytest.raises(FilewrightError) as caught:
        Settings()
    assert caught.value.code is Code.INVALID_INPUT
    assert caught.value.message.startswith("the setting FILEWRIGHT_DENY: ")
    assert "\n" not in caught.value.message


def test_counts_denied_names_by_rule(tmp_path: Path, by_kernel: bool) -> None:
    for name in (
        "x.key",
        "a/y.key",
        "a/b/z.key",
        "a/private",
        "a/b/private",
        "secret/s",
        "c/seen",
        "bad/q",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".agentsignore").write_text("*.key\nsecret/\n")
    (tmp_path / "a" / ".agentsignore").write_text("private\n")
    (tmp_path / "bad" / ".agentsignore").write_text("x/../y\n")
    boundary = Boundary([tmp_path], Settings(openat2=by_kernel, deny=("c/s*",)))
    assert boundary.count_denied_names(boundary.roots[0], Task()) == {
        ".agentsignore: *.key": 3,
        ".agentsignore: secret/": 1,
        "a/.agentsignore: private": 2,
        "bad/.agentsignore has a rule in line 1 that can match nothing": 1,
        "--deny: c/s*": 1,
    }
    boundary.close()
