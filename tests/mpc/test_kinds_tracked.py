"""Every kind of behavior in closed loop: short runs every day, whole ones at night."""

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import Reports, build, solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.drumming.problem import REST_FORCE
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import SETLIST, SHIPPED_KINDS, Variant
from backbeat.mpc.analysis.drumming.rests import run_rests
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.short_show import write_files
from tests.mpc.recovered import recovered
from tests.tolerances import (
    FOLLOWED,
    INTERPOLATION,
    MARKER_DEVIATION,
    MARKER_MEAN,
)

SENSORS = {"state": "estimated", "actuator_lag": 0.005}
# The drummer is pushed once its tips have left their heads.
PUSHED = {"lead_in": 0.2, "pushes": [Push(3.0, 0.1, [-30.0, 0.0, 0.0], "utorso")]}
# A short run of every kind: behavior, scenario, RMS error of the center of mass [mm].
SHORT = {
    "dance": ("groove", {"lead_in": 0.1, "duration": 0.6}, 2.0),
    "drumming": ("outstanding", {"duration": 6.0, **PUSHED, **SENSORS}, 2.0),
    "footsteps": ("walk-2", SENSORS, 5.0),
    "posture": ("posture-tour", {"duration": 0.6}, 1.0),
    "setlist": ("tiny", {"lead_in": 0.2, "lead_out": 0.2}, 5.0),
}
CONTACT_MODELS = ("lagged", "sap")
# What stands on both feet all the time, what drums, and what steps, jumps or bends low.
STANDING = ("stand", "posture-tour", "groove", "outstanding-standing")
DRUMMING = ("outstanding", "outstanding-standing")
STEPPING = (
    *("march", "walk-2", "walk-6", "heel-to-toe", "side-step", "step-touch"),
    *("quarter-turn", "one-leg-balance", "squat-jump", "forward-jump", "kick"),
    *("toe-tap", "deep-squat", "bow", "floor-reach"),
)
# How much more than planned a resting hand may press, once it has settled [N].
REST_MARGIN = 3.0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("setlists")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(files):
    """A setlist that turns, stops in the middle of a step, and bends its knees."""
    return build(files / "tiny.yaml", Library(files / "library"))


@pytest.fixture(scope="module")
def short_run(built, tiny):
    """`short_run(kind)` is its short run, made once."""

    @cache
    def get(kind):
        name, scenario, _ = SHORT[kind]
        behavior = tiny if name == "tiny" else built(name)
        return run_scenario(Scenario.of(behavior=behavior.name, **scenario), behavior)

    return get


@pytest.fixture(scope="module")
def whole_run(built):
    """`whole_run(name, contact_model)`: a whole run, and its metrics, made once."""

    @lru_cache(len(STANDING) * len(CONTACT_MODELS))
    def get(name, contact_model):
        scenario = Scenario.of(behavior=name, contact_model=contact_model)
        run = run_scenario(scenario, built(name))
        return run, run_metrics(run)

    return get


@pytest.fixture(params=CONTACT_MODELS)
def metrics(request, whole_run):
    """`metrics(name)` are those of the whole behavior under one contact model."""
    return lambda name: whole_run(name, request.param)[1]


def feet(robot, q):
    """(2, 3) places of the feet [m]."""
    drake = DrakeRobot(robot)
    drake.set(q, np.zeros(robot.num_velocities))
    return np.array([drake.pose(f).translation() for f in ("l_foot", "r_foot")])


def check_end(run, atol=FOLLOWED):
    """A whole run ends in time, with its feet where they were planned; its metrics."""
    robot, metrics = run.behavior.robot_model, run_metrics(run)
    assert metrics["fell"] is False
    assert metrics["duration_s"] == pytest.approx(run.behavior.duration)
    end = feet(robot, run.x[-1, : robot.num_positions])
    planned = feet(robot, run.behavior.motion.q[-1])
    np.testing.assert_allclose(end, planned, atol=atol)
    return metrics


@pytest.mark.parametrize("kind", [*SHIPPED_KINDS, SETLIST])
def test_a_behavior_of_every_kind_is_followed(short_run, kind):
    run = short_run(kind)
    metrics = run_metrics(run)
    assert run.behavior.kind == kind
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] < SHORT[kind][2]
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["torque_peak_fraction"] < 1.0
    if error := metrics.get("estimate_error"):
        assert error["velocity"]["rms"] < 6.5
        assert error["tilt"]["rms"] < 2.5
    if run.t[-1] >= run.behavior.duration:
        check_end(run)


def test_two_steps_are_walked_and_the_foot_that_swings_carries_nothing(short_run):
    """Each foot in turn, in the middle of its swing; the other carries all."""
    walk = short_run("footsteps")
    robot, nq = walk.behavior.robot_model, walk.behavior.robot_model.num_positions
    made = feet(robot, walk.x[-1, :nq]) - feet(robot, walk.x[0, :nq])
    np.testing.assert_allclose(made[:, 0], 0.2, atol=FOLLOWED)
    names = [name for name, c in robot.contacts.items() if not c.is_point]
    for time, swings, stands in (
        (0.95, "l_foot", "r_foot"),
        (1.95, "r_foot", "l_foot"),
    ):
        force = walk.contact[int(np.argmin(np.abs(walk.t - time))), :, 5]
        assert abs(force[names.index(swings)]) < 1e-6
        assert force[names.index(stands)] > 0.5 * robot.weight


def test_a_seated_drummer_hits_what_is_planned_and_nothing_else(short_run):
    """Pushed, too: nothing holds it but its weight. Feet feel force, the seat not."""
    run = short_run("drumming")
    metrics = run_metrics(run)
    error, hits = metrics["estimate_error"], metrics["hits"]
    assert error["place"]["rms"] < 3.0
    assert error["velocity"]["rms"] < 3.0
    assert error["tilt"]["rms"] < 1.0
    assert hits["made"] == hits["planned"] >= 10
    assert hits["extra"] == 0
    assert hits["timing_mean_ms"] <= 1.0
    assert hits["position_max_mm"] <= 10.0
    assert hits["speed_min_m_s"] >= 1.0
    assert run.behavior.mount.is_free
    assert metrics["foot_slip_mm"] < 5.0
    assert metrics["seat_slip_mm"] < 5.0
    # Seat and soles push, never pull, and carry all there is.
    load = run.contact[run.t > 0.0, :, 5]
    assert load.min() >= 0.0
    assert load[:, -2].min() > 0.3 * run.behavior.robot_model.weight
    assert not load[:, -1].any()


def test_hands_rest_on_drums_with_a_bounded_force(short_run):
    """The drummers begin with both tips on a head."""
    rests = run_rests(short_run("drumming"))
    assert list(rests["tip"]) == ["l_stick_tip", "r_stick_tip"]
    assert (rests["planned_max_N"] <= REST_FORCE[1]).all()
    assert (rests["max_N"] <= REST_FORCE[1] + REST_MARGIN).all()
    assert (rests["min_N"] > REST_FORCE[0]).all()


def test_the_horizon_reaches_into_the_next_behavior(tiny):
    """From half a second before the end of the turn, it sees the way and the bend."""
    turn = next(e for e in tiny.events if e.what == "turn")
    plan = PredictiveProgram(Reference(tiny)).rest(0.0, turn.duration - 0.5)
    assert (plan.phases > turn.duration).sum() > 10
    for axis in range(3):
        com = np.interp(plan.phases, tiny.motion.t, tiny.com[:, axis])
        np.testing.assert_allclose(plan.com[:, axis], com, atol=INTERPOLATION)


def test_a_tiny_show_is_near_its_plan_throughout(short_run):
    assert run_metrics(short_run(SETLIST))["com_error_mm"]["max"] <= 20.0


@pytest.mark.parametrize(
    ("time", "impulse"),
    [
        (1.215, [-38.8, 9.9, 0.0]),
        pytest.param(1.292, [-36.5, 16.3, 0.0], marks=pytest.mark.slow),
        pytest.param(1.0, [0.0, 40.0, 0.0], marks=pytest.mark.slow),
    ],
)
def test_who_is_pushed_in_a_jump_lands(built, time, impulse):
    push = Push(time, 0.1, impulse, "pelvis")
    scenario = Scenario.of("squat-jump", pushes=[push], lead_out=1.4, **SENSORS)
    assert recovered(run_scenario(scenario, built("squat-jump")))


@pytest.fixture(scope="module")
def drummed(tmp_path_factory):
    """A bar of two hands on four members, on the G1, as it is for any robot."""
    folder = tmp_path_factory.mktemp("short")
    (folder / "scores").mkdir()
    (folder / "scores" / "short.yaml").write_text("""\
bpm: 98
beats_per_bar: 4
steps_per_beat: 2
parts:
  - {name: ready, hold: 2, rest: {left: snare, right: floor_tom}}
  - name: verse
    left:  "- 1 - 3 - 1 - 3"
    right: "7 - 7 - 7 - 6 -"
  - {name: rest, hold: 2, rest: {left: snare, right: floor_tom}}
""")
    path = folder / "short.yaml"
    path.write_text("kind: drumming\nname: short\nscore: short\nseat: none\n")
    return build(path, Library(folder / "library"), variant=Variant(robot="g1"))


G1_SENSORS = {"state": "estimated", "actuator_lag": 0.002, "seed": 1}


@pytest.mark.parametrize(
    ("state", "most"),
    [({}, 2.0), pytest.param(G1_SENSORS, 5.0, marks=pytest.mark.slow)],
    ids=["true", "sensors"],
)
def test_the_g1_makes_all_hits_on_time_and_none_besides(drummed, state, most):
    metrics = run_metrics(run_scenario(Scenario.of(drummed.name, **state), drummed))
    hits = metrics["hits"]
    assert metrics["survived"]
    assert (hits["planned"], hits["made"], hits["extra"]) == (8, 8, 0)
    assert hits["timing_mean_ms"] < 1.0
    assert hits["timing_max_ms"] < most
    # It struck, and did not press.
    assert hits["speed_min_m_s"] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", DRUMMING)
def test_the_g1_plays_the_whole_score_standing_and_seated(name, tmp_path):
    behavior = build(name, Library(tmp_path), variant=Variant(robot="g1"))
    masses = model_mismatch(mass_spread=0.1)
    scenario = Scenario.of(behavior.name, world=masses, **G1_SENSORS)
    metrics = run_metrics(run_scenario(scenario, behavior))
    hits = metrics["hits"]
    assert metrics["survived"]
    assert (hits["planned"], hits["made"], hits["extra"]) == (76, 76, 0)
    assert hits["timing_mean_ms"] <= 1.5
    assert hits["timing_sd_ms"] <= 1.5
    assert hits["timing_max_ms"] <= 5.0


@pytest.mark.slow
def test_moves_are_on_the_beat_in_closed_loop():
    """On sensors and motors."""
    dance = Choreography("mine", beats=23)
    dance.legs("bounce", 2, beats=6).legs("march", 10, beats=4).legs("squat", 15)
    dance.arms("wave", 2, beats=6).arms("raise", 15, beats=6).body("twist", 2, beats=8)
    dance.head("nod", 2, beats=6)
    quiet = Reports(lambda share, what: None, lambda entry: None)
    behavior = solve(dance.dance, dance.text(), Path(), "", quiet)
    metrics = run_metrics(run_scenario(Scenario.of("mine", **SENSORS), behavior))
    assert metrics["survived"]
    figures = {f["move"]: f for f in metrics["markers"]}
    assert len(figures) == 7
    for f in figures.values():
        assert f["missing"] == 0
        assert abs(f["mean_ms"]) <= 1e3 * MARKER_MEAN
        assert f["sd_ms"] <= 1e3 * MARKER_DEVIATION


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", CONTACT_MODELS)
@pytest.mark.parametrize("name", STEPPING)
def test_nobody_falls(whole_run, name, contact_model):
    check_end(whole_run(name, contact_model)[0], 10 * FOLLOWED)


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDING)
def test_the_robot_stands_to_the_end_and_keeps_its_balance(metrics, built, name):
    m = metrics(name)
    assert m["fell"] is False
    assert m["duration_s"] == pytest.approx(built(name).duration)
    assert m["com_error_mm"]["rms"] <= 10.0
    assert m["com_error_at_nominal_time_mm"]["rms"] <= 10.0
    assert m["foot_slip_mm"] <= 5.0
    assert m["tick_failures"] == m["plan_failures"] == 0
    assert m["torque_peak_fraction"] < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", DRUMMING)
def test_every_hit_is_made_in_time_and_in_place(metrics, built, name):
    hits = metrics(name)["hits"]
    assert hits["planned"] == len(built(name).strikes()) >= 60
    assert hits["made"] == hits["planned"]
    assert hits["missed"] == hits["extra"] == 0
    assert hits["timing_mean_ms"] <= 3.0
    assert hits["timing_sd_ms"] <= 3.0
    assert hits["position_max_mm"] <= 15.0
    assert hits["speed_min_m_s"] >= 1.0
    assert metrics(name)["fell"] is False


@pytest.mark.slow
def test_the_dance_is_danced(metrics):
    m = metrics("groove")
    achieved = m["range"]["achieved"]
    assert achieved["com_m"][1] >= 0.12
    assert achieved["com_m"][2] >= 0.115
    assert achieved["widest_joint_rad"] >= 1.0
    assert abs(m["beat_error_ms"]["mean"]) <= 5.0
    assert m["torque_peak_fraction"] >= 0.4


@pytest.mark.slow
def test_the_tour_goes_as_deep_as_it_says(metrics):
    ranges = metrics("posture-tour")["range"]
    planned, done = (ranges[k]["com_m"] for k in ("commanded", "achieved"))
    assert done == pytest.approx(planned, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", CONTACT_MODELS)
def test_a_whole_dance_is_the_same_twice(whole_run, built, contact_model):
    first, _ = whole_run("groove", contact_model)
    second = run_scenario(first.scenario, built("groove"))
    for name in ("x", "effort", "contact"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDING)
def test_contact_models_agree(whole_run, name):
    """A behavior that needs one of them is not done."""
    ends = [whole_run(name, model)[0].x[-1, :7] for model in CONTACT_MODELS]
    np.testing.assert_allclose(*ends, atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap", "similar"])
def test_a_seated_drummer_plays_to_the_end_on_every_contact_model(built, contact_model):
    push = Push(5.0, 0.1, [0.0, 30.0, 0.0], "utorso")
    scenario = Scenario.of("outstanding", contact_model=contact_model, pushes=[push])
    run = run_scenario(scenario, built("outstanding"))
    metrics = run_metrics(run)
    assert metrics["survived"] is True
    assert metrics["hits"]["made"] == metrics["hits"]["planned"] == 76
    assert metrics["hits"]["extra"] == 0
    assert metrics["seat_slip_mm"] < 5.0
    # Three rests, into two of which the tips come down from above.
    rests = run_rests(run)
    assert len(rests) == 6
    assert (rests["max_N"] <= REST_FORCE[1] + REST_MARGIN).all()
    assert (rests["min_N"] > REST_FORCE[0]).all()
    assert (rests["peak_N"] <= 2 * REST_FORCE[1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", CONTACT_MODELS)
@pytest.mark.parametrize("name", ["short", "show"])
def test_a_show_with_drums_is_played(files, built, name, contact_model):
    """A short one, and one of two minutes: walks in, drums, dances, jumps, bows."""
    library = Library(files / "library")
    show = built(name) if name == "show" else build(files / "short.yaml", library)
    scenario = Scenario.of(name, contact_model=contact_model, lead_in=0.2, lead_out=0.2)
    metrics = check_end(run_scenario(scenario, show))
    hits = metrics["hits"]
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["com_error_mm"]["rms"] <= 5.0
    assert hits["made"] == hits["planned"] == len(show.strikes()) >= 2
    assert hits["extra"] == 0
    if name == "show":
        assert 110 <= show.duration <= 130
        assert hits["timing_max_ms"] <= 5.0
        assert metrics["beat_error_ms"]["max"] <= 20.0
