"""What work costs, in counts that no clock disturbs.

A change that makes ticks, plans or optimizations do more fails here, on any machine and
under any load; `make bench` says what it means in time. Bounds are what was counted,
and a little: who needs more raises them, and says why.
"""

import gc
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.contents import ControlSettings
from backbeat.mpc.remote.exchange import Request
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.serving.session import ControllerSession
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription
from benchmarks.problems import squats
from benchmarks.tick import CASES, OurTicks
from tests.backbeat.performances import swaying

PERIOD = 0.002
# Ticks from one plan to the next.
EVERY = 10
# Bytes that a plan and its ticks may take beside what is there.
MOST_MEMORY = 1_000_000
# Bytes that a solve of the whole-body program may take, its solution among them, and
# those of a plan: an array more is too many for a tick.
MOST_OF_A_SOLVE, MOST_OF_A_PLAN = 2_900, 160_000


@pytest.fixture(scope="module")
def tick() -> Callable[[], None]:
    """`tick()` is the next one of both controllers, of a robot that stands still."""
    behavior = swaying(1.0)
    session = ControllerSession(behavior, Scenario.of(behavior="sway", lead_in=0.1))
    x = np.r_[behavior.motion.q[0], behavior.motion.v[0]]
    force = np.full(2, behavior.robot_model.weight / 2)
    asked = ControlSettings(PlanSettings(), (), 0.0)
    numbers = count()

    def ask() -> None:
        k = next(numbers)
        first = k == 0
        session(Request(k, k * PERIOD, first, x, force, asked if first else None))

    for _ in range(3 * EVERY):
        ask()
    return ask


def counted(call: Callable[[], None]) -> Counter[str]:
    """How often functions are called: ours by file and name, others by library."""
    counts: Counter[str] = Counter()

    def note(frame, event, called):
        if event == "c_call":
            library = (getattr(called, "__module__", None) or "").partition(".")[0]
            counts[library] += 1
        elif event == "call":
            code = frame.f_code
            place = "/".join(code.co_filename.split("/")[-2:])
            counts[f"{place}:{code.co_name}"] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counts


def test_a_tick_is_one_program_and_few_calls(tick):
    """Of the calls of Drake most are its diagram's; one in ten is the robot's."""
    plan, after, *rest = [counted(tick) for _ in range(EVERY)]
    assert rest == rest[:1] * len(rest)
    for found in (plan, after, *rest):
        # The active set is followed in the call that builds the program; no solver
        # is asked besides.
        assert found["qp/active_set.py:solve"] == 0
        assert found["qp/program.py:_run"] == 0
        assert found["programs/momentum.py:solve"] == 1
    assert [found["predictive/program.py:solve"] for found in (plan, *rest)] == [
        1,
        *[0] * len(rest),
    ]
    assert rest[0]["pydrake"] <= 51
    # Nine more ask whether a tick is lost and whether an upper body has a target.
    assert rest[0].total() <= 224
    assert plan["pydrake"] <= 77
    assert plan.total() <= 1700


def test_the_next_plan_and_its_ticks_cost_the_same(tick):
    solvers = "qp/active_set.py:solve", "predictive/program.py:solve"
    libraries = "pydrake", "numpy", *solvers
    first, second = (
        [[counted(tick)[name] for name in libraries] for _ in range(EVERY)]
        for _ in range(2)
    )
    assert first == second


def test_a_tick_leaves_nothing_behind_but_its_time(tick):
    """Blocks of memory that Python has, over plans and ticks; one is the tick's log."""
    more = []
    for _ in range(6):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(5 * EVERY):
            tick()
        gc.collect()
        more.append(sys.getallocatedblocks() - before)
    # Others fill their caches meanwhile; what leaks does so every time.
    assert min(more) <= 2 * 5 * EVERY


def test_a_tick_takes_little_memory_while_it_works(tick):
    """What arrays and objects take at most, at once; a plan is among these ticks."""
    tracemalloc.start()
    try:
        tick()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for _ in range(EVERY):
            tick()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < MOST_MEMORY


def most_memory(call: Callable[[], object]) -> int:
    """Bytes that a call takes at most, at once, beside what calls before it left."""
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(3):
            call()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_solve_of_a_tick_allocates_no_more_than_its_solution(case):
    ours = OurTicks(case)
    dual = ours.program.solve(ours.q, ours.v, ours.target).dual
    taken = most_memory(lambda: ours.program.solve(ours.q, ours.v, ours.target, dual))
    assert 0 < taken <= MOST_OF_A_SOLVE


def test_a_plan_allocates_no_more_than_was_counted():
    reference = Reference(swaying(1.0))
    core = PredictiveCore(PredictiveProgram(reference), recovery=Recovery())
    sample, memory = reference.sample(0.0), core.start()
    memory = core(0.0, sample.q, sample.v, memory)
    taken = most_memory(lambda: core(0.02, sample.q, sample.v, memory))
    assert 0 < taken <= MOST_OF_A_PLAN


@pytest.fixture(scope="module")
def solved():
    return {
        knots: InteriorPoint(Transcription(squats(knots))).solve() for knots in (41, 81)
    }


def test_longer_motions_take_no_more_iterations(solved):
    assert all(solution.is_solved for solution in solved.values())
    short, long = (len(solved[knots].log) for knots in (41, 81))
    assert short <= 12
    assert long <= short + 2
