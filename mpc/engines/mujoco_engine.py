"""MujocoEngine: a robot in its world, moved by MuJoCo."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.common.errors import unknown_name
from backbeat.models.kit.pedals import AXLE
from backbeat.models.mjcf.contact import CONTACT_LAWS
from backbeat.models.mjcf.model import make_model
from backbeat.models.state.point_motion import PointMotion
from backbeat.mpc.engines.contact_rows import NONE, ContactRows, Contacts
from backbeat.mpc.engines.engine import AppliedForce, EngineMoment
from backbeat.mpc.engines.engine_setup import EngineSetup
from backbeat.mpc.world.contact_roles import ContactRoles
from backbeat.mpc.world.stick_contacts import PLACE

# Faster than anything that is simulated with sense [m/s, rad/s].
_RUNAWAY = 1e6


class MujocoEngine:
    """An `Engine`; what it remembers is MuJoCo's own state, as one array.

    Attributes:
        robot: whose state and joints are meant.
        time_step: length of a step [s].
        made: the model.
    """

    def __init__(self, setup: EngineSetup) -> None:
        """Translates the world.

        Raises:
            BackbeatError: MuJoCo is not installed, there is no such contact law, or
                MuJoCo has no counterpart of something in the world.
        """
        if setup.law not in CONTACT_LAWS:
            raise unknown_name("contact of mujoco", setup.law, CONTACT_LAWS)
        law, step = CONTACT_LAWS[setup.law], setup.time_step
        self._setup = setup
        self.robot, self.time_step = setup.world.robot, step
        self.made = made = make_model(
            setup.world, setup.scene, setup.context, law, step
        )
        self._lib, self._model = made.mujoco, made.model
        self._data = self._lib.MjData(self._model)
        kinds = self._lib.mjtState
        self._kept = int(kinds.mjSTATE_FULLPHYSICS) | int(kinds.mjSTATE_WARMSTART)
        self._size = self._lib.mj_stateSize(self._model, self._kept)
        self._usual = self._model.geom_friction[made.supports, 0].copy()
        self._find_joints(setup)
        roles = ContactRoles(setup.world, setup.scene)
        shapes = [s.geometry.get_value() for s in made.shapes]
        self._rows, self._soles = ContactRows(roles, shapes), len(self.robot.soles)
        points = roles.sticks.points
        self._points = PointMotion(self.robot, [self.robot.frame(n) for n in points])
        self._pedals = [
            (pedal, self._model.joint(f"{pedal.member}{AXLE}"))
            for pedal in roles.sticks.pedals
        ]

    def _find_joints(self, setup: EngineSetup) -> None:
        """Finds out which entries of MuJoCo's arrays are which of the model's."""
        robot, model = self.robot, self._model
        joints = [model.joint(name) for name in robot.joint_names]
        self._q = np.array([int(j.qposadr[0]) for j in joints])
        self._v = np.array([int(j.dofadr[0]) for j in joints])
        self._base = robot.base_positions
        if robot.floating:
            base = setup.world.plant.GetBodyByName(
                robot.base_name, setup.world.instance
            )
            free = model.body(self.made.bodies[int(base.index())]).jntadr[0]
            q, v = int(model.jnt_qposadr[free]), int(model.jnt_dofadr[free])
            self._free = slice(q, q + 3), slice(q + 3, q + 7), slice(v, v + 3)
            self._turn = slice(v + 3, v + 6)
        plant, all_joints = setup.world.plant, []
        for index in plant.GetJointIndices():
            joint = plant.get_joint(index)
            if joint.num_velocities() == 1 and not joint.is_locked(setup.context):
                at = model.joint(joint.name())
                v = plant.num_positions() + joint.velocity_start()
                places = at.qposadr[0], at.dofadr[0], joint.position_start(), v
                all_joints.append(places)
        self._all = np.array(all_joints, int).reshape(-1, 4).T
        self._rubs = bool((model.dof_frictionloss > 0).any())
        order = {name: i for i, name in enumerate(robot.joint_names)}
        targets = [model.joint(int(i)).name for i in model.actuator_trnid[:, 0]]
        self._motors = np.array([order[name] for name in targets], int)

    def reset(self, q: np.ndarray, v: np.ndarray) -> EngineMoment:
        """The robot at (q, v), (nq,) and (nv,), with nothing touching yet."""
        data, world = self._data, self._setup.world
        self._lib.mj_resetData(self._model, data)
        # Followers and pedals are where the plant has them.
        world.set_state(self._setup.context, q, v)
        x = world.plant.GetPositionsAndVelocities(self._setup.context)
        data.qpos[self._all[0]], data.qvel[self._all[1]] = (
            x[self._all[2]],
            x[self._all[3]],
        )
        if self.robot.floating:
            place, turned, moving = self._free
            data.qpos[place], data.qpos[turned] = q[4:7], q[:4]
            data.qvel[moving] = v[3:6]
            turn = np.empty(3)
            self._lib.mju_rotVecQuat(turn, v[:3], q[:4] * [1.0, -1.0, -1.0, -1.0])
            data.qvel[self._turn] = turn
        return self._moment(NONE, np.zeros(self.robot.num_joints), None)

    def positions(self, moment: EngineMoment) -> np.ndarray:
        """MuJoCo's own configuration at a moment."""
        self._lib.mj_setState(self._model, self._data, moment.memory, self._kept)
        found: np.ndarray = self._data.qpos.copy()
        return found

    def step(
        self,
        now: EngineMoment,
        effort: np.ndarray,
        pushes: Sequence[AppliedForce] = (),
    ) -> EngineMoment:
        """The moment after a step; see `Engine.step`."""
        lib, model, data = self._lib, self._model, self._data
        # A comparison with what is no number is false.
        if not np.abs(now.v).max() < _RUNAWAY:
            raise RuntimeError("the numbers of this simulation have left all bounds")
        lib.mj_setState(model, data, now.memory, self._kept)
        data.ctrl[:] = effort[self._motors]
        data.qfrc_applied[:] = 0.0
        if pushes:
            self._push(pushes)
        self._rub(now.friction)
        lib.mj_step(model, data)
        felt = data.qfrc_actuator[self._v]
        if self._rubs:
            felt = felt + self._friction()
        return self._moment(self._contacts(), felt, now.friction)

    def _push(self, pushes: Sequence[AppliedForce]) -> None:
        """Applies forces at points of bodies, where these are now."""
        lib, model, data = self._lib, self._model, self._data
        lib.mj_kinematics(model, data)
        lib.mj_comPos(model, data)
        for push in pushes:
            body = self.made.bodies[push.body]
            R_WB = data.xmat[body].reshape(3, 3)
            point = data.xpos[body] + R_WB @ push.p_BoBq_B
            lib.mj_applyFT(
                model, data, push.f_W, np.zeros(3), point, body, data.qfrc_applied
            )

    def _rub(self, friction: float | None) -> None:
        """Gives soles and what carries them their friction at the moment."""
        wanted = self._usual if friction is None else friction
        self._model.geom_friction[self.made.supports, 0] = wanted

    def _friction(self) -> np.ndarray:
        """(nj,) force of the friction in joints over the step [N m or N]."""
        data, force = self._data, np.zeros(self._model.nv)
        kind = int(self._lib.mjtConstraint.mjCNSTR_FRICTION_DOF)
        rows = np.flatnonzero(data.efc_type == kind)
        force[data.efc_id[rows]] = data.efc_force[rows]
        found: np.ndarray = force[self._v]
        return found

    def _contacts(self) -> Contacts:
        """The contacts of the step that has just ended; cones are elliptic."""
        data = self._data
        found, force = data.contact, data.efc_force
        address = found.efc_address
        acting = address >= 0
        first = address[acting]
        if not len(first):
            return NONE
        frames = found.frame[acting].reshape(-1, 3, 3)
        local = force[first[:, None] + np.arange(3)]
        return Contacts(
            found.geom[acting].astype(int),
            np.ascontiguousarray(found.pos[acting]),
            np.ascontiguousarray(frames[:, 0]),
            np.einsum("ni,nij->nj", local, frames),
        )

    def _moment(
        self, contacts: Contacts, effort: np.ndarray, friction: float | None
    ) -> EngineMoment:
        """What MuJoCo's data say now."""
        lib, model, data = self._lib, self._model, self._data
        memory = np.empty(self._size)
        lib.mj_getState(model, data, memory, self._kept)
        qpos, qvel = data.qpos, data.qvel
        q = np.empty(self.robot.num_positions)
        v = np.empty(self.robot.num_velocities)
        q[self._base :] = qpos[self._q]
        v[self.robot.base_velocities :] = qvel[self._v]
        if self.robot.floating:
            place, turned, moving = self._free
            q[:4], q[4:7] = qpos[turned], qpos[place]
            lib.mju_rotVecQuat(v[:3], qvel[self._turn], q[:4])
            v[3:6] = qvel[moving]
        wrenches, normal, strikes = self._rows.add(contacts, self._soles)
        if len(strikes):
            hands = len(strikes) - len(self._pedals)
            strikes[:hands, PLACE:] = self._points.at(q, v)
            for i, (pedal, axle) in enumerate(self._pedals):
                swing, rate = qpos[axle.qposadr[0]], qvel[axle.dofadr[0]]
                strikes[hands + i, PLACE:] = pedal.head_motion(swing, rate)
        return EngineMoment(memory, q, v, wrenches, normal, effort, strikes, friction)
