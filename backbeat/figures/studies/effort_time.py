"""One motion between least effort and least time, by the price of a second.

Effort is the integral of the squares of joint torques in shares of their limits,

    E = integral of sum over j of (tau_j / tau_j,max)^2 dt,

in seconds: one joint at its limit for a second has an effort of 1 s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

# A step of 15 cm to the left: one foot goes, the other follows.
MOTION = """\
kind: footsteps
name: step-left
summary: Atlas steps to the left, in its own time.
steps:
  - {feet: both, time: 0.8, between: [0.1, 2.0]}
  - {feet: right, time: 0.8, to: [0.0, 0.15], between: [0.1, 2.0]}
  - {feet: both, time: 0.6, between: [0.1, 2.0]}
  - {feet: left, time: 0.8, to: [0.0, 0.15], between: [0.1, 2.0]}
  - {feet: both, time: 0.8, between: [0.1, 2.0]}
"""
# Price of effort, high enough that smoothness counts little beside it, and prices of a
# second, up to the dearest at which verification lets the motion pass.
EFFORT, TIMES = 100.0, (0.0, 3.0, 10.0, 20.0, 40.0, 60.0, 100.0)


@dataclass(frozen=True)
class Point:
    """A verified motion of the front.

    Attributes:
        price: objective `time`, the cost of a second.
        duration: how long the motion takes [s].
        effort: its effort [s].
    """

    price: float
    duration: float
    effort: float


def effort_of(behavior: Behavior) -> float:
    """Integral of the squares of torques in shares of their limits [s]."""
    shares = behavior.motion.tau / behavior.robot_model.effort_limits
    return float(np.trapezoid((shares**2).sum(axis=1), behavior.motion.t))


def front(prices: Sequence[float] = TIMES, motion: str = MOTION) -> list[Point]:
    """The motion at several prices of a second, each solved and verified.

    Args:
        prices: values of the objective `time`.
        motion: footsteps whose steps may choose their time.

    Raises:
        BackbeatError: no motion was found at a price, or it fails verification.
    """
    found = []
    for price in prices:
        text = f"{motion}objectives: {{effort: {EFFORT:g}, time: {price:g}}}\n"
        specification = parse_specification(text, "step-left.yaml")
        reports = Reports(lambda share, what: None, lambda entry: None)
        behavior = solve(specification, text, Path("step-left.yaml"), "", reports)
        found.append(Point(price, behavior.duration, effort_of(behavior)))
    return found


def effort_time(sources: Sources) -> Figure:
    """The front of one step: effort over duration, with the prices of a second."""
    points = front()
    durations = [p.duration for p in points]
    efforts = [p.effort for p in points]
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.3 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        axes.plot(durations, efforts, "o-", color=COLORS[0])
        for point in points:
            axes.annotate(
                f"time: {point.price:g}",
                (point.duration, point.effort),
                xytext=(6, 4),
                textcoords="offset points",
            )
        axes.set(
            title=f"A step of 15 cm to the left, objectives effort: {EFFORT:g}, time",
            xlabel="duration [s]",
            ylabel="effort, squared shares of torque limits [s]",
        )
        axes.set_ylim(0.0, 1.15 * max(efforts))
        axes.margins(x=0.1)
        return figure
