"""`replace_content`: patterns over a file or a tree, as one transaction."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic.json_schema import WithJsonSchema

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.edit.example import Example, build_example
from filewright.edit.overlay import Overlay
from filewright.edit.replacements import (
    Replacement,
    ReplaceOutcome,
    compile_replacement,
    replace_matches,
)
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    path_error,
    too_many,
)
from filewright.search.engine import LineKinds, TreeOptions
from filewright.search.pattern import Pattern
from filewright.search.pattern import compile as compile_pattern
from filewright.search.tree import TreeSearch
from filewright.text.snapshot import Snapshot
from filewright.text.splice import PackedSplices, Splice
from filewright.tools.context import Context
from filewright.tools.items import item_named
from filewright.tools.listing import names_in_other_spellings
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    Changed,
    Reply,
    change,
    change_text,
    spliced,
)
from filewright.tools.result import ChangeResult, DiffWanted, optional
from filewright.tools.search import (
    MatchedFile,
    kind_row,
    left_out,
    other_spellings,
    skipped,
)
from filewright.wording import join_limited, pluralize

_NOTES = 20

_FILES = 3
"""Files named with their counts; a search with output=counts names all."""

_KINDS, _KIND_CHARS = 6, 100
"""Kinds of lines of which an example is shown, each line as long as that."""

_MATCHES = 1_000_000
"""What is replaced in one file by all items; more would not stay in bounded memory."""

_LOOKED_AT = 5_000
"""Replacements whose lines are compared, to find the kinds of lines there are."""


_ITEM = {
    "type": "object",
    "properties": {
        name: {} for name in ("pattern", "replacement", "path", "glob", "mode")
    },
}
"""What is listed of a replacement among several: the names say what they say of one."""

_OF_ALL = {
    "items",
    "preview",
    "diff",
    "expected_count",
    "max_count",
    "max_files",
    "break_hard_links",
    "undoable",
}


class ReplaceArguments(ChangeArguments):
    """What to replace, where, and the guards."""

    pattern: str | None = None
    """what to find; see [search](search.md) for the syntax"""
    replacement: str | None = None
    """in regex mode `$1`, `${name}`, `$0` for the whole match and `$$` for a dollar sign; `\\1` and the signs of
    other programs are refused"""
    items: Annotated[
        list[ReplaceArguments] | None,
        Field(min_length=1, max_length=20),
        WithJsonSchema({"type": "array", "items": _ITEM}),
    ] = None
    """several replacements as one change, each with its `pattern`, its `replacement` and what differs from the call:
    `path`, `glob`, `mode`, …; all look at the files as they are, and no two may change the same text; counts and limits
    are of all together
    """
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
    expected_count: Annotated[
        int | None, Field(ge=0, description="matches, not lines")
    ] = None
    """written at once if there are just so many matches, of which a line may have several, else refused"""
    max_count: Annotated[int | None, Field(ge=0)] = None
    """written at once if there are no more matches than that, else a preview"""
    max_files: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """refused if more files match"""

    @model_validator(mode="after")
    def _one_or_several(self) -> ReplaceArguments:
        for name in ("pattern", "replacement"):
            if (getattr(self, name) is None) is (self.items is None):
                problem = (
                    "is missing"
                    if self.items is None
                    else "is of one replacement, and items were given"
                )
                raise ValueError(
                    f"argument {name!r} {problem}\nhint: give it, or items of which each has it"
                )
        for name in sorted(
            {
                name
                for item in self.items or ()
                for name in item.model_fields_set & _OF_ALL
            }
        ):
            raise ValueError(
                f"{name} is of all items\nhint: give it beside them"
            )
        return self


@dataclass(frozen=True, slots=True)
class _Item:
    """One of the replacements of a call."""

    where: Location
    pattern: Pattern
    new: Replacement
    options: TreeOptions


@dataclass
class _Matches:
    """What is found besides what is replaced: matches by file and by item, notes, the kinds of lines with examples."""

    by_item: list[int]
    by_file: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    kinds: LineKinds = field(default_factory=LineKinds)
    examples: dict[tuple[str, int, str], Example] = field(default_factory=dict)

    def add_kinds(
        self, snapshot: Snapshot, splices: Sequence[Splice], most: int
    ) -> None:
        """Count the kinds of the lines that the first `most` splices change, with an example of each."""
        for index in range(min(most, len(splices))):
            kind = self.kinds.add_line(snapshot, splices[index].offset)
            if kind is not None:
                example = build_example(snapshot, splices, index, _KIND_CHARS)
                self.examples[kind.path, kind.line, kind.text] = example

    def rows(self, *, preview: bool) -> Iterator[str]:
        """Yield the most frequent kinds of lines; in a preview each with what becomes of it."""
        for kind in self.kinds.ranked(rarest_first=False)[:_KINDS]:
            if not preview:
                yield kind_row(kind, path=True, most=_KIND_CHARS)
                continue
            heading = kind_row(replace(kind, text=""), path=True).rstrip()
            yield f"{heading}\n{self.examples[kind.path, kind.line, kind.text].text}"


def replace_content(
    context: Context, arguments: ReplaceArguments
) -> ReplaceResult:
    """Replace every match of one pattern or of several; a preview unless ``preview=false``."""
    items: list[_Item] = []
    each = (
        [arguments]
        if arguments.items is None
        else arguments.for_each(arguments.items)
    )
    for number, one in enumerate(each):
        with item_named(number, len(each)):
            pattern = compile_pattern(
                one.pattern or "",
                mode=one.mode,
                case=one.case,
                whole_word=one.whole_word,
                multiline=one.multiline,
                max_chars=context.settings.max_pattern_chars,
            )
            new = compile_replacement(one.replacement or "", pattern)
            options = TreeOptions(
                limit=arguments.max_files + 1,
                output="files",
                glob=one.glob,
                include_ignored=one.include_ignored,
            )
            items.append(
                _Item(context.boundary.locate(one.path), pattern, new, options)
            )
    most, found = arguments.max_count, _Matches([])

    def decide() -> Iterator[FilePlan[ReplaceOutcome]]:
        nonlocal found
        found = _Matches([0] * len(items))
        changed, looked_at = False, _LOOKED_AT
        places = _places(context, items, arguments.max_files, found.notes)
        for location in sorted(
            places, key=lambda place: (place.root.index, place.parts)
        ):
            alone = any(item.where == location for item in items)
            if alone:
                context.boundary.require_writable(location)
            snapshot = (
                context.open_page(location, headings=False, text=True)
                if alone
                else context.searcher.open(location, context.task)
            )
            if not isinstance(snapshot, Snapshot):
                continue  # it is gone
            with snapshot:
                snapshot.settings = (
                    context.settings
                )  # The searcher's are the workspace's.
                try:
                    made = _replaced(
                        context, snapshot, items, places[location], found
                    )
                except FilewrightError as error:
                    if error.code != Code.IS_BINARY or alone:
                        raise
                    found.notes.append(
                        f"{location.display_path} is not editable text and was left out"
                    )
                    continue
                if made.count:
                    found.by_file[location.display_path] = made.count
                if made.splices:
                    context.boundary.require_writable(location)
                    found.add_kinds(snapshot, made.splices, looked_at)
                    looked_at -= min(looked_at, len(made.splices))
                    changed = True
                    yield spliced(snapshot, made)
        for number, item in enumerate(items):
            with item_named(number, len(items)):
                found.notes += _other_spellings(
                    context, item, found.by_item[number]
                )
        for number, count in enumerate(found.by_item):
            if len(items) > 1 and arguments.expected_count != 0:
                with item_named(number, len(items)):
                    check_expected({"": count}, None, found.notes)
        total = check_expected(
            found.by_file, arguments.expected_count, found.notes
        )
        if total and not changed:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"all {total} matches read already as the replacement",
            )

    def summary(files: Sequence[Changed[ReplaceOutcome]]) -> str:
        changed = sum(file.diff is not None for file in files)
        what = join_limited(
            [f"{one.pattern!r} by {one.replacement!r}" for one in each], 1
        )
        return f"replaced {what} in {pluralize(changed, 'file')}"

    preview: bool | Callable[[], bool] = arguments.preview
    if "preview" not in arguments.model_fields_set or not preview:
        if most is not None:
            preview = lambda: sum(found.by_item) > most  # noqa: E731
        elif arguments.expected_count is not None:
            preview = False  # another count is refused
    made = change(
        context,
        "replace_content",
        decide,
        arguments,
        summary=summary,
        preview=preview,
    )
    return _answer(context, arguments, found, made)


def _other_spellings(context: Context, item: _Item, count: int) -> list[str]:
    """Return a note on lines that hold an item's text in another spelling only, which are not replaced."""
    opened = None
    if context.boundary.stat(item.where).kind != "folder":
        opened = partial(
            context.open_page, item.where, headings=False, text=True
        )
    search = TreeSearch(
        context.searcher,
        item.where,
        item.pattern,
        item.options,
        task=context.task,
        opened=opened,
        count=count,
    )
    return other_spellings(search)


def _places(
    context: Context, items: Sequence[_Item], most: int, notes: list[str]
) -> dict[Location, list[int]]:
    """The files that hold what is to be replaced, each with the numbers of those items. Raises `too_large`."""
    places: dict[Location, list[int]] = {}
    for number, item in enumerate(items):
        with item_named(number, len(items)):
            if context.boundary.stat(item.where).kind != "folder":
                if context.searcher.takes(
                    item.where, item.options, context.task
                ):
                    places.setdefault(item.where, []).append(number)
                else:
                    notes.append(f"glob leaves out {item.where.display_path}")
                continue
            files = TreeSearch(
                context.searcher,
                item.where,
                item.pattern,
                item.options,
                task=context.task,
            )
            for snapshot, _ in files:
                assert snapshot.location is not None
                places.setdefault(snapshot.location, []).append(number)
                snapshot.release()
            said = [
                f"{pluralize(files.searched, 'file')} searched",
                *skipped(files),
            ]
            said += [] if files.matched else left_out(files)
            said += (
                []
                if files.searched
                else names_in_other_spellings(
                    context, item.where, item.options.glob
                )
            )
            notes += [note for note in said if note not in notes]
    if len(places) > most:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the pattern is in more than {most} files; nothing was changed",
            "narrow it with path or glob, or raise max_files",
            limit=most,
        )
    return places


def _replaced(
    context: Context,
    snapshot: Snapshot,
    items: Sequence[_Item],
    numbers: Sequence[int],
    found: _Matches,
) -> ReplaceOutcome:
    """What the items of these numbers make of a file: all of it as it is, none of what another makes."""
    made: dict[int, ReplaceOutcome] = {}
    count = 0
    for number in numbers:
        with item_named(number, len(items)):
            item = items[number]
            made[number] = one = replace_matches(
                snapshot, item.pattern, item.new, task=context.task
            )
        count += one.count
        found.by_item[number] += one.count
        if count > _MATCHES:
            raise too_many(
                count,
                _MATCHES,
                f"matches in {snapshot.requested_path}",
                "make the patterns narrower",
            )
    if len(made) == 1:
        return one
    unchanged = sum(each.unchanged for each in made.values())
    return ReplaceOutcome(
        count, unchanged, PackedSplices.pack(_joined(snapshot, made))
    )


def _joined(
    snapshot: Snapshot, made: Mapping[int, ReplaceOutcome]
) -> Iterator[Splice]:
    """The splices of several items in order. Raises `overlap` where two of them change the same text."""
    last: Splice | None = None
    for splice in heapq.merge(*(one.splices for one in made.values())):
        if last is not None and (
            splice.offset < last.end
            or splice.offset == splice.end == last.offset
        ):
            line, asked = (
                snapshot.lines.line_at(splice.offset),
                snapshot.requested_path,
            )
            both = [
                n + 1
                for n, one in made.items()
                if last in one.splices or splice in one.splices
            ]
            message = f"items {' and '.join(map(str, both))} overlap at line {line} of {asked}"
            raise path_error(
                Code.OVERLAP,
                asked,
                message,
                "join them into one, or replace in two calls",
            )
        last = splice
        yield splice


def check_expected(
    counts: Mapping[str, int], expected: int | None, notes: Sequence[str] = ()
) -> int:
    """The sum of `counts` (matches by file as shown), as far as it is what the caller expected.

    Raises `no_match` for none, `invalid_input` when `expected` is given and differs.
    """
    total = sum(counts.values())
    hint = "search for it first; look at case, mode and glob"
    if total == 0 and not expected:
        raise FilewrightError(
            Code.NO_MATCH, "the pattern is nowhere", "; ".join((*notes, hint))
        )
    if expected is not None and total != expected:
        most = sorted(counts.items(), key=lambda item: -item[1])[:5]
        where = ", ".join(f"{name}: {count}" for name, count in most if count)
        message = f"the pattern matches {total} times, not the expected {expected}; nothing was changed"
        if total:
            hint = f"look at the preview, then give expected_count={total} ({where})"
        raise invalid(
            message,
            hint,
            argument="expected_count",
            expected=expected,
            found=total,
        )
    return total


@dataclass(frozen=True, kw_only=True)
class ReplaceResult(ChangeResult):
    """What was replaced, or would be (`preview`): `count` matches in all, by file. `diff` is bounded.

    Of several replacements `item_counts` has the matches of each.
    """

    count: int
    files: tuple[MatchedFile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    item_counts: tuple[int, ...] = optional(())


def _answer(
    context: Context,
    arguments: ReplaceArguments,
    found: _Matches,
    made: Change[ReplaceOutcome],
) -> ReplaceResult:
    counts, kinds = found.by_file, found.kinds
    page = Reply(
        context, arguments, made, outcome=str(counts), offers_diff=False
    )
    total, most = sum(counts.values()), arguments.max_count
    done = page.done("replaced", way="; preview=false writes")
    if made.id is None and most is not None and total > most:
        done = f"are more than max_count={most} (preview; nothing was written; max_count={total} writes)"
    brief = arguments.diff == "none"
    told = page.seen or (
        page.brief and not brief
    )  # the diff says what is replaced where
    files = tuple(MatchedFile(name, count) for name, count in counts.items())
    named = (
        ""
        if told
        else f" ({join_limited([file.row for file in files], _FILES, noun='file')})"
    )
    page.add(
        f"{pluralize(total, 'match')} in {pluralize(len(files), 'file')} {done}{named}"
    )
    if len(found.by_item) > 1:
        page.add(
            f"[matches of each item: {', '.join(map(str, found.by_item))}]"
        )
    known = (
        brief or arguments.expected_count is not None
    )  # whoever gives the count has seen them
    if not told and (
        made.id is None or (not known and len(kinds) < kinds.lines)
    ):
        page.extend(
            found.rows(preview=made.id is None),
            reserve=page.room // 3,
            of=len(kinds),
            more="kind",
        )
    if found.notes:
        page.add(f"[{'; '.join(found.notes[:_NOTES])}]")
    page.end()
    return ReplaceResult(
        **page.facts,
        count=total,
        files=files,
        notes=tuple(found.notes),
        item_counts=tuple(found.by_item) if len(found.by_item) > 1 else (),
        warnings=made.warnings,
    )


def replace_in_order(
    context: Context,
    path: str,
    replacements: Sequence[tuple[Pattern, Replacement]],
) -> Change[ReplaceOutcome]:
    """Every replacement on the result of the one before it, as one change; none if nothing matches. For dialects."""

    def replaced(snapshot: Snapshot) -> ReplaceOutcome:
        current, splices = snapshot, tuple[Splice, ...]()
        total = unchanged = 0
        for pattern, new in replacements:
            made = replace_matches(current, pattern, new, task=context.task)
            total, unchanged = total + made.count, unchanged + made.unchanged
            if made.splices:
                splices = tuple(made.splices)
                if isinstance(current, Overlay):
                    splices = current.compose(splices)
                current = Overlay(snapshot, splices)
        return ReplaceOutcome(total, unchanged, splices)

    return change_text(context, "replace_content", path, replaced)
