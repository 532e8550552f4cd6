"""UserInput: changes of a simulation under way by its user, and undoing them."""

import time
from pathlib import Path
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.weights.in_runs import values_in_runs
from backbeat.stage.live.simulation import LiveSimulation
from backbeat.stage.web.panel import PUSH_LENGTH

# Values of one slider that follow each other so closely are one change [s].
ONE_CHANGE = 1.0
# A command to walk ends that is not repeated for so long, both by the clock and in the
# simulation: its page may have gone [s].
COMMAND_HOLDS = 1.0
STOP = [0.0, 0.0, 0.0]


class UserInput:
    """Applies commands of pages to the present of a simulation.

    Attributes:
        command: velocity at which the robot is to walk, forward, to the left and
            turning [m/s, m/s, rad/s]; None of one that is not driven.
    """

    def __init__(self, live: LiveSimulation) -> None:
        """Begins without changes."""
        self._live = live
        self._before: list[tuple[str, Any]] = []
        self._changed_at, self._commanded_at = 0.0, (0.0, 0.0)
        self._fastest = live.fastest
        self.command = None if self._fastest is None else STOP

    @property
    def changes(self) -> int:
        """How many changes can be taken back."""
        return len(self._before)

    def settings(self) -> dict[str, Any]:
        """Present values by name."""
        return self._live.settings()

    def set(self, name: str, value: Any) -> None:
        """Changes a setting.

        Raises:
            BackbeatError: the simulation is over, or does not take the value.
        """
        self._refuse_late()
        # What a setting is not of, `apply` refuses.
        before = self._live.settings()
        self._live.apply(name, value)
        if isinstance(value, dict):
            # One that was never changed is as the run began.
            all_before = values_in_runs(self._live.weights) | before[name]
            before[name] = {key: all_before[key] for key in value}
        now, last = time.perf_counter(), self._before[-1:]
        is_same = [(name, _keys(before[name]))] == [(n, _keys(x)) for n, x in last]
        if not is_same or now - self._changed_at > ONE_CHANGE:
            self._before.append((name, before[name]))
        self._changed_at = now

    def undo(self) -> None:
        """Takes the last change of a setting back, if there is one.

        Raises:
            BackbeatError: the simulation is over.
        """
        self._refuse_late()
        if self._before:
            self._live.apply(*self._before.pop())
            self._changed_at = 0.0

    def push(self, body: str, impulse: list[float]) -> None:
        """Pushes a link [N s].

        Raises:
            BackbeatError: the simulation is over, or there is no such link.
        """
        self._refuse_late()
        self._live.push(impulse, PUSH_LENGTH, body)

    def disturb(self, kind: type[Disturbance], values: dict[str, float]) -> None:
        """Adds a disturbance, which begins at the next tick.

        Raises:
            BackbeatError: the simulation is over, or values make no sense.
        """
        self._refuse_late()
        self._live.disturb(kind, values)

    def drive(self, *command: float) -> None:
        """Commands a velocity, in body axes, until pages say nothing more of it.

        Args:
            command: forward, to the left and turning [m/s, m/s, rad/s].

        Raises:
            BackbeatError: the simulation is over, or its robot is not driven.
        """
        self._refuse_late()
        if list(command) != self.command:
            self._live.apply("drive", command)
            self.command = list(command)
        self._commanded_at = time.perf_counter(), self._live.time

    def end_drive(self) -> None:
        """Stops a robot whose command no page has repeated of late."""
        if self.command in (None, STOP) or self._live.is_over:
            return
        clock, simulated = self._commanded_at
        since = min(time.perf_counter() - clock, self._live.time - simulated)
        if since > COMMAND_HOLDS:
            self.drive(*STOP)

    def drive_state(self) -> dict[str, Any] | None:
        """What pages show of a robot that is driven; None of one that is not."""
        if self.command is None:
            return None
        return {"fastest": self._fastest, "command": self.command}

    def reset(self) -> None:
        """Goes back to the start, with the settings of the start."""
        self._before.clear()
        self.command = None if self.command is None else STOP
        self._live.reset()

    def save(self, folder: str | Path) -> Path:
        """Writes the run so far to a file that has no name yet; gives its path.

        Raises:
            BackbeatError: nothing was simulated yet, or it cannot be written.
        """
        folder = Path(folder)
        name, number = self._live.behavior.name, 1
        while (folder / f"{name}.live-{number}.run.parquet").exists():
            number += 1
        return self._live.save_run(folder / f"{name}.live-{number}.run.parquet")

    def _refuse_late(self) -> None:
        if self._live.is_over:
            raise BackbeatError("the simulation is over: reset it, and go on")


def _keys(value: Any) -> list[str] | None:
    """The weights that a value is of; None of another setting."""
    return list(value) if isinstance(value, dict) else None
