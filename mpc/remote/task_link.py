"""TaskSpaceLink: the connection of a simulation to a controller in task space."""

from dataclasses import asdict

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.controller_link import ControllerLink
from backbeat.mpc.remote.handshake import plain
from backbeat.mpc.remote.messages import to_bytes
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.remote.task_exchange import (
    TaskHandshake,
    TaskRequest,
    read_task_answer,
    task_handshake_message,
    task_request_message,
)
from backbeat.mpc.safety.fail_safe import Failure
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceSettings


class TaskSpaceLink(ControllerLink):
    """A connection to a controller in task space."""

    def __init__(
        self,
        address: Address,
        robot: RobotModel,
        scenario: TaskSpaceScenario,
        answer: float | None = None,
    ) -> None:
        """Prepares a connection; `open` makes it.

        Args:
            address: where the controller listens.
            robot: the model whose joints are controlled.
            scenario: what is simulated.
            answer: longest that an answer may take [s]; None for `ANSWER`.
        """
        schema = make_schema(robot)
        handshake = TaskHandshake(schema, plain(asdict(scenario)))
        super().__init__(address, schema, task_handshake_message(handshake), answer)
        self._num_joints = robot.num_joints
        self._known: TaskSpaceSettings | None = None

    def ask(
        self, t: float, request: TaskRequest, settings: TaskSpaceSettings
    ) -> TaskSpaceCommand | Failure:
        """Sends what is sensed and waits for what the joints shall do.

        Args:
            t: time of the simulation [s].
            request: what is sensed.
            settings: those in force, sent where the controller has others.
        """
        failure = self._prepare(t)
        if failure is not None:
            return failure
        is_new = not self._begun or settings != self._known
        request = request._replace(settings=settings if is_new else None)

        def answer() -> TaskSpaceCommand:
            content = to_bytes(task_request_message(request))
            message = self._exchange(content)
            return read_task_answer(message, request.number, self._num_joints)

        found = self._try(answer, t)
        if isinstance(found, TaskSpaceCommand):
            self.sessions += not self._begun
            self._known, self._begun = settings, True
        return found
