"""The option `--robot`: a behavior that ships, built for another robot."""

from pathlib import Path

from backbeat.cli.author.build import (
    build_behaviors,
    report_failures,
    specification_for,
)


def built_for(name: str | None, robot: str, library: Path) -> str:
    """Name of a behavior for a robot, which is built if it is not up to date.

    Raises:
        BackbeatError: no behavior is named.
        typer.Exit: it was not built, which is said.
    """
    from backbeat.cli.common.console import remarks
    from backbeat.models.common.errors import BackbeatError

    if not name:
        raise BackbeatError("--robot needs the name of a behavior that it takes")
    path = specification_for(name, robot, library)
    outcomes = build_behaviors([path], library)
    report_failures(outcomes)
    for outcome in outcomes:
        for line in outcome.value.text.splitlines():
            if "note:" in line:
                remarks.print(line)
    return Path(path).stem
