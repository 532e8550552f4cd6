"""Controllers of a user's own in the closed loop, in place of either of ours.

    def make(reference: Reference, settings: ControllerSettings) -> OwnControllers:
        return OwnControllers(plan=Lqr(reference))

Either is a function of what is sensed, without memory of its own: `plan(now)` returns a
`Plan`, fifty times a second, `command(now)` a joint command, five hundred times. What
needs memory is a Drake system, with the ports of `PredictiveController` or
`WholeBodyController` that it uses.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from pydrake.systems.framework import LeafSystem

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.control import ControlOptions

# Ports by which a system of the user's own may be connected.
PLAN_INPUTS = ("state", "normal_forces", "settings")
COMMAND_INPUTS = ("state", "plan", "hands")


class ControllerInput(NamedTuple):
    """What a controller reads.

    Attributes:
        t: time since the simulation began [s]; the lead-in comes first.
        q, v: (nq,), (nv,) state of the robot model, as it is estimated.
        plan: the plan in force; for `plan(now)` its own of before.
        normal_forces: (S,) on the soles [N]; None for a joint command.
        settings: of plans that hold now, with the tempo; None for a joint command.
        hands: where hands are held elsewhere; empty for a plan.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    plan: Plan
    normal_forces: np.ndarray | None = None
    settings: PlanSettings | None = None
    hands: tuple[HandOffset, ...] = ()


PlanFunction = Callable[[ControllerInput], Plan]
CommandFunction = Callable[[ControllerInput], np.ndarray]


@dataclass(frozen=True)
class OwnControllers:
    """What takes the place of our controllers.

    Attributes:
        plan: of the predictive one; None for ours.
        command: of the whole-body one; None for ours.
        code: where they come from; None for a program of the user's.
    """

    plan: PlanFunction | LeafSystem | None = None
    command: CommandFunction | LeafSystem | None = None
    code: UserCode | None = field(default=None, compare=False)

    @property
    def source(self) -> str:
        """What they are called in messages."""
        return str(self.code) if self.code else "the controller"

    def story(self) -> dict[str, Any]:
        """What run files keep: what is replaced, and by which file."""
        parts = (("plan", self.plan), ("command", self.command))
        code = self.code.story() if self.code else {}
        return {"replaces": [n for n, part in parts if part is not None], **code}

    def check(self, control: ControlOptions) -> None:
        """Refuses what cannot be connected, and settings of what is replaced.

        Raises:
            BackbeatError: there is such a thing.
        """
        if self.plan is None and self.command is None:
            raise BackbeatError(
                f"{self.source} replaces nothing; give OwnControllers a plan, a "
                "command, or both"
            )
        if isinstance(self.plan, LeafSystem):
            _check_ports(self.plan, PLAN_INPUTS, "plan")
        if isinstance(self.command, LeafSystem):
            _check_ports(self.command, COMMAND_INPUTS, "command")
        about = []
        if control.task_space is not None:
            about = ["task_space"]
        elif self.plan is not None and control.planner == "process":
            about = ["planner: process"]
        elif self.command is not None and control.preset:
            about = [f"preset: {control.preset}"]
        elif self.command is not None and control.upper_body.hand:
            about = ["upper_body"]
        for setting in about:
            raise BackbeatError(
                f"{setting} is of the controller that {self.source} replaces; leave it "
                "out"
            )


def controller_in_words(story: Mapping[str, Any]) -> str:
    """What replaces which controller, from `OwnControllers.story`."""
    parts = {"plan": "predictive", "command": "whole-body"}
    what = " and ".join(parts[name] for name in story["replaces"])
    source = f"{story['file']}:{story['name']}" if "file" in story else "a program"
    return f"{source} in place of the {what} controller"


class FunctionPlanner:
    """A `Planner` that calls a function of the user's own."""

    def __init__(
        self, function: PlanFunction, reference: Reference, code: UserCode | None
    ) -> None:
        """Plans for a behavior with a function from some file."""
        self._function, self._code = function, code
        self._sizes = len(reference.patches), len(reference.soles)

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
        settings: PlanSettings | None = None,
    ) -> PredictiveMemory:
        """What `PredictiveCore` would do.

        Raises:
            BackbeatError: the function fails, or returns no plan that can be followed.
        """
        now = ControllerInput(t, q.copy(), v.copy(), memory.plan, force, settings)
        began, busy = time.perf_counter(), time.thread_time()
        with telling(self._code, f"at {t:.3f} s"):
            plan = self._function(now)
        _check_plan(plan, t, *self._sizes)
        plan = replace(
            plan,
            solve_time=time.perf_counter() - began,
            solve_cpu=time.thread_time() - busy,
        )
        plans = memory.plans + 1
        return replace(memory, plan=plan, plans=plans, settings=settings)


def telling(code: UserCode | None, what: str) -> AbstractContextManager[None]:
    """Says where an error of a file's code is; that of a program is its own."""
    return code.running(what) if code else nullcontext()


def _check_plan(plan: object, t: float, patches: int, soles: int) -> None:
    """Refuses what the whole-body controller cannot follow.

    Raises:
        BackbeatError: it is no plan, has other sizes, or is no finite numbers.
    """
    if not isinstance(plan, Plan):
        raise BackbeatError(
            f"plan(now) returned {type(plan).__name__} at {t:.3f} s, not a Plan; "
            "`PlanNear` makes one"
        )
    N = len(plan.durations)
    shapes = {
        "durations": (N,),
        "phases": (N + 1,),
        "deviation": (N + 1, 12),
        "wrench": (N, patches, 6),
        "com": (N + 1, 3),
        "shift": (N + 1, soles, 2),
    }
    for name, shape in shapes.items():
        values = np.asarray(getattr(plan, name))
        if values.shape != shape or not np.isfinite(values).all():
            raise BackbeatError(
                f"plan(now) returned a plan at {t:.3f} s whose {name} is not "
                f"{shape} finite numbers (shape {values.shape})"
            )
    if N == 0 or plan.durations.min() <= 0:
        raise BackbeatError(
            f"plan(now) returned a plan at {t:.3f} s whose durations are not positive"
        )


def _check_ports(system: LeafSystem, inputs: tuple[str, ...], output: str) -> None:
    """Refuses a system of the user's own that cannot be connected.

    Raises:
        BackbeatError: it has a port that nothing is connected to, or lacks its output.
    """
    name = type(system).__name__
    ports = [
        system.get_input_port(i).get_name() for i in range(system.num_input_ports())
    ]
    for port in ports:
        if port not in inputs:
            raise BackbeatError(
                f"{name}: there is nothing to connect to its input port {port!r}; "
                f"there are {', '.join(inputs)}"
            )
    if not system.HasOutputPort(output):
        raise BackbeatError(f"{name} has no output port {output!r}")
