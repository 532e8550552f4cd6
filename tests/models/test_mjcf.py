"""MuJoCo's model of a world is that of Drake: masses, bias, free flight, shapes."""

import numpy as np
import pytest
from pydrake.systems.framework import DiagramBuilder
from scipy.integrate import solve_ivp

from backbeat.models.dynamics.rotations import quaternion_to_matrix
from backbeat.models.mjcf.contact import CONTACT_LAWS, struck_reference
from backbeat.models.mjcf.model import make_model
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene, add_world, lock_joints

mujoco = pytest.importorskip("mujoco", reason="the extra mujoco is not installed")

ROBOTS = {"atlas": ("sticks",), "g1": (), "t1": ()}


class Translated:
    """A robot in its world, in both engines."""

    def __init__(self, name="atlas", equipment=("sticks",), time_step=1e-3):
        self.robot = RobotModel(name, equipment)
        self.scene = Scene("drum-kit") if equipment else Scene()
        builder = DiagramBuilder()
        self.world = add_world(builder, self.robot, time_step, scene=self.scene)
        self.diagram = builder.Build()
        self.context = self.world.plant.CreateDefaultContext()
        lock_joints(self.world.plant, self.context, self.robot.locked)
        law = CONTACT_LAWS["firm"]
        self.made = make_model(self.world, self.scene, self.context, law, time_step)
        self.model = self.made.model
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(n) for n in self.robot.joint_names]
        self.at_q = np.array([int(j.qposadr[0]) for j in joints])
        self.at_v = np.array([int(j.dofadr[0]) for j in joints])

    def put(self, q, v):
        """Puts MuJoCo's robot at [q, v] of the model; its base has the first dofs."""
        self.data.qpos[:3], self.data.qpos[3:7] = q[4:7], q[:4]
        self.data.qpos[self.at_q] = q[7:]
        self.data.qvel[:] = self.rates(q) @ v

    def rates(self, q):
        """(nv, nv) from the model's velocities to MuJoCo's."""
        T, R = np.zeros((self.model.nv, len(self.at_v) + 6)), np.empty((3, 3))
        quaternion_to_matrix(q, R)
        T[:3, 3:6], T[3:6, :3] = np.eye(3), R.T
        T[self.at_v, 6 + np.arange(len(self.at_v))] = 1.0
        return T


def somewhere(robot, random, spread=0.2):
    """A configuration in the air, and a velocity."""
    q = robot.posture("stand")
    q[:4] = random.normal(size=4)
    q[:4] /= np.linalg.norm(q[:4])
    q[4:7] = random.normal(size=3) + [0.0, 0.0, 10.0]
    q[7:] += spread * random.uniform(-1, 1, size=robot.num_joints)
    q[7:] = np.clip(q[7:], robot.position_lower, robot.position_upper)
    return q, random.normal(size=robot.num_velocities)


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix_and_bias_are_ours(name):
    both = Translated(name, ROBOTS[name])
    random = np.random.default_rng(3)
    for _ in range(3):
        q, v = somewhere(both.robot, random)
        both.put(q, v)
        mujoco.mj_forward(both.model, both.data)
        M = np.zeros((both.model.nv, both.model.nv))
        mujoco.mj_fullM(both.model, both.data, M)
        ours, T = Configuration(both.robot, q, v), both.rates(q)
        # MuJoCo turns in axes of the base: its rate of angular velocity differs by
        # nothing, since these axes turn with the velocity itself.
        assert np.abs(T.T @ M @ T - ours.mass_matrix).max() <= 1e-10
        bias = T.T @ both.data.qfrc_bias
        assert np.abs(bias - ours.bias).max() <= 1e-10


def test_free_flight_under_torque_is_that_of_our_dynamics():
    both = Translated("atlas", ())
    robot, T = both.robot, 0.25
    random = np.random.default_rng(5)
    q, v = somewhere(robot, random, 0.05)
    v *= 0.3
    tau = 5.0 * random.uniform(-1, 1, size=robot.num_joints)
    both.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    targets = both.model.actuator_trnid[:, 0].tolist()
    driven = [robot.joint_index(both.model.joint(k).name) for k in targets]

    def land(steps):
        both.model.opt.timestep = T / steps
        both.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        mujoco.mj_resetData(both.model, both.data)
        both.put(q, v)
        both.data.ctrl[:] = tau[driven]
        for _ in range(steps):
            mujoco.mj_step(both.model, both.data)
        return both.data.qpos.copy()

    def slope(_, x):
        at, rate = x[: robot.num_positions], x[robot.num_positions :]
        at = np.r_[at[:4] / np.linalg.norm(at[:4]), at[4:]]
        now = Configuration(robot, at, rate)
        force = -now.bias
        force[6:] += tau - robot.damping * rate[6:]
        w = np.r_[0.0, rate[:3]]
        return np.r_[
            0.5 * _product(w, at[:4]),
            rate[3:],
            np.linalg.solve(now.mass_matrix, force),
        ]

    exact = solve_ivp(slope, (0, T), np.r_[q, v], "DOP853", rtol=1e-12, atol=1e-13)
    x = exact.y[: robot.num_positions, -1]
    fine = land(800)
    assert np.abs(fine[both.at_q] - x[7:]).max() <= 1e-9
    assert np.abs(fine[:3] - x[4:7]).max() <= 1e-9
    turned = fine[3:7] * np.sign(fine[3:7] @ x[:4])
    assert np.abs(turned - x[:4] / np.linalg.norm(x[:4])).max() <= 1e-9


def _product(a, b):
    """Product of two quaternions."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.r_[w, a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def test_shapes_touch_where_they_do_in_drake():
    """Every pair that Drake finds in a crumpled robot MuJoCo finds as deep."""
    both = Translated("atlas", ("sticks",))
    random = np.random.default_rng(1)
    graph = both.world.scene_graph
    root = both.diagram.CreateDefaultContext()
    own = both.world.plant.GetMyMutableContextFromRoot(root)
    names = {s.geometry: s.name for s in both.made.shapes}
    seen = 0
    for _ in range(6):
        q, v = somewhere(both.robot, random, 1.5)
        q[4:7] = random.uniform(-0.5, 0.5, 3) + [0.4, 0.0, 0.8]
        both.world.set_state(own, q, v)
        query = graph.get_query_output_port().Eval(graph.GetMyContextFromRoot(root))
        drake = {}
        for p in query.ComputePointPairPenetration():
            pair = frozenset((names[p.id_A], names[p.id_B]))
            drake[pair] = p.depth
        both.put(q, v)
        mujoco.mj_fwdPosition(both.model, both.data)
        ours = {}
        for c in both.data.contact:
            pair = frozenset(both.model.geom(int(g)).name for g in c.geom)
            ours[pair] = max(ours.get(pair, 0.0), -c.dist)
        deep = {pair for pair, depth in drake.items() if depth > 1e-3}
        assert deep <= set(ours)
        assert {pair for pair, depth in ours.items() if depth > 1e-3} <= set(drake)
        seen += len(deep)
    assert seen >= 20


@pytest.mark.parametrize("share", [0.1, 0.34, 0.36])
def test_a_head_gives_back_what_its_kit_says(share):
    """A tip of 60 g falls onto a head in MuJoCo itself, as in the kit's drop test."""
    k, b = struck_reference(5e4, share)
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = 1e-3, np.zeros(3)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    head = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    head.priority, head.solref = 1, (k, b)
    head.solimp = (0.99, 0.99, 1e-3, 0.5, 2.0)
    tip = spec.worldbody.add_body(name="tip", mass=0.06, inertia=[1e-6] * 3)
    tip.explicitinertial = True
    tip.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    tip.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.005, 0, 0])
    model, back = spec.compile(), []
    for phase in (0.125, 0.375, 0.625, 0.875):
        data = mujoco.MjData(model)
        data.qpos[0], data.qvel[0] = 0.005 + phase * 1.2e-3, -1.2
        for _ in range(40):
            mujoco.mj_step(model, data)
        back.append(data.qvel[0] / 1.2)
    assert np.mean(back) == pytest.approx(share, abs=0.002)


def test_masses_of_a_run_and_locked_joints_are_taken():
    both = Translated("atlas", ())
    assert both.model.body_mass.sum() == pytest.approx(both.robot.total_mass, abs=1e-9)
    heavier = both.context.Clone()
    plant = both.world.plant
    pelvis = plant.GetBodyByName("pelvis")
    pelvis.SetMass(heavier, pelvis.default_mass() + 1.0)
    made = make_model(both.world, both.scene, heavier, CONTACT_LAWS["firm"], 1e-3)
    assert made.model.body_mass.sum() == pytest.approx(both.robot.total_mass + 1.0)
