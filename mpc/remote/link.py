"""RemoteLink: the connection of a simulation to the controllers of a behavior."""

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.table import digest, to_frame, to_header
from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.registry import own_keys, without
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import ControlSettings, Record, read_record
from backbeat.mpc.remote.controller_link import ControllerLink
from backbeat.mpc.remote.exchange import Answer, Request, read_answer, request_message
from backbeat.mpc.remote.handshake import Handshake, handshake_message, plain
from backbeat.mpc.remote.messages import to_bytes
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.safety.fail_safe import Failure
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights, check_elsewhere


def motion_fingerprint(behavior: Behavior) -> str:
    """SHA-256 of what a behavior does, wherever and whenever it was built."""
    header = to_header(behavior)
    for name in ("provenance", "certificate", "summary", "specification"):
        del header[name]
    return digest(to_frame(behavior), header)


class RemoteLink(ControllerLink):
    """A connection to both controllers of a behavior."""

    def __init__(
        self,
        address: Address,
        behavior: Behavior,
        scenario: Scenario,
        weights: ControllerWeights | None = None,
        answer: float | None = None,
    ) -> None:
        """Prepares a connection; `open` makes it.

        Args:
            address: where the controller listens.
            behavior: what is tracked; the controller has it in its own library.
            scenario: periods, delays and switches.
            weights: of the controllers; None for those that ship.
            answer: longest that an answer may take [s]; None for `ANSWER`.
        """
        robot = behavior.robot_model
        if weights is not None:
            check_elsewhere(weights, "a remote controller")
        schema = make_schema(robot)
        handshake = Handshake(
            schema,
            behavior.name,
            motion_fingerprint(behavior),
            # What only the simulation has does not concern the controllers.
            plain(without(scenario.to_dict(), own_keys())),
            None if weights is None else plain(weights.to_dict()),
        )
        super().__init__(address, schema, handshake_message(handshake), answer)
        self._num_joints = robot.num_joints
        self._sent: ControlSettings | None = None
        self._record: Record | None = None

    def open(self) -> None:
        """Connects, waits until the controller is ready, and requests its state.

        Raises:
            BackbeatError: no controller listens, gets ready in time, or accepts.
        """
        super().open()
        self._record = self._record or self._first_record()

    def _first_record(self) -> Record:
        found = self._try(self._read_record, -np.inf)
        if isinstance(found, Record):
            return found
        raise BackbeatError(f"the controller at {self.address} was lost: {found}")

    def ask(
        self,
        number: int,
        t: float,
        start: bool,
        x: np.ndarray,
        force: np.ndarray,
        changes: ControlSettings,
        task: np.ndarray,
    ) -> Answer | Failure:
        """Sends what is sensed and waits for what the joints shall do.

        Args:
            number, t, start, x, force, changes, task: as of `Request`.
        """
        failure = self._prepare(t)
        if failure is not None:
            return failure
        start = start or not self._begun
        news = changes if start or changes != self._sent else None
        request = Request(number, t, start, x, force, news, task)
        nj = self._num_joints

        def answer() -> Answer:
            content = to_bytes(request_message(request))
            return read_answer(self._exchange(content), number, BLOCKS, nj)

        found = self._try(answer, t)
        if isinstance(found, Answer):
            self._sent, self._begun = changes, True
            self.sessions += start
        return found

    def record(self) -> Record:
        """State of the controllers, or the last one received."""
        if self._welcomed and self._begun:
            found = self._try(self._read_record, -np.inf)
            if isinstance(found, Record):
                self._record = found
        assert self._record is not None
        return self._record

    def _read_record(self) -> Record:
        return read_record(self._exchange(to_bytes({"record": 0})))
