"""Live shows: the plan, or the closed loop while it is simulated, in real time."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backbeat.stage.canvas import LiveCanvas
from backbeat.stage.live_simulation import LiveSimulation
from backbeat.stage.moment import Moment, Take
from backbeat.stage.server import LiveServer
from backbeat.stage.stage import Stage
from backbeat.stage.takes import PlannedTake
from backbeat.stage.trails import TRAILS, tip_names
from behaviors.behavior import Behavior
from mpc.simulation.scenario import Scenario

FRAME = 1.0 / 30.0  # [s]
# Samples of stick tips between two frames, and how long a trail lasts [s].
SUBFRAMES, TRAIL_LENGTH = 5, 0.8
# Speed of a stick tip that gets the hottest color [m/s].
FASTEST = 4.0


@dataclass(frozen=True)
class Playback:
    """How a live show is played.

    Attributes:
        speed: behavior seconds a second of the clock.
        loop: whether to begin again at the end.
        wait: whether to wait for a browser before, and for Ctrl-C after.
        port: where the page is served; None for any free port.
    """

    speed: float = 1.0
    loop: bool = False
    wait: bool = True
    port: int | None = None


class LiveShow:
    """A stage and its page, drawn moment by moment.

    Attributes:
        url: where to point a browser.
        port: where the page is served.
    """

    def __init__(self, take: Take, port: int | None, world: int = 0) -> None:
        """Opens the stage for a take, or for what a take like it will show.

        Args:
            take: what will be shown.
            port: where the page is served; None for any free port.
            world: a number; a page that knows another one loads itself anew.
        """
        self._stage = Stage(take.behavior, is_simulated=take.is_simulated)
        self._stage.aim(take)
        self._canvas = LiveCanvas(self._stage.meshcat)
        self._tips = tip_names(take)
        self._trail: deque[tuple[float, list[list[float]]]] = deque()
        self._state: dict[str, Any] = {"time": take.start, "rate": 0.0}
        self._edition, self._world = 0, world
        info = self._stage.info(take, FASTEST) | {"world": world}
        self._server = LiveServer(self._stage.meshcat, info, lambda: self._state, port)
        self.url, self.port = self._server.url, self._server.port

    def shows(self, take: Take) -> bool:
        """Whether a take can be shown on this stage: same robot, same set."""
        mine, other = self._stage.behavior, take.behavior
        return (mine.robot_model, mine.scene) == (other.robot_model, other.scene)

    def announce(self, take: Take) -> None:
        """Tells pages about another take, which this stage shows."""
        self._stage.behavior = take.behavior
        self._edition += 1
        info = self._stage.info(take, FASTEST)
        self._server.info = info | {"world": self._world}
        self._trail.clear()

    @property
    def is_watched(self) -> bool:
        """Whether a browser is connected."""
        return self._stage.meshcat.GetNumActiveConnections() > 0

    def note_tips(self, moment: Moment) -> None:
        """Remembers where the stick tips are, for their trails."""
        if not self._tips:
            return
        places = [moment.state.pose(n).translation().tolist() for n in self._tips]
        if self._trail and moment.time <= self._trail[-1][0]:
            self._trail.clear()
        self._trail.append((moment.time, places))
        while self._trail[0][0] < moment.time - TRAIL_LENGTH:
            self._trail.popleft()

    def draw(self, moment: Moment, rate: float, pace: str = "") -> None:
        """Draws a moment.

        Args:
            moment: what to show.
            rate: behavior seconds a second, 0 when it stands still.
            pace: what to say about the speed.
        """
        self._stage.draw(self._canvas, moment)
        self._state = {
            "time": moment.time,
            "rate": rate,
            "pace": pace,
            "remark": moment.remark,
            "edition": self._edition,
            "world": self._world,
            "trails": self._trails(),
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


def play_planned(
    behavior: Behavior, playback: Playback, announce: Callable[[str], None]
) -> None:
    """Plays a behavior as it was planned; late frames are dropped.

    Args:
        behavior: what to play.
        playback: how.
        announce: called with the URL, once, before anything moves.
    """
    take = PlannedTake(behavior)
    show = LiveShow(take, playback.port)
    try:
        announce(show.url)
        show.draw(take.moment(take.start), 0.0)
        _await_browser(show, playback)
        while True:
            _play_once(show, take, playback.speed)
            if not playback.loop:
                break
        show.draw(take.moment(take.end), 0.0)
        _stay(playback)
    finally:
        show.close()


def _play_once(show: LiveShow, take: Take, speed: float) -> None:
    """Plays a take from start to end by the clock."""
    began = time.perf_counter()
    shown = take.start
    while shown < take.end:
        now = min(take.end, take.start + speed * (time.perf_counter() - began))
        for t in np.linspace(shown, now, SUBFRAMES + 1)[1:-1]:
            show.note_tips(take.moment(t))
        moment = take.moment(now)
        show.note_tips(moment)
        show.draw(moment, speed)
        shown = now
        # The next frame of the clock that is still to come.
        elapsed = time.perf_counter() - began
        time.sleep(FRAME - elapsed % FRAME)


def play_simulated(
    behavior: Behavior,
    scenario: Scenario,
    playback: Playback,
    announce: Callable[[str], None],
) -> None:
    """Simulates the closed loop and shows it, no faster than the clock.

    Args:
        behavior: what to track.
        scenario: settings of the run.
        playback: how it is played.
        announce: called with the URL, once, before anything moves.
    """
    simulation = LiveSimulation(behavior, scenario)
    show = LiveShow(simulation, playback.port)
    try:
        announce(show.url)
        show.draw(simulation.now(), 0.0)
        _await_browser(show, playback)
        while True:
            _simulate_once(show, simulation, playback.speed)
            if not playback.loop:
                break
            simulation.restart()
        show.draw(simulation.now(), 0.0)
        _stay(playback)
    finally:
        show.close()


def _simulate_once(show: LiveShow, simulation: LiveSimulation, speed: float) -> None:
    """Simulates to the end, or to a fall."""
    due = time.perf_counter()
    step = FRAME * speed
    while not simulation.is_over:
        began = time.perf_counter()
        for _ in range(SUBFRAMES):
            simulation.advance(step / SUBFRAMES)
            show.note_tips(simulation.now())
        took = time.perf_counter() - began
        pace = min(speed, step / took)
        show.draw(simulation.now(), pace, f"{pace:.2g} × real time")
        # A slow simulation is not made up for: it goes on from where it is.
        due = max(due + FRAME, time.perf_counter())
        time.sleep(max(0.0, due - time.perf_counter()))


def _await_browser(show: LiveShow, playback: Playback) -> None:
    while playback.wait and not show.is_watched:
        time.sleep(0.05)


def _stay(playback: Playback) -> None:
    """Keeps the last picture until Ctrl-C."""
    while playback.wait:
        time.sleep(0.2)
