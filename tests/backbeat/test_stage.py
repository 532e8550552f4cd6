import dataclasses
import logging
import re
import socket

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.library.behavior import Event, make_robot
from backbeat.behaviors.music.notation.meter import Meter, MeterChange, MeterMap
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.predictive.settings import TempoRamp
from backbeat.mpc.scenario.requested_tempo import RequestedTempo
from backbeat.stage.drawing.arrows import WEIGHT_LENGTH
from backbeat.stage.drawing.backdrop import (
    HOST,
    lay_floor,
    open_meshcat,
    place_of,
)
from backbeat.stage.drawing.canvas import LiveCanvas, pose_on
from backbeat.stage.drawing.layers import (
    ForceArrows,
    SupportPolygon,
)
from backbeat.stage.drawing.robot_visual import (
    Ghost,
    RobotVisual,
    make_world,
    separation,
)
from backbeat.stage.drawing.stage import Stage, time_marks
from backbeat.stage.frames.balance import MAX_EDGES, support_corners
from backbeat.stage.frames.frame import ContactForce, StageFrame, paths
from backbeat.stage.recording.html import page_of
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import SEAT, drumming, swaying
from tests.backbeat.robots import make_waver
from tests.backbeat.test_page import data, unpacked


class Notebook:
    """A canvas that only remembers the last word on every path."""

    def __init__(self):
        self.poses, self.scales, self.shown, self.opacity = {}, {}, {}, {}

    def place(self, path, X):
        self.poses[path] = X

    def scale(self, path, factors):
        self.scales[path] = factors

    def show(self, path, visible):
        self.shown[path] = visible

    def fade(self, path, opacity):
        self.opacity[path] = opacity


@pytest.fixture(scope="module")
def meshcat():
    return open_meshcat()


@pytest.fixture(scope="module")
def sway():
    return swaying(duration=1.0)


@pytest.fixture(scope="module")
def seated():
    return drumming(True, 1.0)


def test_meshcat_talks_to_this_machine_only_and_not_to_the_console(caplog, capfd):
    with caplog.at_level(logging.INFO):
        meshcat = open_meshcat()
    place = place_of(meshcat)
    assert re.fullmatch(r"127(\.\d+){3}", place.host)
    assert place.host != place_of(open_meshcat()).host
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    others = socket.gethostbyname_ex(socket.gethostname())[2]
    for address in {*others, HOST}:
        with socket.socket() as client:
            client.settimeout(1.0)
            assert client.connect_ex((address, meshcat.port())) != 0


def test_a_taken_port_is_one_sentence():
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BackbeatError, match=f"port {port}.* choose another port"):
            open_meshcat(port)


def test_a_puppet_stands_as_the_robot_model_says(meshcat, sway):
    robot_visual = RobotVisual(meshcat, make_world(sway))
    q = sway.motion.q[33]
    state = Configuration(sway.robot_model, q)
    poses = robot_visual.poses(q)
    for link in ("pelvis", "head", "l_hand", "r_talus"):
        assert poses[f"/robot/{link}"].IsNearlyEqualTo(state.pose(link), 1e-9)
        assert meshcat.HasPath(f"/robot/{link}")


def test_a_seated_puppet_keeps_its_legs_and_carries_its_sticks(meshcat, seated):
    world = make_world(seated)
    robot_visual = RobotVisual(meshcat, world, "/seated")
    poses = robot_visual.poses(seated.motion.q[20])
    plain = make_robot("atlas", (), SEAT)
    for link in ("l_talus", "pelvis"):
        # The reduced model has only the arms' and the back's joints.
        expected = Configuration(plain, seated.motion.q[20]).pose(link)
        assert poses[f"/seated/{link}"].IsNearlyEqualTo(expected, 1e-9)
    tip = Configuration(seated.robot_model, seated.motion.q[20]).pose("l_stick_tip")
    stick = poses["/seated/l_stick"]
    assert np.linalg.norm(stick.translation() - tip.translation()) < 0.4


def test_set_and_robot_are_told_apart():
    stage = Stage(drumming(True, 0.5), is_simulated=True)
    for path in ("/set/snare", "/set/chair", "/robot/r_stick", "/ghost of the plan"):
        assert stage.meshcat.HasPath(path), path
    assert not stage.meshcat.HasPath("/robot/snare")
    assert not stage.meshcat.HasPath("/set/pelvis")


def test_a_floor_that_pages_may_be_loading_is_not_deleted(meshcat):
    small, large = np.diag([1.0, 1.0, 1.0]), np.diag([5.0, 5.0, 1.0])
    first = lay_floor(meshcat, small)
    second = lay_floor(meshcat, large, first)
    assert first != second
    assert meshcat.HasPath(first)
    assert meshcat.HasPath(second)
    assert lay_floor(meshcat, small, second) == first


def test_the_ghost_is_seen_only_where_it_is_elsewhere(meshcat, sway):
    world = make_world(sway)
    robot = RobotVisual(meshcat, world)
    ghost, notes = Ghost(meshcat, world, robot), Notebook()
    q = sway.motion.q[0]
    names = list(sway.robot_model.joint_names)
    bent = q.copy()
    bent[sway.robot_model.base_positions + names.index("l_arm_elx")] += 0.5
    ghost.draw(notes, StageFrame(0.0, Configuration(sway.robot_model, q), ghost=bent))
    seen = {path.split("/")[-1] for path, shown in notes.shown.items() if shown}
    assert "l_hand" in seen
    assert not seen & {"pelvis", "head", "r_hand", "l_uarm"}


def test_separation_counts_place_and_rotation():
    X = RigidTransform(RollPitchYaw(0.1, 0.2, 0.3), [1.0, 2.0, 3.0])
    assert separation(X, X) == 0.0
    assert separation(X, RigidTransform([0, 0, 0.02]) @ X) == pytest.approx(0.02)
    turned = X @ RigidTransform(RollPitchYaw(0.0, 0.0, 0.01), [0, 0, 0])
    assert separation(X, turned) == pytest.approx(0.15 * 0.01, rel=1e-3)


def test_an_arrow_is_as_long_as_its_force(meshcat, sway):
    robot = sway.robot_model
    layer, notes = ForceArrows(meshcat, robot), Notebook()
    point, force = np.array([0.1, 0.2, 0.0]), np.array([0.0, 300.0, 400.0])
    forces = {"l_foot": ContactForce(point, force)}
    state = Configuration(robot, sway.motion.q[0])
    layer.draw(notes, StageFrame(0.0, state, forces=forces))
    X = notes.poses["/contact forces/l_foot"]
    np.testing.assert_allclose(X.translation(), point)
    np.testing.assert_allclose(X.rotation().matrix()[:, 2], force / 500.0, atol=1e-12)
    shaft = notes.scales["/contact forces/l_foot/shaft/size"][2]
    head = notes.scales["/contact forces/l_foot/head/size"][2] * 0.075
    assert shaft + head == pytest.approx(WEIGHT_LENGTH * 500.0 / robot.weight)
    assert notes.shown["/contact forces/r_foot"] is False


def test_the_support_polygon_is_the_hull_of_the_soles(meshcat, sway):
    state = Configuration(sway.robot_model, sway.motion.q[0])
    both = support_corners(StageFrame(0.0, state, standing=("l_foot", "r_foot")))
    soles = np.vstack(
        [
            state.pose(name).multiply(sway.robot_model.contacts[name].corners().T).T
            for name in ("l_foot", "r_foot")
        ]
    )
    for axis in (0, 1):
        assert both[:, axis].max() == pytest.approx(soles[:, axis].max(), abs=2e-3)
        assert both[:, axis].min() == pytest.approx(soles[:, axis].min(), abs=2e-3)
    one = support_corners(StageFrame(0.0, state, standing=("l_foot",)))
    assert len(one) == 4
    layer, notes = SupportPolygon(meshcat), Notebook()
    layer.draw(notes, StageFrame(0.0, state, standing=("l_foot",)))
    assert sum(notes.shown.values()) == 4
    layer.draw(notes, StageFrame(0.0, state))
    assert len(notes.shown) == MAX_EDGES
    assert not any(notes.shown.values())


@pytest.mark.parametrize("direction", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [1, -2, 3]])
def test_a_pose_on_a_direction_has_z_along_it(direction):
    X = pose_on(np.ones(3), np.array(direction, float))
    unit = np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(X.rotation().matrix()[:, 2], unit, atol=1e-12)


def test_a_live_canvas_says_nothing_twice():
    sent = []

    class Wire:
        def SetTransform(self, path, X):  # noqa: N802 - Drake's name
            sent.append(path)

        def SetProperty(self, path, key, value):  # noqa: N802 - Drake's name
            sent.append((path, key, value))

    canvas = LiveCanvas(Wire())
    for height in (1.0, 1.0, 2.0):
        canvas.place("/a", RigidTransform([0.0, 0.0, height]))
        canvas.show("/a", True)
    canvas.fade("/b", 0.5)
    assert sent == [
        "/a",
        ("/a", "visible", True),
        "/a",
        ("/b/<object>", "opacity", 0.5),
    ]


def test_marks_are_bars_of_music_or_segments():
    music = time_marks(PlannedSource(drumming(duration=5.0)))
    bar = 4 * 60.0 / 98.0
    np.testing.assert_allclose([m["time"] for m in music], bar * np.arange(3))
    assert [m["strong"] for m in music] == [True, False, False]
    assert [m["time"] for m in time_marks(PlannedSource(swaying(1.0)))] == [0.5]
    long = dataclasses.replace(drumming(duration=200.0), bpm=180.0)
    assert len(time_marks(PlannedSource(long))) <= 80


def test_bar_lines_are_where_bars_begin():
    bars = MeterMap(Meter(7, 8), (MeterChange(7, Meter(3, 4)),))
    take = PlannedSource(
        dataclasses.replace(drumming(duration=6.5), bpm=120.0, meter=bars)
    )
    assert [2 * m["time"] for m in time_marks(take)] == [0, 3.5, 7, 10, 13]
    stage = Stage(take.behavior, is_simulated=False)
    info = stage.info(take, 1.0)
    assert [2 * t for t in info["beats"]][:9] == [k / 2 for k in range(9)]
    assert info["bars"][:8] == [[1, k, 7] for k in range(1, 8)] + [[2, 1, 7]]
    assert info["bars"][-1] == [5, 1, 3]


def test_the_page_knows_what_each_hand_does_at_the_tempo_asked_for():
    events = (
        Event(0.0, "rest", "floor_tom", "l_stick_tip", duration=1.0),
        Event(2.0, "strike", "ride", "l_stick_tip", 90),
    )
    take = PlannedSource(dataclasses.replace(drumming(duration=4.0), events=events))
    info = Stage(take.behavior, is_simulated=False).info(take, 1.0)
    hold = {"part": "left", "kind": "Hold", "start": 0.0, "end": 1.0}
    goto = {"part": "left", "kind": "Goto", "start": 1.0, "end": 2.0}
    assert info["paths"][0] == {**hold, "where": "floor tom"}
    assert info["paths"][1] == {**goto, "where": "ride"}
    # On the way to half as fast from 1 s on: what follows comes later.
    take.tempo = RequestedTempo((TempoRamp(), TempoRamp().changed(1.0, 0.5)))
    slow = paths(take)
    assert (slow[0].end, slow[1].start) == (1.0, 1.0)
    assert 2.5 < slow[1].end == take.tempo.when(2.0) <= 3.0


def test_another_robot_needs_no_code(tmp_path):
    robot = str(make_waver(tmp_path))
    behavior = swaying(1.0, robot)
    take = PlannedSource(behavior)
    page = page_of(take, 10.0)
    moving = {track.path for track in unpacked(data(page, "backbeat-motion"))}
    assert "/robot/arm" in moving
    assert "/robot/body" not in moving
    stage = Stage(behavior, is_simulated=False)
    stage.draw(LiveCanvas(stage.meshcat), take.frame_at(0.5))
    assert stage.meshcat.HasPath("/robot/arm/bar")


@pytest.mark.parametrize("name", ["atlas_v3", "atlas_v4", "atlas_v5_drcsim"])
def test_a_robot_without_visuals_is_seen(name):
    behavior = swaying(0.5, name)
    stage = Stage(behavior, is_simulated=False)
    stage.aim(PlannedSource(behavior))
    robot = behavior.robot_model
    moved = {j.child for j in robot.urdf.moving_joints()}
    assert len(moved) == robot.num_joints
    assert set(stage.links) >= moved
