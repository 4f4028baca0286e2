"""The tool `search_files`, and regular expressions as the original takes them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from filewright.dialects.call import Call
from filewright.dialects.filesystem.paths import (
    to_native,
    with_described_path,
)
from filewright.dialects.json_answers import (
    Json,
    count_fitting_json,
    encode_json,
)
from filewright.errors import FilewrightError
from filewright.tools.arguments import Arguments
from filewright.tools.search.result import SearchHit

_CONTEXT_LINES = 2
"""Lines that are shown before and after a match."""

_MAX_HITS = 1000
_NOTE_CHARACTERS = 600
"""Characters that are reserved for the note on left-out matches."""

_REGEX_WITH_FLAGS = re.compile(r"/(.+)/([gimsuy]*)", re.DOTALL)


class SearchFiles(Arguments):
    """Arguments of `search_files`."""

    path: Annotated[
        str, Field(description="Relative path of a directory or file.")
    ] = "."
    regex: Annotated[
        str,
        Field(min_length=1, description="The regex; /regex/flags is accepted."),
    ]
    file_pattern: Annotated[
        str,
        Field(min_length=1, description="Glob of file names, such as *.ts."),
    ] = "*"


def search_files(call: Call, arguments: SearchFiles) -> str:
    """Return every match of a regex with the lines around it."""
    pattern = arguments.regex
    flags = ""
    written_regex = _REGEX_WITH_FLAGS.fullmatch(arguments.regex)
    if written_regex is not None:
        pattern, flags = written_regex.groups()
    multiline = "s" in flags or spans_lines(pattern)
    if "s" in flags:
        pattern = f"(?s){pattern}"
    try:
        # One native page has more matches than an answer takes.
        result = call.search(
            pattern,
            to_native(arguments.path),
            mode="regex",
            case="insensitive" if "i" in flags else "sensitive",
            multiline=multiline,
            glob=arguments.file_pattern,
            context=_CONTEXT_LINES,
            max_results=_MAX_HITS,
        )
    except FilewrightError as error:
        raise with_described_path(call, error, arguments.path) from error
    matches: list[Json] = []
    for hit in result.results:
        matches += matches_of(hit)
    count = count_fitting_json(matches, call.max_characters - _NOTE_CHARACTERS)
    answers = matches[:count]
    if count < len(matches) or not result.complete:
        reason = (
            f"incomplete: {count} matches are shown; "
            "narrow path, regex or file_pattern"
        )
        answers.append(
            {"type": "error", "file": arguments.path, "error": reason}
        )
    return encode_json(answers)


def spans_lines(regex: str) -> bool:
    """Return True if a regex names line ends, and so may match several lines."""
    return "\\n" in regex or "\n" in regex


def matches_of(hit: SearchHit) -> list[Json]:
    """Return the matches of a line, each with the lines around it."""
    texts = [hit.text[start:end] for start, end in hit.submatches] or [""]
    if hit.matched is not None:
        # The last match continues on the next line.
        texts[-1] = hit.matched.replace("\r\n", "\n")
    context = [
        *hit.context_before,
        hit.text,
        *hit.more_lines,
        *hit.context_after,
    ]
    matches = []
    for text in texts:
        match: Json = {
            "type": "match",
            "file": hit.path,
            "line": hit.line,
            "match": text,
            "context": context,
        }
        matches.append(match)
    return matches
