"""MuJoCo's engine for a behavior on its own, and why there may be none."""

from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.models.mjcf.contact import FIRM
from backbeat.models.world.scene import add_world
from backbeat.mpc.engines.engine_setup import set_up_engine
from backbeat.mpc.engines.mujoco_engine import MujocoEngine


def mujoco_for(behavior: Behavior, law: str = FIRM) -> MujocoEngine:
    """The engine with robot and scene of a behavior, as the model has them.

    Args:
        behavior: whose robot and scene are meant.
        law: name of how contact yields.

    Raises:
        BackbeatError: MuJoCo is not installed, or cannot simulate them.
    """
    builder = DiagramBuilder()
    world = add_world(builder, behavior.robot_model, scene=behavior.scene)
    return MujocoEngine(set_up_engine(builder, world, behavior.scene, law))


def why_not_mujoco(behavior: Behavior) -> str:
    """Why MuJoCo cannot simulate a behavior, in a sentence; "" where it can."""
    try:
        mujoco_for(behavior)
    except BackbeatError as error:
        return str(error)
    return ""
