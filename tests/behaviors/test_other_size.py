"""Motions on a robot of another size: what fits there, and what is made smaller."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.fitting import SIZES, fitted
from backbeat.behaviors.footsteps.sole_share import EDGE, LEAST, sole_share
from backbeat.behaviors.footsteps.specification import PATCH_SHARE
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import (
    Variant,
    find_specification,
    parse_setlist,
    read_any,
)
from backbeat.models.common.errors import BackbeatError, NoMotionError
from backbeat.models.robot.model import RobotModel
from tests.behaviors.drake_robot import DrakeRobot

STEPS = """kind: footsteps
name: aside
summary: A step aside and back.
steps:
  - {feet: both, time: 0.6}
  - {feet: right, time: 0.7, to: [0.0, 0.2]}
  - {feet: both, time: 0.6}
"""
SHOW = """kind: setlist
name: evening
summary: A step aside, then a bow.
behaviors: [{behavior: aside.yaml}, {behavior: bow}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evening")
    (folder / "aside.yaml").write_text(STEPS)
    (folder / "evening.yaml").write_text(SHOW)
    return folder


@pytest.fixture(scope="module")
def library(folder):
    return Library(folder / "library")


@pytest.fixture(scope="module")
def show(folder, library):
    return build(folder / "evening.yaml", library, variant=Variant(robot="g1"))


def read(name, robot="g1"):
    return read_any(find_specification(name), Variant(robot=robot))[0]


@pytest.mark.parametrize(
    ("robot", "is_narrow"), [("atlas", False), ("t1", False), ("g1", True)]
)
def test_steps_keep_from_the_edges_of_soles_that_are_narrow_for_the_legs(
    robot, is_narrow
):
    model = RobotModel(robot)
    share = sole_share(model, PATCH_SHARE)
    assert LEAST <= share <= PATCH_SHARE
    assert (share < PATCH_SHARE) == is_narrow
    narrow = min(model.contacts[n].half_width for n in model.soles)
    assert (1 - share) * narrow >= 0.999 * EDGE * model.leg_length


def test_pressure_of_steps_stays_that_far_from_the_edges(show, library):
    motion = library.load("aside", "g1").motion
    robot, right = RobotModel("g1"), motion.contacts.index("r_foot")
    alone = motion.standing[:, right] & (motion.standing.sum(axis=1) == 1)
    w = motion.wrench[alone, right]
    # Moments are about the middle of the sole, in the world's axes; it points ahead.
    lever = np.abs(w[:, 0] / w[:, 5])
    edge = robot.contacts["r_foot"].half_width - lever.max()
    assert edge > 0.9 * EDGE * robot.leg_length


def test_a_jump_takes_the_time_in_which_a_body_falls_as_far():
    jump, own = read("squat-jump"), read("squat-jump", "")
    steps = [j.at_size().steps for j in (jump, own)]
    assert steps[1] == own.steps
    air, full = (next(s for s in some if s.feet == "none") for some in steps)
    # A body is in the air for sqrt(8 h / g) when it rises by h.
    heights = [9.81 * s.time**2 / 8 for s in (air, full)]
    assert heights[0] / heights[1] == pytest.approx(jump.scale)
    assert air.clearance / full.clearance == pytest.approx(jump.scale)
    # Steps on the ground, and music, keep their times.
    walk = read("walk-6")
    assert [s.time for s in walk.at_size().steps] == [s.time for s in walk.steps]


def test_a_setlist_goes_to_another_robot_part_by_part(show, library, folder):
    assert (show.name, show.robot) == ("evening", "g1")
    assert show.certificate.passed
    assert all(library.key(name, "g1") for name in ("aside", "bow"))
    segments = [e.what for e in show.events if e.kind == "segment"]
    assert [s for s in segments if not s.startswith("to ")] == ["aside", "bow"]
    # By Drake: it bows about the middle of a step aside that is as wide as legs go.
    robot = RobotModel("g1")
    drake = DrakeRobot(robot)
    feet = []
    for q in show.motion.q[[0, -1]]:
        drake.set(q, np.zeros(robot.num_velocities))
        feet.append([drake.pose(n).translation() for n in ("l_foot", "r_foot")])
    aside = read(folder / "aside.yaml").scale * 0.2
    middle = np.mean(feet, axis=1)
    assert (middle[1] - middle[0])[1] == pytest.approx(0.5 * aside, abs=2e-3)
    assert np.abs(np.array(feet)[:, :, 2]).max() < 1e-3
    again = build(folder / "evening.yaml", library, variant=Variant(robot="g1"))
    assert again.provenance["key"] == show.provenance["key"]


def test_a_setlist_with_drums_is_refused_by_the_part(tmp_path):
    text = "kind: setlist\nname: loud\nbehaviors:\n  - {behavior: bow}\n"
    path = tmp_path / "loud.yaml"
    path.write_text(f"{text}  - {{behavior: outstanding-standing}}\n")
    with pytest.raises(BackbeatError, match="outstanding-standing"):
        build(path, Library(tmp_path / "library"), variant=Variant(robot="g1"))
    assert not (tmp_path / "library").exists()


def test_a_setlist_for_its_own_robot_is_as_it_was():
    own = parse_setlist(find_specification("show").read_text(), "show.yaml")
    assert read("show", "atlas") == own


def tried(allowed, sentence="off by {:.3g}"):
    """A motion that fits up to a size; sizes as they are tried, and what came of it."""
    sizes = []
    specification = read("march")

    def attempt(other, text):
        size = other.scale / specification.scale
        sizes.append(round(size, 3))
        assert f"scale: {other.scale:g}" in text
        if size > allowed:
            raise NoMotionError(sentence.format(size - allowed))
        return specification

    return specification, attempt, sizes


def test_what_is_too_large_at_any_size_is_refused_with_what_was_tried():
    specification, attempt, sizes = tried(0.1)
    path = find_specification("march")
    text = specification.text()
    with pytest.raises(NoMotionError, match=f"down to {SIZES[-1]:g} times the size"):
        fitted(specification, text, path, attempt, lambda share, what: None)
    assert sizes == [1.0, *SIZES]


def test_what_is_wrong_at_any_size_is_said_at_once():
    specification, attempt, sizes = tried(0.1, "no such posture")
    path = find_specification("march")
    with pytest.raises(NoMotionError, match=r"^no such posture$"):
        fitted(specification, specification.text(), path, attempt, lambda s, w: None)
    assert sizes == [1.0, SIZES[0]]


def test_hands_leave_room_above_the_floor_at_another_size():
    """The hand of the G1 is no smaller than its legs make the place lower."""
    specification = read("floor-reach")
    plan = specification.plan("")
    robot = RobotModel("g1")
    said = [r for r in plan.remarks if "has no room or reach" in r]
    assert len(said) == 2
    (goal,) = {
        round(float(X.translation()[2]), 6)
        for task in plan.problem.tasks
        if getattr(task, "frame", "") == "left_rubber_hand"
        for X in [task.X_WG]
    }
    # By Drake: the capsule of the hand from its frame to its tip.
    assert goal > 0.062 + 0.025 + 0.03
    assert goal > 0.12 * specification.scale
    assert robot.frame("left_rubber_hand") is not None
    # On its own robot all is as it was written.
    assert not [r for r in read("floor-reach", "").plan("").remarks if "room" in r]
