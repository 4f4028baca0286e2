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
    """A prompt by its title, with a sentence about its selected changes."""

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
    prompts_by_id: dict[str, tuple[str, str]] = {}
    changes_by_prompt: dict[str, list[str]] = {}
    for change_id in change_ids[::-1]:
        heading = log.prompt(change_id)
        if heading is None:
            continue
        prompt = heading.prompt
        prompts_by_id[prompt.id] = (heading.title, prompt.client)
        changes_by_prompt.setdefault(prompt.id, []).append(change_id)
    prompt_deeds: list[PromptDeeds] = []
    for prompt_id, (title, client) in prompts_by_id.items():
        deeds = _describe_deeds(workspace, changes_by_prompt[prompt_id])
        prompt_deeds.append(PromptDeeds(title, deeds, client))
    title = subject.selection.description
    if subject.kind == "change":
        title = log.row(subject.record).title
    elif len(prompt_deeds) == 1:
        title = prompt_deeds[0].title
    return ExportContent(capitalize(title), prompt_deeds, subject.record)


def _describe_deeds(workspace: Workspace, change_ids: Collection[str]) -> str:
    """Return a sentence about the files of some changes, without undos."""
    phrases = []
    for change_id in change_ids:
        record = workspace.record(change_id)
        if not record.reverts:
            phrases += describe_files(record)
    return join_phrases(phrases)


def draft_message(content: ExportContent) -> str:
    """Return a draft of a commit message: the prompts, each with its deeds."""
    prompts = content.prompts
    first_line = content.title
    if prompts:
        first_line = prompts[-1].title
    if len(prompts) > 1:
        first_line = prompts[0].title
    message_lines = [
        _shorten(capitalize(first_line.rstrip(".")), SUBJECT_CHARS),
        "",
    ]
    if len(prompts) == 1:
        deeds = prompts[0].deeds
        if len(first_line) > SUBJECT_CHARS:
            message_lines += [*textwrap.wrap(first_line, SUBJECT_CHARS), ""]
        if deeds and deeds != first_line:
            message_lines += textwrap.wrap(f"{deeds}.", SUBJECT_CHARS)
        return "\n".join(message_lines).rstrip() + "\n"
    for prompt in prompts[:MAX_MESSAGE_PROMPTS]:
        item = prompt.title.rstrip(".")
        if prompt.deeds and prompt.deeds != prompt.title:
            item += f": {prompt.deeds[:1].lower()}{prompt.deeds[1:]}"
        message_lines += textwrap.wrap(
            item,
            SUBJECT_CHARS,
            initial_indent="- ",
            subsequent_indent="  ",
        )
    omitted_count = len(prompts) - MAX_MESSAGE_PROMPTS
    if omitted_count > 0:
        message_lines.append(f"- {pluralize(omitted_count, 'more prompt')}")
    return "\n".join(message_lines).rstrip() + "\n"


def to_markdown(content: ExportContent, diff: str) -> str:
    """Return changes in Markdown: prompts, files and the diff."""
    record = content.record
    document_lines = [f"## {_escape(content.title)}", ""]
    if record.client:
        time = f"{record.time.astimezone():%Y-%m-%d %H:%M}"
        document_lines += [f"{_escape(record.client)}, {time}", ""]
    for prompt in content.prompts:
        item = _escape(prompt.title)
        if prompt.deeds and prompt.deeds != prompt.title:
            item += f": {_escape(prompt.deeds)}"
        document_lines.append(f"- {item}")
    file_changes = [
        change for change in record.file_changes if not is_folder(change)
    ]
    document_lines += ["", f"{pluralize(len(file_changes), 'file')}:", ""]
    for change in file_changes[:MAX_LISTED_FILES]:
        document_lines.append(
            f"- {change.action} {_code(change.path.display_path)}"
        )
    omitted_count = len(file_changes) - MAX_LISTED_FILES
    if omitted_count > 0:
        document_lines.append(f"- {pluralize(omitted_count, 'more file')}")
    # A file may have fences of its own; the shortest fence has three backquotes.
    longest_fence = max(
        (len(fence_run) for fence_run in _FENCE.findall(diff)), default=2
    )
    fence = "`" * (longest_fence + 1)
    document_lines += ["", f"{fence}diff", diff.rstrip("\n"), fence, ""]
    return "\n".join(document_lines)


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
    beginning = text[: limit - 1].rpartition(" ")[0] or text[: limit - 1]
    return f"{beginning.rstrip(',;:')}…"
