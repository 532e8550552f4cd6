"""Weights are data: declared once, in files, scenarios, sweeps and runs."""

import json
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.cli.simulate.track_options import read_scenario as scenario_of_command
from backbeat.jobs.sweeping import run_sweep
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.control.planner_process import PlannerProcess, PlannerSettings
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.reference.scale import LEG, BodyScale
from backbeat.mpc.runs.file import run_weights, settings_story, weights_hash
from backbeat.mpc.runs.origin import check_terms
from backbeat.mpc.scenario.specification import Scenario, read_scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.cells import on_weights
from backbeat.mpc.sweep.specification import parse_sweep
from backbeat.mpc.weights.controller_weights import ControllerWeights, read_all_weights
from backbeat.mpc.weights.files import (
    FOLDER,
    load_weights,
    trajectory_weights,
    weights_text,
)
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.terms.declared import Term, cost, costs_of, declarations
from backbeat.optimization.terms.user_file import load_terms

OWN = "weights: {predictive: {com: 50}, whole_body: {momentum: 0.5}}\n"


@dataclass(frozen=True)
class Turning(PredictiveWeights):
    """A term more."""

    turning: float = cost(
        7.0, Term("turning", "dk_z", "m^2/s", lambda z: z.momentum[2:])
    )


def scenario(text: str) -> Scenario:
    return read_scenario(f"behavior: stand\n{text}", "mine.yaml").check()


def test_the_file_that_ships_has_every_number_as_it_is_declared():
    weights, path = ControllerWeights(), FOLDER / "default.yaml"
    (summary, *_) = path.read_text().splitlines()
    text = weights_text(weights, summary.removeprefix("summary: "))
    assert path.read_text() == text
    told = load_weights("default")
    assert weights.changed(told, "default") == weights
    # All are there, but for what follows from the robot.
    count = sum(len(section) for section in told.values())
    assert count == len(fields(PredictiveWeights)) - 1 + 2 * len(
        fields(WholeBodyGains)
    ) + len(fields(Recovery))


@pytest.mark.parametrize("numbers", [PredictiveWeights(), WholeBodyGains(), Recovery()])
def test_units_say_how_numbers_go_with_size(numbers):
    """As in Froude's similarity: powers of length by what the units are made of."""
    powers = {"m": 1.0, "s": 0.5, "rad": 0.0, "weights": 0.0, "N": 3.0}

    def power(unit):
        above, _, below = unit.partition("/")
        return _product(above, powers) - _product(below, powers)

    for name, told in declarations(numbers).items():
        if told.cost is None:
            if not told.divides or name == "max_phase_rate_change":
                assert told.length_power == power(told.unit), name
            continue
        # Costs by time go with time; those of an instant stay.
        whole = 2 * power(told.cost.unit) + told.length_power
        assert whole == pytest.approx(0.5 if told.cost.on.name == "END" else 0.0), name


def _product(unit, powers):
    total = 0.0
    for word in unit.strip("()").split():
        base, _, exponent = word.partition("^")
        total += powers.get(base, 0.0) * float(exponent or 1)
    return total


def test_a_scenario_gives_some_and_leaves_the_others():
    told = scenario(OWN + "recovery: {watch: 0.05}\n")
    weights = told.control.on_weights(None)
    assert weights.predictive == replace(PredictiveWeights(), com=50.0)
    assert weights.whole_body == replace(WholeBodyGains(), momentum_weight=0.5)
    assert weights.recovery == replace(Recovery(), watch=0.05)
    assert weights.stance == ControllerWeights().stance
    plain = told.to_dict()
    assert plain["weights"] == {
        "predictive": {"com": 50.0},
        "whole_body": {"momentum": 0.5},
    }
    assert Scenario().changed(behavior="stand").to_dict()["weights"] == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("weights: {predictive: {comm: 2}}", "did you mean com"),
        (
            "weights: {predictive: {com: -2}}",
            r"com is '-2.0'.*\[1/\(m\^2 s",
        ),
        ("weights: {predictive: {max_step_length: [1]}}", "max_step_length is"),
        ("weights: {predictive: {dcm_error_low: 0.5}}", "must be below"),
        ("recovery: {count: 0}", "at least 1"),
        ("weights: {trajectory: {effort: 2}}", "sweep, which builds it for each value"),
        (
            "weights: {stance: {linear: 3}}\nupper_body: {hand: left hand}",
            "leave stance of the weights out",
        ),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        scenario(text)


def test_a_file_is_beneath_what_the_scenario_gives(tmp_path):
    path, file = tmp_path / "stand.yaml", tmp_path / "mine.yaml"
    path.write_text("behavior: stand\n" + OWN)
    file.write_text("predictive: {com: 1, height: 2}\nrecovery: {watch: 0.05}\n")
    fields_of_command = {"behavior": None, "planner": None}
    told = scenario_of_command(path, None, fields_of_command, str(file))
    weights = told.control.on_weights(None)
    assert (weights.predictive.com, weights.predictive.height) == (50.0, 2.0)
    assert weights.recovery.watch == 0.05
    with pytest.raises(BackbeatError, match="default"):
        load_weights("defualt")
    file.write_text("predictive: {comm: 1}\n")
    with pytest.raises(BackbeatError, match="did you mean com"):
        load_weights(file)


def test_a_sweep_varies_them():
    text = (
        "behaviors: [stand]\nbase: {duration: 1.0, weights: {whole_body: {swing: 3}}}\n"
        "variations: {weights.predictive.com: [50, 100], recovery.watch: [0.05]}\n"
    )
    sweep = parse_sweep(text, "mine.yaml")
    told = {"predictive": {"com": 1.0, "height": 2.0}, "recovery": {"astray": 0.2}}
    for of, height in ((sweep, 1000.0), (on_weights(sweep, told), 2.0)):
        found = [cell.scenario.control.on_weights(None) for cell in of.cells]
        assert [w.predictive.com for w in found] == [50.0, 100.0]
        assert {w.predictive.height for w in found} == {height}
        assert {w.recovery.watch for w in found} == {0.05}
        assert {w.whole_body.swing_weight for w in found} == {3.0}


@pytest.fixture(scope="module")
def run(built) -> SimulationRun:
    own = OWN + "recovery: {watch: 0.05}\nlead_in: 0.1\nduration: 0.2\n"
    return run_scenario(scenario(own), built("stand"))


def test_a_run_has_all_of_its_weights(run, caplog):
    assert run.weights == run.scenario.control.on_weights(None)
    story = settings_story(run)
    assert run_weights(story) == run.weights
    assert not caplog.messages
    before = run.scenario.control.on_weights(None).to_dict()
    del before["whole_body"]["contact_axes"]
    earlier = story | {"weights": before, "weights_hash": weights_hash(before)}
    assert run_weights(earlier) == run.weights
    story["weights"]["predictive"]["com"] = 51.0
    with pytest.raises(BackbeatError, match="not those of its hash"):
        run_weights(story)


def test_explanations_are_of_the_weights_of_the_run(run, built):
    found = explain_run(run, 0.15)
    (momentum,) = [t for t in found.tick.tasks if t.name.startswith("angular")]
    assert momentum.weight == 0.5
    usual = explain_run(replace(run, weights=ControllerWeights()), 0.15)
    name = "center of mass away from the soles"
    assert found.plan.costs[name] != usual.plan.costs[name]


@pytest.mark.parametrize("told", [{}, {"com": 40.0}])
def test_runs_of_earlier_versions_have_those_that_ship(told, caplog):
    weights = run_weights({"weights": told} if told else {})
    assert weights == ControllerWeights(replace(PredictiveWeights(), **told))
    (said,) = caplog.messages
    assert "those that ship" in said


def test_a_term_of_ones_own_goes_with_the_others(run):
    weights = Turning(turning=3.0)
    ((own, weight),) = [(c, w) for c, w in costs_of(weights) if c.name == "turning"]
    assert weight == 3.0
    assert own.weight_unit == "1/((m^2/s)^2 s)"
    small = weights.for_leg(0.5 * LEG)
    assert small.turning == pytest.approx(3.0 / 0.5**3)
    assert type(weights.with_beat_priority(0.8).without_steps()) is Turning
    plain = ControllerWeights(weights).to_dict()
    base = ControllerWeights(Turning())
    assert read_all_weights(plain, "mine", base).predictive == weights
    with pytest.raises(
        BackbeatError, match="unknown key of predictive in mine 'turning'"
    ):
        read_all_weights(plain, "mine")
    timing, plan = run.scenario.timing, run.scenario.control.plan_settings(run.behavior)
    with pytest.raises(BackbeatError, match="Turning has terms of its own"):
        PlannerProcess(
            run.behavior, PlannerSettings.of(timing, plan, ControllerWeights(weights))
        )


def test_gains_at_a_scale_of_one_are_as_stated():
    assert WholeBodyGains().at(BodyScale()) == WholeBodyGains()
    small = WholeBodyGains().at(BodyScale(0.25, 0.1))
    assert small.com_stiffness == 32.0
    assert small.orientation_weight == 1 / 16
    assert np.isclose(small.momentum_weight, 160.0)


TERMS = """
from dataclasses import dataclass
import numpy as np
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import On, Term, cost

@dataclass(frozen=True)
class Turning(PredictiveWeights):
    turning: float = cost(
        7.0, Term("turning", "dk_z", "m^2/s", lambda z: z.momentum[2:])
    )

@dataclass(frozen=True)
class Shift(PredictiveWeights):
    ahead: float = cost(2.0, Term("ahead", "dc_x", "m", lambda z: z.com[:1]))

@dataclass(frozen=True)
class Still(WholeBodyGains):
    still: float = cost(3.0, Term("still", "vdot", "rad/s^2", lambda z: (
        np.eye(len(z.state.v))[-1:], np.zeros(1), np.zeros(1)), On.INSTANT))
"""


def test_a_file_of_ones_own_brings_terms_of_both_programs(tmp_path, built):
    file = tmp_path / "mine.py"
    file.write_text(TERMS)
    terms = load_terms(file, (PredictiveWeights, WholeBodyGains))
    base = ControllerWeights.with_terms(terms)
    assert base.own_keys() == ["turning", "ahead", "still"]
    told = scenario(
        "weights: {own: {turning: 9, still: 4}}\nlead_in: 0.1\nduration: 0.2\n"
    )
    run = run_scenario(told, built("stand"), base)
    of = run.weights
    assert (of.predictive.turning, of.predictive.ahead) == (9.0, 2.0)
    assert of.whole_body.still == of.stance.still == 4.0
    found = explain_run(run, 0.15)
    assert {"turning", "ahead"} <= set(found.plan.costs)
    assert [t.weight for t in found.tick.tasks if t.name == "still"] == [4.0]
    story = settings_story(run)
    assert story["terms"] == {"file": "mine.py", "sha256": terms.sha256}
    assert run_weights(story, base) == of
    assert check_terms(story, terms, "run") == []
    with pytest.raises(BackbeatError, match=r"--with FOLDER/mine\.py"):
        check_terms(story, None, "run")
    file.write_text(TERMS + "\n")
    changed = load_terms(file, (PredictiveWeights,))
    assert check_terms(story, changed, "run") == ["terms of mine.py as they were then"]
    with pytest.raises(BackbeatError, match="did you mean turning"):
        scenario("weights: {own: {turnin: 9}}\n").control.on_weights(base)
    with pytest.raises(BackbeatError, match=r"--with FILE\.py"):
        told.control.on_weights(None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "no Python file"),
        ("x = 1", "no class that inherits from PredictiveWeights; a term"),
        ("x = 1\nx.y", "does not load: AttributeError in line 2"),
        ("x = (", "does not load: SyntaxError in line 1"),
    ],
)
def test_a_file_without_terms_is_told_in_a_sentence(tmp_path, text, sentence):
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BackbeatError, match=sentence):
        load_terms(file, (PredictiveWeights,))


def test_a_sweep_varies_a_term_of_ones_own(tmp_path, built, library_folder):
    """Its table knows whose terms the runs had."""
    built("stand")
    file = tmp_path / "mine.py"
    file.write_text(TERMS)
    sweep = parse_sweep(
        "behaviors: [stand]\nbase: {duration: 0.2, lead_in: 0.1}\n"
        "variations: {weights.own.turning: [0, 900]}\n",
        "mine.yaml",
    )
    terms = load_terms(file, (PredictiveWeights,))
    with pytest.raises(BackbeatError, match=r"--with FILE\.py"):
        run_sweep(sweep, library_folder, tmp_path)
    # In processes of their own, which load the file again.
    made = run_sweep(sweep, library_folder, tmp_path, processes=2, terms=terms)
    assert (made.made, made.taken, made.failures) == (2, 0, ())
    assert all(json.loads(row["terms"]) == terms.story() for row in made.rows)
    assert made.summary["terms"]["sha256"] == terms.sha256
    again = run_sweep(sweep, library_folder, tmp_path, processes=1, terms=terms)
    assert (again.made, again.taken) == (0, 2)


def test_a_sweep_builds_a_motion_for_each_weight_of_its_trajectory(tmp_path):
    """Once each, beside its table; what the library has is not needed for it."""
    sweep = parse_sweep(
        "behaviors: [bow]\nbase: {duration: 0.2, lead_in: 0.1}\n"
        "variations: {weights.trajectory.effort: [0, 20]}\n",
        "mine.yaml",
        "efforts",
    )
    heard, folder = [], tmp_path / "out"

    def tell(known: int, remaining: int, what: str) -> None:
        heard.append(what)

    made = run_sweep(sweep, tmp_path, folder, tell, processes=2)
    assert (made.made, made.failures) == (2, ())
    assert {"bow, effort 0: solving", "bow, effort 20: solving"} <= set(heard)
    rows = {row["trajectory"]: row["behavior_key"] for row in made.rows}
    found = {}
    for place in (folder / "motions").iterdir():
        behavior = Library(place).load("bow")
        limits = behavior.robot_model.effort_limits
        effort = behavior.provenance["weights"]["effort"]
        assert place.name.startswith(f"effort-{effort:g}-")
        assert rows[json.dumps({"effort": effort})] == behavior.provenance["key"]
        found[effort] = np.square(behavior.motion.tau / limits).mean()
    assert found[20.0] < 0.99 * found[0.0]
    heard.clear()
    again = run_sweep(sweep, tmp_path, folder, tell, processes=1)
    assert (again.made, again.taken) == (0, 2)
    assert not any("solving" in what for what in heard)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("variations: {weights.trajectory.efort: [1]}", "did you mean effort"),
        ("base: {weights: {trajectory: {posture: 0}}}", "posture must be above 0"),
        ("search: {field: weights.trajectory.effort}", "under variations"),
    ],
)
def test_weights_of_trajectories_in_sweeps_are_checked(text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        parse_sweep(f"behaviors: [bow]\n{text}\n", "mine.yaml")


def test_a_weights_file_is_for_builds_where_it_has_a_trajectory(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("trajectory: {effort: 5}\npredictive: {com: 2}\n")
    assert trajectory_weights(file) == {"effort": 5.0}
    # A sweep takes both parts, a run the one that it can.
    sweep = on_weights(parse_sweep("behaviors: [bow]\n", "s"), load_weights(file))
    (cell,) = sweep.cells
    assert cell.trajectory == {"effort": 5.0}
    assert cell.scenario.control.on_weights(None).predictive.com == 2.0
    with pytest.raises(BackbeatError, match="a run follows a motion as it was built"):
        Scenario("bow").with_weights(load_weights(file)).check()
    with pytest.raises(BackbeatError, match="no section trajectory"):
        trajectory_weights("default")
