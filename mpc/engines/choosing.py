"""The engine of a run, by its name in the scenario."""

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.mjcf.package import load_mujoco
from backbeat.mpc.engines.engine_robot import EngineChoice
from backbeat.mpc.engines.engine_setup import MakeEngine
from backbeat.mpc.engines.mujoco_engine import MujocoEngine
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.mpc.scenario.specification import Scenario

# How a scenario names an engine that is handed in.
OWN = "own"


def choose_engine(
    scenario: Scenario, own: MakeEngine | None = None
) -> EngineChoice | None:
    """The engine of a run; None for Drake's plant.

    Args:
        scenario: of the run.
        own: makes an engine of the caller's; None for one of those that are here.

    Raises:
        BackbeatError: the scenario and what is handed in do not go together.
    """
    world = scenario.world
    if (own is None) == (world.engine == OWN):
        raise BackbeatError(
            "the engine of this scenario is one of the caller's, and none is given; "
            "hand it to run_scenario, or choose engine: drake or mujoco"
            if own is None
            else f"an engine is handed in, and engine is {world.engine}; write own"
        )
    if own is None and world.engine == "drake":
        return None
    make = MujocoEngine if own is None else own
    return EngineChoice(make, world.mujoco_contact, world.mismatch, scenario.seed)


def check_engine(name: str) -> None:
    """Refuses an engine that is not here.

    Raises:
        BackbeatError: there is none of that name, or it is not installed.
    """
    if name not in SHIPPED_ENGINES:
        raise unknown_name("engine", name, SHIPPED_ENGINES)
    if name == "mujoco":
        load_mujoco()
