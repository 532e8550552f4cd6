"""A behavior's recorded takes on its page: what they exceeded, and what changed."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.behaviors.recording.before_and_after import BeforeAndAfter
from backbeat.behaviors.specification.recorded_takes import RecordedTake
from backbeat.report.pages.template import rendered
from backbeat.report.plots.recorded import plot_deviation
from backbeat.report.plots.style import svg

# Of flights [m/s^2].
GRAVITY = 9.81


def recorded_section(
    takes: Sequence[RecordedTake],
    pictures: Sequence[Sequence[Figure]] = (),
    note: str = "",
) -> Markup:
    """The part of a behavior's page about its recorded takes.

    Args:
        takes: the takes; without any there is no such part.
        pictures: for each take, the robot of both at the largest changes.
        note: why there are no pictures.
    """
    if not takes:
        return Markup("")
    every = [*pictures, *[()] * (len(takes) - len(pictures))]
    return Markup(
        rendered(
            "recorded_section.html",
            takes=[
                _told(one, number, drawn)
                for number, (one, drawn) in enumerate(zip(takes, every, strict=True))
            ],
            note=note,
        )
    )


def _told(one: RecordedTake, number: int, drawn: Sequence[Figure]) -> dict[str, Any]:
    """What the page has of one take."""
    changes, judged = one.changes, one.judged
    deviation = None
    if changes is not None:
        figure = plot_deviation(changes.table)
        deviation = Markup(svg(figure, f"deviation-{number}"))
    return {
        "take": one,
        "on_its_feet": [] if one.parts is None else one.parts.notable(GRAVITY),
        "largest": () if changes is None else changes.largest,
        "deviation": deviation,
        "judged": judged,
        "verdict": "" if judged is None else _verdict(judged),
        "rows": () if judged is None else list(judged.rows()),
        "pictures": [
            Markup(svg(f, f"ghosts-{number}-{k}")) for k, f in enumerate(drawn)
        ],
    }


def _verdict(judged: BeforeAndAfter) -> str:
    """What the take was, in a sentence or two."""
    count = len({check.name for check in judged.before.checks.failures()})
    verdict = "The take is feasible as it is"
    if count:
        limits = f"{count} limit{'s' if count > 1 else ''}"
        verdict = f"As it is, the take is not feasible: it exceeds {limits}"
    before, after = (100 * r.off_balance for r in (judged.before, judged.after))
    return (
        f"{verdict}. It is off balance for {before:.0f} % of the time, the behavior "
        f"for {after:.0f} %."
    )
