"""How well a robot that is driven keeps the velocities that it is commanded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backbeat.mpc.driving.steered_plan import step_limits
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.reference.scale import LEG
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.steering import StepLimits
from backbeat.mpc.walking.walk import STOP, Velocity, Walk
from backbeat.mpc.walking.writer import writer_of

# Names of the components of a velocity.
COMPONENTS = ("forward", "left", "turning")


@dataclass(frozen=True)
class CommandedSpeed:
    """A command, and what came of it.

    Attributes:
        time: of the command [s].
        command: velocity asked for.
        held: the same, reduced to what the steps of the robot allow.
        achieved: mean velocity of the base over whole cycles of two steps, from when
            the command could be reached until the next one; None where none fits in.
    """

    time: float
    command: Velocity
    held: Velocity
    achieved: Velocity | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, lists in place of tuples."""
        achieved = None if self.achieved is None else list(self.achieved)
        return {
            "time_s": self.time,
            "command": list(self.command),
            "held": list(self.held),
            "achieved": achieved,
        }


def limits_of(
    reference: Reference, weights: PredictiveWeights
) -> tuple[StepLimits, float]:
    """What the steps of a behavior are kept to, and their period [s].

    Args:
        reference: the behavior that is driven.
        weights: of the predictive program, which limit steps.

    Raises:
        BackbeatError: it cannot be driven.
    """
    scale = reference.scale.length
    limits = step_limits(weights.for_leg(scale * LEG), scale)
    return limits, writer_of(reference).cycle.period


def commanded_speeds(
    reference: Reference,
    weights: PredictiveWeights,
    commands: Sequence[tuple[float, Velocity]],
    t: np.ndarray,
    base: np.ndarray,
) -> list[CommandedSpeed]:
    """What came of the commands of a run.

    Args:
        reference: the behavior that is driven.
        weights: of the predictive program, which limit steps.
        commands: times [s] and velocities.
        t: (M,) times of samples [s].
        base: (M, 3) places x, y [m] and heading [rad] of the base.
    """
    limits, period = limits_of(reference, weights)
    ends, before, found = [*(when for when, _ in commands[1:]), np.inf], STOP, []
    for (when, command), end in zip(commands, ends, strict=False):
        held = limits.held(command, period)
        change = np.abs(np.subtract(held, before)) / limits.acceleration
        # The step under way is settled, and the next one is the first to change.
        since = when + 2 * period + float(change.max())
        span = min(end, float(t[-1])) - since
        cycles = int(span / (2 * period) + 1e-6)
        achieved = None
        if cycles > 0:
            achieved = _mean(t, base, since, since + 2 * period * cycles)
        found.append(CommandedSpeed(when, command, held, achieved))
        before = held
    return found


def _mean(t: np.ndarray, base: np.ndarray, since: float, until: float) -> Velocity:
    """Mean velocity of a base in its own axes between two times."""
    inside = slice(*np.searchsorted(t, [since, until]))
    t, (x, y, yaw) = t[inside], base[inside].T
    yaw = np.unwrap(yaw)
    middle = 0.5 * (yaw[1:] + yaw[:-1])
    dx, dy, c, s = np.diff(x), np.diff(y), np.cos(middle), np.sin(middle)
    moved = (c * dx + s * dy).sum(), (c * dy - s * dx).sum(), yaw[-1] - yaw[0]
    forward, left, turning = (float(x / (t[-1] - t[0])) for x in moved)
    return forward, left, turning


def drive_figures(
    speeds: Sequence[CommandedSpeed], walks: Iterable[Walk | None]
) -> dict[str, Any]:
    """Figures of a run: its steps, its commands, and the share of the speed held.

    The share is that of the line through the origin that fits achieved against held
    velocities best, by component; None without any.

    Args:
        speeds: what came of the commands.
        walks: of all plans, in order.
    """
    steps = {w.start for walk in walks if walk for w in walk.steps[: walk.settled]}
    pairs = np.array([(s.held, s.achieved) for s in speeds if s.achieved])
    share: dict[str, float | None] = dict.fromkeys(COMPONENTS)
    for i, name in enumerate(COMPONENTS if len(pairs) else ()):
        held, achieved = pairs[:, 0, i], pairs[:, 1, i]
        if held.any():
            share[name] = float(achieved @ held / (held @ held))
    return {
        "steps": len(steps),
        "share_held": share,
        "commands": [speed.to_dict() for speed in speeds],
    }


def drive_in_words(figures: dict[str, Any]) -> list[str]:
    """Figures of a run in sentences, without its robot: the speed, and what is less."""
    shares = {n: x for n, x in figures["share_held"].items() if x is not None}
    held = ", ".join(f"{100 * x:.0f} % {name}" for name, x in shares.items())
    speed = f", with {held} of the speed commanded" if held else ""
    lines = [f"walked {figures['steps']} steps{speed}"]
    for told in figures["commands"]:
        if told["held"] != told["command"]:
            asked, least = (
                " ".join(f"{x:g}" for x in np.round(told[name], 3))
                for name in ("command", "held")
            )
            lines.append(
                f"the command at {told['time_s']:g} s, {asked}, is more than its steps "
                f"can hold and was reduced to {least} m/s, m/s, rad/s"
            )
    return lines
