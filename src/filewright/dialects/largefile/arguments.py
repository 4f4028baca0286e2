"""Arguments that several tools of the dialect `largefile` have, and its variables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field

from filewright.dialects.arguments import Variable

MAX_LINE_LENGTH = Variable("LARGEFILE_MAX_LINE_LENGTH", at_least=40)
TRUNCATE_LENGTH = Variable("LARGEFILE_TRUNCATE_LENGTH", at_least=40)
MAX_SEARCH_RESULTS = Variable(
    "LARGEFILE_MAX_SEARCH_RESULTS", at_least=1, at_most=100
)
CONTEXT_LINES = Variable("LARGEFILE_CONTEXT_LINES", at_least=0, at_most=50)
FUZZY_THRESHOLD = Variable(
    "LARGEFILE_FUZZY_THRESHOLD", at_least=0.3, at_most=1.0
)


def check_absolute(path: str) -> str:
    """Return a path. Raise `ValueError` for a relative one."""
    if not path.startswith(("/", "~")):
        raise ValueError(
            f"{path!a} is a relative path; "
            "give an absolute one, or one that begins with ~"
        )
    return path


FilePath = Annotated[
    str,
    AfterValidator(check_absolute),
    Field(
        validation_alias="absolute_file_path",
        description="Absolute path of the file.",
    ),
]

FolderPath = Annotated[
    str,
    AfterValidator(check_absolute),
    Field(
        validation_alias=AliasChoices(
            "absolute_dir_path", "absolute_file_path"
        ),
        description="Absolute path of the directory.",
    ),
]


def search_mode(*, is_regex: bool) -> Literal["regex", "literal"]:
    """Return the native mode of a search."""
    return "regex" if is_regex else "literal"


def search_case(*, is_sensitive: bool) -> Literal["sensitive", "insensitive"]:
    """Return the native case of a search."""
    return "sensitive" if is_sensitive else "insensitive"
