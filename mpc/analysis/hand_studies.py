"""Studies of hands that follow targets: one setting at a time, as tables."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.analysis.hand_error import error_figures
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_task_space
from backbeat.mpc.task_space.law import LIMITS, TaskSpaceSettings

PERIODS = (0.001, 0.002, 0.005, 0.010, 0.020, 0.040)
NOISES = (2e-3, 5e-3, 10e-3, 20e-3)
# How a hand is known.
HANDS_KNOWN = MODELED, SENSED, OBSERVED = "modeled", "sensed", "sensed, rate observed"
RATES = (0.5, 2.0, 6.0)
# All ways that a pelvis can go, and how fast [rad/s].
ALL_AXES = "x y z rx ry rz"
PELVIS_RATES = (0.5, 1.0, 2.0, 4.0, 6.0)
# Motors this weak saturate on the circle below.
WEAK = 0.3


def circle(frequency: float = 0.5) -> TargetMotion:
    """A circle of 0.2 m radius."""
    return TargetMotion(radius=0.2, frequency=frequency)


def of_task(robot: str, duration: float, **task: Any) -> Scenario:
    """The scenario of a task at 1 kHz, without a lead-in or noise.

    Args:
        robot: its name.
        duration: of the run [s].
        task: fields of `TaskSpaceTask`.
    """
    return Scenario.of(
        robot=robot,
        duration=duration,
        lead_in=0.0,
        lead_out=0.0,
        tick_period=0.001,
        task_space=TaskSpaceTask(**task),
    )


def sampled(scenario: Scenario, angle: float, rate: float, hand: float) -> Scenario:
    """The same with errors of encoders [rad, rad/s] and of a sensed hand [m]."""
    noise = SensorNoise(position=angle, velocity=rate, hand=hand)
    return scenario.changed(state="sampled", noise=noise, sensing_delay=0.0)


def period_study(
    periods: Sequence[float] = PERIODS, duration: float = 4.0
) -> pd.DataFrame:
    """The UR10 on a circle, with samples every so often [s].

    Returns:
        Columns period, error_rms_mm, error_max_mm.
    """
    rows = []
    for period in periods:
        scenario = of_task("ur10", duration, target=circle())
        found = error_figures(run_task_space(scenario.changed(tick_period=period)), 2.0)
        rows.append({"period": period, **found})
    return pd.DataFrame(rows)


def sensing_study(
    noises: Sequence[float] = NOISES, rate: float = 0.0, duration: float = 3.0
) -> pd.DataFrame:
    """The UR10 at rest, its hand modeled from noisy joints or sensed itself.

    Of a sensed hand the rate is the model's, or observed from its places.

    Args:
        noises: standard deviations of angles [rad].
        rate: that of rates, for every radian of the angles' [1/s].
        duration: of each run [s].

    Returns:
        Columns noise, hand (of HANDS_KNOWN), error_rms_mm, error_max_mm.
    """
    rows = []
    for noise in noises:
        for hand in HANDS_KNOWN:
            scenario = of_task(
                "ur10",
                duration,
                hand_sensing=hand != MODELED,
                control=TaskSpaceSettings(observed_rate=hand == OBSERVED),
            )
            run = run_task_space(sampled(scenario, noise, rate * noise, 0.0))
            rows.append({"noise": noise, "hand": hand, **error_figures(run, 0.5)})
    return pd.DataFrame(rows)


def limit_study(share: float = WEAK, duration: float = 3.0) -> dict[str, SimulationRun]:
    """The UR10 on a fast circle with weak motors, torques truncated or by programs."""
    return {
        limits: run_task_space(
            of_task(
                "ur10",
                duration,
                control=TaskSpaceSettings(limits=limits),
                effort_share=share,
                target=circle(0.8),
            )
        )
        for limits in LIMITS
    }


def base_study(
    axes: Sequence[str] = ("x", "y", "z"),
    rates: Sequence[float] = RATES,
    duration: float = 4.0,
) -> pd.DataFrame:
    """Atlas holding its hand still while its pelvis sways by 0.1 m or rad.

    Args:
        axes: directions, see `BaseMotion`.
        rates: of the sway [rad/s].
        duration: of each run [s].

    Returns:
        Columns axis, rate, feedforward, error_rms_mm, error_max_mm.
    """
    rows = []
    for axis in axes:
        for rate in rates:
            for feedforward in (False, True):
                base = BaseMotion(axis, 0.1, rate, feedforward)
                found = error_figures(
                    run_task_space(of_task("atlas", duration, base=base))
                )
                what = {"axis": axis, "rate": rate, "feedforward": feedforward}
                rows.append({**what, **found})
    return pd.DataFrame(rows)


def pelvis_scenario(
    rate: float,
    feedforward: bool = True,
    radius: float = 0.0,
    duration: float = 5.0,
    limits: str = "program",
) -> Scenario:
    """Atlas on welded feet, its pelvis going 0.1 m and turning 0.1 rad every way.

    Args:
        rate: of the fastest of the six sways [rad/s].
        feedforward: whether the controller gets the pelvis' acceleration.
        radius: of the circle at 0.3 Hz that the hand goes round; 0 holds it [m].
        duration: of the run [s].
        limits: of the law.
    """
    return of_task(
        "atlas",
        duration,
        base=BaseMotion(ALL_AXES, 0.1, rate, feedforward, "welded"),
        target=TargetMotion(radius=radius, frequency=0.3),
        control=TaskSpaceSettings(limits=limits),
    )


def pelvis_study(
    rates: Sequence[float] = PELVIS_RATES, duration: float = 4.0
) -> pd.DataFrame:
    """Atlas on welded feet, its pelvis going every way at once, ever faster.

    Args:
        rates: of the fastest sway [rad/s].
        duration: of each run [s].

    Returns:
        Columns rate, radius (of the target's circle), feedforward, error_rms_mm,
        error_max_mm, leg_share_max.
    """
    rows = []
    for rate in rates:
        for radius in (0.0, 0.05):
            for feedforward in (False, True):
                scenario = pelvis_scenario(rate, feedforward, radius, duration)
                found = error_figures(run_task_space(scenario))
                what = {"rate": rate, "radius": radius, "feedforward": feedforward}
                rows.append({**what, **found})
    return pd.DataFrame(rows)


def cruciform_study(duration: float = 3.0) -> dict[str, SimulationRun]:
    """Atlas from its zero posture, its pelvis going up and down, by way at limits.

    Both arms are straight sideways, and so shall all be that the hand does not need;
    the pelvis sways by 0.1 m at 2 rad/s.
    """
    return {
        limits: run_task_space(
            of_task(
                "atlas",
                duration,
                start="cruciform",
                base=BaseMotion("z", 0.1, 2.0),
                control=TaskSpaceSettings(limits=limits),
            )
        )
        for limits in LIMITS
    }
