"""A table of cases in one test, which names every row that fails.

To collect, set up and report a test takes longer than most rows of a table do.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

_SHOWN = 400


def each_row(
    names: str | Sequence[str], table: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, but one test goes through all rows, also behind one that fails.

    Where the test takes `tmp_path`, each row has a folder of its own. Other fixtures are the same for all rows:
    nothing that a row changes may be told by the next.
    """
    named = (
        [name.strip() for name in names.split(",")]
        if isinstance(names, str)
        else list(names)
    )
    cases = [case if len(named) > 1 else (case,) for case in table]

    def of(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_rows(*given: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            left_out: list[str] = []
            for number, case in enumerate(cases):
                arguments = fixtures | dict(zip(named, case, strict=True))
                if "tmp_path" in fixtures:
                    arguments["tmp_path"] = (
                        fixtures["tmp_path"] / f"row{number}"
                    )
                    arguments["tmp_path"].mkdir()
                try:
                    test(*given, **arguments)
                except pytest.skip.Exception as skipped:
                    left_out.append(f"row {number}: {skipped}")
                except (
                    Exception,
                    BaseExceptionGroup,
                    pytest.fail.Exception,
                ) as error:
                    error.add_note(
                        f"in row {number}, {', '.join(named)} = {repr(case)[:_SHOWN]}"
                    )
                    failures.append(error)
            if failures:
                # Of a large group only some are shown.
                listed = "\n".join(
                    f"{each.__notes__[-1]}: {each}" for each in failures
                )
                raise BaseExceptionGroup(
                    f"{len(failures)} of {len(cases)} rows failed\n{listed}",
                    failures,
                )
            if left_out:
                pytest.skip(
                    f"{len(left_out)} of {len(cases)} rows left out, the others passed; {left_out[0]}"
                )

        left = [
            each
            for each in signature.parameters.values()
            if each.name not in named
        ]
        all_rows.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return all_rows

    return of
