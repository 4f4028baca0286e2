"""One case as text: the request, and the bytes before, after and expected."""

from __future__ import annotations

from bench.case import Case, Outcome
from bench.parts.part import Options, Part, Run
from bench.tools.tool import AnyTool


def format_run(part: Part, tool: AnyTool, run: Run, options: Options) -> str:
    """Return the outcomes of a tool with their cases."""
    cases = {case.number: case for case in part.cases(options)}
    texts = [
        format_outcome(cases[outcome.number], outcome)
        for outcome in run.outcomes
        if outcome.number in cases
    ]
    if options.kept:
        texts.append(f"The files of {tool.name} are in {options.kept}.")
    return "\n\n".join(texts)


def format_outcome(case: Case, outcome: Outcome) -> str:
    """Return one outcome with its case."""
    expected = [f"expected: {content!r}" for content in case.expected]
    lines = [
        f"{outcome.tool}, case {case.number}, {case.name}: {outcome.verdict}",
        f"detail:   {outcome.detail or '-'}",
        f"request:  {case.request!r}",
        f"before:   {case.file.content!r}",
        f"after:    {outcome.result!r}",
        *(expected or ["expected: a refusal"]),
        f"answer:   {outcome.answer}",
    ]
    return "\n".join(lines)
