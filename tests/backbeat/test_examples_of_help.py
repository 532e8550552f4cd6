"""Examples that a subcommand's help ends with are command lines that it takes."""

import shlex
from collections import Counter

import pytest
from typer.core import TyperGroup

from backbeat.cli.examples import EXAMPLES
from backbeat.cli.main import GROUPS, SUBCOMMANDS, load_subcommand


def test_every_subcommand_has_one_group_and_two_examples():
    grouped = Counter(name for names in GROUPS.values() for name in names)
    assert grouped == Counter(list(SUBCOMMANDS))
    assert EXAMPLES.keys() == SUBCOMMANDS.keys()


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_examples_are_taken_and_shown(name, backbeat):
    for line in EXAMPLES[name]:
        program, called, *arguments = shlex.split(line)
        assert (program, called) == ("backbeat", name)
        command = load_subcommand(name)
        if isinstance(command, TyperGroup):
            command = command.commands[arguments.pop(0)]
        # Raises a usage error where an option is unknown or an argument missing.
        command.make_context(name, arguments)
    code, out, _ = backbeat(name, "--help")
    assert code == 0
    assert out.count(f"backbeat {name}") >= 2
