"""Pedals on the stage: boards under the toes of the feet on them, and their beaters.

Where a foot is says where its board is, up to the board's stops: the spring keeps it
under the toes, but for some milliseconds in which a beater flies.
"""

from collections.abc import Sequence

import numpy as np

from backbeat.models.kit.pedals import Pedal
from backbeat.models.robot.model import RobotModel
from backbeat.stage.drawing.canvas import Canvas
from backbeat.stage.frames.frame import StageFrame


class PedalBoards:
    """Boards and beaters, which are part of the set, follow the feet."""

    path = "/set"

    def __init__(self, robot: RobotModel, pedals: Sequence[Pedal]) -> None:
        """Takes the pedals that the robot has a foot on."""
        contacts = robot.contacts
        self._pedals = [p for p in pedals if f"{p.foot[0]}_toe" in contacts]

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for pedal in self._pedals:
            toe = frame.state.pose(f"{pedal.foot[0]}_toe").translation()
            x, _, z = pedal.X_WH.inverse().multiply(toe)
            low, high = pedal.stops
            angle = float(np.clip(np.arctan2(z, x), low, high))
            # Into the head it does not go.
            angle = max(angle, pedal.hit)
            canvas.place(f"{self.path}/{pedal.board}", pedal.board_pose(angle))
            canvas.place(f"{self.path}/{pedal.beater}", pedal.beater_pose(angle))
