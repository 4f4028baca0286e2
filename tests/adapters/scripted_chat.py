"""A chat model of LangChain that calls tools from a script."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class ScriptedChat(BaseChatModel):
    """A model that calls the tools of a list, one a message, and then says `done`."""

    script: list[tuple[str, dict[str, Any]]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """Return the model: the script knows the tools."""
        return self

    def _generate(
        self, messages: list[BaseMessage], *arguments: Any, **options: Any
    ) -> ChatResult:
        message = AIMessage(content="done")
        done = sum(1 for message in messages if message.type == "tool")
        if done < len(self.script):
            name, tool_arguments = self.script[done]
            call = {"name": name, "args": tool_arguments, "id": f"call_{done}"}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])
