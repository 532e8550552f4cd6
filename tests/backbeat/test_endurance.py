"""A stage that is played on for long neither grows nor loses handles.

`BACKBEAT_ENDURANCE_MINUTES=30` has the show go on for so long in simulated time; slow
tests play four minutes, which is as many times a show of seconds as it takes.
`BACKBEAT_RESETS` is how often the stage is put back, `BACKBEAT_RUNS` how many runs a
process simulates.
"""

import ctypes
import gc
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.stage.live.show import LiveShow
from backbeat.stage.live.simulation import LiveSimulation
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, swaying

pytestmark = pytest.mark.slow

MINUTES = float(os.environ.get("BACKBEAT_ENDURANCE_MINUTES", 4))
RESETS = int(os.environ.get("BACKBEAT_RESETS", 1000))
RUNS = int(os.environ.get("BACKBEAT_RUNS", 40))
# Share of all that happens that fills caches and pools, and does not count.
WARM_UP = 0.25
MOST_GROWTH = 0.05


@dataclass
class Held:
    """What this process holds, as it goes on.

    Attributes:
        memory: resident [MB].
        files, threads: how many are open.
    """

    memory: list[float] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    def note(self) -> None:
        """Looks, when all garbage is gone."""
        gc.collect()
        # What is free goes back to the system, or its pools would be measured.
        ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        self.memory.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        self.files.append(len(os.listdir("/proc/self/fd")))
        self.threads.append(len(os.listdir("/proc/self/task")))

    def check(self, what: str) -> None:
        """Asserts that nothing grows: by a line through what comes after warm-up."""
        first = int(WARM_UP * len(self.memory))
        memory = np.array(self.memory[first:])
        slope, start = np.polyfit(np.linspace(0.0, 1.0, len(memory)), memory, 1)
        print(
            f"{what}: {start:.0f} MB, {slope:+.1f} MB over {len(memory)} looks "
            f"({100 * slope / start:+.2f} %), {self.files[-1]} files, "
            f"{self.threads[-1]} threads"
        )
        assert slope < MOST_GROWTH * start
        assert max(self.files[first:]) <= self.files[first]
        assert max(self.threads[first:]) <= self.threads[first]


def test_a_show_that_is_played_again_and_again_does_not_grow():
    """Simulated from its start to its end, drawn 30 times a second, and begun anew."""
    behavior = drumming(seated=True, duration=3.0)
    scenario = Scenario.of(behavior=behavior.name, lead_in=0.5, lead_out=0.0)
    simulation, held = LiveSimulation(behavior, scenario), Held()
    show = LiveShow(PlannedSource(behavior), None)
    try:
        for _ in range(round(60 * MINUTES / behavior.duration)):
            simulation.restart()
            while not simulation.is_over:
                simulation.advance(1 / 30)
                show.draw(simulation.now(), simulation.time)
            assert simulation.time > behavior.duration - 0.1
            held.note()
    finally:
        simulation.close()
        show.close()
    held.check(f"{MINUTES:g} minutes of show")


def test_a_thousand_resets_do_not_grow():
    """The robot begins to sway, is drawn, pushed, and put back to where it began."""
    behavior = swaying(duration=1.0)
    simulation = LiveSimulation(behavior, Scenario.of(behavior="sway", lead_in=0.1))
    show, held = LiveShow(PlannedSource(behavior), None), Held()
    try:
        for k in range(RESETS):
            simulation.advance(0.03)
            simulation.push([5.0, 0.0, 0.0], 0.01)
            show.draw(simulation.now(), simulation.time)
            simulation.restart()
            if k % (RESETS // 50) == 0:
                held.note()
    finally:
        simulation.close()
        show.close()
    held.check(f"{RESETS} resets")


def test_a_process_that_simulates_run_after_run_does_not_grow():
    """As a worker of a sweep does: each run has a diagram of its own."""
    behavior, held = drumming(seated=True, duration=1.0), Held()
    for seed in range(RUNS):
        scenario = Scenario.of(
            behavior.name, state="estimated", duration=0.1, seed=seed
        )
        assert run_metrics(run_scenario(scenario, behavior))
        held.note()
    held.check(f"{RUNS} runs")
