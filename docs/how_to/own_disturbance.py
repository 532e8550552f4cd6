"""A disturbance of your own: a rope that pulls the torso.

A disturbance is a class: its fields are keys of a scenario with units and limits,
`link_forces` is its effect in every engine, `marks` is what the stage draws, and its
numbers with limits are sliders of the panel. This one is a spring with a damper, which
pulls when it is longer than its slack length. From the root of the checkout:

    .venv/bin/python docs/how_to/own_disturbance.py

simulates it in both engines, sweeps its stiffness, and records it for the browser. The
command line takes the same file, with the scenario of docs/how_to/own_disturbances.md:

    backbeat track --scenario rope.yaml --with docs/how_to/own_disturbance.py
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.jobs.sweeping import run_sweep
from backbeat.models.common.schema import key
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.disturbance import (
    Disturbance,
    Line,
    LinkForce,
    StepStart,
)
from backbeat.mpc.disturbances.registry import register_file
from backbeat.mpc.scenario.specification import read_scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.specification import parse_sweep
from backbeat.optimization.terms.user_file import load_user_file
from backbeat.stage.recording.html import record_run


@dataclass
class Rope(Disturbance):
    """A rope from a link to a place in the world."""

    name: ClassVar[str] = "rope"
    list_key: ClassVar[str] = "ropes"
    text: ClassVar[str] = "Ropes that pull a link towards a place."
    has_lines: ClassVar[bool] = True

    time: float = key(0.0, "s")
    """When it is tied, in time of the behavior."""
    duration: float = key(1.0, "s", gt=0, le=60.0)
    """Time until it is cut."""
    body: str = key("")
    """Link that it is tied to; the robot's trunk if it is left out."""
    place: list[float] = key([1.0, 0.0, 1.2], "m", length=3)
    """Where it ends in the world."""
    slack: float = key(0.9, "m", ge=0, le=3.0)
    """Length up to which it does not pull."""
    stiffness: float = key(400.0, "N/m", ge=0, le=2000.0)
    """Force by how much it is longer."""
    damping: float = key(20.0, "N s/m", ge=0, le=200.0)
    """Force by how fast it gets longer."""

    def placed(self, robot: RobotModel) -> Self:
        """The same with the trunk where no link is named."""
        return replace(self, body=self.body or robot.trunk.name)

    def links(self) -> tuple[str, ...]:
        """The link that it is tied to."""
        return (self.body,)

    def span(self) -> tuple[float, float]:
        """From when it is tied until it is cut [s]."""
        return self.time, self.time + self.duration

    def tension(self, length: float, rate: float) -> float:
        """Force along it [N], by its length [m] and rate [m/s]; it never pushes."""
        stretch = length - self.slack
        pull = self.stiffness * stretch + self.damping * rate
        return max(0.0, pull) if stretch > 0 else 0.0

    def link_forces(self, now: StepStart) -> Iterable[LinkForce]:
        """Its tension, towards the place that it is tied to."""
        if share := now.share(self.time, self.duration):
            along = np.array(self.place) - now.place(self.body)
            length = float(np.linalg.norm(along))
            along /= length
            pull = self.tension(length, -float(along @ now.velocity(self.body)))
            yield LinkForce(self.body, share * pull * along)

    def marks(self, t: float, state: Configuration) -> Iterable[Line]:
        """A line while it is tied, thin where it is slack."""
        if self.time <= t < self.time + self.duration:
            place = np.array(self.place)
            start = state.place(state.robot.link_frame(self.body))
            length = float(np.linalg.norm(place - start))
            yield Line(self.body, place, is_taut=length > self.slack)


SCENARIO = """
behavior: stand
duration: 4.8
ropes:
- {time: 0.2, duration: 0.5, place: [1, 0.2, 1.2], slack: 0.9, stiffness: 600}
"""
SWEEP = """
behaviors: [stand]
engines: [drake, mujoco]
base: {duration: 4.8, rope: {time: 0.2, duration: 0.5, slack: 0.9}}
variations: {rope.stiffness: [200, 600, 1800]}
"""


def main() -> None:
    """Runs, sweeps and records the rope."""
    parser = argparse.ArgumentParser(description="A rope pulls the torso of Atlas.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--output", type=Path, default=Path("out"))
    told = parser.parse_args()
    file = load_user_file(__file__)
    register_file(file)
    behavior = build("stand", Library(told.library))
    for engine in ("drake", "mujoco"):
        scenario = read_scenario(SCENARIO, "the scenario").changed(engine=engine)
        run = run_scenario(scenario, behavior)
        (pull,) = run_metrics(run)["pushes"]
        most = np.linalg.norm(run.push, axis=1).max()
        print(f"{engine}: {most:.0f} N at most, survived: {pull['survived']}")
    sweep = parse_sweep(SWEEP, "the sweep", "ropes")
    found = run_sweep(sweep, told.library, told.output, terms=file)
    for row in found.rows:
        print(row["engine"], row["values"], "survived" if row["survived"] else "fell")
    print(record_run(run, told.output / "rope.html").path)


if __name__ == "__main__":
    main()
