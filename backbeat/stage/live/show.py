"""LiveShow: a stage and its page, drawn moment by moment as time goes on."""

import gc
import logging
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from backbeat.models.common.errors import gist
from backbeat.stage.drawing.canvas import LiveCanvas
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.drawing.trails import TRAILS, tip_names
from backbeat.stage.live.server import LiveServer
from backbeat.stage.moments.moment import Moment, Take
from backbeat.stage.moments.plan_view import rate_in_words
from backbeat.stage.web.commands import Command, Reader
from backbeat.stage.web.panel import offers

FRAME = 1.0 / 30.0  # [s]
# Samples of stick tips between two frames, and how long a trail lasts [s].
SUBFRAMES, TRAIL_LENGTH = 5, 0.8
# Where more time than this was leapt over, a trail begins anew [s].
GAP = 0.15
# Speed of a stick tip that gets the hottest color [m/s].
FASTEST = 4.0
# Pages ask many times a second, and once a minute where nobody looks at them. What
# does not ask for longer hangs, and Meshcat would keep for it all that is drawn [s].
HANGS = 90.0


class LiveShow:
    """A stage and its page, drawn moment by moment.

    Attributes:
        url: where to point a browser.
        port: where the page is served.
    """

    def __init__(
        self,
        take: Take,
        port: int | None,
        readers: dict[str, Reader] | None = None,
        is_both: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Opens the stage for a take, or for what a take like it will show.

        Args:
            take: what will be shown.
            port: where the page is served; None for any free port.
            readers: what pages may ask for, see `commands`; nothing by default.
            is_both: whether plans and simulations will be shown in turns.
            more: what pages are told besides, see `Stage.info`.
        """
        self._is_both = is_both
        self._more = {"plays": bool(readers), **(more or {})}
        self._edition = self._world = 0
        self._tips: list[str] = []
        self._trail: deque[tuple[float, list[list[float]]]] = deque()
        self._state: dict[str, Any] = {"time": take.start, "rate": 0.0}
        self._open(take)
        meshcat, info = self._stage.meshcat, self._info(take)
        self._server = LiveServer(meshcat, info, lambda: self._state, port, readers)
        self.url, self.port = self._server.url, self._server.port

    def _open(self, take: Take) -> None:
        """Builds a stage."""
        is_simulated = take.is_simulated or self._is_both
        self._stage = Stage(take.behavior, is_simulated=is_simulated)
        self._stage.aim(take)
        self._canvas = LiveCanvas(self._stage.meshcat)
        self._is_lost = False
        self._tips = tip_names(take)
        self._trail.clear()

    def _info(self, take: Take) -> dict[str, Any]:
        info = self._stage.info(take, FASTEST)
        if self._more["plays"]:
            info["panel"] = offers(take.behavior.robot_model, self._stage.links)
        return info | self._more | {"world": self._world, "edition": self._edition}

    def shows(self, take: Take) -> bool:
        """Whether a take can be shown on this stage: same robot, same set."""
        mine, other = self._stage.behavior, take.behavior
        return (mine.robot_model, mine.scene) == (other.robot_model, other.scene)

    def put(self, take: Take, aims: bool = False) -> None:
        """Shows another take: on this stage or, if it cannot, on one of its own.

        Pages follow; a new stage makes them load themselves anew.

        Args:
            take: what will be shown.
            aims: whether to point the camera anew on this stage.
        """
        self._edition += 1
        if self.shows(take):
            self._stage.behavior = take.behavior
            self._trail.clear()
            if aims:
                self._stage.aim(take)
            self._server.info = self._info(take)
            return
        self._world += 1
        self._clear()
        self._open(take)
        self._server.put(self._stage.meshcat, self._info(take))

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

    def note_tips(self, moment: Moment) -> None:
        """Remembers where the stick tips are, for their trails."""
        last = self._trail[-1][0] if self._trail else moment.time - 1.0
        if not self._tips or moment.time == last:
            return
        if not 0 < moment.time - last < GAP:
            self._trail.clear()
        places = [moment.state.pose(n).translation().tolist() for n in self._tips]
        self._trail.append((moment.time, places))
        while self._trail[0][0] < moment.time - TRAIL_LENGTH:
            self._trail.popleft()

    def note_way(self, take: Take, before: float, now: float) -> None:
        """Notes where stick tips are between two frames, at `before` and `now` [s]."""
        for k in range(1, SUBFRAMES + 1):
            self.note_tips(take.moment(before + k / SUBFRAMES * (now - before)))

    def draw(
        self,
        moment: Moment,
        rate: float,
        pace: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Draws a moment, unless all pages hang.

        Args:
            moment: what to show.
            rate: behavior seconds a second, 0 when it stands still.
            pace: what to say about the speed.
            more: what pages are told besides.
        """
        try:
            hangs = time.monotonic() - self._server.asked > HANGS
            if not (self._is_lost or (self.is_watched and hangs)):
                self._stage.draw(self._canvas, moment)
        except RuntimeError as error:  # Of Meshcat, whose own thread may have ended.
            self._lose(error)
        self._state = {
            "time": moment.time,
            "rate": rate,
            "pace": pace,
            "remark": moment.remark,
            "rate words": "" if moment.rate is None else rate_in_words(moment.rate),
            "solver": moment.solver,
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
