"""Faults, put into a closed loop for a while."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import piqp
import pytest
import scipy.sparse as sp
from pydrake.systems.framework import BasicVector, Context, LeafSystem

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation import diagram, running_loop
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.programs import momentum as whole_body_program
from backbeat.mpc.whole_body.programs.assembly import build
from backbeat.mpc.world import contact_log
from backbeat.optimization.qp.program import QPSolution

# What a solver does instead: given the right answer, raises or returns another.
Fault = Callable[[Any], Any]


def raises(error: Exception) -> Fault:
    """A solver that raises."""

    def fault(answer: Any) -> Any:
        raise error

    return fault


class FaultySensor(LeafSystem):
    """A matrix gain whose output is no number in an interval of time."""

    def __init__(self, D: sp.csc_matrix, start: float, end: float) -> None:
        super().__init__()
        self._D, self._interval = D, (start, end)
        self._input = self.DeclareVectorInputPort("in", D.shape[1])
        self.DeclareVectorOutputPort("out", D.shape[0], self._calc)

    def _calc(self, context: Context, output: BasicVector) -> None:
        x = self._D @ self._input.Eval(context)
        start, end = self._interval
        if start <= context.get_time() < end:
            x[:] = np.nan
        output.SetFromVector(x)


def run_with(
    behavior: Behavior,
    scenario: Scenario,
    tick: Fault | None = None,
    plan: Fault | None = None,
    blind: bool = False,
    lies: tuple[str, ...] = (),
    since: float = 0.0,
    lasts: float = np.inf,
) -> SimulationRun:
    """A run with faults in an interval of the behavior's time.

    Args:
        behavior, scenario: as of `run_scenario`.
        tick, plan: what the whole-body or the predictive program does instead.
        blind: whether the state is no number.
        lies: whose solver, of "tick" and "plan", says "solved" of a wrong answer.
        since, lasts: the interval [s].
    """
    start = scenario.timing.lead_in + since

    def build(*arguments: Any) -> diagram.ClosedLoop:
        loop = diagram.build_closed_loop(*arguments)
        clock: list[float] = [0.0]
        for program, fault in (
            (loop.whole_body.core.program, tick),
            (loop.predictive.core.program, plan),
        ):
            if fault is not None:
                _break(patch, program, fault, clock, (start, start + lasts))
        interval = (start, start + lasts)
        if "tick" in lies:
            solver = loop.whole_body.core.program._solver
            _break(patch, solver, _wrong, clock, interval)
            # What is solved and checked in one call is left to that solver.
            patch.setattr(whole_body_program, "solve_from", _build_alone)
        if "plan" in lies:
            solver = loop.predictive.core.program._solver
            liar = LyingSolver(solver._solver, clock, interval)
            patch.setattr(solver, "_solver", liar)
        _follow(patch, loop, clock)
        return loop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_loop, "build_closed_loop", build)
        if blind:
            patch.setattr(
                contact_log,
                "SparseMatrixGain",
                lambda D: FaultySensor(D, start, start + lasts),
            )
        return run_scenario(scenario, behavior)


def _wrong(solution: QPSolution) -> QPSolution:
    return replace(solution, x=solution.x + 0.3, found=True)


def _build_alone(bound: Any, q: np.ndarray, v: np.ndarray, *more: Any) -> int:
    build(bound, q, v)
    return 0


class LyingSolver:
    """PIQP, but for an interval in which it gives wrong answers as solved."""

    def __init__(
        self, solver: Any, clock: list[float], interval: tuple[float, float]
    ) -> None:
        self._solver, self._clock, self._interval = solver, clock, interval
        self.update, self.settings = solver.update, solver.settings

    def solve(self) -> Any:
        status, start, end = self._solver.solve(), *self._interval
        self.result = self._solver.result
        if not start <= self._clock[0] < end:
            return status
        x = np.array(self.result.x)
        self.result = SimpleNamespace(x=x + 0.3, info=self.result.info)
        return piqp.PIQP_SOLVED


def _follow(
    patch: pytest.MonkeyPatch, loop: diagram.ClosedLoop, clock: list[float]
) -> None:
    """Keeps the time of the controllers' last call."""
    for system in (loop.whole_body, loop.predictive):
        patch.setattr(system, "core", _Timed(system.core, clock))


class _Timed:
    """A core of a controller that keeps the time of its last call."""

    def __init__(self, core: Any, clock: list[float]) -> None:
        self._core, self._clock = core, clock

    def __call__(self, t: float, *rest: Any) -> Any:
        self._clock[0] = t
        return self._core(t, *rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)


def _break(
    patch: pytest.MonkeyPatch,
    program: Any,
    fault: Fault,
    clock: list[float],
    interval: tuple[float, float],
) -> None:
    solve = program.solve

    def faulty(*arguments: Any, **named: Any) -> Any:
        inside = interval[0] <= clock[0] < interval[1]
        answer = solve(*arguments, **named)
        return fault(answer) if inside else answer

    patch.setattr(program, "solve", faulty)
