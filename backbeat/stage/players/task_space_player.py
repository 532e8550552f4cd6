"""TaskSpacePlayer: a hand after a target, simulated live as pages move it."""

import gc
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from pydrake.geometry import Box, Meshcat, Rgba, Sphere
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError, ended, unknown_name
from backbeat.mpc.control.outside import ConnectTaskSpace
from backbeat.mpc.control.task_space_setup import robots_with_hand
from backbeat.mpc.simulation.task_space.live import LiveTaskSpace, TaskSpaceSample
from backbeat.stage.drawing.backdrop import ASPECT, aim_camera, lay_floor, open_meshcat
from backbeat.stage.drawing.canvas import LiveCanvas, see_through_bodies
from backbeat.stage.drawing.layers import FORCE
from backbeat.stage.drawing.robot_visual import RobotVisual
from backbeat.stage.live.server import LiveServer
from backbeat.stage.live.show import FRAME
from backbeat.stage.live.transport import Pace
from backbeat.stage.players.task_space_panel import (
    FARTHEST,
    TARGET,
    TASK_COMMANDS,
    task_offers,
)
from backbeat.stage.web.commands import Command
from backbeat.stream.server import JointStream

CROSS = "/hand"
BALL_COLOR = Rgba(0.90, 0.16, 0.12, 1.0)
BALL_RADIUS, CROSS_LENGTH, CROSS_WIDTH = 0.025, 0.16, 0.008
# A frame that was late is not made up for beyond this [s].
LATEST = 0.1
# What is simulated between two looks at the clock [s], and the share of a frame that
# simulating may take.
CHUNK, SHARE = 0.004, 0.8


class TaskSpaceStage:
    """Robot, target and hand in a Meshcat of their own."""

    def __init__(self, live: LiveTaskSpace) -> None:
        """Opens Meshcat and puts everything into it."""
        self.meshcat = open_meshcat()
        self._canvas = LiveCanvas(self.meshcat)
        self._visual = RobotVisual(self.meshcat, live.loop.world)
        self.meshcat.SetObject(TARGET, Sphere(BALL_RADIUS), BALL_COLOR)
        see_through_bodies(self.meshcat, TARGET, 4)
        _put_cross(self.meshcat)
        start = live.loop.hand_start
        reach = [start + FARTHEST * np.array(d) for d in ((1, 1, 1), (-1, -1, -1))]
        points = np.vstack([self._visual.places([live.loop.q_start]), reach])
        lay_floor(self.meshcat, points)
        aim_camera(self.meshcat, points, np.radians(33), np.radians(13))

    def draw(self, frame: TaskSpaceSample) -> None:
        """Draws a frame."""
        for path, X in self._visual.poses(frame.q).items():
            self._canvas.place(path, X)
        self._canvas.place(TARGET, RigidTransform(frame.target))
        self._canvas.place(CROSS, RigidTransform(frame.hand))


def _put_cross(meshcat: Meshcat) -> None:
    """Three bars that are seen through whatever is in front of them."""
    for k, name in enumerate("xyz"):
        size = np.full(3, CROSS_WIDTH)
        size[k] = CROSS_LENGTH
        meshcat.SetObject(f"{CROSS}/{name}", Box(*size), FORCE)
        see_through_bodies(meshcat, f"{CROSS}/{name}", 5)


class TaskSpacePlayer:
    """A closed loop that pages change while it runs.

    Attributes:
        live: what is simulated.
        is_playing: whether time goes on.
        url: where to point a browser.
    """

    def __init__(
        self,
        robot: str,
        port: int | None = None,
        wait: bool = True,
        remote: ConnectTaskSpace | None = None,
        stream: JointStream | None = None,
    ) -> None:
        """Opens the stage.

        Args:
            robot: name of a robot that ships with a hand.
            port: where the page is served; None for any free port.
            wait: whether time stands still until a browser looks.
            remote: connects to a controller that is elsewhere; None for inside.
            stream: told of joint states and torques; None for nothing.

        Raises:
            BackbeatError: there is no such robot, the port is taken, or no controller
                answers.
        """
        with_hand = robots_with_hand()
        if robot not in with_hand:
            raise unknown_name("robot with a hand", robot, with_hand)
        self.live = LiveTaskSpace(robot, remote)
        if stream is not None:
            model = self.live.loop.robot
            stream.describe(model, f"{model.name} in task space", "task space")
            self.live.listen(stream.listener)
        self.is_playing, self._waits = not wait, wait
        self._notice, self._pace = (0, ""), Pace()
        self._stage = TaskSpaceStage(self.live)
        self._before = time.perf_counter()
        self._state = self._said()
        self._server = LiveServer(
            self._stage.meshcat, self._info(), lambda: self._state, port, TASK_COMMANDS
        )
        self.url = self._server.url

    def frame(self) -> None:
        """Does what pages ask for, lets time pass, draws, and waits for the next."""
        began = time.perf_counter()
        for command in self._server.commands():
            self.obey(command)
        if self._waits and self._stage.meshcat.GetNumActiveConnections():
            self._waits, self.is_playing = False, True
        if self.is_playing:
            self._go_on(min(began - self._before, LATEST), began)
        self._before = began
        self._state = self._said()
        time.sleep(max(0.001, FRAME - (time.perf_counter() - began)))

    def obey(self, command: Command) -> None:
        """Does what a page asks for; what cannot be done becomes a notice."""
        try:
            if command.name == "set":
                self.live.apply(*command.value)
            elif command.name == "play":
                self._waits, self.is_playing = False, command.value
            else:
                self.live.reset()
        except BackbeatError as error:
            self._notice = self._notice[0] + 1, ended(str(error))

    def close(self) -> None:
        """Ends the show."""
        self._server.close()
        self.live.close()
        # Meshcat may end in the thread alone that has made it.
        del self._stage
        gc.collect()

    def _go_on(self, elapsed: float, began: float) -> None:
        """Simulates what has passed by the clock, as far as a frame allows."""
        until = self.live.time + elapsed
        while self.live.time < until - 1e-9 and not self.live.is_over:
            self.live.advance(min(CHUNK, until - self.live.time))
            if time.perf_counter() - began > SHARE * FRAME:
                break
        self._pace.note(self.live.time)

    def _said(self) -> dict[str, Any]:
        """Draws the present, and returns what pages show of it."""
        frame, live = self.live.now(), self.live
        self._stage.draw(frame)
        off = 1e3 * float(np.linalg.norm(frame.hand - frame.target))
        few = ", ".join(frame.at_limit[:3]) + (" …" if frame.at_limit[3:] else "")
        is_going = self.is_playing and not live.is_over
        return {
            "time": frame.time,
            "rate": 0.0,
            "playing": self.is_playing,
            "pace": str(self._pace) if is_going else "",
            "rate words": f"hand {off:.1f} mm off" if np.isfinite(off) else "",
            "solver": f"at torque limits: {few}" if few else "",
            "remark": "joints have run away: reset them" if live.is_over else "",
            "notice": self._notice,
            "edition": 0,
            "world": 0,
            "hand": frame.hand.tolist() if np.isfinite(off) else None,
            "settings": asdict(live.settings),
        }

    def _info(self) -> dict[str, Any]:
        """What the overlay says; see `Stage.info`."""
        robot = self.live.loop.robot.name
        held = "legs held, pelvis moved" if self.live.has_pelvis else ""
        return {
            "name": f"{robot} in task space",
            "summary": "A hand follows a target; what it leaves, the posture gets.",
            "kind": "simulated in closed loop",
            "note": held,
            "start": 0.0,
            "bpm": 0.0,
            "beats": [],
            "bars": [],
            "segments": [],
            "paths": [],
            "remarks": [],
            "marks": [],
            "layers": [
                _layer(TARGET, "target", "rgb(230 41 31)", "where the hand shall be"),
                _layer(CROSS, "hand", "rgb(26 199 140)", "where the hand is"),
            ],
            "trails": [],
            "fastest": 1.0,
            "aspect": ASPECT,
            "plays": False,
            "tasks": task_offers(
                self.live.has_pelvis, self.live.loop.hand_start.tolist()
            ),
            "world": 0,
            "edition": 0,
        }


def _layer(path: str, name: str, color: str, hint: str) -> dict[str, str]:
    return {"path": path, "name": name, "color": color, "hint": hint}


def perform_task_space(
    robot: str,
    port: int | None,
    wait: bool,
    announce: Callable[[str], None],
    remote: ConnectTaskSpace | None = None,
    stream: JointStream | None = None,
) -> None:
    """Plays until Ctrl-C.

    Args:
        robot: name of a robot with a hand.
        port: where the page is served; None for any free port.
        wait: whether to wait for a browser.
        announce: called with the URL, once, before anything moves.
        remote: connects to a controller that is elsewhere; None for inside.
        stream: told of joint states and torques; None for nothing.

    Raises:
        BackbeatError: there is no such robot, the port is taken, or no controller
            answers.
    """
    player = TaskSpacePlayer(robot, port, wait, remote, stream)
    try:
        announce(player.url)
        while True:
            player.frame()
    finally:
        player.close()
