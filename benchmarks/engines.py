"""How contact yields in both engines: sinking, creep, rebound, as a Markdown table.

    python -m benchmarks.engines

A robot with all joints locked in `stand` (a statue) is set on the ground, dropped from
5 cm, and leaned on sideways by a tenth of its weight. There is no controller, so that
the contact alone is measured.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import ContactSettings, Scene, add_world
from backbeat.mpc.engines.drake_engine import DrakeEngine
from backbeat.mpc.engines.engine import AppliedForce, Engine
from backbeat.mpc.engines.engine_setup import EngineSetup, MakeEngine, set_up_engine
from backbeat.mpc.engines.mujoco_engine import MujocoEngine

DROP, LEAN, TIME_STEP = 0.05, 0.1, 1e-3
CONTACTS = (
    ("Drake, `lagged`", DrakeEngine, "lagged"),
    ("Drake, `similar`", DrakeEngine, "similar"),
    ("Drake, `sap`", DrakeEngine, "sap"),
    ("MuJoCo, `firm`", MujocoEngine, "firm"),
    ("MuJoCo, `soft`", MujocoEngine, "soft"),
)
HEAD = "| contact | sinks | creeps | rebounds | impact |\n|---|---|---|---|---|"


class Yielding(NamedTuple):
    """What is measured of a contact.

    Attributes:
        sinking: of the standing statue's base [m].
        creep: of the statue under a force along x [m/s].
        rebound: of the statue's base over where it comes to rest, after a drop [m].
        impact: largest force of the ground in that drop, in weights.
    """

    sinking: float
    creep: float
    rebound: float
    impact: float

    def row(self, name: str) -> str:
        """As a row of the table."""
        return (
            f"| {name} | {1e3 * self.sinking:.3f} mm | {1e6 * self.creep:.3g} um/s "
            f"| {1e3 * self.rebound:.2f} mm | {self.impact:.1f} weights |"
        )


def statue(make: MakeEngine, contact: str) -> tuple[Engine, np.ndarray, EngineSetup]:
    """An engine with a statue, and where its soles touch the ground."""
    free = RobotModel("atlas")
    stand = free.posture("stand")
    angles = dict(zip(free.joint_names, stand[7:].tolist(), strict=True))
    # One joint moves, for a robot needs one: that of the neck.
    neck = (
        free.joint_names[int(free.roles.joints("head")[0])]
        if "head" in (free.groups)
        else free.joint_names[0]
    )
    angles.pop(neck)
    robot = RobotModel("atlas", locked=angles)
    builder, is_drake = DiagramBuilder(), make is DrakeEngine
    settings = ContactSettings(contact if is_drake else "lagged")
    world = add_world(builder, robot, TIME_STEP, settings)
    law = "firm" if is_drake else contact
    setup = set_up_engine(builder, world, Scene(), law)
    q = np.r_[stand[:7], stand[7 + free.joint_index(neck)]]
    return make(setup), q, setup


def heights(
    engine: Engine, q: np.ndarray, seconds: float, pushes: tuple[AppliedForce, ...] = ()
) -> Iterator[tuple[np.ndarray, float]]:
    """Configurations and vertical force of the ground, step by step."""
    now = engine.reset(q, np.zeros(engine.robot.num_velocities))
    hold = np.zeros(engine.robot.num_joints)
    for _ in range(round(seconds / engine.time_step)):
        error, rate = q[7:] - now.q[7:], now.v[6:]
        now = engine.step(now, hold + 200.0 * error - 5.0 * rate, pushes)
        yield now.q, float(now.contact[:, 5].sum())


def measure(make: MakeEngine, contact: str) -> Yielding:
    """Sets, leans on and drops a statue."""
    engine, q, setup = statue(make, contact)
    stood = [at for at, _ in heights(engine, q, 1.0)]
    rest = float(stood[-1][6])
    plant, weight = setup.world.plant, engine.robot.weight
    base = int(plant.GetBodyByName(engine.robot.base_name).index())
    # At the height of the soles: what leans higher up tips the statue.
    low = AppliedForce(
        base, np.array([0.0, 0.0, -q[6]]), np.array([LEAN * weight, 0, 0])
    )
    leaned = [at[4] for at, _ in heights(engine, q, 1.0, (low,))]
    half = len(leaned) // 2
    creep = (leaned[-1] - leaned[half]) / (engine.time_step * (len(leaned) - half - 1))
    above = q.copy()
    above[6] += DROP
    dropped = list(heights(engine, above, 0.6))
    z = np.array([at[6] for at, _ in dropped])
    landed = int(np.argmax(z <= rest))
    lowest = landed + int(np.argmin(z[landed : landed + 60]))
    force = max(f for _, f in dropped)
    return Yielding(
        float(q[6] - rest), creep, float(z[lowest:].max() - rest), force / weight
    )


def main() -> None:
    """Prints the table."""
    print(HEAD)
    for name, make, contact in CONTACTS:
        print(measure(make, contact).row(name), flush=True)


if __name__ == "__main__":
    main()
