"""The export of changes: a patch, Markdown, and a draft of a commit message."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from starlette.responses import PlainTextResponse, Response

from filewright.changes.model import ChangeRecord
from filewright.page.changelog import ChangeLog
from filewright.page.parts import Subject
from filewright.page.titles import describe_files, is_folder, join_phrases
from filewright.page.words import capitalize
from filewright.wording import pluralize, to_one_line
from filewright.workspace import Workspace

ExportForm = Literal["patch", "markdown", "message"]

MAX_MARKDOWN_LINES = 4_000
MAX_MESSAGE_PROMPTS = 20
MAX_LISTED_FILES = 50
SUBJECT_CHARS = 72
_FENCE = re.compile("`{3,}")


@dataclass(frozen=True, slots=True)
class PromptDeeds:
    """A prompt, and what was done in it, as sentences.

    `changes` are its selected changes, which may be a part of it.
    """

    title: str
    deeds: str
    client: str


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The title of a selection of changes, and the prompts they are of, oldest first."""

    title: str
    prompts: Sequence[PromptDeeds]
    record: ChangeRecord


def export(
    workspace: Workspace, log: ChangeLog, subject: Subject, form: ExportForm
) -> Response:
    """Return the changes of a view in one of the forms."""
    content = describe(log, workspace, subject)
    if form == "message":
        return PlainTextResponse(draft_message(content))
    if form == "markdown":
        diff = workspace.changes.diff_record(
            content.record, max_lines=MAX_MARKDOWN_LINES
        )
        return PlainTextResponse(to_markdown(content, diff.text))
    patch = workspace.patch(content.record, title=content.title)
    return Response(patch.content, media_type="application/octet-stream")


def describe(
    log: ChangeLog, workspace: Workspace, subject: Subject
) -> ExportContent:
    """Return the title and the prompts of a view."""
    change_ids = subject.selection.change_ids
    prompts: dict[str, tuple[str, str]] = {}
    changes: dict[str, list[str]] = {}
    for change_id in change_ids[::-1]:
        heading = log.prompt(change_id)
        if heading is None:
            continue
        prompt = heading.prompt
        prompts[prompt.id] = (heading.title, prompt.client)
        changes.setdefault(prompt.id, []).append(change_id)
    described: list[PromptDeeds] = []
    for prompt_id, (title, client) in prompts.items():
        deeds = _describe_deeds(workspace, changes[prompt_id])
        described.append(PromptDeeds(title, deeds, client))
    title = subject.selection.description
    if subject.kind == "change":
        title = log.row(subject.record).title
    elif len(described) == 1:
        title = described[0].title
    return ExportContent(capitalize(title), described, subject.record)


def _describe_deeds(workspace: Workspace, change_ids: Collection[str]) -> str:
    """Return a sentence of what some changes did, as far as they can be read."""
    phrases = []
    for change_id in change_ids:
        record = workspace.record(change_id)
        if not record.reverts:
            phrases += describe_files(record)
    return join_phrases(phrases)


def draft_message(content: ExportContent) -> str:
    """Return a draft of a commit message: the prompts, and what was done in each."""
    prompts = content.prompts
    first_line = content.title
    if prompts:
        first_line = prompts[-1].title
    if len(prompts) > 1:
        first_line = prompts[0].title
    lines = [_shorten(capitalize(first_line.rstrip(".")), SUBJECT_CHARS), ""]
    if len(prompts) == 1:
        deeds = prompts[0].deeds
        if len(first_line) > SUBJECT_CHARS:
            lines += [*textwrap.wrap(first_line, SUBJECT_CHARS), ""]
        if deeds and deeds != first_line:
            lines += textwrap.wrap(f"{deeds}.", SUBJECT_CHARS)
        return "\n".join(lines).rstrip() + "\n"
    for prompt in prompts[:MAX_MESSAGE_PROMPTS]:
        text = prompt.title.rstrip(".")
        if prompt.deeds and prompt.deeds != prompt.title:
            text += f": {prompt.deeds[:1].lower()}{prompt.deeds[1:]}"
        lines += textwrap.wrap(
            text,
            SUBJECT_CHARS,
            initial_indent="- ",
            subsequent_indent="  ",
        )
    rest = len(prompts) - MAX_MESSAGE_PROMPTS
    if rest > 0:
        lines.append(f"- {pluralize(rest, 'more prompt')}")
    return "\n".join(lines).rstrip() + "\n"


def to_markdown(content: ExportContent, diff: str) -> str:
    """Return changes in Markdown: prompts, files and the diff."""
    record = content.record
    lines = [f"## {_escape(content.title)}", ""]
    if record.client:
        time = f"{record.time.astimezone():%Y-%m-%d %H:%M}"
        lines += [f"{_escape(record.client)}, {time}", ""]
    for prompt in content.prompts:
        text = _escape(prompt.title)
        if prompt.deeds and prompt.deeds != prompt.title:
            text += f": {_escape(prompt.deeds)}"
        lines.append(f"- {text}")
    files = [change for change in record.file_changes if not is_folder(change)]
    lines += ["", f"{pluralize(len(files), 'file')}:", ""]
    for change in files[:MAX_LISTED_FILES]:
        lines.append(f"- {change.action} {_code(change.path.display_path)}")
    rest = len(files) - MAX_LISTED_FILES
    if rest > 0:
        lines.append(f"- {pluralize(rest, 'more file')}")
    # A file may have fences of its own.
    longest = max((len(run) for run in _FENCE.findall(diff)), default=2)
    fence = "`" * (longest + 1)
    lines += ["", f"{fence}diff", diff.rstrip("\n"), fence, ""]
    return "\n".join(lines)


def _escape(text: str) -> str:
    """Return a line of text that Markdown does not take for markup."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", to_one_line(text))


def _code(text: str) -> str:
    """Return a text as code of Markdown."""
    if "`" in text:
        return f"`` {text} ``"
    return f"`{text}`"


def _shorten(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, cut at a word, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1].rpartition(" ")[0] or text[: limit - 1]
    return f"{head.rstrip(',;:')}…"
