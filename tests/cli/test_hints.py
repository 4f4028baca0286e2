"""Hints and notes in a shell: they name commands and options that are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import filewright
from filewright.cli.program import program
from filewright.tools.catalogue import read_catalogue

SOURCE = Path(filewright.__file__).parent
NOT_OF_TOOLS = ("adapters", "cli", "dialects", "mailbox", "page", "recording")
NOT_OF_TOOLS += ("server", "asynchronous.py", "settings.py", "tools/methods.py")
NOT_OF_A_SHELL = {
    "edit/code_replacements.py": "the tool replace_content",
    "edit/patch/model.py": "strip",
    "logs/counts.py": "counts by a field",
    "logs/time_range.py": "since and until",
    "search/similarity.py": "a fuzzy search",
    "tools/batch.py": "several files are written, moved or deleted",
    "tools/change_reply.py": "a preview with a short diff",
    "tools/edit/edit.py": "content for a file that exists",
    "tools/edit/moves.py": "moved lines",
    "tools/edit/reading.py": "an edit without a place",
    "tools/history.py": "the tool get_history",
    "tools/items.py": "permissions",
    "tools/listing_rendering.py": "the tool list_files",
    "tools/normalize.py": "other names of arguments",
    "tools/overview/overview.py": "several paths",
    "tools/patch.py": "no patch",
    "tools/patch_targets.py": "a part of a hint",
    "tools/read/arguments.py": "several places",
    "tools/read/place.py": "a pattern to read",
    "tools/read/times.py": "since and until",
    "tools/replace/replace.py": "the tool replace_content",
    "tools/replace/rendering.py": "the tool replace_content",
    "tools/revert.py": "the tool revert_edit",
    "tools/search/search.py": "several patterns",
    "tools/search/counts.py": "counts by a field",
    "tools/write.py": "the tool write_content",
    "workspace.py": "resources",
}
"""Modules whose words of tools no command shows, and what they are for."""
NOT_OF_A_SHELL_LINES = (
    "read_content takes either",
    "search_content with rotated=true",
    "leave out invert, or look for both",
    "or use mode=literal or mode=regex",
    "use mode=literal or mode=regex",
    "has no meaning in a fuzzy search",
)


def text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value) or "…" for value in node.values)
    return None


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are neither documentation nor a `Hint`."""
    if isinstance(node, ast.Expr) and text_of(node.value):
        return
    function = getattr(node, "func", None)
    if getattr(function, "id", "") in {"Field", "Hint", "Tool"}:
        return
    text = text_of(node)
    if text is not None:
        yield text
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


def modules(
    pattern: str, skipped: Container[str] = ()
) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules with text that a pattern matches; others are not parsed."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        is_skipped = name in skipped or name.startswith(NOT_OF_TOOLS)
        if not is_skipped and re.search(pattern, text):
            yield name, ast.parse(text)


def shell_texts() -> Iterator[str]:
    for _, module in modules(r"\bHint\("):
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for keyword in node.keywords:
                    text = text_of(keyword.value)
                    if keyword.arg == "shell" and text:
                        yield text


def commands() -> dict[str, click.Command]:
    context = click.Context(program)
    names = program.list_commands(context)
    return {name: program.get_command(context, name) for name in names}


def test_shell_words_can_be_typed() -> None:
    options: set[str] = set()
    for command in commands().values():
        for parameter in command.params:
            options.update(parameter.opts)
    count = 0
    for text in shell_texts():
        count += 1
        for option in re.findall(r"(?<!\S)--[a-z-]+", text):
            assert option in options, text
        for name in re.findall(r"\bfilewright ([a-z_]+)", text):
            assert name in commands(), text
    assert count > 30


def test_words_of_tools_have_shell_words() -> None:
    tools = read_catalogue().tools
    arguments: set[str] = set()
    for tool in tools.values():
        arguments.update(tool.schema["properties"])
    tool_words = (
        rf"\b(?:{'|'.join(tools)})\b|\b(?:{'|'.join(arguments)})=(?=\S)"
    )
    for name, module in modules(
        rf"""["'][^"'\n]*(?:{tool_words})""", NOT_OF_A_SHELL
    ):
        for text in texts(module):
            is_sentence = " " in text and not any(
                line in text for line in NOT_OF_A_SHELL_LINES
            )
            assert not (is_sentence and re.search(tool_words, text)), (
                name,
                text,
            )


LINES = "".join(f"line {number}\n" for number in range(1, 700))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param("read lines", "continue with FILE:501-", id="lines"),
        pytest.param("read wide", "continue with FILE:1:1001", id="column"),
        pytest.param(
            "read wide:1:9", "continue with FILE:1:509", id="more-columns"
        ),
        pytest.param("read wide:1:9999", "column 9999 is past", id="past"),
        pytest.param("read lines:0-", "line 0: lines are", id="line-0"),
        pytest.param("read lines::X", "filewright search finds", id="symbol"),
        pytest.param("read nul", "--encoding utf-8", id="binary"),
        pytest.param("read no lines", "FILE:501-", id="several"),
        pytest.param("read lines --encoding x", "--encoding x is", id="label"),
        pytest.param("search -m2 line lines", "--cursor O", id="cursor"),
        pytest.param("search l.*n", "--regex reads it", id="regex"),
        pytest.param("search x -g *.no", "filewright map shows", id="glob"),
        pytest.param("search --kinds -v a", "--kinds compares", id="kinds"),
        pytest.param("map many.py", "--depth 1 shows", id="outline"),
        pytest.param("map app.log", "search --kinds groups", id="log"),
    ],
)
def test_notes_name_options(empty_project: Path, words: str, says: str) -> None:
    functions = "".join(f"def f{n}():\n    pass\n" for n in range(900))
    (empty_project / "lines").write_text(LINES)
    (empty_project / "wide").write_text("x" * 3_000 + "\n")
    (empty_project / "nul").write_bytes(b"a\0b\n")
    if "many.py" in words:
        (empty_project / "many.py").write_text(functions)
    (empty_project / "app.log").write_text(
        "2026-01-01 10:00:00 INFO thing\n" * 60
    )
    result = CliRunner().invoke(program, words.split())
    assert says in result.output
    assert not re.search(r"\b(?:start|mode|cursor|line)=", result.output)


def test_rows_continue(empty_project: Path) -> None:
    (empty_project / "wide").write_text("x" * 3_000 + "NEEDLE" + "\n")
    result = CliRunner().invoke(program, ["read", "wide:1:3001"])
    assert "NEEDLE" in result.output
    (empty_project / "lines").write_text(LINES)
    result = CliRunner().invoke(program, ["read", "lines:-3--2"])
    assert result.output.splitlines()[1:3] == ["697\tline 697", "698\tline 698"]
