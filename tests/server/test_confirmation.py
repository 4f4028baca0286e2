"""Questions to the person before a call."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import (
    ElicitRequestParams,
    ElicitResult,
)
from tests.server.conftest import connected, text_of_result

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


pytestmark = pytest.mark.anyio


ANSWERS = [
    (ElicitResult(action="accept", content={"confirm": True}), "destroyed"),
    (
        ElicitResult(action="accept", content={"confirm": False}),
        "cancelled: the user did not allow",
    ),
    (ElicitResult(action="decline"), "cancelled: the user did not allow"),
    (ElicitResult(action="cancel"), "cancelled: the user did not allow"),
]


@MODES
async def test_asks_before_a_destructive_call(mode: str) -> None:
    asked: list[str] = []
    answers = iter([answer for answer, _ in ANSWERS])

    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return next(answers)

    async with connected(
        mode, "--confirm", "destructive", elicitation_callback=ask
    ) as client:
        for _, expected in ANSWERS:
            result = await client.call_tool(
                "destroy", {"paths": ["a\x1b[31m", "b"]}
            )
            assert text_of_result(result).startswith(expected)
            assert result.is_error is (expected != "destroyed")
        assert {question.partition("\n")[0] for question in asked} == {
            "Allow destroy on a\\u001b[31m, b?"
        }
        assert not any("destroyed" in question for question in asked)
        await client.call_tool("echo", {})
        assert len(asked) == len(ANSWERS)


async def test_asks_unless_the_tool_knows_previews() -> None:
    asked: list[str] = []

    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async with connected(
        "auto", "--confirm", "always", elicitation_callback=ask
    ) as client:
        for name in ("preview", "dry_run", "dryRun"):
            result = await client.call_tool(
                "destroy", {"paths": ["a"], name: True}
            )
            assert text_of_result(result).startswith(
                "cancelled: the user did not allow"
            ), name
    assert len(asked) == 3


@MODES
async def test_waits_where_the_client_cannot_ask(
    mode: str,
) -> None:
    async with connected(mode, "--confirm", "always") as client:
        refused = await client.call_tool("destroy", {})
        assert refused.is_error
        assert text_of_result(refused).startswith(
            "cancelled: destroy waits for the user's answer; nothing was changed"
        )
        assert "filewright review" in text_of_result(refused)


async def test_answer_counts_for_its_call_only() -> None:
    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async with connected(
        "auto", "--confirm", "destructive", elicitation_callback=ask
    ) as client:
        first = await client.session.call_tool(
            "destroy", {"paths": ["a"]}, allow_input_required=True
        )
        assert first.result_type == "input_required"
        reused = await client.session.call_tool(
            "destroy",
            {"paths": ["b"]},
            input_responses={
                "confirm": ElicitResult(
                    action="accept", content={"confirm": True}
                )
            },
            request_state=first.request_state,
            allow_input_required=True,
        )
        assert reused.result_type == "input_required"
