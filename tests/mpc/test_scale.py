"""Controllers of robots of one shape do the same at each robot's size."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
import yaml

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.store import Library
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import UNLOADING, recovery_steps
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.plan_explanation import report_costs
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING
from backbeat.mpc.reference.scale import LEG, BodyScale, body_scale
from backbeat.mpc.reference.trajectory import Reference
from tests.models.humanoids import write_humanoid
from tests.mpc.test_legs import LeggedStance

# How much smaller the small one is.
SMALL = 0.5


def shrink(path, scale):
    """Writes a robot of the same shape and density: lengths times a scale.

    Masses then go with its third power, inertias with the fifth, torques with the
    fourth.
    """
    tree = ET.parse(path.with_suffix(".urdf"))
    powers = {"mass": 3, "inertia": 5, "limit": 4, "box": 1, "sphere": 1, "cylinder": 1}
    for element in tree.iter():
        if element.tag == "origin":
            place = [scale * float(x) for x in element.get("xyz", "0 0 0").split()]
            element.set("xyz", " ".join(map(repr, place)))
        if element.tag not in powers:
            continue
        for key, value in element.attrib.items():
            if element.tag == "limit" and key != "effort":
                continue
            numbers = [scale ** powers[element.tag] * float(x) for x in value.split()]
            element.set(key, " ".join(map(repr, numbers)))
    small = path.with_name("small.yaml")
    tree.write(small.with_suffix(".urdf"))
    keys = yaml.safe_load(path.read_text()) | {"name": "g1", "urdf": "small.urdf"}
    for contact in keys["contacts"].values():
        contact["position"] = [scale * x for x in contact["position"]]
        contact["half_length"] *= scale
        contact["half_width"] *= scale
    for servo in keys["servo"].values():
        servo["least_inertia"] *= scale**5
    small.write_text(yaml.safe_dump(keys))
    return small


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A G1, and one of half its size."""
    path = write_humanoid(tmp_path_factory.mktemp("pair"), "g1", "spheres")
    return RobotModel(path), RobotModel(shrink(path, SMALL))


def test_the_robot_that_controllers_are_stated_for_has_a_scale_of_one():
    for equipment in ((), ("sticks",)):
        robot = make_robot("atlas", equipment, Mount())
        assert body_scale(robot) == (1.0, 1.0)
        assert robot.leg_length == pytest.approx(LEG, rel=1e-3)


def test_half_the_size_is_half_the_length_and_an_eighth_of_the_weight(pair):
    large, small = map(body_scale, pair)
    assert small.length / large.length == pytest.approx(SMALL)
    assert small.weight / large.weight == pytest.approx(SMALL**3)


def test_ticks_of_robots_of_one_shape_are_alike(pair):
    """Wrenches are the same shares of the weight, and accelerations of places too."""
    large, small = (LeggedStance(robot, 0) for robot in pair)
    q, v = large.q.copy(), large.v.copy()
    # Places shrink, and times with the square root of it.
    q[4:7] *= SMALL
    v[:3] /= SMALL**0.5
    v[3:6] *= SMALL**0.5
    v[6:] /= SMALL**0.5
    found = large.program.solve(large.q, large.v, large.target)
    other = small.program.solve(q, v, small.target)
    assert found.is_solved
    assert other.is_solved
    assert np.abs(found.wrench[:, 3:]).max() > 0.3
    np.testing.assert_allclose(other.wrench[:, 3:], found.wrench[:, 3:], atol=2e-3)
    moments = found.wrench[:, :3] * SMALL
    np.testing.assert_allclose(other.wrench[:, :3], moments, atol=2e-4)
    np.testing.assert_allclose(other.vdot[3:6], found.vdot[3:6], atol=2e-2)
    turns, size = found.vdot[6:] / SMALL, np.abs(found.vdot[6:]).max() / SMALL
    np.testing.assert_allclose(other.vdot[6:], turns, atol=5e-3 * size)


def test_weights_for_another_leg_and_back_are_as_they_were():
    weights = PredictiveWeights()
    small = weights.for_leg(0.5 * LEG)
    assert small.for_leg(0.5 * LEG) == small
    assert small.max_step_length == (0.275, 0.375)
    assert small.spacing == pytest.approx(weights.spacing * 0.5**0.5)
    # A deviation of a tenth of the leg costs as much as the same one of a large robot.
    assert small.com * 0.05**2 == pytest.approx(weights.com * 0.1**2)
    back = small.for_leg(LEG)
    for name, value in vars(weights).items():
        assert vars(back)[name] == pytest.approx(value), name


def test_thresholds_of_recovery_go_with_the_leg(pair):
    scale = body_scale(pair[1])
    small = STEPPING.at(scale)
    assert small.watch == pytest.approx(STEPPING.watch * scale.length)
    assert small.ahead == pytest.approx(STEPPING.ahead * scale.length**0.5)
    assert small.count == STEPPING.count


@pytest.mark.parametrize("length", [1.0, 0.95, 0.77, 0.58, 0.25])
def test_swings_take_no_less_time_on_a_smaller_robot(length):
    """Delays and the speed of joints do not shrink with the robot."""
    usual = PredictiveWeights()
    spacing = usual.for_leg(length * LEG).spacing
    found = STEPPING.at(BodyScale(length))
    usually = STEPPING.intervals * usual.spacing
    assert usually - 1e-9 <= found.intervals * spacing < usually + spacing - 1e-9
    assert found.urgent == STEPPING.urgent


def test_recovery_at_a_scale_of_one_is_as_stated():
    assert STEPPING.at(BodyScale()) == STEPPING


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The predictive programs of a G1 that stands, and of one of half its size."""
    folder = tmp_path_factory.mktemp("programs")
    path, found = write_humanoid(folder, "g1", "spheres"), []
    for robot in (path, shrink(path, SMALL)):
        still = folder / f"still-{robot.stem}.yaml"
        still.write_text(
            f"kind: posture\nname: {still.stem}\nrobot: {robot}\nstart: stand\n"
            "stations: [{posture: stand, move: 0.3, hold: 0.3}]\n"
        )
        behavior = build(still, Library(folder / "library"))
        found.append(PredictiveProgram(Reference(behavior)))
    return found


def pushed(leg, x, y):
    """(12,) deviation of a robot in motion, ahead and to the left, by its leg [m]."""
    deviation = np.zeros(12)
    deviation[:2] = 0.2 * x * leg, 0.2 * y * leg
    deviation[3:5] = x * leg**0.5, y * leg**0.5
    return deviation


def test_costs_of_a_plan_add_up_to_its_objective_at_any_size(programs):
    for program in programs:
        leg = program.weights.leg
        plan = program.solve(PlanStart(0.2, 0.2, pushed(leg, 0.05, 0.02)))
        total = sum(report_costs(program, program.last_solve()).values())
        assert total == pytest.approx(plan.objective, rel=1e-6)


def stepping(program, leg):
    """The plan of two steps after a push to the left and ahead."""
    time, spacing = program.reference.scale.time, program.weights.spacing
    steps = recovery_steps([0, 1], 0.0, spacing, [4] * 2, unloading=time * UNLOADING)
    return program.solve_anew(PlanStart(0.0, 0.0, pushed(leg, 0.1, 0.2)), steps)


@pytest.mark.parametrize(
    ("way", "urgent"), [((0.5, 0.0), False), ((-0.5, 0.1), False), ((0.1, 0.5), True)]
)
def test_only_first_steps_to_a_side_are_urgent(programs, way, urgent):
    """A body that falls to a side is over the edge of a sole soon."""
    program = programs[0]
    recovery = STEPPING.at(program.reference.scale)
    start = PlanStart(0.0, 0.0, pushed(program.reference.robot.leg_length, *way))
    rest = program.rest(0.0, 0.0)
    plan = recovery.improve(program, start, None, rest, 0.02)
    lasts = [(w.end - w.start) / program.weights.spacing for w in plan.steps]
    assert recovery.intervals > recovery.urgent
    first = recovery.urgent if urgent else recovery.intervals
    assert lasts == pytest.approx([first] + [recovery.intervals] * (len(lasts) - 1))


def test_plans_of_robots_of_one_shape_are_alike(programs):
    """Steps go as far in legs and take as long in their pendulum times."""
    legs = [program.reference.robot.leg_length for program in programs]
    assert legs[1] == pytest.approx(SMALL * legs[0])
    large, small = (stepping(*pair) for pair in zip(programs, legs, strict=True))
    step = np.ptp(large.shift, axis=0).max()
    assert step > 0.05 * legs[0]
    np.testing.assert_allclose(small.shift, SMALL * large.shift, atol=0.02 * step)
    time = SMALL**0.5
    np.testing.assert_allclose(small.phases, time * large.phases, atol=1e-9)
    np.testing.assert_allclose(small.durations, time * large.durations, rtol=0.01)
    np.testing.assert_allclose(
        small.wrench[:, :, 3:], large.wrench[:, :, 3:], atol=0.02
    )
