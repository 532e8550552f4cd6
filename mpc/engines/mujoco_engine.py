"""MujocoEngine: a robot in its world, moved by MuJoCo."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.common.errors import unknown_name
from backbeat.models.compiled.bound import bind
from backbeat.models.kit.pedals import AXLE
from backbeat.models.mjcf.contact import CONTACT_LAWS
from backbeat.models.mjcf.model import make_model
from backbeat.models.state.point_motion import PointMotion
from backbeat.mpc.engines.contact_rows import (
    ContactSums,
    contact_table,
    no_contacts,
)
from backbeat.mpc.engines.engine import AppliedForce, EngineMoment
from backbeat.mpc.engines.engine_setup import EngineSetup
from backbeat.mpc.engines.mujoco_arrays import (
    MujocoArrays,
    command,
    raw_contacts,
    read,
)
from backbeat.mpc.world.contact_roles import ContactRoles
from backbeat.mpc.world.stick_contacts import PLACE


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
        flags = self._lib.mjtDisableBit
        # What is unstable must not go on from the start in silence, and one robot is
        # one island.
        self._model.opt.disableflags |= int(flags.mjDSBL_AUTORESET)
        self._model.opt.disableflags |= int(flags.mjDSBL_ISLAND)
        self._data = self._lib.MjData(self._model)
        kinds = self._lib.mjtState
        self._kept = int(kinds.mjSTATE_FULLPHYSICS) | int(kinds.mjSTATE_WARMSTART)
        self._size = self._lib.mj_stateSize(self._model, self._kept)
        self._usual = (
            self._model.geom_friction[made.supports, 0].copy(),
            self._model.pair_friction[made.grips, :2].copy(),
        )
        self._rubs = bool((self._model.dof_frictionloss > 0).any())
        # Where the data are now, the friction in the model, and whether there was a
        # push: what is so already need not be set.
        self._at: np.ndarray | None = None
        self._friction: float | None = None
        self._pushed = False
        self._roles = ContactRoles(setup.world, setup.scene)
        self._none = no_contacts(self._roles, len(self.robot.soles))
        self._find_arrays(setup)
        self._pedals = [
            (pedal, self._model.joint(f"{pedal.member}{AXLE}"))
            for pedal in self._roles.sticks.pedals
        ]

    def _find_arrays(self, setup: EngineSetup) -> None:
        """Finds out which entries of MuJoCo's arrays are which of the model's."""
        robot, model, data = self.robot, self._model, self._data
        joints = [model.joint(name) for name in robot.joint_names]
        v = np.array([int(j.dofadr[0]) for j in joints], int)
        joint_of = np.full(model.nv, -1)
        joint_of[v] = np.arange(len(v))
        order = {name: i for i, name in enumerate(robot.joint_names)}
        targets = [model.joint(int(i)).name for i in model.actuator_trnid[:, 0]]
        points = [robot.frame(n) for n in self._roles.sticks.points]
        shapes = [shape.geometry.get_value() for shape in self.made.shapes]
        self._arrays = MujocoArrays(
            qpos=data.qpos,
            qvel=data.qvel,
            ctrl=data.ctrl,
            passed=data.qfrc_actuator,
            q=np.array([int(j.qposadr[0]) for j in joints], int),
            v=v,
            joint=joint_of,
            motors=np.array([order[name] for name in targets], int),
            free=np.array(self._find_base(setup), int),
            table=contact_table(self._roles, shapes),
            points=PointMotion(robot, points).arrays,
        )
        self._bound = bind(self._arrays)
        self._find_all_joints(setup)

    def _find_base(self, setup: EngineSetup) -> tuple[int, int]:
        """First entries of a floating base in positions and velocities."""
        robot, model = self.robot, self._model
        if not robot.floating:
            return -1, -1
        base = setup.world.plant.GetBodyByName(robot.base_name, setup.world.instance)
        free = model.body(self.made.bodies[int(base.index())]).jntadr[0]
        return int(model.jnt_qposadr[free]), int(model.jnt_dofadr[free])

    def _find_all_joints(self, setup: EngineSetup) -> None:
        """Finds out which entries of MuJoCo's state are which of the plant's."""
        model, plant, all_joints = self._model, setup.world.plant, []
        for index in plant.GetJointIndices():
            joint = plant.get_joint(index)
            if joint.num_velocities() == 1 and not joint.is_locked(setup.context):
                at = model.joint(joint.name())
                v = plant.num_positions() + joint.velocity_start()
                places = at.qposadr[0], at.dofadr[0], joint.position_start(), v
                all_joints.append(places)
        self._all = np.array(all_joints, int).reshape(-1, 4).T

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
            at, going = self._arrays.free.tolist()
            data.qpos[at : at + 3], data.qpos[at + 3 : at + 7] = q[4:7], q[:4]
            data.qvel[going : going + 3] = v[3:6]
            turn = np.empty(3)
            self._lib.mju_rotVecQuat(turn, v[:3], q[:4] * [1.0, -1.0, -1.0, -1.0])
            data.qvel[going + 3 : going + 6] = turn
        return self._moment(None)

    def positions(self, moment: EngineMoment) -> np.ndarray:
        """MuJoCo's own configuration at a moment."""
        self._go_to(moment)
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
        self._go_to(now)
        if not command(self._bound, now.v, effort):
            raise RuntimeError(
                "the numbers of this simulation have left all bounds; a shorter "
                "time_step, or weaker pushes and gains, may keep it stable"
            )
        if pushes or self._pushed:
            self._push(pushes)
        if now.friction != self._friction:
            self._rub(now.friction)
        self._at = None
        lib.mj_step(model, data)
        return self._moment(now.friction)

    def _go_to(self, moment: EngineMoment) -> None:
        """Puts MuJoCo's data at a moment, if they are not there from the last step."""
        if self._at is not moment.memory:
            self._lib.mj_setState(self._model, self._data, moment.memory, self._kept)
            self._at = moment.memory

    def _push(self, pushes: Sequence[AppliedForce]) -> None:
        """Applies forces at points of bodies, where these are now."""
        lib, model, data = self._lib, self._model, self._data
        data.qfrc_applied[:] = 0.0
        self._pushed = bool(pushes)
        if not pushes:
            return
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
        own, pairs = self._usual if friction is None else (friction, friction)
        self._model.geom_friction[self.made.supports, 0] = own
        self._model.pair_friction[self.made.grips, :2] = pairs
        self._friction = friction

    def _moment(self, friction: float | None) -> EngineMoment:
        """What MuJoCo's data say now."""
        lib, model, data, robot = self._lib, self._model, self._data, self.robot
        self._at = memory = np.empty(self._size)
        lib.mj_getState(model, data, memory, self._kept)
        q, v = np.empty(robot.num_positions), np.empty(robot.num_velocities)
        effort, none = np.empty(robot.num_joints), self._none
        sums = ContactSums(
            none.wrenches.copy(), none.normal_forces.copy(), none.strikes.copy()
        )
        read(self._bound, raw_contacts(data, self._rubs), q, v, effort, sums)
        hands = len(sums.strikes) - len(self._pedals)
        for i, (pedal, axle) in enumerate(self._pedals):
            swing, rate = data.qpos[axle.qposadr[0]], data.qvel[axle.dofadr[0]]
            sums.strikes[hands + i, PLACE:] = pedal.head_motion(swing, rate)
        return EngineMoment(memory, q, v, sums[0], sums[1], effort, sums[2], friction)
