"""Joint map: from the client's order of joints to the controller's, and back."""

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.mpc.remote.exchange import Answer, Request
from backbeat.mpc.remote.schema import Schema, order


class JointMap:
    """Puts numbers in order by name; where both have the same order, does nothing.

    Attributes:
        schema: the controller's.
    """

    def __init__(self, mine: Schema, theirs: Schema) -> None:
        """Finds the order of two schemas that do not differ otherwise.

        Args:
            mine: of the controller.
            theirs: of the client.
        """
        self.schema = mine
        states = (*mine.positions, *mine.velocities)
        self._state = order(states, (*theirs.positions, *theirs.velocities))
        self._soles = order(mine.soles, theirs.soles)
        self._joints = order(theirs.joints, mine.joints)
        self._blocks = order(theirs.command, mine.command)

    def request(self, request: Request) -> Request:
        """A request in the controller's order."""
        if self._state is None and self._soles is None:
            return request
        return Request(
            request.number,
            request.time,
            request.start,
            request.x if self._state is None else request.x[self._state],
            request.force if self._soles is None else request.force[self._soles],
            request.changes,
            request.task,
        )

    def answer(self, answer: Answer) -> Answer:
        """An answer in the client's order."""
        if self._joints is None and self._blocks is None:
            return answer
        command, acceleration = answer.command.reshape(BLOCKS, -1), answer.acceleration
        if self._blocks is not None:
            command = command[self._blocks]
        if self._joints is not None:
            command = command[:, self._joints]
            acceleration = acceleration[self._joints]
        return Answer(command.ravel(), acceleration, answer.fallen)
