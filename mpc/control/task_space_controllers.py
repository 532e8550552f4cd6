"""Controllers of a hand in task space, in the place of those of a behavior."""

from collections.abc import Callable

from pydrake.systems.framework import DiagramBuilder, InputPort

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.control.own_controllers import ControllerInput, FunctionPlanner
from backbeat.mpc.control.task_space_setup import set_up
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.task_space.controller import TaskSpaceController

# Inputs of a controller in task space besides `state` and `task`, and their sizes.
TASK_VECTORS = {"target": 9, "hand": 3, "hand_rate": 3, "base_acceleration": 6}


def task_inputs(robot: RobotModel) -> list[str]:
    """Inputs of a controller in task space that are to be connected besides `state`."""
    moved = "base_acceleration"
    return [n for n in (*TASK_VECTORS, "task") if robot.floating or n != moved]


def resting_planner(
    program: PredictiveProgram, reference: Reference, timing: TimingSettings
) -> FunctionPlanner:
    """What plans for a robot that has nothing to plan: it follows the behavior."""

    def plan(now: ControllerInput) -> Plan:
        return program.rest(now.t, now.t - timing.lead_in)

    return FunctionPlanner(plan, reference, None)


def add_task_space(
    builder: DiagramBuilder,
    reference: Reference,
    task: TaskSpaceTask,
    timing: TimingSettings,
    is_lost: Callable[[float], bool],
) -> tuple[TaskSpaceController, dict[str, tuple[InputPort, ...]]]:
    """Adds the controller of a hand.

    Args:
        builder: of the diagram.
        reference: the behavior, see `task_space_behavior`.
        task: what the hand does.
        timing: period of ticks.
        is_lost: says of a time [s] whether its tick is lost.

    Returns:
        The controller, and its inputs that are to be connected besides `state`.
    """
    law = set_up(reference.behavior, task)
    controller = TaskSpaceController(law, timing.tick_period, is_lost)
    builder.AddNamedSystem("task_space_controller", controller)
    inputs = task_inputs(reference.robot)
    return controller, {n: (controller.GetInputPort(n),) for n in inputs}
