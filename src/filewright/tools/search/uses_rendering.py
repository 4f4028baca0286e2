"""The text of a survey of a name: what decides on a rename first, then the rest by counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from filewright.hints import Hint
from filewright.tools.search.tree import split_path
from filewright.tools.search.uses_summary import (
    CallSpelling,
    DefiningFile,
    FolderUses,
    ImportSource,
    NameUses,
    OtherUses,
    UsedAlias,
    UseKind,
    UseLocation,
    UsesSurvey,
)
from filewright.tools.syntax_filter import SYNTAX_ERRORS_NOTE
from filewright.wording import escape_controls, join_limited, pluralize

MAX_DEFINING_FILES = 6
MAX_DEFINITIONS_OF_FILE = 3
MAX_SOURCES = 8
MAX_ALIASES = 8
MAX_SPELLINGS = 8
MAX_NAMED_SPELLINGS = 8
MAX_ARGUMENT_COUNTS = 5
MAX_PLACES = 12
MAX_OTHER_LINES = 6
MAX_FOLDERS = 6
MIN_FOLDERS = 2
MAX_NAMED_FILES = 3
MAX_REST_CHARS = 50


def render_survey(
    survey: UsesSurvey, *, is_tree: bool, max_chars: int
) -> Iterator[str]:
    """Yield the lines on the uses of each name, as far as they fit.

    Each name has its share of the characters, and what others leave of theirs.
    """
    for index, uses in enumerate(survey.names):
        share = max_chars // (len(survey.names) - index)
        rows = list(render_uses(uses, is_tree=is_tree))
        rows = _fit_rows(rows, share - MAX_REST_CHARS)
        max_chars -= sum(len(row) + 1 for row in rows)
        yield from rows


def _fit_rows(rows: Sequence[str], room: int) -> list[str]:
    """Return the first rows that fit, and a row that counts the others."""
    kept_rows: list[str] = []
    for row in rows:
        room -= len(row) + 1
        # Without its first row a reader would not know the name.
        if room < 0 and kept_rows:
            break
        kept_rows.append(row)
    rest = len(rows) - len(kept_rows)
    if rest:
        more = pluralize(rest, "more line")
        kept_rows.append(f"[{more}: survey this name alone]")
    return kept_rows


def render_uses(uses: NameUses, *, is_tree: bool) -> Iterator[str]:
    """Yield the lines on the uses of one name."""
    yield _render_title(uses)
    yield from _render_definitions(uses.definitions)
    yield from _render_imports(uses)
    yield from _render_calls(uses)
    for others in uses.others:
        yield from _render_others(others)
    if uses.longer_names:
        names = [f"{name} {count:,}" for name, count in uses.longer_names]
        shown = join_limited(names, MAX_NAMED_SPELLINGS)
        yield escape_controls(f"not this name: {shown}")
    if is_tree and len(uses.folders) >= MIN_FOLDERS:
        yield from _render_folders(uses.folders)


def describe_survey(survey: UsesSurvey) -> tuple[str, ...]:
    """Return notes on the files whose uses were not told apart, or not for certain."""
    notes: list[str] = []
    if survey.unparsed:
        count = pluralize(sum(survey.unparsed.values()), "more use")
        named = _name_files(tuple(survey.unparsed))
        notes.append(
            f"{count} only counted: {named}; a narrower path or glob tells them apart"
        )
    if survey.unread_imports:
        languages = ", ".join(survey.unread_imports)
        notes.append(
            f"imports of {languages} are not read: they name no members"
        )
    if survey.broken:
        named = _name_files(survey.broken)
        notes.append(f"{SYNTAX_ERRORS_NOTE}: {named}")
    return tuple(notes)


def _name_files(paths: Sequence[str]) -> str:
    names = [escape_controls(path) for path in paths]
    return join_limited(names, MAX_NAMED_FILES, noun="file")


def _render_title(uses: NameUses) -> str:
    """Return the name with the number of its uses."""
    if not uses.count:
        return f"{escape_controls(uses.name)}: no use"
    place = pluralize(uses.file_count, "file")
    if uses.line_count != uses.count:
        place = f"{pluralize(uses.line_count, 'line')} of {place}"
    name = escape_controls(uses.name)
    return f"{name}: {pluralize(uses.count, 'use')} in {place}"


def _render_definitions(files: Sequence[DefiningFile]) -> Iterator[str]:
    """Yield the definitions of each file, and how many uses the file has."""
    if not files:
        return
    count = sum(len(file.definitions) for file in files)
    yield f"{pluralize(count, 'definition')}:"
    for file in files[:MAX_DEFINING_FILES]:
        own = []
        if file.calls:
            own.append(pluralize(file.calls, "call"))
        if file.others:
            own.append(pluralize(file.others, "other use"))
        besides = f" ({' and '.join(own)} there)" if own else ""
        path = escape_controls(file.path)
        shown = file.definitions[:MAX_DEFINITIONS_OF_FILE]
        if len(file.definitions) == 1:
            yield f"{path}:{_render_line(shown[0])}{besides}"
            continue
        yield f"{path}{besides}"
        for place in shown:
            yield _render_line(place)
        rest = file.definitions[MAX_DEFINITIONS_OF_FILE:]
        if rest:
            yield f"also in {_name_lines(rest)}"
    hidden = files[MAX_DEFINING_FILES:]
    if hidden:
        hidden_count = sum(len(file.definitions) for file in hidden)
        more = pluralize(hidden_count, "more definition")
        yield f"{more} in {_name_files([file.path for file in hidden])}"


def _name_lines(places: Sequence[UseLocation]) -> str:
    """Return the numbers of lines of one file, the first of many."""
    numbers = [str(place.line) for place in places]
    noun = "line" if len(numbers) == 1 else "lines"
    return f"{noun} {join_limited(numbers, MAX_PLACES)}"


def _render_line(place: UseLocation) -> str:
    return f"{place.line}: {escape_controls(place.text)}"


def _render_imports(uses: NameUses) -> Iterator[str]:
    """Yield the modules of imports, the other names they give, and re-exports."""
    if uses.imports:
        count = sum(source.count for source in uses.imports)
        shown = uses.imports[:MAX_SOURCES]
        if len(uses.imports) == 1:
            yield f"{pluralize(count, 'import')} {_render_source(shown[0], uses.name)}"
        else:
            yield f"{pluralize(count, 'import')}:"
            for source in shown:
                yield f"{source.count:,} {_render_source(source, uses.name)}"
        hidden = uses.imports[MAX_SOURCES:]
        if hidden:
            sources = [source.source or "unread" for source in hidden]
            named = join_limited(sources, MAX_NAMED_FILES)
            hidden_count = sum(source.count for source in hidden)
            yield escape_controls(f"{hidden_count:,} from {named}")
    for alias in uses.aliases[:MAX_ALIASES]:
        yield from _render_alias(alias)
    if len(uses.aliases) > MAX_ALIASES:
        rest = uses.aliases[MAX_ALIASES:]
        places = render_places([alias.place for alias in rest])
        yield f"more names given by imports: {places}"
    if uses.reexports:
        yield f"re-exported: {render_places(uses.reexports)}"


def _render_source(source: ImportSource, name: str) -> str:
    """Return a module with the lines of its imports, if they are few."""
    text = "of an unread module"
    if source.source:
        text = f"from {escape_controls(source.source)}"
    if not source.has_name:
        text += f" (which has no {escape_controls(name)} now)"
    if source.places:
        text += f": {render_places(source.places)}"
    return text


def _render_alias(alias: UsedAlias) -> Iterator[str]:
    """Yield the import that gives another name, and the uses of that."""
    place = f"{escape_controls(alias.place.path)}:{alias.place.line}"
    calls = "not called by it"
    if alias.calls:
        calls = f"called by it in {_name_lines(alias.calls)}"
    others = ""
    if alias.others:
        others = f", used in {_name_lines(alias.others)}"
    name = escape_controls(alias.alias)
    yield f"imported as {name} in {place}, {calls}{others}"


def _render_calls(uses: NameUses) -> Iterator[str]:
    """Yield the calls by receiver and number of arguments, with the lines of rare ones."""
    if not uses.calls:
        return
    count = sum(spelling.count for spelling in uses.calls)
    if len(uses.calls) == 1:
        row = _render_spelling(uses.calls[0])
        yield f"{pluralize(count, 'call')}: {row}"
    else:
        yield f"{pluralize(count, 'call')}:"
        for spelling in uses.calls[:MAX_SPELLINGS]:
            yield f"{spelling.count:,} {_render_spelling(spelling)}"
    hidden = uses.calls[MAX_SPELLINGS:]
    if hidden:
        hidden_count = sum(spelling.count for spelling in hidden)
        names = [spelling.spelling for spelling in hidden]
        named = join_limited(names, MAX_NAMED_SPELLINGS)
        yield escape_controls(f"{hidden_count:,} otherwise: {named}")
    if uses.spread:
        places = render_places(uses.spread)
        yield f"over several lines or nested: {places}"
    if uses.unbound:
        places = render_places(uses.unbound)
        yield f"called without import or definition there: {places}"


def _render_spelling(spelling: CallSpelling) -> str:
    """Return how calls are written, and their counts by the number of arguments."""
    counts = spelling.counts[:MAX_ARGUMENT_COUNTS]
    parts = []
    for count in counts:
        number = f"{count.count:,} with " if len(spelling.counts) > 1 else ""
        arguments = count.arguments or "no list of arguments"
        if not number:
            number = "with "
        places = f": {render_places(count.places)}" if count.places else ""
        parts.append(f"{number}{arguments}{places}")
    rest = sum(count.count for count in spelling.counts[MAX_ARGUMENT_COUNTS:])
    if rest:
        parts.append(f"{rest:,} with other numbers")
    is_bare = len(spelling.counts) == 1 and not spelling.counts[0].arguments
    if is_bare:
        parts = [render_places(spelling.counts[0].places)]
    name = escape_controls(spelling.spelling)
    joined = "; ".join(part for part in parts if part)
    return f"{name} {joined}".rstrip() + _render_owners(spelling)


def _render_owners(spelling: CallSpelling) -> str:
    """Return where the first name of a receiver comes from, if it is imported."""
    owner = escape_controls(spelling.owner)
    sources = [
        (source, count)
        for source, count in spelling.owners
        if source != spelling.owner
    ]
    if not sources:
        return ""
    parts = [f"from {source}" for source, _ in sources]
    if len(sources) > 1:
        parts = [f"{count:,} from {source}" for source, count in sources]
    named = escape_controls(join_limited(parts, MAX_NAMED_FILES))
    return f" [{owner} {named}]"


def _render_others(others: OtherUses) -> Iterator[str]:
    """Yield the lines of the uses of one kind; equal lines once."""
    titles = {
        UseKind.CODE: "other code",
        UseKind.COMMENT: "in comments",
        UseKind.STRING: "in strings",
        UseKind.UNKNOWN: "in files that are not parsed",
    }
    yield f"{titles[others.kind]}, {pluralize(len(others.places), 'line')}:"
    if others.kind is UseKind.UNKNOWN and len(others.places) > MAX_OTHER_LINES:
        lines_by_file = Counter(place.path for place in others.places)
        rows = [
            f"{escape_controls(path)} {count:,}"
            for path, count in lines_by_file.most_common()
        ]
        yield join_limited(rows, MAX_PLACES, noun="file")
        return
    counts = Counter(place.text for place in others.places)
    firsts: dict[str, UseLocation] = {}
    for place in others.places:
        firsts.setdefault(place.text, place)
    # Rare lines tell a reader more than frequent ones.
    ranked = sorted(firsts.values(), key=lambda place: counts[place.text])
    shown = ranked[:MAX_OTHER_LINES]
    shown_count = 0
    for place in firsts.values():
        if place not in shown:
            continue
        count = counts[place.text]
        shown_count += count
        alike = f" (and {count - 1:,} like it)" if count > 1 else ""
        path = escape_controls(place.path)
        yield f"{path}:{_render_line(place)}{alike}"
    hidden = len(others.places) - shown_count
    if hidden:
        yield _render_rest(others.kind, hidden)


def _render_rest(kind: UseKind, count: int) -> str:
    """Return how many lines are not shown, and the call that shows them."""
    lines = pluralize(count, "more line")
    words = {
        UseKind.CODE: "code",
        UseKind.COMMENT: "comments",
        UseKind.STRING: "strings",
    }
    if kind not in words:
        return lines
    return Hint(
        f'{lines}: only="{words[kind]}" without output',
        shell=f"{lines}: --only {words[kind]} without --uses",
    )


def _render_folders(folders: Sequence[FolderUses]) -> Iterator[str]:
    """Yield the number of uses in each folder, the largest first."""
    yield "by folder:"
    for folder in folders[:MAX_FOLDERS]:
        files = ""
        if folder.path.endswith("/"):
            files = f" in {pluralize(folder.files, 'file')}"
        yield f"{escape_controls(folder.path)}: {folder.uses:,}{files}"
    hidden = folders[MAX_FOLDERS:]
    if hidden:
        count = sum(folder.uses for folder in hidden)
        yield f"{count:,} in {pluralize(len(hidden), 'more folder')}"


def render_places(places: Sequence[UseLocation]) -> str:
    """Return lines by file, the first of many: ``src/{a.py:3,7 b.py:1}``."""
    lines_by_file: dict[str, list[str]] = {}
    for place in places[:MAX_PLACES]:
        lines_by_file.setdefault(place.path, []).append(str(place.line))
    names_by_folder: dict[str, list[str]] = {}
    for path, lines in lines_by_file.items():
        folder, name = split_path(path)
        row = escape_controls(f"{name}:{','.join(lines)}")
        names_by_folder.setdefault(folder, []).append(row)
    parts = []
    for folder, names in names_by_folder.items():
        shown_folder = escape_controls(folder)
        if len(names) == 1 or not folder:
            parts += [shown_folder + name for name in names]
        else:
            parts.append(f"{shown_folder}{{{' '.join(names)}}}")
    rest = len(places) - MAX_PLACES
    more = f" and {rest:,} more" if rest > 0 else ""
    return ", ".join(parts) + more
