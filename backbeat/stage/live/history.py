"""SimulationHistory: a closed loop under way, and every frame of it that was seen."""

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.scenario.requested_tempo import RequestedTempo
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.live.show import FRAME, SUBFRAMES
from backbeat.stage.live.simulation import LiveSimulation

# As many frames are kept as half an hour has.
MOST_FRAMES = round(1800.0 / FRAME)


class SimulationHistory:
    """A source with a past, which is kept, and a present; see `PlaybackSource`.

    Attributes:
        live: the simulation itself.
        frame: time between two frames [s].
        between: how many samples of stick tips are between two of them.
    """

    is_simulated = True
    accents = np.zeros(0)
    remarks: tuple[tuple[float, str], ...] = ()

    def __init__(self, live: LiveSimulation) -> None:
        """Keeps from the present on."""
        self.live, self.behavior, self.engine = live, live.behavior, live.engine
        self.frame, self.between = FRAME, SUBFRAMES
        self._state = Configuration(live.behavior.robot_model, live.now().state.q)
        self._times: list[float] = []
        self._frames: list[StageFrame] = []
        self._states: list[tuple[np.ndarray, np.ndarray]] = []
        self._keep()

    @property
    def start(self) -> float:
        """First time that is kept [s]."""
        return self._times[0]

    @property
    def tempo(self) -> RequestedTempo:
        """Tempo that has been asked for so far."""
        return self.live.tempo

    @property
    def reach(self) -> float:
        """Time up to which there is something to see [s]."""
        return self.live.time

    @property
    def end(self) -> float:
        """Last time that there will be: earlier than planned after a fall [s]."""
        return self.live.time if self.live.is_over else self.live.end

    def forget(self) -> None:
        """Forgets what was, after the simulation has gone back to its start."""
        for kept in (self._times, self._frames, self._states):
            kept.clear()
        self._keep()

    def go_to(
        self,
        t: float,
        patience: float,
        note: Callable[[StageFrame], None] | None = None,
    ) -> None:
        """Simulates up to a time, or as far as there is time for.

        Args:
            t: where to [s].
            patience: time of the clock after which no further frame is begun [s].
            note: called with frames in between, for the trails of sticks.
        """
        began = time.perf_counter()
        while self.reach < t - 1e-9 and not self.live.is_over:
            length, parts = min(self.frame, t - self.reach), self.between
            for _ in range(parts if note else 1):
                self.live.advance(length / (parts if note else 1))
                if note:
                    note(self.live.glance())
            self._keep()
            if time.perf_counter() - began > patience:
                return

    def frame_at(self, t: float) -> StageFrame:
        """What was seen at a time, as far as it was simulated [s]."""
        k = max(bisect_right(self._times, t + 1e-9) - 1, 0)
        return replace(self._frames[k], state=self._state.update(*self._states[k]))

    def _keep(self) -> None:
        frame = self.live.now()
        self._times.append(frame.time)
        self._frames.append(frame)
        self._states.append((frame.state.q.copy(), frame.state.v.copy()))
        if len(self._times) > MOST_FRAMES:
            for kept in (self._times, self._frames, self._states):
                del kept[0]
