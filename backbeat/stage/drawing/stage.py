"""Stage: a behavior's robot, set and layers in one Meshcat."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from pydrake.geometry import Meshcat, Rgba

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.control.task_space_setup import hand_start
from backbeat.mpc.disturbances.registry import registered
from backbeat.mpc.scenario.parts.world import engine_title
from backbeat.mpc.scenario.specification import TASK_SPACE
from backbeat.stage.drawing.backdrop import ASPECT, aim_camera, lay_floor, open_meshcat
from backbeat.stage.drawing.canvas import Canvas
from backbeat.stage.drawing.hand_target import BALL, HandCross, TargetBall
from backbeat.stage.drawing.layers import (
    CAPTURE,
    FORCE,
    MASS,
    PLANNED,
    PUSH,
    SUPPORT,
    CapturePoint,
    CenterOfMass,
    ForceArrows,
    HitFlashes,
    Layer,
    PlannedForceArrows,
    PushArrows,
    SupportPolygon,
)
from backbeat.stage.drawing.lines import LINE, DisturbanceLines
from backbeat.stage.drawing.pedals import PedalBoards
from backbeat.stage.drawing.predicted_layers import (
    EXPECTED,
    FOOTHOLD,
    PREDICTED,
    PredictedFootholds,
    PredictedForces,
    PredictedPath,
)
from backbeat.stage.drawing.robot_visual import (
    GHOST,
    Ghost,
    RobotVisual,
    make_world,
    put_set,
)
from backbeat.stage.drawing.trails import TRAILS
from backbeat.stage.frames.frame import (
    PlaybackSource,
    StageFrame,
    paths,
    pulses,
    segments,
)
from backbeat.stage.web.panel import pushable
from backbeat.stage.web.task_panel import FARTHEST

# Kind of what is seen before anything is solved.
PREVIEW = "kinematic preview"
BASE_WELDED = "base welded in place"
# Layers that a plan alone does not have.
OF_SIMULATION = {
    Ghost.path,
    PlannedForceArrows.path,
    PushArrows.path,
    DisturbanceLines.path,
}
# Marks on the time line: at most this many, so that they stay apart.
MOST_MARKS = 80


@dataclass(frozen=True)
class Switch:
    """A layer as the overlay lists it, with its name and a hint."""

    path: str
    name: str
    color: str
    hint: str


class Stage:
    """Everything that is drawn for a behavior, in a Meshcat of its own.

    Attributes:
        behavior: what is performed.
        meshcat: where.
        layers: what is drawn for each frame.
        switches: the layers that the overlay offers to hide.
    """

    def __init__(
        self,
        behavior: Behavior,
        is_simulated: bool,
        port: int | None = None,
        pushed: Sequence[str] | None = None,
    ) -> None:
        """Opens Meshcat and puts everything into it.

        Args:
            behavior: what will be performed.
            is_simulated: whether the robot follows a plan, whose ghost is shown too.
            port: where Meshcat listens, see `open_meshcat`.
            pushed: links that may be pushed; None for the usual ones.
        """
        self.behavior = behavior
        self._world, self._floor = make_world(behavior), ""
        self.meshcat: Meshcat = open_meshcat(port)
        robot = behavior.robot_model
        put_set(self.meshcat, self._world)
        self._visual = RobotVisual(self.meshcat, self._world)
        self.layers: list[Layer] = [self._visual]
        self.switches: list[Switch] = []
        if is_simulated:
            ghost = Ghost(self.meshcat, self._world, self._visual)
            self._add(ghost, GHOST, "planned posture, where it differs")
        forces = ForceArrows(self.meshcat, robot)
        self._add(forces, FORCE, "of the world on the robot")
        if is_simulated:
            wanted = PlannedForceArrows(self.meshcat, robot)
            self._add(wanted, PLANNED, "as planned")
            links = pushable(robot, self.links) if pushed is None else pushed
            if links:
                arrows = PushArrows(self.meshcat, links)
                self._add(arrows, PUSH, "length: impulse")
            if any(kind.has_lines for kind in registered()):
                lines = DisturbanceLines(self.meshcat)
                self._add(lines, LINE, "to the support, thin where slack")
        if behavior.kind == TASK_SPACE:
            self._add(TargetBall(self.meshcat), BALL, "target")
            self._add(HandCross(self.meshcat, FORCE), FORCE, "measured")
        elif robot.floating:
            self._add(CenterOfMass(self.meshcat), MASS, "and the point below it")
            point = CapturePoint(self.meshcat)
            self._add(point, CAPTURE, "point to step on to come to rest")
            path = PredictedPath(self.meshcat)
            self._add(path, PREDICTED, "of the center of mass, 1.2 s ahead")
            self._foresee(robot)
            polygon = SupportPolygon(self.meshcat)
            self._add(polygon, SUPPORT, "hull of the contacts that carry weight")
        if behavior.scene.name:
            kit = behavior.scene.drum_kit()
            self.layers.append(HitFlashes(self.meshcat, kit))
            self.layers.append(PedalBoards(robot, kit.pedals()))
        if robot.tips:
            self.switches.append(
                Switch(TRAILS, "stick trails", "var(--speed)", "colored by speed")
            )

    def _foresee(self, robot: RobotModel) -> None:
        """Adds what is expected of contacts."""
        if not robot.patches:
            return
        footholds = PredictedFootholds(self.meshcat, robot)
        self._add(footholds, FOOTHOLD, "predicted, 1.2 s ahead")
        forces = PredictedForces(self.meshcat, robot)
        self._add(forces, EXPECTED, "in 0.3, 0.6, 0.9 and 1.2 s, thinner with time")
        # As many arrows as this are for a closer look.
        self.meshcat.SetProperty(forces.path, "visible", False)

    def _add(self, layer: Layer, color: Rgba, hint: str) -> None:
        self.layers.append(layer)
        name = layer.path.strip("/")
        self.switches.append(Switch(layer.path, name, _css(color), hint))

    @property
    def links(self) -> list[str]:
        """Names of the robot's links that are seen."""
        return [path.rpartition("/")[2] for path in self._visual.bodies]

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """Draws a frame in all layers."""
        for layer in self.layers:
            layer.draw(canvas, frame)

    def aim(self, source: PlaybackSource) -> None:
        """Points the camera at where the source happens."""
        times = np.linspace(source.start, source.end, 25)
        points = self._visual.places(source.frame_at(t).state.q for t in times)
        if self.behavior.scene.name:
            kit = self.behavior.scene.drum_kit()
            heads = [kit.strike_pose(name).translation() for name in kit.members]
            # The feet of the stands may hide behind the play controls.
            points = np.vstack([points, heads, np.array(heads) * [1.0, 1.0, 0.4]])
        if self.behavior.kind == TASK_SPACE:
            # Where a target may be put.
            reach = FARTHEST * np.array([[1.0], [-1.0]])
            points = np.vstack([points, hand_start(self.behavior) + reach])
        self._floor = lay_floor(self.meshcat, points, self._floor)
        # Into a kit one looks from above, to see the heads that are hit.
        azimuth, elevation = (14, 33) if self.behavior.scene.name else (33, 13)
        aim_camera(self.meshcat, points, np.radians(azimuth), np.radians(elevation))

    def _applies(self, switch: Switch, source: PlaybackSource) -> bool:
        """Whether a layer can be seen in a source at all."""
        return source.is_simulated or switch.path not in OF_SIMULATION

    def info(
        self,
        source: PlaybackSource,
        fastest: float,
        trails: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """What the overlay says about a source.

        Args:
            source: what is performed.
            fastest: stick speed that gets the hottest color [m/s].
            trails: paths of the sticks, see `ribbons`; none when live.
        """
        behavior = self.behavior
        layers = [asdict(s) for s in self.switches if self._applies(s, source)]
        for layer in layers:
            if layer["path"] == TRAILS:
                layer["name"] = f"stick trails, 0 to {fastest:.2g} m/s"
            if layer["path"] == ForceArrows.path:
                origin = "measured" if source.is_simulated else "planned"
                layer["name"] = f"contact forces, {origin}"
        note = "" if behavior.mount.is_free else BASE_WELDED
        if behavior.kind == TASK_SPACE:
            note = "legs held, pelvis moved" if behavior.robot_model.floating else ""
        return {
            "name": behavior.title,
            "summary": behavior.summary,
            "kind": _kind(source),
            "note": note,
            "start": source.start,
            "bpm": behavior.bpm,
            "beats": [time for time, _ in pulses(source)],
            # Bar, number in it and count of each: the picture has a dot a beat.
            "bars": [[p.bar, p.number, p.count] for _, p in pulses(source)],
            "segments": [
                {"time": e.time, "duration": e.duration, "name": e.what}
                for e in segments(source)
            ],
            "paths": [asdict(s) for s in paths(source)],
            "remarks": [{"time": t, "text": text} for t, text in source.remarks],
            "marks": time_marks(source),
            "layers": layers,
            "bodies": list(self._visual.bodies),
            "trails": list(trails),
            "fastest": fastest,
            "aspect": ASPECT,
        }


def _kind(source: PlaybackSource) -> str:
    """What the motion is, in words."""
    if source.behavior.kind == KINEMATIC:
        return "kinematic player: no forces, no balance"
    if source.behavior.kind == PREVIEW:
        return "kinematic preview: no forces, no balance"
    if not source.is_simulated:
        return "as planned"
    return f"simulated in closed loop, {engine_title(source.engine)}"


def time_marks(source: PlaybackSource) -> list[dict[str, Any]]:
    """Bars of music, or segments of another behavior, on the time line."""
    bars = [time for time, pulse in pulses(source) if pulse.number == 1]
    if bars:
        step = int(np.ceil(len(bars) / MOST_MARKS))
        return [
            {"time": bars[k], "strong": k % (4 * step) == 0}
            for k in range(0, len(bars), step)
        ]
    return [{"time": e.time, "strong": False} for e in segments(source)[:MOST_MARKS]]


def _css(color: Rgba) -> str:
    parts = (round(255 * x) for x in (color.r(), color.g(), color.b()))
    return "rgb({} {} {})".format(*parts)
