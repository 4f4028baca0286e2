"""The files by which programs on the user's machine are made to run something.

Rules as in `.gitignore`, program by program, each with the page of documentation that
says what the program loads from a project. Instructions that only a model reads, CI
workflows, and scripts that a person starts are not listed: agents are asked to edit
those every day.
"""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """A program, and the files of a project that make it run commands or load code."""

    name: str
    rules: tuple[str, ...]


def _program(name: str, *rules: str, folders: tuple[str, ...] = ()) -> Program:
    """Return a program with its rules.

    With `folders`, each rule holds in every folder that has one of these names.
    """
    if folders:
        rules = tuple(
            f"**/{folder}/{rule}" for folder in folders for rule in rules
        )
    return Program(name, rules)


PROGRAMS = (
    # Hooks, filters and external commands of a repository:
    # https://git-scm.com/docs/githooks
    _program("git", ".git"),
    # https://code.claude.com/docs/en/settings, /hooks, /sub-agents and /skills (hooks
    # and MCP servers in their heads, shell output in their texts), /desktop
    # (launch.json)
    _program(
        "Claude Code",
        "settings*.json",
        "hooks/",
        "commands/",
        "agents/",
        "skills/",
        "plugins/",
        "launch.json",
        folders=(".claude",),
    ),
    # Read by Claude Code, Copilot CLI and others: https://code.claude.com/docs/en/mcp
    _program("MCP servers of a project", ".mcp.json"),
    # config.toml, hooks.json, rules and agents:
    # https://developers.openai.com/codex/config-basic
    _program("Codex", ".codex/"),
    # https://geminicli.com/docs/reference/configuration, /extensions/reference,
    # /cli/custom-commands
    _program(
        "Gemini CLI",
        "settings.json",
        ".env",
        "commands/",
        "extensions/",
        "hooks/",
        "agents/",
        "policies/",
        "sandbox*",
        folders=(".gemini",),
    ),
    # https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings
    _program(
        "Qwen Code",
        "settings*.json",
        ".env",
        "commands/",
        "extensions/",
        "hooks/",
        "agents/",
        "sandbox*",
        folders=(".qwen",),
    ),
    # https://opencode.ai/docs/config, /plugins, /custom-tools, /commands (shell
    # output), /agents (permissions)
    _program("opencode", "opencode.json*"),
    _program(
        "opencode",
        "plugin*/",
        "tool*/",
        "command*/",
        "agent*/",
        "mode*/",
        "package.json",
        "opencode.json*",
        "tui.json*",
        folders=(".opencode",),
    ),
    # https://kilo.ai/docs/automate/extending/plugins; setup and run scripts of its
    # agent manager
    _program("Kilo Code", "kilo.json*"),
    _program(
        "Kilo Code",
        "plugin*/",
        "tool*/",
        "command*/",
        "agent*/",
        "mcp.json",
        "package.json",
        "kilo.json*",
        "setup-script*",
        "run-script*",
        folders=(".kilo", ".kilocode"),
    ),
    # https://docs.github.com/en/copilot/reference/hooks-reference,
    # /copilot-cli/customize-copilot
    _program(
        "Copilot",
        "hooks/",
        "copilot/settings*.json",
        "agents/",
        "extensions/",
        "mcp.json",
        "lsp.json",
        folders=(".github",),
    ),
    # https://code.visualstudio.com/docs/debugtest/tasks,
    # /editing/workspaces/multi-root-workspaces
    _program("VS Code", "*.code-workspace"),
    _program(
        "VS Code",
        "tasks.json",
        "settings.json",
        "launch.json",
        "mcp.json",
        folders=(".vscode",),
    ),
    # https://docs.cline.bot/customization/hooks
    _program("Cline", "hooks/", folders=(".clinerules",)),
    # Its command line runs these as soon as they are there.
    _program("Cline", "hooks/", "plugins/", folders=(".cline",)),
    # https://pi.dev: packages/coding-agent/docs/extensions.md, settings.md, mcp.md of
    # badlogic/pi-mono
    _program(
        "pi",
        "extensions/",
        "settings.json",
        "mcp.json",
        "npm/",
        "git/",
        folders=(".pi",),
    ),
    # https://docs.continue.dev/customize/deep-dives/mcp, /reference
    _program("Continue", ".continuerc.json"),
    _program(
        "Continue",
        "mcpServers/",
        "agents/",
        "assistants/",
        "configs/",
        "config.*",
        folders=(".continue",),
    ),
    # https://cursor.com/docs/agent/hooks, /cli/reference/permissions,
    # /configuration/worktrees
    _program(
        "Cursor",
        "mcp.json",
        "hooks*",
        "cli.json",
        "environment.json",
        "worktrees.json",
        "sandbox.json",
        folders=(".cursor",),
    ),
    # https://docs.windsurf.com/windsurf/cascade/hooks
    _program("Windsurf", "hooks*", folders=(".windsurf",)),
    # https://zed.dev/docs/tasks, /debugger, /configuring-zed
    _program(
        "Zed", "settings.json", "tasks.json", "debug.json", folders=(".zed",)
    ),
    # https://docs.roocode.com/features/experimental/custom-tools,
    # /features/mcp/using-mcp-in-roo
    _program("Roo Code", "mcp.json", "tools/", folders=(".roo",)),
    # https://kiro.dev/docs/hooks, /mcp, /custom-agents (MCP servers in their heads)
    _program("Kiro", "hooks/", "settings/", "agents/", folders=(".kiro",)),
    # https://ampcode.com/manual: workspace settings, plugins, MCP servers of skills
    _program("Amp", "settings.json*", "plugins/", folders=(".amp",)),
    _program("Amp", "skills/*/mcp.json", folders=(".agents",)),
    # https://github.com/charmbracelet/crush: MCP and language servers, hooks, shell in
    # its values
    _program("Crush", "crush.json", ".crush.json"),
    # initializeCommand runs on the host:
    # https://containers.dev/implementors/json_reference
    _program("Dev Containers", ".devcontainer.json"),
    _program(
        "Dev Containers",
        "devcontainer.json",
        "*/devcontainer.json",
        folders=(".devcontainer",),
    ),
    # https://www.jetbrains.com/help/idea/run-debug-configuration.html,
    # /settings-tools-startup-tasks.html
    _program("JetBrains", "*.run.xml", "*.ipr", "*.iws"),
    _program(
        "JetBrains",
        "runConfigurations/",
        "workspace.xml",
        "startup.xml",
        "watcherTasks.xml",
        folders=(".idea",),
    ),
    # https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
    _program("Junie", "mcp/", folders=(".junie",)),
    # Files of a project that Vim's and Neovim's 'exrc' loads:
    # https://neovim.io/doc/user/options.html#'exrc'
    _program("Vim", ".exrc", ".nvimrc", ".nvim.lua"),
    # https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html
    _program("Emacs", ".dir-locals*.el"),
    # Hooks and environment on entering a folder:
    # https://mise.jdx.dev/configuration.html
    _program(
        "mise",
        "mise.toml",
        "mise.*.toml",
        ".mise.toml",
        ".mise.*.toml",
        ".mise/",
        "**/mise/config*.toml",
        "**/.config/mise.toml",
        "**/.config/mise/",
    ),
    # https://direnv.net/man/direnv.1.html
    _program("direnv", ".envrc"),
    # https://typicode.github.io/husky/
    _program("husky", ".husky/"),
)
"""The programs whose files are protected."""

PROTECTED = tuple(
    dict.fromkeys(rule for program in PROGRAMS for rule in program.rules)
)
"""The rules of all files that are written only if the user allows it."""
