"""The page of all commands, from their own help: arguments, options and examples."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backbeat.cli.examples import EXAMPLES
from backbeat.cli.main import GROUPS, load_subcommand

PAGE = Path(__file__).parent / "reference" / "commands.md"
HEAD = """# Commands

Every command with its arguments, options and two examples, from its own help
(`backbeat NAME --help`). Tab completes names and options after
`backbeat --install-completion`.
"""


def command_page() -> str:
    """The page in Markdown."""
    parts = [HEAD]
    for group, commands in GROUPS.items():
        parts.append(f"\n## {group}\n")
        for name, text in commands.items():
            parts.append(f"\n### `backbeat {name}`\n\n{text}\n")
            command = load_subcommand(name)
            for below, inner in getattr(command, "commands", {}).items():
                said = " ".join((inner.help or "").split())
                parts.append(f"\n#### `backbeat {name} {below}`\n\n{said}\n")
                parts.append(_table(inner.params))
            if not hasattr(command, "commands"):
                parts.append(_table(command.params))
            parts.append("\n```sh\n" + "\n".join(EXAMPLES[name]) + "\n```\n")
    return "".join(parts)


def _table(params: list[Any]) -> str:
    """Arguments and options of a command."""
    rows = list(_rows(params))
    if not rows:
        return ""
    head = "\n| argument or option | if not given | what it does |\n|---|---|---|\n"
    return head + "".join(rows)


def _rows(params: list[Any]) -> Iterator[str]:
    for param in params:
        if param.hidden or param.name == "help":
            continue
        is_argument = not param.opts[0].startswith("-")
        names = [param.name.upper()] if is_argument else [*param.opts]
        names += param.secondary_opts
        said = " ".join((param.help or "").split()).replace("|", "\\|")
        said = re.sub(r"(?<!`)<(\w+)>", r"`\1`", said)
        if param.envvar:
            said += f" Environment: `{param.envvar}`."
        shown = ", ".join(f"`{name}`" for name in names)
        yield f"| {shown} | {_default(param)} | {said} |\n"


def _default(param: Any) -> str:
    """What is taken if a parameter is not given; nothing where its text says it."""
    if param.required:
        return "required"
    if callable(param.default) or param.default in (None, "", (), [], False):
        return ""
    value = param.default
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    return f"`{getattr(value, 'value', value)}`"
