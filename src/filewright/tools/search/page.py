"""The page of a search: hits, files or kinds of lines, as far as they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from filewright.rows.fields import MAX_ENTRY_BYTES, show_fields
from filewright.search.hit_groups import HitGroups
from filewright.search.hits import FileHits, Hit, HitBuilder, iterate_hits
from filewright.search.pattern import Pattern
from filewright.search.selected_lines import SelectedLines
from filewright.search.tree import ResumePoint, TreeSearch
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import CharacterBudget
from filewright.tools.context import Context
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.columns import find_column, read_header
from filewright.tools.search.count_matrix import CountMatrix
from filewright.tools.search.counts import LineCounter
from filewright.tools.search.excerpt import (
    MAX_HITS_WITH_CONTEXT,
    MAX_PARSED_BYTES,
    ExcerptLine,
    ExcerptOptions,
    FileExcerpt,
    HitExcerpt,
    LineRole,
    SymbolFinder,
    excerpt_hits,
    omit_context,
)
from filewright.tools.search.folders import count_by_folder, render_folders
from filewright.tools.search.kinds import choose_kinds, propose_column
from filewright.tools.search.lines import excerpt_chars, render_line
from filewright.tools.search.long_lines import (
    LONG_LINES_NOTE,
    find_long_lines,
    sum_long_lines,
)
from filewright.tools.search.notes import display_path
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.ranking import LineRanking
from filewright.tools.search.rendering import (
    SURVEY_RESERVED_CHARS,
    render_excerpts,
    render_file,
)
from filewright.tools.search.result import (
    FolderCount,
    MatchedFile,
    SearchHit,
    ValueCount,
)
from filewright.tools.search.syntax_summary import is_name
from filewright.tools.search.tree import (
    MIN_CUT_HITS,
    MIN_TREE_HITS,
    TreeLength,
    cut_to_call,
)
from filewright.tools.search.uses import UsesCollector
from filewright.tools.search.uses_names import parse_names
from filewright.tools.search.uses_rendering import describe_survey, render_uses
from filewright.tools.search.uses_summary import UsesSurvey

RESERVED_CHARS = 400
"""The characters that are left for the last lines of a page."""
MAX_FILE_ROWS = 40
"""More files with counts are shown by folder."""

MAX_HEADERS = 3
MAX_COUNTED_FILES = 20_000
# What an edit may name afterwards reaches a little below the last hit.
SHOWN_BYTES_BELOW = 4096


@dataclass(frozen=True, slots=True)
class ShownValues:
    """The counts on a page, in rows or in a matrix, and notes on them."""

    rows: tuple[ValueCount, ...] = ()
    matrix: CountMatrix | None = None
    notes: tuple[str, ...] = ()


class SearchPage:
    """The hits, files or kinds of lines that a search has collected, as far as they fit.

    On a dense page hits have no context and are laid out as a tree, and calls of a name are
    shown without the code around them. `siblings` are other patterns of the call whose
    syntax is looked up in the same files.
    """

    def __init__(
        self,
        context: Context,
        arguments: SearchArguments,
        max_chars: int,
        *,
        is_dense: bool = False,
        siblings: Sequence[Pattern] = (),
    ) -> None:
        self.arguments = arguments
        self.siblings = siblings
        self._context = context
        self._is_dense = is_dense
        self._tree_length = TreeLength()
        self._budget = CharacterBudget(max_chars, RESERVED_CHARS)
        self._options = ExcerptOptions.of(
            arguments, context.settings.match_chars
        )
        self._symbols = SymbolFinder(
            context.outlines,
            context.task,
            max_bytes=MAX_PARSED_BYTES,
        )
        self._excerpts: list[FileExcerpt] = []
        self._hits: list[SearchHit] = []
        self._files: list[MatchedFile] = []
        self._kinds = HitGroups()
        self._kinds_column: str | None = None
        self._occurrence_count = 0
        self._has_short_context = False
        self._header_count = 0
        self._has_long_lines = False
        self._counter: LineCounter | None = None
        if arguments.by is not None:
            self._counter = LineCounter(arguments.by, arguments.fields)
        self._uses: UsesCollector | None = None
        if arguments.output == "uses":
            names = parse_names(arguments.pattern or "")
            self._uses = UsesCollector(context, names)
        self._ranking: LineRanking | None = None
        if arguments.sort is not None:
            self._ranking = LineRanking(arguments.sort, arguments.max_results)

    @property
    def has_match(self) -> bool:
        """Return True if a match was collected."""
        return bool(
            self._hits
            or self._files
            or self._kinds
            or self._counter
            or self._uses
        )

    @property
    def resume(self) -> ResumePoint | None:
        """Return the point where a survey goes on that reached its limits."""
        return self._uses.resume if self._uses is not None else None

    def add(
        self, snapshot: Snapshot, file_hits: FileHits, search: TreeSearch
    ) -> int | None:
        """Collect a file with matches; return the offset of the first that does not fit."""
        output = self.arguments.output
        if self._uses is not None:
            self._uses.add_file(snapshot, search.pattern)
            return None
        if self._ranking is not None:
            self._rank_lines(self._ranking, snapshot, search)
            return None
        if output == "kinds" or self.arguments.by is not None:
            self._count_lines(snapshot, file_hits, search)
            return None
        if output == "matches":
            selected = None
            if self.arguments.fields:
                selected = search.select(snapshot)
            return self.add_hits(
                snapshot,
                file_hits.hits,
                selected,
                counts_long_lines=search.open_file is None,
            )
        if self.add_file(display_path(snapshot), file_hits.count):
            return None
        # The next page begins with this file.
        return 0

    def require_groups(self, pattern: Pattern) -> None:
        """Raise `invalid_input` if hits are counted by a group that is not there."""
        if self._counter is not None:
            self._counter.require_groups(pattern)
        if self._ranking is not None:
            self._ranking.require_groups(pattern)

    def _rank_lines(
        self, ranking: LineRanking, snapshot: Snapshot, search: TreeSearch
    ) -> None:
        """Rank the matching lines of a file, and build the excerpts of the best."""
        task = self._context.task
        offsets = ranking.add_file(
            snapshot, search.pattern, search.select(snapshot), task
        )
        builder = HitBuilder(snapshot, task)
        hits = []
        for offset in offsets:
            end = snapshot.lines.line_end(offset, task)
            hits.append(builder.build(offset, [(offset, end)]))
        excerpts = self._excerpt_hits(snapshot, hits, search.select(snapshot))
        ranking.add_excerpts(dict(zip(offsets, excerpts, strict=True)))

    def _excerpt_hits(
        self,
        snapshot: Snapshot,
        hits: Sequence[Hit],
        selected: SelectedLines | None,
    ) -> Iterator[HitExcerpt]:
        """Yield the excerpts of the hits of a file."""
        excerpts = excerpt_hits(
            snapshot,
            hits,
            self._options,
            self._symbols,
            earlier_hits=len(self._hits),
            task=self._context.task,
        )
        fields = self.arguments.fields
        for hit, excerpt in zip(hits, excerpts, strict=True):
            if fields and selected is not None:
                yield show_only_fields(excerpt, snapshot, hit, fields, selected)
            else:
                yield excerpt

    def _count_lines(
        self, snapshot: Snapshot, file_hits: FileHits, search: TreeSearch
    ) -> None:
        """Count the matching lines of a file by the keys of the call, or by kinds."""
        selected = search.select(snapshot)
        if self._counter is not None:
            self._counter.add_file(
                snapshot,
                search.pattern,
                selected,
                self._context.task,
                is_continued=bool(search.members),
            )
        else:
            self._add_kinds(snapshot, search.pattern, selected)
        if selected is not None and not file_hits.complete:
            search.note_left_out(selected)

    def _add_kinds(
        self,
        snapshot: Snapshot,
        pattern: Pattern,
        selected: SelectedLines | None,
    ) -> None:
        """Add each matching line of a file to its kind."""
        hits = iterate_hits(
            snapshot,
            pattern,
            start=snapshot.start,
            selected=selected,
            task=self._context.task,
        )
        last_line = -1
        for hit in hits:
            # A long line may have several hits.
            if hit.line_offset != last_line:
                last_line = hit.line_offset
                if not len(self._kinds):
                    self._kinds_column = find_column(
                        snapshot, hit, self._context.task
                    )
                self._kinds.add_hit(snapshot, hit.offset)

    def add_hits(
        self,
        snapshot: Snapshot,
        hits: Sequence[Hit],
        selected: SelectedLines | None = None,
        *,
        counts_long_lines: bool = False,
    ) -> int | None:
        """Collect the hits of a file; return the offset of the first that does not fit.

        `selected` reads the fields of their rows, if only fields are shown.
        """
        path = display_path(snapshot)
        lines: list[ExcerptLine] = []
        stopped_at = None
        excerpts = self._excerpt_hits(snapshot, hits, selected)
        long_lines: frozenset[int] = frozenset()
        if counts_long_lines:
            long_lines = find_long_lines(snapshot, hits, self._context.task)
            excerpts = sum_long_lines(hits, excerpts, long_lines)
        for index, (hit, excerpt) in enumerate(
            zip(hits, excerpts, strict=True)
        ):
            if self._is_dense:
                excerpt = self._shorten(excerpt)
            chars = self._count_chars(path, excerpt, with_path=index == 0)
            if not self._budget.take(chars):
                stopped_at = hit.offset
                break
            lines += excerpt.lines
            self._has_short_context |= excerpt.has_short_context
            self._hits.append(excerpt.hit)
            self._occurrence_count += len(hit.submatches)
        lines = [*self._read_header(snapshot, lines), *lines]
        self._excerpts.append(FileExcerpt(path, tuple(lines)))
        if long_lines:
            self._has_long_lines = True
        elif stopped_at is None and hits:
            self._remember(snapshot, hits)
        return stopped_at

    def _read_header(
        self, snapshot: Snapshot, lines: Sequence[ExcerptLine]
    ) -> tuple[ExcerptLine, ...]:
        """Return the header of a table if it is not among its lines.

        If there are many tables, those after the first few have none.
        """
        has_room = self._header_count < MAX_HEADERS and not self._is_dense
        if not lines or not has_room or self.arguments.fields:
            return ()
        header = read_header(snapshot, self._context.task)
        if header is None or header.number >= lines[0].number:
            return ()
        if not self._budget.take(len(render_line(header)) + 1):
            return ()
        self._header_count += 1
        return (header,)

    def _shorten(self, excerpt: HitExcerpt) -> HitExcerpt:
        """Return a hit as a dense page shows it: its line alone, or the call of a name."""
        lines = []
        for line in omit_context(excerpt.lines):
            if line.role is LineRole.HIT and is_name(self.arguments):
                line = cut_to_call(line, excerpt.hit)
            lines.append(line)
        return replace(excerpt, lines=tuple(lines))

    def _count_chars(
        self, path: str, excerpt: HitExcerpt, *, with_path: bool
    ) -> int:
        """Return how many characters a hit takes on the page."""
        if self._is_dense:
            return sum(
                self._tree_length.add(path, line) for line in excerpt.lines
            )
        counted = excerpt.lines
        if self._options.default_context:
            # Context is left out if it does not fit.
            counted = omit_context(excerpt.lines)
        return excerpt_chars(path, counted, with_path=with_path)

    @property
    def should_be_dense(self) -> bool:
        """Return True if a dense page would show more hits, or the same ones in less text."""
        arguments = self.arguments
        is_of_lines = (
            arguments.output == "matches"
            and arguments.has_default_context
            and not arguments.multiline
            and arguments.fields is None
            and arguments.by is None
        )
        if self._is_dense or not is_of_lines:
            return False
        count = len(self._hits)
        return count >= MIN_CUT_HITS or (
            self._budget.is_full and count >= MIN_TREE_HITS
        )

    def denser(self) -> SearchPage:
        """Return an empty dense page for the same search."""
        return SearchPage(
            self._context,
            self.arguments,
            self._budget.limit,
            is_dense=True,
            siblings=self.siblings,
        )

    def _remember(self, snapshot: Snapshot, hits: Sequence[Hit]) -> None:
        """Note that the caller was shown these hits; of a notebook it saw the cells only."""
        if not isinstance(snapshot, NotebookView):
            stop = snapshot.clip(hits[-1].end + SHOWN_BYTES_BELOW)
            self._context.remember(snapshot, (hits[0].line_offset, stop))

    def add_file(self, path: str, count: int) -> bool:
        """Collect a file; return False if the page is full."""
        file = MatchedFile(path)
        if self.arguments.output == "counts":
            file = MatchedFile(path, count)
        if self._sums_folders and len(self._files) < MAX_COUNTED_FILES:
            # The page shows folders if the files do not fit.
            self._files.append(file)
            return True
        if not self._budget.take(len(render_file(file)) + 1):
            return False
        self._files.append(file)
        return True

    @property
    def _sums_folders(self) -> bool:
        """Return True if many files with counts are shown by folder.

        A caller that wants the files gives `max_results`.
        """
        arguments = self.arguments
        return (
            arguments.output == "counts"
            and arguments.cursor is None
            and "max_results" not in arguments.model_fields_set
        )

    def _sum_folders(self) -> tuple[FolderCount, ...]:
        """Return the counts by folder, or () if the files themselves can be shown."""
        if not self._sums_folders:
            return ()
        file_chars = 0
        for file in self._files:
            file_chars += len(render_file(file)) + 1
        room = self._budget.limit - RESERVED_CHARS
        if len(self._files) > MAX_FILE_ROWS or file_chars > room:
            folders = count_by_folder(self._files)
            rows = render_folders(folders)
            self._budget.take(sum(len(row) + 1 for row in rows))
            return folders
        self._budget.take(file_chars)
        return ()

    def outcome(self, *, is_tree: bool = False) -> SearchOutcome:
        """Return what was collected, once: counts and surveys are fitted on the page here."""
        kinds = choose_kinds(
            self._kinds,
            self.arguments,
            max_chars=self._budget.limit - RESERVED_CHARS,
            with_path=is_tree,
        )
        folders = self._sum_folders()
        shown = self._show_values()
        notes = shown.notes
        if self._ranking is not None:
            notes = (*self._ranking.notes(len(self._hits)), *notes)
        if self._has_short_context:
            notes = (*notes, "context of imports shortened")
        if self._has_long_lines:
            notes = (*notes, LONG_LINES_NOTE)
        if kinds is not None and self._kinds_column is not None:
            notes = (*notes, *propose_column(kinds, self._kinds_column))
        advice = self._counter.advice if self._counter is not None else ""
        survey = None
        if self._uses:
            survey = self._uses.survey()
            self._take_survey(survey, is_tree=is_tree)
        return SearchOutcome(
            values=shown.rows,
            matrix=shown.matrix,
            notes=notes,
            advice=(advice,) if advice else (),
            arguments=self.arguments,
            max_chars=self._budget.limit,
            is_tree=is_tree,
            is_dense=self._is_dense,
            used_chars=self._budget.used,
            is_full=self._budget.is_full,
            excerpts=tuple(self._excerpts),
            hits=tuple(self._hits),
            files=tuple(self._files),
            folders=folders,
            kinds=kinds,
            survey=survey,
            file_notes=describe_survey(survey) if survey else (),
            occurrence_count=self._occurrence_count,
        )

    def add_ranked(self) -> None:
        """Collect the best lines that fit, after all files were ranked."""
        if self._ranking is None:
            return
        for excerpt in self._ranking.excerpts():
            path = excerpt.hit.path
            if not self._budget.take(
                self._count_chars(path, excerpt, with_path=True)
            ):
                break
            lines = omit_context(excerpt.lines)
            if self._excerpts and self._excerpts[-1].path == path:
                lines = (*self._excerpts.pop().lines, *lines)
            self._hits.append(excerpt.hit)
            self._excerpts.append(FileExcerpt(path, lines))

    def _take_survey(self, survey: UsesSurvey, *, is_tree: bool) -> None:
        """Use the characters that a survey takes on the page."""
        whole_chars = 0
        for uses in survey.names:
            for row in render_uses(uses, is_tree=is_tree):
                whole_chars += len(row) + 1
        room = self._budget.limit - SURVEY_RESERVED_CHARS
        self._budget.take(min(whole_chars, max(0, room)))
        # A full page is repeated with the characters that other searches of the call leave.
        self._budget.is_full = whole_chars > room

    def _show_values(self) -> ShownValues:
        """Return the counts that fit on the page, and a summary."""
        counter = self._counter
        if not counter:
            return ShownValues()
        max_rows = None
        if "max_results" in self.arguments.model_fields_set:
            max_rows = self.arguments.max_results
        matrix = counter.matrix(self._budget, max_rows)
        if matrix is not None:
            rows = counter.matrix_values(matrix)
        else:
            rows = counter.rows(self._budget, max_rows)
        return ShownValues(rows, matrix, counter.summary(rows, matrix))


def show_only_fields(
    excerpt: HitExcerpt,
    snapshot: Snapshot,
    hit: Hit,
    fields: Sequence[str],
    selected: SelectedLines,
) -> HitExcerpt:
    """Return the excerpt of a hit with the fields of its row as its text."""
    line = snapshot.lines.read_line(hit.line_offset, MAX_ENTRY_BYTES)
    entry = None
    if selected.accepts(line.offset, line.body):
        entry = selected.read_entry(line.body)
    if entry is None:
        return excerpt
    text = show_fields(entry, fields)
    shown = ExcerptLine(excerpt.hit.line, text, LineRole.HIT)
    shown_hit = replace(
        excerpt.hit,
        text=text,
        submatches=(),
        truncated=False,
        context_before=(),
        context_after=(),
    )
    return HitExcerpt(shown_hit, (shown,))


def fit_context(outcomes: Sequence[SearchOutcome]) -> list[SearchOutcome]:
    """Return outcomes without the context that was not requested and does not fit.

    Such context is shown only if all of them together have few hits.
    """
    hit_count = sum(len(outcome.hits) for outcome in outcomes)
    result = []
    for outcome in outcomes:
        keeps_context = not outcome.arguments.has_default_context
        if not keeps_context and hit_count <= MAX_HITS_WITH_CONTEXT:
            rows = render_excerpts(outcome.excerpts)
            chars = sum(len(row) + 1 for row in rows)
            keeps_context = chars + RESERVED_CHARS <= outcome.max_chars
        if not keeps_context:
            outcome = without_context(outcome)
        result.append(outcome)
    return result


def without_context(outcome: SearchOutcome) -> SearchOutcome:
    """Return an outcome without the lines beside its hits."""
    excerpts = []
    for file in outcome.excerpts:
        excerpts.append(FileExcerpt(file.path, omit_context(file.lines)))
    hits = tuple(
        replace(hit, context_before=(), context_after=())
        for hit in outcome.hits
    )
    return replace(outcome, excerpts=tuple(excerpts), hits=hits)
