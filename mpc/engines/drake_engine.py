"""DrakeEngine: Drake's plant as an `Engine`, for loops outside of its diagram.

A closed loop with `engine: drake` has the plant in its own diagram, which is faster:
here every step has a Context of its own.
"""

from collections.abc import Sequence

import numpy as np
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context

from backbeat.mpc.engines.engine import AppliedForce, EngineMoment
from backbeat.mpc.engines.engine_setup import EngineSetup
from backbeat.mpc.world.stick_contacts import ROW


class DrakeEngine:
    """An `Engine`; what it remembers is a Context of the plant's diagram.

    Attributes:
        robot: whose state and joints are meant.
        time_step: length of a step [s].
    """

    def __init__(self, setup: EngineSetup) -> None:
        """Takes the world's plant, which has steps, as it is."""
        self.robot, self.time_step = setup.world.robot, setup.time_step
        self._setup, self._world = setup, setup.world
        names = self._world.actuator_joints()
        order = {name: i for i, name in enumerate(self.robot.joint_names)}
        self._driven = [k for k, name in enumerate(names) if name in order]
        self._joints = [order[names[k]] for k in self._driven]
        self._actuators, self._felt = len(names), self._world.effort_selection()

    def reset(self, q: np.ndarray, v: np.ndarray) -> EngineMoment:
        """The robot at (q, v), (nq,) and (nv,), with nothing touching yet."""
        root = self._setup.root.Clone()
        plant = self._world.plant
        self._world.set_state(plant.GetMyMutableContextFromRoot(root), q, v)
        self._act(root, np.zeros(self.robot.num_joints), ())
        return self._moment(root, None)

    def step(
        self,
        now: EngineMoment,
        effort: np.ndarray,
        pushes: Sequence[AppliedForce] = (),
    ) -> EngineMoment:
        """The moment after a step; see `Engine.step`."""
        root = now.memory.Clone()
        # A step is due at time zero, and no sum of times is off by a rounding.
        root.SetTime(0.0)
        if now.friction is not None:
            self._world.set_friction(root, now.friction)
        self._act(root, effort, pushes)
        simulator = Simulator(self._setup.diagram, root)
        simulator.AdvanceTo(self.time_step)
        return self._moment(simulator.get_context().Clone(), now.friction)

    def _act(
        self, root: Context, effort: np.ndarray, pushes: Sequence[AppliedForce]
    ) -> None:
        """Sets what acts on the plant over the step to come."""
        plant = self._world.plant
        own = plant.GetMyMutableContextFromRoot(root)
        actuation = np.zeros(self._actuators)
        actuation[self._driven] = effort[self._joints]
        plant.get_actuation_input_port(self._world.instance).FixValue(own, actuation)
        forces = []
        for push in pushes:
            applied = ExternallyAppliedSpatialForce()
            applied.body_index = self._setup.body(push.body).index()
            applied.p_BoBq_B = push.p_BoBq_B
            applied.F_Bq_W = SpatialForce(np.zeros(3), push.f_W)
            forces.append(applied)
        plant.get_applied_spatial_force_input_port().FixValue(own, forces)

    def _moment(self, root: Context, friction: float | None) -> EngineMoment:
        """What the plant says at the end of a step."""
        plant, log = self._world.plant, self._setup.contact_log
        own, logged = plant.GetMyContextFromRoot(root), log.GetMyContextFromRoot(root)
        x = plant.GetPositionsAndVelocities(own)[self._world.state_places]
        q, v = np.split(x, [self.robot.num_positions])
        net = plant.get_net_actuation_output_port(self._world.instance).Eval(own)

        def read(name: str) -> np.ndarray:
            value: np.ndarray = log.GetOutputPort(name).Eval(logged)
            return value.copy()

        return EngineMoment(
            memory=root,
            q=q,
            v=v,
            contact=read("wrenches").reshape(-1, 6),
            normal_forces=read("normal_forces"),
            effort=self._felt @ net,
            strikes=read("strikes").reshape(-1, ROW),
            friction=friction,
        )
