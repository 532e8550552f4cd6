"""Terms of a trajectory: as declared, as compiled, and of a user's own."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.diagnosis.costs import KnotCosts, costs_by_name, knot_costs
from backbeat.optimization.interior_point.added_costs import AddedCosts
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.tasks import COM_TASK, FRAME_TASK
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import On, Term, cost
from backbeat.optimization.transcription.linearization_arrays import ProgramPoint
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.points import Point
from tests.optimization.problems import jump, squat, stroke

PROBLEMS = {
    "squat": lambda: squat(6),
    "jump": lambda: jump(8),
    "stroke": lambda: stroke(7),
}


def own(rows, unit="m", on=On.KNOT):
    """Weights with one term more."""

    @dataclass(frozen=True)
    class Own(TrajectoryWeights):
        own: float = cost(3.0, Term("own", "rows", unit, rows, on))

    return Own


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_costs_of_terms_are_the_cost_that_is_compiled(name):
    """At a point where every one of them counts, also those of tasks."""
    problem = PROBLEMS[name]()
    weights = replace(problem.weights, effort=0.7)
    transcription = Transcription(replace(problem, weights=weights))
    point = Point(transcription, seed=3)
    problem.put_ends(point.q)
    point.phi = point.w[:, point.program.rated, 5].copy()
    solution = InteriorPoint(transcription).evaluate(Guess(point.q, point.w))
    found = costs_by_name(solution)
    assert sum(found.values()) == pytest.approx(solution.cost, rel=1e-12)
    of_tasks = {FRAME_TASK.name, COM_TASK.name}
    assert all(x > 0 for n, x in found.items() if n not in of_tasks)
    check_knots(knot_costs(solution), solution, found)


def check_knots(costs, solution, totals):
    """Each knot has its own, which add up however they are cut and put together."""
    program = solution.transcription.program
    weights = solution.transcription.problem.weights
    np.testing.assert_array_equal(costs.t, solution.transcription.problem.times)
    forces = (solution.w[..., 3:] ** 2).sum((1, 2))
    assert_allclose(
        costs.terms["contact forces"], 0.5 * weights.force * program.dt * forces
    )
    joints = solution.transcription.problem.robot.num_joints
    torques = solution.rows[:, program.rows.torque :][:, :joints]
    assert_allclose(
        costs.terms["effort"], 0.5 * weights.effort * program.dt * (torques**2).sum(1)
    )
    middle, end = costs.t[3], costs.t[-1] + 1.0
    parts = [costs.within(0.0, middle), costs.within(middle, end)]
    assert [len(part.t) for part in parts] == [3, len(costs.t) - 3]
    del parts[0].terms["effort"]
    again = KnotCosts.joined([parts[1].later(1.0), parts[0]])
    assert again.t[0] == middle + 1.0
    del totals["effort"]
    for whole in (again, costs.coarse(2), KnotCosts.from_plain(costs.to_plain())):
        assert whole.span.sum() == pytest.approx(program.dt.sum(), rel=1e-5)
        for name, total in totals.items():
            assert whole.totals()[name] == pytest.approx(total, rel=1e-5), name
    assert len(costs.coarse(2).t) == 2


ROWS = {
    "joints": lambda z: z.joints - z.nominal,
    "velocity": lambda z: z.velocity,
    "acceleration": lambda z: 0.1 * z.acceleration,
    "momentum": lambda z: z.momentum[2:],
    "effort": lambda z: z.efforts,
    "wrench": lambda z: z.forces[2:5] - 0.1,
    "moment": lambda z: z.moments,
    "com": lambda z: np.array([[1.0, 2.0, 0.0]]) @ z.com,
    "place": lambda z: z.place("left hand") - z.place("pelvis"),
    "axis": lambda z: z.axis("head")[:2],
    "one-sided": lambda z: (z.place("left hand")[2] - 1.2).at_most_zero(),
}


@pytest.mark.parametrize("name", [*ROWS, "mean velocity"])
def test_gradients_of_terms_are_those_of_differences(name):
    mean = name == "mean velocity"
    rows = (lambda z: z.mean_velocity) if mean else ROWS[name]
    kind = own(rows, on=On.INTERVAL if mean else On.KNOT)
    transcription = Transcription(replace(squat(5), weights=kind()))
    point, added = Point(transcription, seed=4), AddedCosts(transcription)
    out = added.make_arrays()
    values, slopes = point.linearize()
    at = ProgramPoint(point.q, point.w, point.phi)
    added.evaluate(at, values, slopes, out)
    found, nb = np.zeros(point.size), point.nb
    for k in range(1, len(point.q) - 1):
        blocks = slice((k - 1) * nb, (k + 2) * nb)
        found[blocks] += out.gradient[k, : 3 * nb]
        for knot, c, i in point.slots:
            if knot == k:
                first = point.program.wrench_first[c]
                start = 3 * nb + point.program.wrench_start[k, c] + i - first
                found[point.column(k, c, i)] = out.gradient[k, start]

    def cost_at(d):
        q, w = point.q.copy(), point.w.copy()
        for k in range(len(q)):
            step = d[k * nb : k * nb + point.nv]
            box_plus(point.q[k], step, 1.0, True, q[k])
        for slot, change in zip(point.slots, d[len(q) * nb :], strict=True):
            w[slot] += change
        _, moved = point.evaluate(d)
        return added.evaluate(ProgramPoint(q, w, point.phi), moved)

    rng = np.random.default_rng(5)
    for _ in range(6):
        d = rng.normal(size=point.size)
        # The first two knots are given.
        d[: 2 * nb] = 0.0
        d /= np.linalg.norm(d)
        slope = (cost_at(1e-5 * d) - cost_at(-1e-5 * d)) / 2e-5
        assert found @ d == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert np.abs(found).max() > 1e-3
    assert cost_at(0 * d) == pytest.approx(added.evaluate(at, values), rel=1e-12)


def test_a_term_of_ones_own_does_what_it_says():
    """The head stays level although the body leans; without weight nothing does."""
    problem = squat(11)

    def tilt(weight):
        kind = own(lambda z: z.axis("head")[:2], "rad")
        made = replace(problem, weights=kind(own=weight))
        solution = InteriorPoint(Transcription(made)).solve()
        assert solution.is_solved
        ups = [
            Configuration(problem.robot, q).rotation("head")[:2, 2] for q in solution.q
        ]
        return solution, float(np.abs(ups).max())

    (plain, most), (_, least) = tilt(0.0), tilt(1e4)
    assert most > 0.02
    assert least < 0.2 * most
    usual = InteriorPoint(Transcription(problem)).solve()
    assert_allclose(plain.q, usual.q, atol=1e-9)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (lambda z: z.place("haed"), "haed"),
        (lambda z: z.com @ 3, "'own': TypeError"),
        (lambda z: 7.0, "'own' are float"),
        (None, "'own' are NoneType"),
    ],
)
def test_code_that_fails_is_one_sentence(rows, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        InteriorPoint(Transcription(replace(squat(5), weights=own(rows)()))).solve()
