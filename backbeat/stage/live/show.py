"""LiveShow: a stage and its page, drawn frame by frame as time goes on."""

import gc
import logging
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from backbeat.models.common.errors import gist
from backbeat.mpc.control.task_space_setup import hand_start
from backbeat.mpc.scenario.specification import TASK_SPACE
from backbeat.stage.drawing.canvas import LiveCanvas
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.drawing.trails import TRAILS, tip_names
from backbeat.stage.frames.frame import PlaybackSource, StageFrame
from backbeat.stage.frames.plan_view import rate_in_words
from backbeat.stage.live.server import LiveServer, Service
from backbeat.stage.web.commands import Command, Reader
from backbeat.stage.web.panel import offers
from backbeat.stage.web.task_panel import task_offers

FRAME = 1.0 / 30.0  # [s]
# Samples of stick tips between two frames, and how long a trail lasts [s].
SUBFRAMES, TRAIL_LENGTH = 5, 0.8
# Where more time than this was leapt over, a trail begins anew [s].
GAP = 0.15
# Speed of a stick tip that gets the hottest color [m/s].
FASTEST = 4.0
# Pages ask many times a second, and once a minute where they are hidden. What
# does not ask for longer hangs, and Meshcat would keep for it all that is drawn [s].
HANGS = 90.0


class LiveShow:
    """A stage and its page, drawn frame by frame.

    Attributes:
        url: where to point a browser.
        port: where the page is served.
    """

    def __init__(
        self,
        source: PlaybackSource,
        port: int | None,
        readers: dict[str, Reader] | None = None,
        is_both: bool = False,
        more: Mapping[str, Any] | None = None,
        services: Mapping[str, Service] | None = None,
    ) -> None:
        """Opens the stage for a source, or for what a source like it will show.

        Args:
            source: what will be shown.
            port: where the page is served; None for any free port.
            readers: what pages may ask for, see `commands`; nothing by default.
            is_both: whether plans and simulations will be shown in turns.
            more: what pages show besides, see `Stage.info`.
            services: what pages are answered besides, see `LiveServer`.
        """
        self._is_both = is_both
        self._more = {"plays": bool(readers), **(more or {})}
        self._edition = self._world = 0
        self._tips: list[str] = []
        self._trail: deque[tuple[float, list[list[float]]]] = deque()
        self._state: dict[str, Any] = {"time": source.start, "rate": 0.0}
        # Pages may ask before anything is drawn.
        self._state |= {"edition": self._edition, "world": self._world}
        self._drawn: StageFrame | None = None
        self._open(source)
        meshcat, info = self._stage.meshcat, self._info(source)
        self._server = LiveServer(
            meshcat, info, lambda: self._state, port, readers, services
        )
        self.url, self.port = self._server.url, self._server.port

    def _open(self, source: PlaybackSource) -> None:
        """Builds a stage."""
        is_simulated = source.is_simulated or self._is_both
        self._stage = Stage(source.behavior, is_simulated=is_simulated)
        self._stage.aim(source)
        self._canvas = LiveCanvas(self._stage.meshcat)
        self._is_lost = False
        self._tips = tip_names(source)
        self._trail.clear()

    def _info(self, source: PlaybackSource) -> dict[str, Any]:
        info = self._stage.info(source, FASTEST)
        if self._more["plays"] and "timeline" not in self._more:
            behavior, robot = source.behavior, source.behavior.robot_model
            if behavior.kind == TASK_SPACE:
                start = hand_start(behavior).tolist()
                info["tasks"] = task_offers(robot.floating, start)
            else:
                info["panel"] = offers(robot, self._stage.links)
        return info | self._more | {"world": self._world, "edition": self._edition}

    def shows(self, source: PlaybackSource) -> bool:
        """Whether a source can be shown on this stage: same robot, same set."""
        mine, other = self._stage.behavior, source.behavior
        return (mine.robot_model, mine.scene) == (other.robot_model, other.scene)

    def put(self, source: PlaybackSource, aims: bool = False) -> None:
        """Shows another source: on this stage or, if it cannot, on one of its own.

        Pages follow; a new stage makes them load themselves anew.

        Args:
            source: what will be shown.
            aims: whether to point the camera anew on this stage.
        """
        self._edition += 1
        self._drawn = None
        if self.shows(source):
            self._stage.behavior = source.behavior
            self._trail.clear()
            if aims:
                self._stage.aim(source)
            self._server.info = self._info(source)
            return
        self._world += 1
        self._clear()
        self._open(source)
        self._server.put(self._stage.meshcat, self._info(source))

    def commands(self) -> list[Command]:
        """What pages have asked for since the last time, in order."""
        return self._server.commands()

    @property
    def has_sticks(self) -> bool:
        """Whether there are tips whose trails are shown."""
        return bool(self._tips)

    @property
    def is_watched(self) -> bool:
        """Whether a browser is connected."""
        if self._is_lost:
            return False
        try:
            return self._stage.meshcat.GetNumActiveConnections() > 0
        except RuntimeError as error:
            self._lose(error)
            return False

    def _lose(self, error: RuntimeError) -> None:
        """Goes on without a drawing; says so once."""
        if not self._is_lost:
            self._is_lost = True
            why = gist(error, 120)
            logging.getLogger(__name__).warning(
                "the drawing has ended (%s); what it shows goes on without", why
            )

    def note_tips(self, frame: StageFrame) -> None:
        """Remembers where the stick tips are, for their trails."""
        last = self._trail[-1][0] if self._trail else frame.time - 1.0
        if not self._tips or frame.time == last:
            return
        if not 0 < frame.time - last < GAP:
            self._trail.clear()
        places = [frame.state.pose(n).translation().tolist() for n in self._tips]
        self._trail.append((frame.time, places))
        while self._trail[0][0] < frame.time - TRAIL_LENGTH:
            self._trail.popleft()

    def note_way(self, source: PlaybackSource, before: float, now: float) -> None:
        """Notes where stick tips are between two frames, at `before` and `now` [s]."""
        for k in range(1, SUBFRAMES + 1):
            self.note_tips(source.frame_at(before + k / SUBFRAMES * (now - before)))

    def draw(
        self,
        frame: StageFrame,
        rate: float,
        pace: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Draws a frame, unless all pages hang.

        Args:
            frame: what to show; one that is on the stage is not drawn again.
            rate: behavior seconds a second, 0 when it stands still.
            pace: what to say about the speed.
            more: what pages show besides.
        """
        try:
            hangs = time.monotonic() - self._server.asked > HANGS
            is_drawn = frame is self._drawn
            if not (is_drawn or self._is_lost or (self.is_watched and hangs)):
                self._stage.draw(self._canvas, frame)
                self._drawn = frame
        except RuntimeError as error:  # Of Meshcat, whose own thread may have ended.
            self._lose(error)
        self._state = {
            "time": frame.time,
            "rate": rate,
            "pace": pace,
            "remark": frame.remark,
            "rate words": frame.hand_words
            if frame.rate is None
            else rate_in_words(frame.rate),
            "hand": None if frame.hand is None else frame.hand.tolist(),
            "solver": frame.solver,
            "measures": frame.measures,
            "place": np.round(frame.state.center_of_mass[:2], 4).tolist(),
            "edition": self._edition,
            "world": self._world,
            "trails": self._trails(),
            **(more or {}),
        }

    def _trails(self) -> list[dict[str, Any]]:
        if len(self._trail) < 3:
            return []
        times = np.array([t for t, _ in self._trail])
        points = np.array([places for _, places in self._trail])
        speeds = np.linalg.norm(np.gradient(points, times, axis=0), axis=2)
        return [
            {
                "path": f"{TRAILS}/{name}",
                "times": np.round(times, 4).tolist(),
                "points": np.round(points[:, k], 4).ravel().tolist(),
                "speeds": np.round(speeds[:, k], 2).tolist(),
            }
            for k, name in enumerate(self._tips)
        ]

    def close(self) -> None:
        """Ends the show."""
        self._server.close()
        self._clear()

    def _clear(self) -> None:
        """Lets Meshcat go here and now.

        It may end in the thread alone that has made it; collected as garbage, it
        could end in that of a simulation in the making.
        """
        del self._stage, self._canvas
        gc.collect()
