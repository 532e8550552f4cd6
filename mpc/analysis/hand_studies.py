"""Studies of hands that follow targets: one setting at a time, as tables."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.analysis.hand_error import SETTLED, error_figures
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


def _table(
    names: str, cases: Mapping[tuple[Any, ...], Scenario], after: float = SETTLED
) -> pd.DataFrame:
    """Figures of the hand after a time [s] in runs, with what each run is called.

    Args:
        names: of the columns that say what a run is.
        cases: scenarios by these values.
        after: when figures begin.
    """
    rows = []
    for case, scenario in cases.items():
        what = dict(zip(names.split(), case, strict=True))
        rows.append({**what, **error_figures(run_task_space(scenario), after)})
    return pd.DataFrame(rows)


def period_study() -> pd.DataFrame:
    """The UR10 on a circle, with samples every so often [s].

    Returns:
        Columns period, error_rms_mm, error_max_mm.
    """
    scenario = of_task("ur10", 4.0, target=circle())
    cases = {(period,): scenario.changed(tick_period=period) for period in PERIODS}
    return _table("period", cases, 2.0)


def sensing_study(rate: float = 0.0) -> pd.DataFrame:
    """The UR10 at rest, its hand modeled from noisy joints or sensed itself.

    Of a sensed hand the rate is the model's, or observed from its places.

    Args:
        rate: noise of rates, for every radian of the angles' [1/s].

    Returns:
        Columns noise (of angles [rad]), hand (of HANDS_KNOWN), error_rms_mm,
        error_max_mm.
    """
    known = {
        hand: of_task(
            "ur10",
            3.0,
            hand_sensing=hand != MODELED,
            control=TaskSpaceSettings(observed_rate=hand == OBSERVED),
        )
        for hand in HANDS_KNOWN
    }
    cases = {
        (noise, hand): sampled(scenario, noise, rate * noise, 0.0)
        for noise in NOISES
        for hand, scenario in known.items()
    }
    return _table("noise hand", cases, 0.5)


def _by_limits(robot: str, **task: Any) -> dict[str, SimulationRun]:
    """Runs of 3 s, torques truncated or by programs."""
    laws = {limits: TaskSpaceSettings(limits=limits) for limits in LIMITS}
    return {
        limits: run_task_space(of_task(robot, 3.0, control=law, **task))
        for limits, law in laws.items()
    }


def limit_study() -> dict[str, SimulationRun]:
    """The UR10 on a fast circle with weak motors, torques truncated or by programs."""
    return _by_limits("ur10", effort_share=WEAK, target=circle(0.8))


def base_study() -> pd.DataFrame:
    """Atlas holding its hand still while its pelvis sways by 0.1 m or rad.

    Returns:
        Columns axis, rate (of the sway [rad/s]), feedforward, error_rms_mm,
        error_max_mm.
    """
    cases = {
        case: of_task("atlas", 4.0, base=BaseMotion(case[0], 0.1, *case[1:]))
        for case in product("xyz", RATES, (False, True))
    }
    return _table("axis rate feedforward", cases)


def pelvis_scenario(
    rate: float, radius: float = 0.0, feedforward: bool = True, duration: float = 4.0
) -> Scenario:
    """Atlas on welded feet, its pelvis going 0.1 m and turning 0.1 rad every way.

    Args:
        rate: of the fastest of the six sways [rad/s].
        radius: of the circle at 0.3 Hz that the hand goes round; 0 holds it [m].
        feedforward: whether the controller gets the pelvis' acceleration.
        duration: of the run [s].
    """
    return of_task(
        "atlas",
        duration,
        base=BaseMotion(ALL_AXES, 0.1, rate, feedforward, "welded"),
        target=TargetMotion(radius=radius, frequency=0.3),
        control=TaskSpaceSettings(limits="program"),
    )


def pelvis_study() -> pd.DataFrame:
    """Atlas on welded feet, its pelvis going every way at once, ever faster.

    Returns:
        Columns rate (of the fastest sway [rad/s]), radius (of the target's circle),
        feedforward, error_rms_mm, error_max_mm, leg_share_max.
    """
    every = product(PELVIS_RATES, (0.0, 0.05), (False, True))
    cases = {case: pelvis_scenario(*case) for case in every}
    return _table("rate radius feedforward", cases)


def cruciform_study() -> dict[str, SimulationRun]:
    """Atlas from its zero posture, its pelvis going up and down, by way at limits.

    Both arms are straight sideways, and so shall all be that the hand does not need;
    the pelvis sways by 0.1 m at 2 rad/s.
    """
    return _by_limits("atlas", start="cruciform", base=BaseMotion("z", 0.1, 2.0))
