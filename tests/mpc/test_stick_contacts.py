"""Contacts of sticks are found among all contacts without a look at those of soles."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, MatrixGain

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene, add_world
from backbeat.mpc.analysis.drumming.hits import TIP_RADIUS
from backbeat.mpc.world.contact_log import ContactLog
from backbeat.mpc.world.stick_contacts import (
    FORCE,
    LEAST_FORCE,
    MEMBER,
    ROW,
    SHAFT_FORCE,
)

STRUCK = "snare"


@pytest.fixture(scope="module")
def steps():
    """Contacts and rows of strikes at each step of a robot with a stick in a drum.

    A contact is the numbers of its geometries, the names of its bodies' models and
    links, and its force.
    """
    robot = make_robot("atlas", ("sticks",), Mount())
    q, kit = start_configuration(robot, "stand"), DrumKit()
    tip = next(n for n, c in robot.contacts.items() if c.is_point)
    X = kit.strike_pose(STRUCK)
    touching = 0.5 * TIP_RADIUS * X.rotation().matrix()[:, 2]
    p = Configuration(robot, q).pose(tip).translation()
    scene = Scene("drum-kit", tuple(p - touching - X.translation()))
    builder = DiagramBuilder()
    world = add_world(builder, robot, scene=scene)
    plant, connect = world.plant, builder.Connect
    log = builder.AddSystem(ContactLog(world, scene))
    truth = builder.AddSystem(MatrixGain(D=world.state_selection()))
    motors = plant.get_actuation_input_port(world.instance)
    still = builder.AddSystem(ConstantVectorSource(np.zeros(motors.size())))
    connect(still.get_output_port(), motors)
    connect(plant.get_state_output_port(), truth.get_input_port())
    connect(truth.get_output_port(), log.GetInputPort("state"))
    connect(
        plant.get_contact_results_output_port(), log.GetInputPort("contact_results")
    )
    diagram = builder.Build()
    simulator = Simulator(diagram)
    root = simulator.get_mutable_context()
    own = plant.GetMyMutableContextFromRoot(root)
    world.set_state(own, q, np.zeros(robot.num_velocities))
    found = []
    for k in range(1, 30):
        simulator.AdvanceTo(k * plant.time_step())
        results = plant.get_contact_results_output_port().Eval(own)
        rows = log.GetOutputPort("strikes").Eval(log.GetMyContextFromRoot(root))
        touches = map(
            results.point_pair_contact_info, range(results.num_point_pair_contacts())
        )
        found.append(([_told(plant, i) for i in touches], rows.reshape(-1, ROW)))
    return found


def _told(plant, info):
    pair = info.point_pair()
    bodies = [plant.get_body(b) for b in (info.bodyA_index(), info.bodyB_index())]
    models = [plant.GetModelInstanceName(b.model_instance()) for b in bodies]
    return pair.id_A.get_value(), pair.id_B.get_value(), *models, info.contact_force()


def test_contacts_are_sorted_by_their_first_geometry(steps):
    """What `StickContacts` relies on: those of sticks and members come last."""
    for contacts, _ in steps:
        assert len(contacts) > 1
        first = [a for a, *_ in contacts]
        assert first == sorted(first)
        assert all(a < b for a, b, *_ in contacts)


def test_strikes_are_all_contacts_of_sticks_with_members(steps):
    struck = 0
    for contacts, rows in steps:
        forces = [
            np.linalg.norm(force)
            for _, _, *models, force in contacts
            if "drum_kit" in models and any("stick" in m for m in models)
        ]
        # Forces on tips are counted along the normal of a head.
        counted = rows[:, FORCE].sum() + rows[:, SHAFT_FORCE].sum()
        assert counted <= sum(forces) + 1e-9
        assert (counted > 0.0) == bool(sum(forces) > 0.0)
        assert ((rows[:, MEMBER] >= 0) == (rows[:, FORCE] > LEAST_FORCE)).all()
        struck += bool(forces)
    assert struck > 0
