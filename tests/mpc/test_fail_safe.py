"""Every edge of the fail-safe machine: by its table, and in the closed loop."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backbeat.models.actuation.joint_command import (
    BLOCKS,
    DAMPING,
    EFFORT,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.safety_metrics import in_words, safety_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.predictive.core import CARRY as PLAN_CARRY
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import (
    REMEMBERED,
    Cause,
    FailSafe,
    Failure,
    Mode,
    Safety,
    advance,
    attempt,
)
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.whole_body.core import CARRY, WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from tests.mpc.faults import raises, run_with

LIMITS = FailSafe(carry=0.05, settle=3, blind=0.2)
SOLVED, DEAD = None, Failure(Cause.INFEASIBLE)
BLIND = Failure(Cause.STATE)
TRACKING, CARRYING, HOLDING, FALLEN = Mode


def at(mode, **more):
    """The machine 10 ms after it entered a mode at 1 s."""
    return Safety(mode=mode, since=1.0, **more)


# (from, time [s], failure, fall, to): the rows of the table in the documentation.
EDGES = [
    (at(TRACKING), 1.01, SOLVED, "", TRACKING),
    (at(TRACKING), 1.01, DEAD, "", CARRYING),
    (at(TRACKING), 1.01, BLIND, "", CARRYING),
    (at(TRACKING), 1.01, SOLVED, "tilted", FALLEN),
    (at(TRACKING), 1.01, DEAD, "tilted", FALLEN),
    (at(CARRYING), 1.01, SOLVED, "", TRACKING),
    (at(CARRYING), 1.01, DEAD, "", CARRYING),
    (at(CARRYING), 1.05, DEAD, "", HOLDING),
    (at(CARRYING), 1.05, BLIND, "", HOLDING),
    (at(CARRYING), 1.05, SOLVED, "", TRACKING),
    (at(CARRYING), 1.01, DEAD, "tilted", FALLEN),
    (at(HOLDING), 1.01, SOLVED, "", HOLDING),
    (at(HOLDING, solved=1), 1.01, SOLVED, "", HOLDING),
    (at(HOLDING, solved=2), 1.01, SOLVED, "", TRACKING),
    (at(HOLDING, solved=2), 1.01, DEAD, "", HOLDING),
    (at(HOLDING), 99.0, DEAD, "", HOLDING),
    (at(HOLDING, blind_since=1.0), 1.19, BLIND, "", HOLDING),
    (at(HOLDING, blind_since=1.0), 1.2, BLIND, "", FALLEN),
    (at(HOLDING, blind_since=1.0), 1.2, DEAD, "", HOLDING),
    (at(HOLDING), 1.01, DEAD, "tilted", FALLEN),
    (at(HOLDING, solved=2), 1.01, SOLVED, "tilted", FALLEN),
    (at(FALLEN, fall="tilted"), 9.0, SOLVED, "", FALLEN),
    (at(FALLEN, fall="tilted"), 9.0, DEAD, "low", FALLEN),
]


@pytest.mark.parametrize(("safety", "t", "failure", "fall", "mode"), EDGES)
def test_an_edge_leads_where_the_table_says(safety, t, failure, fall, mode):
    after = advance(safety, t, failure, fall, LIMITS)
    assert after.mode is mode
    assert after.since == (safety.since if mode is safety.mode else t)
    assert (after.fall != "") == (mode is FALLEN)
    if mode is not safety.mode:
        assert after.changes[-1].mode is mode
        assert after.time_in(safety.mode, t) == pytest.approx(t - 1.0)


def test_the_table_has_every_mode_and_event():
    seen = {(s.mode, f is None, bool(fall)) for s, _, f, fall, _ in EDGES}
    possible = {(m, f, fall) for m in Mode for f in (0, 1) for fall in (0, 1)}
    # Nothing matters after a fall, and a solved program of a carried-on command that
    # sees a fall is the same edge as an unsolved one.
    assert possible - seen <= {(FALLEN, f, fall) for f in (0, 1) for fall in (0, 1)} | {
        (CARRYING, 1, 1)
    }


# The events of the documentation: (time in the mode [s], failure, fall, memory).
EVENTS = {
    "solved": (0.01, SOLVED, "", {}),
    "not solved": (0.01, DEAD, "", {}),
    "fall": (0.01, SOLVED, "tilted", {}),
    "not solved, in time": (0.04, DEAD, "", {}),
    "not solved, too long": (0.05, DEAD, "", {}),
    "solved, not often enough": (0.01, SOLVED, "", {"solved": 3}),
    "solved, five times in a row": (0.01, SOLVED, "", {"solved": 4}),
    "no state for 0.5 s": (0.5, BLIND, "", {"blind_since": 1.0}),
}


def documented():
    """(mode, event, next mode) of every row of the table in the documentation."""
    page = Path(__file__).parents[2] / "docs/explanation/fail_safe.md"
    rows = [line.strip("|").split("|") for line in page.read_text().splitlines()]
    cells = [tuple(c.strip() for c in row) for row in rows if len(row) == 3]
    return [c for c in cells if c[0] in {*map(str, Mode)} and c[1] in EVENTS]


@pytest.mark.parametrize(("before", "event", "after"), documented())
def test_the_documentation_says_what_is_done(before, event, after):
    elapsed, failure, fall, memory = EVENTS[event]
    safety = at(Mode(before), **memory)
    limits = FailSafe(carry=CARRY)
    assert advance(safety, 1.0 + elapsed, failure, fall, limits).mode == after


def test_the_documentation_has_all_rows():
    assert len(documented()) == 15
    assert {event for _, event, _ in documented()} == {*EVENTS}


def test_nothing_new_is_made_when_all_is_well():
    safety = Safety()
    assert advance(safety, 1.0, SOLVED, "", LIMITS) is safety


def test_one_failure_during_a_hold_starts_the_count_again():
    safety = at(HOLDING)
    for failure in (SOLVED, SOLVED, DEAD, SOLVED, SOLVED):
        safety = advance(safety, 1.0, failure, "", LIMITS)
        assert safety.mode is HOLDING
    assert advance(safety, 1.0, SOLVED, "", LIMITS).mode is TRACKING


def test_failures_are_counted_by_cause_with_the_first_time_and_message():
    safety = Safety()
    events = [
        (0.1, Failure(Cause.EXCEPTION, "ValueError: a")),
        (0.2, DEAD),
        (0.3, Failure(Cause.EXCEPTION, "ValueError: b")),
    ]
    for t, failure in events:
        safety = advance(safety, t, failure, "", LIMITS)
    assert safety.count == 3
    exceptions = safety.failures[Cause.EXCEPTION]
    assert (exceptions.count, exceptions.first) == (2, 0.1)
    assert exceptions.message == "ValueError: a"
    assert safety.failures[Cause.INFEASIBLE].count == 1


def test_times_add_up_and_memory_does_not_grow():
    safety, rng, t = Safety(), np.random.default_rng(0), 0.0
    for _ in range(3000):
        t += 0.01
        safety = advance(safety, t, SOLVED if rng.random() < 0.5 else DEAD, "", LIMITS)
    assert sum(safety.time_in(m, t) for m in Mode) == pytest.approx(t)
    assert len(safety.changes) == REMEMBERED
    assert {m for m in Mode if safety.time_in(m, t)} == {TRACKING, CARRYING, HOLDING}


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("no"),
        ValueError("no"),
        np.linalg.LinAlgError("no"),
        FloatingPointError("no"),
        ZeroDivisionError("no"),
    ],
)
def test_what_a_solver_raises_is_a_failure_with_its_message(error):
    failure = attempt(lambda: raises(error)(None))
    assert failure == Failure(Cause.EXCEPTION, f"{type(error).__name__}: no")


@pytest.mark.parametrize("error", [KeyError("x"), AttributeError("x"), MemoryError()])
def test_mistakes_of_the_program_are_not_caught(error):
    with pytest.raises(type(error)):
        attempt(lambda: raises(error)(None))


class Ticks:
    """A whole-body tick on a standing robot, with a program that can be broken."""

    def __init__(self, tick, plan, monkeypatch):
        self.tick, self.plan, self.patch = tick, plan, monkeypatch
        self.memory, self.t, self._solve = tick.start(), 0.0, tick.program.solve
        table = tick.reference.table
        self.q, self.v = table.q[0].copy(), np.zeros_like(table.v[0])

    def run(self, ticks, fault=None, q=None):
        """Some ticks; returns the blocks of the last command."""

        def solve(*arguments):
            answer = self._solve(*arguments)
            return answer if fault is None else fault(answer)

        self.patch.setattr(self.tick.program, "solve", solve)
        for _ in range(ticks):
            q = self.q if q is None else q
            self.memory = self.tick(self.t, q, self.v, self.plan, self.memory)
            self.t += self.tick.period
        return self.memory.command.reshape(BLOCKS, -1)

    @property
    def mode(self):
        return self.memory.safety.mode


@pytest.fixture(scope="module")
def standing(built):
    """The tick of a standing robot, and a plan for it."""
    reference = Reference(built("stand"))
    program = WholeBodyProgram(reference.robot, reference.patches, reference.points)
    plan = PredictiveProgram(reference).rest(0.0, 0.0)
    return WholeBodyCore(program, reference), plan


@pytest.fixture
def ticks(standing, monkeypatch):
    return Ticks(*standing, monkeypatch)


def unsolved(status):
    return lambda answer: replace(answer, is_solved=False, status=status)


@pytest.mark.parametrize("cause", [*Cause][:4])
def test_the_cause_of_an_unsolved_tick_is_what_the_solver_says(ticks, cause):
    good = ticks.run(2).copy()
    np.testing.assert_array_equal(ticks.run(1, unsolved(str(cause))), good)
    assert ticks.mode is CARRYING
    assert ticks.memory.safety.failures[cause].count == 1
    assert ticks.memory.failures == 1


def test_the_tick_goes_through_all_modes_and_back(ticks):
    dead, n = raises(RuntimeError("dead")), round(CARRY / 0.002)
    good = ticks.run(2).copy()
    np.testing.assert_array_equal(ticks.run(n, dead), good)
    assert ticks.mode is CARRYING
    held = ticks.run(1, dead)
    assert ticks.mode is HOLDING
    np.testing.assert_array_equal(held[POSITION], ticks.q[7:])
    assert not held[EFFORT].any()
    assert not held[VELOCITY].any()
    assert (held[STIFFNESS] > 0).all()
    assert (held[DAMPING] > 0).all()
    settle = ticks.tick.limits.settle
    np.testing.assert_array_equal(ticks.run(settle - 1), held)
    again = ticks.run(1)
    assert ticks.mode is TRACKING
    ticks.t, ticks.memory = ticks.t - ticks.tick.period, ticks.tick.start()
    fresh = ticks.run(1)
    assert np.abs(again[EFFORT] - fresh[EFFORT]).max() < 1e-6


def test_a_fallen_robot_is_damped_and_stays_declared(ticks):
    ticks.run(2)
    low = ticks.q.copy()
    # On its side: a quarter turn about the x axis.
    low[:4] = np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0
    for q in (low, ticks.q):
        command = ticks.run(3, q=q)
        assert ticks.mode is FALLEN
        assert not command[[EFFORT, VELOCITY, STIFFNESS]].any()
        assert (command[DAMPING] > 0).all()
    assert "tilted by 90" in ticks.memory.safety.fall


def test_a_hold_asks_for_bounded_torques(ticks):
    """At its angle a joint gives what it has, and the servo cuts the rest."""
    ticks.run(1)
    held = ticks.run(40, raises(RuntimeError("dead")))
    limits = ticks.tick.robot.effort_limits
    assert (held[STIFFNESS] * 0.2 <= limits * (1 + 1e-12)).all()


STAND = {"behavior": "stand", "lead_in": 0.1, "lead_out": 0.0}
DEAD_SOLVER = raises(RuntimeError("the solver is dead"))


def settled(run):
    """Whether the robot stands still at the end, about where the behavior has it."""
    q, v = np.split(run.x[-1], [run.behavior.robot_model.num_positions])
    motion = run.behavior.motion
    wanted = motion.q[np.searchsorted(motion.t, run.t[-1])]
    away = np.abs(q[4:7] - wanted[4:7]).max()
    return not run.fell and away < 0.02 and np.abs(v).max() < 0.2


@pytest.mark.parametrize(
    ("faults", "modes"),
    [
        ({"tick": DEAD_SOLVER, "lasts": 0.02}, [CARRYING, TRACKING]),
        ({"tick": unsolved("infeasible"), "lasts": 0.1}, [CARRYING, HOLDING, TRACKING]),
        ({"blind": True, "lasts": 0.005}, [CARRYING, TRACKING]),
    ],
)
def test_a_fault_of_the_tick_for_a_while_is_survived(built, faults, modes):
    scenario = Scenario.of(**STAND, duration=0.7)
    run = run_with(built("stand"), scenario, since=0.2, **faults)
    assert settled(run)
    assert [c.mode for c in run.tick_safety.changes] == modes
    assert run.tick_safety.count == run.failures > 0
    end, start = run.t[-1] + STAND["lead_in"], STAND["lead_in"]
    story = safety_metrics(run.tick_safety, end, start)
    (failure,) = story["failures"].values()
    assert failure["count"] == run.failures
    assert failure["first_s"] == pytest.approx(0.2, abs=0.0021)
    assert story["mode"] == "tracking"
    seconds = story["seconds"]
    assert sum(seconds.values()) == pytest.approx(end)
    lost = seconds["carrying on"] + seconds["holding"]
    assert lost == pytest.approx(faults["lasts"], abs=0.015)


@pytest.mark.parametrize(
    ("lasts", "modes"),
    [(0.2, [CARRYING, TRACKING]), (0.6, [CARRYING, HOLDING, TRACKING])],
)
def test_a_fault_of_the_plan_for_a_while_is_survived(built, lasts, modes):
    scenario = Scenario.of(**STAND, duration=1.1)
    run = run_with(built("stand"), scenario, plan=DEAD_SOLVER, since=0.2, lasts=lasts)
    assert settled(run)
    assert [c.mode for c in run.plan_safety.changes] == modes
    assert run.tick_safety.count == 0
    stale = [p for p in run.plans if not p.is_fresh]
    assert len(stale) == pytest.approx(lasts / 0.02, abs=5)
    ends = {p.status.rsplit(", ", 1)[1] for p in stale}
    assert ends == ({"carried on"} if lasts < PLAN_CARRY else {"carried on", "holding"})
    assert "the solver is dead" in stale[0].status


@pytest.mark.parametrize("who", ["tick", "plan"])
def test_a_solver_that_calls_wrong_answers_solved_is_not_believed(built, who):
    scenario = Scenario.of(**STAND, duration=0.7)
    run = run_with(built("stand"), scenario, lies=(who,), since=0.2, lasts=0.1)
    assert settled(run)
    safety = {"tick": run.tick_safety, "plan": run.plan_safety}
    assert safety[who].failures.keys() == {Cause.INACCURATE}
    assert safety[who].failures[Cause.INACCURATE].count >= 4
    assert safety[who].mode is TRACKING
    del safety[who]
    assert not any(other.failures for other in safety.values())


def test_a_robot_whose_solver_dies_holds_its_posture(built):
    """It stands for as long as nobody pushes it."""
    run = run_with(
        built("stand"), Scenario.of(**STAND, duration=1.5), tick=DEAD_SOLVER, since=0.2
    )
    assert settled(run)
    assert run.tick_safety.mode is HOLDING
    assert run_metrics(run)["safety"]["whole_body"]["seconds"]["holding"] > 1.0


def test_a_push_fells_it_then_and_it_says_so(built):
    push = Push(time=0.4, duration=0.1, impulse=[0.0, 150.0, 0.0])
    scenario = Scenario.of(**STAND, pushes=[push])
    run = run_with(built("stand"), scenario, tick=DEAD_SOLVER, since=0.2)
    assert run.fell
    assert run.tick_safety.mode is FALLEN
    metrics = run_metrics(run)
    assert metrics["fall_declared_s"] <= run.fell_at + 0.02
    story = metrics["safety"]["whole_body"]
    assert story["sign"]
    text = in_words("whole-body controller", story)
    assert "exception from 0.20 s (RuntimeError: the solver is dead)" in text
    assert f"declared a fall at {story['fall_declared_s']:.2f} s" in text


def test_a_robot_that_stays_blind_declares_a_fall(built):
    run = run_with(
        built("stand"), Scenario.of(**STAND, duration=1.2), blind=True, since=0.2
    )
    assert run.tick_safety.mode is FALLEN
    assert "no state" in run.tick_safety.fall
    blind_for = CARRY + 0.5
    assert run.tick_safety.since - 0.1 - 0.2 == pytest.approx(blind_for, abs=0.01)


WEIGHT = 175.118 * 9.81
UNHELPED = dict.fromkeys(("timing", "forces", "posture", "steps"), False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("force", "off"),
    [
        ([-160.0, 0.0, 0.0], UNHELPED),
        ([-250.0, 0.0, 0.0], {"steps": False}),
        ([1.2 * 0.8 * WEIGHT, 0.0, 0.0], {}),
        ([0.0, -1.2 * 0.8 * WEIGHT, 0.0], {}),
    ],
)
def test_what_nobody_survives_fells_it_and_it_says_so(built, force, off):
    """Held for 3 s: more than a stiff body can lean against, or than soles grip."""
    push = Push(time=0.3, duration=3.0, impulse=[3.0 * f for f in force])
    scenario = Scenario.of("stand", lead_in=0.3, duration=5.5, pushes=[push], **off)
    run = run_with(built("stand"), scenario)
    metrics = run_metrics(run)
    assert run.fell
    assert metrics["fall_declared_s"] <= run.fell_at + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("impulse", [[150.0, 0, 0], [-110.0, 0, 0], [0, 130.0, 0]])
def test_no_fall_is_declared_of_a_push_that_is_survived(built, impulse):
    scenario = Scenario.of(
        "stand", lead_in=0.3, duration=4.8, pushes=[Push(0.5, 0.1, impulse)]
    )
    run = run_with(built("stand"), scenario)
    assert not run.fell
    assert run_metrics(run)["fall_declared_s"] is None
