"""Cases of edits: a file, a request, and the expected text, with or without a workspace."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.files import named

from filewright import FilewrightError, Workspace
from filewright.edit.model import Tier
from filewright.edit.outcome import EditPlan
from filewright.edit.planning import plan_edits
from filewright.edit.request import Edit, TextEdit
from filewright.errors import Code
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

NOTE = re.compile(r"\bnote\b", re.IGNORECASE)
#: The codes with which an uncertain edit is refused; any other code is a failure.
REFUSALS = (
    Code.NO_MATCH,
    Code.AMBIGUOUS_MATCH,
    Code.ALREADY_APPLIED,
    Code.NO_CHANGE,
    Code.INVALID_INPUT,
    Code.STALE_VERSION,
)


class Case(NamedTuple):
    """A request of one edit; `expected` None means that it is refused and the file stays.

    `noted` asks for a note in the answer; with `must` False a refusal is as honest as the expected text.
    """

    name: str
    file: str
    search: str
    replace: str
    expected: str | None = None
    noted: bool = False
    must: bool = True


class Turn(NamedTuple):
    """A request of several edits, each a search text and a replacement."""

    name: str
    file: str
    edits: Sequence[tuple[str, str]]
    expected: str | None
    must: bool = True


def case_id(case: Case | Turn) -> str:
    """Return the id of a case in a table: its file's name, and the text it has first."""
    edits = (
        [(case.search, case.replace)] if isinstance(case, Case) else case.edits
    )
    words = re.findall(r"\w+", " ".join(edits[0]))
    return "-".join([case.name, *words[:3]])


def short_id(value: object) -> str:
    """Return the first words of a value in a table, as a part of an id."""
    return "-".join(re.findall(r"\w+", str(value))[:2])


class Result(NamedTuple):
    """The text of the file after a call, None if it was refused, and the words of the answer."""

    text: str | None
    answer: str
    noted: bool = False


class Editor(ABC):
    """Edits of files by name and text, each without knowledge of the one before."""

    @abstractmethod
    def edit(
        self,
        name: str,
        text: str,
        edits: Sequence[Mapping[str, Any]],
        **options: Any,
    ) -> Result:
        """Make edits of a file."""

    def check(self, case: Case, **options: Any) -> None:
        """Make the case's edit and compare the result."""
        edits = [{"search": case.search, "replace": case.replace}]
        text, answer, noted = self.edit(case.name, case.file, edits, **options)
        if not case.must and text is None:
            return
        assert text == case.expected, (
            f"{text!r} instead of {case.expected!r}: {answer}"
        )
        if case.noted:
            assert noted, f"written without a note: {answer}"


class Planner(Editor):
    """Edits that are planned without a workspace, which takes a tenth of the time."""

    def edit(
        self,
        name: str,
        text: str,
        edits: Sequence[Mapping[str, Any]],
        **options: Any,
    ) -> Result:
        """Plan edits of texts; a refusal must have a hint."""
        content = text.encode()
        try:
            plan = plan_edits(
                named(name, content),
                [TextEdit(**edit) for edit in edits],
                **options,
            )
        except FilewrightError as error:
            refusal = error
        else:
            return Result(
                apply_splices(content, plan.splices).decode(),
                "\n".join(outcome.text for outcome in plan.outcomes),
                any(outcome.note or outcome.notes for outcome in plan.outcomes),
            )
        assert refusal.hint, f"a refusal without a hint: {refusal}"
        return Result(None, f"{refusal} {refusal.hint}")


class Desk(Editor):
    """A workspace in which each request finds its file anew, in a folder of its own.

    What was shown of a file before would else be carried over to the next case of that name.
    """

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self.workspace = workspace
        self._folder = folder
        self._number = 0

    def put(self, name: str, text: str) -> Path:
        """Write a file as a person would, outside of the workspace."""
        self._number += 1
        path = self._folder / str(self._number) / name
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode())
        return path

    def named(self, path: Path) -> str:
        """Name a file as the caller of a tool does."""
        return path.relative_to(self._folder).as_posix()

    def call(
        self, path: Path, tool: str, /, *arguments: Any, **options: Any
    ) -> Result:
        """Call one method of the workspace; a refusal must leave the file."""
        before = path.read_bytes()
        try:
            answer = getattr(self.workspace, tool)(*arguments, **options)
        except FilewrightError as error:
            refusal = error
        else:
            noted = any(
                each.note or getattr(each, "notes", ())
                for each in getattr(answer, "results", ())
            ) or NOTE.search(answer.text)
            return Result(path.read_bytes().decode(), answer.text, bool(noted))
        assert refusal.hint, f"a refusal without a hint: {refusal}"
        assert path.read_bytes() == before, (
            f"refused, and the file changed: {refusal}"
        )
        return Result(None, f"{refusal} {refusal.hint}")

    def edit(
        self,
        name: str,
        text: str,
        edits: Sequence[Mapping[str, Any]],
        **options: Any,
    ) -> Result:
        """Make edits of a file."""
        path = self.put(name, text)
        return self.call(path, "edit", self.named(path), edits, **options)

    def patch(self, name: str, text: str, patch: str) -> Result:
        """Apply a patch that names the file as if it were in the root."""
        path = self.put(name, text)
        return self.call(
            path, "apply_patch", patch, root=self.named(path.parent)
        )

    def replace(
        self,
        name: str,
        text: str,
        pattern: str,
        replacement: str,
        **options: Any,
    ) -> Result:
        """Replace the matches of a pattern in a file."""
        path = self.put(name, text)
        return self.call(
            path,
            "replace",
            pattern,
            replacement,
            self.named(path),
            preview=False,
            **options,
        )

    def write(self, name: str, text: str, content: str, mode: str) -> Result:
        """Append to a file or overwrite it."""
        path = self.put(name, text)
        return self.call(path, "write", self.named(path), content, mode=mode)


def literal(
    name: str, file: str, search: str, replace: str, *, noted: bool = False
) -> Case:
    """A case whose search text is in the file once, and whose replacement is written as it is given."""
    assert file.count(search) == 1, (
        f"{search!r} is {file.count(search)} times in {file!r}"
    )
    return Case(
        name, file, search, replace, file.replace(search, replace), noted
    )


def plan_case(case: Case, **options: bool) -> str | None:
    """Return the text after the case's edit without a workspace, None if it is refused."""
    content = case.file.encode()
    try:
        plan = plan_edits(
            named(case.name, content),
            [TextEdit(case.search, case.replace)],
            **options,
        )
    except FilewrightError as error:
        if error.code not in REFUSALS or not error.hint:
            raise
        return None
    return apply_splices(content, plan.splices).decode()


def check_plan(case: Case) -> None:
    """Plan the case's edit without a workspace and compare the text after it."""
    text = plan_case(case)
    if case.must or text is not None:
        assert text == case.expected


def plan_text(file: str, *edits: Edit, **options: Any) -> tuple[str, EditPlan]:
    """Return the text after edits of a file, and their plan."""
    content = file.encode()
    plan = plan_edits(Snapshot(content), edits, **options)
    return apply_splices(content, plan.splices).decode(), plan


def plan_tier(file: str, *edits: Edit, **options: Any) -> tuple[str, Tier]:
    """Return the text after edits of a file, and the tier that the first one was found by."""
    text, plan = plan_text(file, *edits, **options)
    return text, plan.outcomes[0].tier


def refused(file: str, *edits: Edit, **options: Any) -> FilewrightError:
    """Return the error with which edits of a file are refused."""
    with pytest.raises(FilewrightError) as caught:
        plan_text(file, *edits, **options)
    return caught.value
