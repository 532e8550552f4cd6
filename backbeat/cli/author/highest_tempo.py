"""`backbeat build NAME --max-tempo`: how fast a pattern can be drummed."""

from typing import TYPE_CHECKING, Any

import typer

from backbeat.cli.common.options import INTERRUPTED
from backbeat.models.common.errors import BackbeatError

if TYPE_CHECKING:
    from backbeat.behaviors.drumming.tempo.highest import HighestTempo
    from backbeat.behaviors.drumming.tempo.tries import Try


def print_highest_tempo(names: list[str], as_json: bool) -> None:
    """Searches, with every try on stderr, and prints what was found.

    Raises:
        BackbeatError: not one drumming pattern was named, or it cannot be played.
    """
    from backbeat.behaviors.drumming.specification import DrummingSpecification
    from backbeat.behaviors.drumming.tempo.highest import find_highest_tempo
    from backbeat.behaviors.specification.kinds import (
        find_specification,
        read_specification,
    )
    from backbeat.cli.common.console import print_json, progress_bar, remarks

    if len(names) != 1:
        raise BackbeatError(
            f"--max-tempo takes one drumming pattern, not {len(names)}; name one"
        )
    path = find_specification(names[0])
    specification, _ = read_specification(path)
    if not isinstance(specification, DrummingSpecification):
        raise BackbeatError(
            f"{specification.name} is {specification.kind}; --max-tempo is for drumming"
        )
    tries: list[Try] = []
    name = specification.name
    try:
        with progress_bar(name) as report:

            def seen(found: "Try") -> None:
                tries.append(found)
                shape = "" if found.shaped else " with strokes without a shape"
                outcome = f"passed{shape}" if found.passed else found.why
                remarks.print(f"  {found.bpm:.1f} BPM: {outcome}")

            found = find_highest_tempo(specification, path.parent, report, seen=seen)
            report(0.95, "what binds?")
            binding = found.binding()
    except KeyboardInterrupt:
        passed = [t.bpm for t in tries if t.passed]
        reached = f"{max(passed):.1f} BPM passed" if passed else "nothing passed yet"
        typer.echo(f"backbeat: interrupted; {reached}.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(numbers(name, found, binding))
    else:
        shape = "" if found.best.shaped else ", stroke: {shaped: false}"
        remarks.print(
            f"{name}: highest tempo {found.bpm:.1f} BPM, "
            f"{found.best.tempo_scale:.3g} times that of the score "
            f"(tempo_scale: {found.best.tempo_scale:.4g}{shape} in the "
            f"specification); {binding}",
            markup=False,
        )


def numbers(name: str, found: "HighestTempo", binding: str) -> dict[str, Any]:
    """What was found, as plain data."""
    return {
        "name": name,
        "highest_bpm": found.bpm,
        "tempo_scale": found.best.tempo_scale,
        "shaped": found.best.shaped,
        "binding": binding,
        "tries": [
            {
                "bpm": t.bpm,
                "shaped": t.shaped,
                "passed": t.passed,
                "why": t.why,
                "seconds": t.seconds,
            }
            for t in found.tries
        ],
    }
