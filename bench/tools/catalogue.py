"""All tools that are compared."""

from __future__ import annotations

from bench.tools import (
    aider,
    deepagents,
    desktop_commander,
    filewright,
    langchain,
    largefile,
    official,
    openai_agents,
    programs,
    real_clients,
    rust_filesystem,
    serena,
    strands,
    text_editor,
)
from bench.tools.tool import AnyTool

_TOOLS: tuple[AnyTool, ...] = (
    filewright.TOOL,
    official.TOOL,
    desktop_commander.TOOL,
    rust_filesystem.TOOL,
    largefile.TOOL,
    text_editor.TOOL,
    serena.TOOL,
    deepagents.TOOL,
    openai_agents.TOOL,
    langchain.TOOL,
    strands.TOOL,
    aider.TOOL,
    programs.GIT_APPLY,
    programs.PATCH,
    *real_clients.TOOLS,
)

TOOLS = {tool.name: tool for tool in _TOOLS}
"""The tools by their names, in the order of the tables."""

QUICK = ("filewright", "server-filesystem", "git apply")
"""The tools of a short run."""

UNAVAILABLE = {"agent-tools": "no registry of pip, npm or cargo has it"}
"""Tools that were to be compared and cannot be installed."""
