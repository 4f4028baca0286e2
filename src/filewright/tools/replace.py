"""`replace_content`: one pattern over a file or a tree, as one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from filewright.edit import Decided, Replaced, replace_matches, replacement
from filewright.errors import Code, FilewrightError, invalid
from filewright.search import LineKinds, TreeOptions, TreeSearch, compile_pattern
from filewright.text import NotebookView, notebook_view
from filewright.tools.context import Context
from filewright.tools.pipeline import Answer, Change, ChangeArguments, Changed, change, spliced
from filewright.tools.result import ChangeResult, DiffWanted
from filewright.tools.search import MatchedFile, kind_row, skipped
from filewright.wording import counted, listed, visible

_NOTES = 20

_FILES = 3
"""Files named with their counts; a search with output=counts names all."""

_KINDS, _KIND_CHARS = 6, 100
"""Lines shown as examples of what is replaced, each as long as that."""

_LOOKED_AT = 5_000
"""Replacements whose lines are compared, to find the kinds of lines there are."""


class ReplaceArguments(ChangeArguments):
    """What to replace, where, and the guards."""

    pattern: str
    """what to find; see [search](search.md) for the syntax"""
    replacement: str
    """`$1` and `${name}` in regex mode only"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = None
    """only files that match"""
    include_ignored: bool = False
    """also in what the ignore rules leave out"""
    mode: Literal["literal", "regex"] = "literal"
    """how the pattern is read"""
    case: Literal["smart", "sensitive", "insensitive"] = "sensitive"
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words, as for renaming a symbol"""
    multiline: bool = False
    """a regex may match across lines"""
    preview: bool = True
    """true: show the diff, write nothing"""
    diff: DiffWanted = "auto"
    expected_count: Annotated[int | None, Field(ge=0, description="matches, not lines")] = None
    """written at once if there are just so many matches, of which a line may have several, else refused"""
    max_count: Annotated[int | None, Field(ge=0)] = None
    """written at once if there are no more matches than that, else a preview"""
    max_files: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """refused if more files match"""


def replace_content(context: Context, arguments: ReplaceArguments) -> ReplaceResult:
    """Replace every match; a preview unless ``preview=false``."""
    pattern = compile_pattern(
        arguments.pattern,
        mode=arguments.mode,
        case=arguments.case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=context.settings.max_pattern_chars,
    )
    location, most, found = context.boundary.locate(arguments.path), arguments.max_count, _Matches()
    new, task = replacement(arguments.replacement, pattern), context.task

    def decide() -> Iterator[Decided[Replaced]]:
        nonlocal found
        opened, found = None, _Matches()
        looked_at = _LOOKED_AT
        changed = False
        options = TreeOptions(
            limit=arguments.max_files + 1,
            output="files",
            glob=arguments.glob,
            include_ignored=arguments.include_ignored,
        )
        if context.boundary.stat(location).kind != "folder":
            opened = lambda: notebook_view(context.open_for_edit(location), task, headings=False)  # noqa: E731
        files = TreeSearch(context.searcher, location, pattern, options, opened=opened, task=task)
        for snapshot, _ in files:
            assert snapshot.location is not None
            name = snapshot.location.shown
            snapshot.settings = context.settings  # The searcher's are the workspace's.
            try:
                made = replace_matches(snapshot, pattern, new, task=task)
            except FilewrightError as error:
                if error.code != Code.IS_BINARY or snapshot.location == location:
                    raise
                found.notes.append(f"{name} is not editable text and was left out")
                continue
            if not made.count:
                continue
            found.counts[name] = made.count
            if len(found.counts) > arguments.max_files:
                raise FilewrightError(
                    Code.TOO_LARGE,
                    f"the pattern is in more than {arguments.max_files} files; nothing was changed",
                    "narrow it with path or glob, or raise max_files",
                    limit=arguments.max_files,
                )
            if made.splices:
                context.boundary.guard_write(snapshot.location)
                looked = made.splices[:looked_at]
                found.kinds.add(snapshot, (splice.offset for splice in looked))
                looked_at -= len(looked)
                changed = True
                yield spliced(
                    snapshot.raw if isinstance(snapshot, NotebookView) else snapshot, snapshot, made
                )
        if opened is None:
            found.notes += [f"{counted(files.searched, 'file')} searched", *skipped(files)]
        total = check_expected(found.counts, arguments.expected_count)
        if found.counts and not changed:
            raise FilewrightError(
                Code.NO_CHANGE, f"all {total} matches read already as the replacement", "nothing to do"
            )

    def summary(files: Sequence[Changed[Replaced]]) -> str:
        changed = sum(file.diff is not None for file in files)
        return f"replaced {arguments.pattern!r} by {arguments.replacement!r} in {counted(changed, 'file')}"

    preview: bool | Callable[[], bool] = arguments.preview
    if "preview" not in arguments.model_fields_set or not preview:
        if most is not None:
            preview = lambda: sum(found.counts.values()) > most  # noqa: E731
        elif arguments.expected_count is not None:
            preview = False  # another count is refused
    made = change(context, "replace_content", decide, arguments, summary=summary, preview=preview)
    return _answer(context, arguments, found, made)


def check_expected(counts: Mapping[str, int], expected: int | None) -> int:
    """The sum of `counts` (matches by file as shown), as far as it is what the caller expected.

    Raises `no_match` for none, `invalid_input` when `expected` is given and differs.
    """
    total = sum(counts.values())
    hint = "search for it first; look at case, mode and glob"
    if total == 0 and not expected:
        raise FilewrightError(Code.NO_MATCH, "the pattern is nowhere", hint)
    if expected is not None and total != expected:
        most = sorted(counts.items(), key=lambda item: -item[1])[:5]
        where = ", ".join(f"{name}: {count}" for name, count in most if count)
        message = f"the pattern matches {total} times, not the expected {expected}; nothing was changed"
        if total:
            hint = f"look at the preview, then give expected_count={total} ({where})"
        raise invalid(message, hint, argument="expected_count", expected=expected, found=total)
    return total


@dataclass(frozen=True, kw_only=True)
class ReplaceResult(ChangeResult):
    """What was replaced, or would be (`preview`): `count` matches in all, by file. `diff` is bounded."""

    count: int
    files: tuple[MatchedFile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass
class _Matches:
    """What is found besides what is replaced: matches by file, notes, the kinds of lines there are."""

    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    kinds: LineKinds = field(default_factory=LineKinds)


def _answer(
    context: Context, arguments: ReplaceArguments, found: _Matches, made: Change[Replaced]
) -> ReplaceResult:
    counts, kinds = found.counts, found.kinds
    outcome = f"{counts}{made.diff.text}"
    page = Answer(context, arguments, made.id, made.diff, made.files, outcome=outcome)
    total, most = sum(counts.values()), arguments.max_count
    done = page.done("replaced", way="; preview=false writes")
    if made.id is None and most is not None and total > most:
        done = f"are more than max_count={most} (preview; nothing was written; max_count={total} writes)"
    brief = arguments.diff == "none"
    told = page.seen or (page.is_short and not brief)  # the diff says what is replaced where
    files = tuple(MatchedFile(name, count) for name, count in counts.items())
    named = "" if told else f" ({listed([file.row for file in files], _FILES, noun='file')})"
    page.add(f"{counted(total, 'match')} in {counted(len(files), 'file')} {done}{named}")
    known = brief or arguments.expected_count is not None  # whoever gives the count has seen them
    if not told and (made.id is None or not known) and len(kinds) < kinds.lines:
        # A line of each kind that is replaced.
        frequent = kinds.ranked(rarest_first=False)[:_KINDS]
        examples = (kind_row(kind, path=True, most=_KIND_CHARS) for kind in frequent)
        page.extend(examples, reserve=page.room // 3, of=len(kinds), more="kind")
    if found.notes:
        page.add(f"[{visible('; '.join(found.notes[:_NOTES]))}]")
    page.end()
    return ReplaceResult(
        **page.facts,
        count=total,
        files=files,
        notes=tuple(found.notes),
        warnings=made.warnings,
    )
