"""One rule for the touch of a stick in both engines: where there is force.

A robot falls with its sticks, all of it alike, until a tip meets a pad: when that is is
known in closed form.
"""

from typing import NamedTuple

import numpy as np
import pytest
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import ContactSettings, Scene, add_world
from backbeat.mpc.analysis.drumming.hits import TIP_RADIUS, find_hits
from backbeat.mpc.engines.drake_engine import DrakeEngine
from backbeat.mpc.engines.engine import Engine
from backbeat.mpc.engines.engine_setup import set_up_engine
from backbeat.mpc.engines.mujoco_engine import MujocoEngine
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, PLACE, ROW

pytest.importorskip("mujoco", reason="the extra mujoco is not installed")

STRUCK, STEP, GRAVITY = "pad", 1e-3, 9.81
# So small that it is under one tip alone, and tilted.
KIT = """\
name: one-pad
base: none
members:
  pad: {kind: pad, place: [0, 0, 1], radius: 0.03, depth: 0.02, tilt_deg: 15,
        notes: [38], number: 1, stiffness: 1.0e+5, restitution: 0.36}
"""
ENGINES = (
    (DrakeEngine, "lagged"),
    (DrakeEngine, "similar"),
    (DrakeEngine, "sap"),
    (MujocoEngine, "firm"),
    (MujocoEngine, "soft"),
)


class Above(NamedTuple):
    """A robot in the air with a tip over a head.

    Attributes:
        engine: that moves it.
        q: (nq,) where it is.
        tip: number of the tip.
        kit: where it stands.
        members: names in the order of the log.
        tips: likewise.
    """

    engine: Engine
    q: np.ndarray
    tip: int
    kit: DrumKit
    members: tuple[str, ...]
    tips: tuple[str, ...]

    @property
    def normal(self) -> np.ndarray:
        return self.kit.strike_pose(STRUCK).rotation().matrix()[:, 2]


def above(make, contact: str, height: float) -> Above:
    """A tip at a height above the head along its normal [m]; below zero inside."""
    robot = make_robot("atlas", ("sticks",), Mount())
    q = robot.posture("stand")
    q[6] += 1.0
    tips = [n for n, c in robot.contacts.items() if c.is_point]
    X = DrumKit(text=KIT).strike_pose(STRUCK)
    over = (height + TIP_RADIUS) * X.rotation().matrix()[:, 2]
    p = Configuration(robot, q).pose(tips[0]).translation()
    scene = Scene("drum-kit", tuple(p - over - X.translation()), KIT)
    is_drake, builder = make is DrakeEngine, DiagramBuilder()
    settings = ContactSettings(contact if is_drake else "lagged")
    world = add_world(builder, robot, STEP, settings, scene=scene)
    setup = set_up_engine(builder, world, scene, "firm" if is_drake else contact)
    log = setup.contact_log
    tip = log.tips.index(tips[0])
    return Above(make(setup), q, tip, scene.drum_kit(), log.members, log.tips)


def fall(at: Above, v: np.ndarray, steps: int) -> np.ndarray:
    """(steps + 1, T, ROW) rows of strikes of a robot without torque."""
    now, still = at.engine.reset(at.q, v), np.zeros(at.engine.robot.num_joints)
    rows = [now.strikes]
    for _ in range(steps):
        now = at.engine.step(now, still)
        rows.append(now.strikes)
    return np.array(rows)


@pytest.fixture(scope="module")
def struck():
    """Times of the strike by engine and contact [s], and when it is to be."""
    found, height = {}, 0.05
    for make, contact in ENGINES:
        at = above(make, contact, height)
        # What falls from rest is at g t^2 / 2, of which the head sees its part.
        upright = float(at.normal[2])
        due = float(np.sqrt(2.0 * height / (GRAVITY * upright)))
        steps = round(due / STEP) + 20
        rows = fall(at, np.zeros(at.engine.robot.num_velocities), steps)
        t = STEP * np.arange(steps + 1)
        hits = find_hits(t, rows.reshape(len(t), -1), at.tips, at.members, at.kit)
        (hit,) = [h for h in hits if h.tip == at.tips[at.tip]]
        found[make.__name__, contact] = hit, due, upright * GRAVITY * due, rows
    return found


def test_a_strike_is_when_and_as_fast_as_a_fall_has_it(struck):
    for hit, due, speed, _ in struck.values():
        assert (hit.member, hit.kind) == (STRUCK, "hit")
        # Steps that take the velocity at their end are early by half of one.
        assert abs(hit.time - due) <= STEP
        assert hit.speed == pytest.approx(speed, abs=0.02)
        assert hit.peak_force > 10.0


def test_engines_agree_on_the_time_of_a_strike(struck):
    times = [hit.time for hit, *_ in struck.values()]
    assert max(times) - min(times) <= 1e-9


def test_a_tip_touches_where_there_is_force(struck):
    for hit, *_, rows in struck.values():
        assert ((rows[..., MEMBER] >= 0) == (rows[..., FORCE] > 1e-6)).all()
        first = int(np.argmax(rows[:, :, MEMBER].max(1) >= 0))
        # Force of a step is known at its end, and the onset is within a step of it.
        assert first * STEP - 2 * STEP <= hit.time <= first * STEP


@pytest.mark.parametrize(("make", "contact"), ENGINES)
def test_a_tip_that_parts_overlaps_a_head_and_does_not_touch_it(make, contact):
    """In the head by a third of a millimeter, it leaves or goes in at 2 m/s."""
    at = above(make, contact, -3e-4)
    v = np.zeros(at.engine.robot.num_velocities)
    member = at.members.index(STRUCK)
    for way, touches in ((1.0, False), (-1.0, True)):
        v[3:6] = 2.0 * way * at.normal
        before, after = fall(at, v, 1)[:, at.tip]
        X_WM = at.kit.strike_pose(STRUCK)
        depth = TIP_RADIUS - X_WM.inverse().multiply(before[PLACE : PLACE + 3])[2]
        assert depth == pytest.approx(3e-4, abs=1e-9)
        assert (after[MEMBER] == member) == touches
        assert (after[FORCE] > 1.0) == touches
        assert len(after) == ROW
