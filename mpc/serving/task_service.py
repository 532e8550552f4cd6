"""TaskSpaceService: the law of task space for a client over a connection."""

import json
import time
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.mpc.control.task_space_setup import set_up
from backbeat.mpc.remote.schema import Schema, differences, make_schema, order
from backbeat.mpc.remote.task_exchange import (
    TARGET,
    TaskHandshake,
    read_task_request,
    task_answer_message,
)
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.law import TaskSpaceCommand


class TaskSpaceService:
    """A controller that embeds its own model and shares nothing with the simulation.

    Attributes:
        schema: the order of its own numbers.
        what: what it controls, in words.
        ticks: wall times from request to answer [s].
    """

    def __init__(self, handshake: TaskHandshake) -> None:
        """Makes the law of a handshake.

        Raises:
            BackbeatError: the scenario makes no sense, or the robot is another one.
        """
        text = json.dumps(handshake.scenario)
        scenario = parse_yaml(TaskSpaceScenario, text, "the scenario")
        setup = set_up(scenario)
        self._law, robot = setup.law, setup.robot
        mine, theirs = make_schema(robot), handshake.schema
        found = differences(mine, theirs)
        if found:
            raise BackbeatError("; ".join(found))
        states = (*mine.positions, *mine.velocities)
        self._state = order(states, (*theirs.positions, *theirs.velocities))
        self._joints = order(theirs.joints, mine.joints)
        self._settings, self._num_states = self._law.settings, len(states)
        self.schema: Schema = mine
        self.what = f"the {setup.hand} of {robot.name} in task space"
        self.ticks: list[float] = []
        # The first time loads and compiles what a tick needs.
        still = np.zeros(robot.num_velocities)
        self._law(setup.q, still, np.zeros((3, 3)))

    def begin(self) -> None:
        """Resets the settings; all other inputs are in the requests."""
        self._settings, self.ticks = self._law.settings, []

    def close(self) -> None:
        """Ends nothing."""

    def reply(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message.

        Raises:
            ProtocolError: it makes no sense.
        """
        began = time.perf_counter()
        request = read_task_request(message, self._num_states)
        if request.settings is not None:
            self._settings = request.settings
        x = request.x if self._state is None else request.x[self._state]
        nq = self._law.robot.num_positions
        found = self._law(
            x[:nq],
            x[nq:],
            request.target.reshape(TARGET // 3, 3),
            request.hand,
            request.hand_rate,
            request.base_acceleration,
            self._settings,
        )
        if self._joints is not None:
            tau, cut = found.tau[self._joints], found.at_limit[self._joints]
            found = TaskSpaceCommand(tau, cut, found.hand)
        self.ticks.append(time.perf_counter() - began)
        return task_answer_message(request.number, found)
