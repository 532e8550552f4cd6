"""Every key of a scenario acts in MuJoCo, or is refused by name: none is ignored."""

from dataclasses import fields

import numpy as np
import pytest
import yaml

from backbeat.models.common.errors import BackbeatError
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.sensor_fault import SensorFault
from backbeat.mpc.disturbances.kinds.setting_event import SETTINGS
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.disturbances.task_changes import OF_BASE
from backbeat.mpc.scenario.specification import Scenario, read_scenario, scenario_keys
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import run_scenario, run_task_space
from backbeat.mpc.weights.changes import WeightChanges

pytest.importorskip("mujoco", reason="the extra mujoco is not installed")

PUSH = {"time": 0.02, "duration": 0.1, "impulse": [25.0, 15.0, 0.0]}
FAULT = {"time": 0.02, "duration": 0.05, "sensor": "velocity", "offset": 0.5}
# What a run has in either case, by what the key is of.
PLAIN = {
    "compliant": ("compliant.joints", ["right arm"]),
    "sensor_faults": ("sensor_faults.offset", FAULT["offset"]),
}
BRIEF = {
    "behavior": "stand",
    "engine": "mujoco",
    "lead_in": 0.02,
    "duration": 0.2,
    "lead_out": 0.0,
    "pushes": [PUSH],
}
ESTIMATED = {"state": "estimated"}
# On a floor where soles slide at once, and under a push that makes them.
SLIPPERY = {"friction": 0.05}

# Keys that are Drake's alone, with what they would be there, and keys that say what the
# run is of: they have tests of their own.
REFUSED = {"contact_model": "sap", "feet": "hydroelastic"}
OTHER = {"behavior", "robot", "engine", "planner", "lead_out", "safety_law"}
OTHER |= {"drive", "events.drive"}
# In task space: the key's value, and what the rest of that scenario is.
SAMPLED = {"state": "sampled"}
HAND: dict[str, tuple[object, dict]] = {
    "task_space": ({"target": {"offset": [0.1, 0.0, 0.0]}}, {}),
    "noise.hand": (0.01, SAMPLED | {"task_space": {"hand_sensing": True}}),
    "events.target": ([0.0, 0.0, 0.1], {}),
    "events.noise_angle": (0.01, SAMPLED),
    "events.noise_rate": (0.1, SAMPLED),
    "events.period": (0.01, SAMPLED),
    "events.hand_sensing": (True, SAMPLED),
    "events.task": (False, SAMPLED),
    "events.gravity_compensation": (False, {}),
}
# Of a base that is moved, which is Drake's.
MOVED = [f"events.{name}" for name in OF_BASE]
# What changes a run, by key: the key's value, and what the rest of the scenario is.
ACTS: dict[str, tuple[object, dict]] = {
    "mujoco_contact": ("soft", {}),
    "lead_in": (0.04, {}),
    "duration": (0.22, {}),
    "time_step": (0.0005, {}),
    "plan_period": (0.04, {}),
    "tick_period": (0.004, {}),
    "planning_time": (0.01, {}),
    "friction": (0.05, {}),
    "seed": (1, ESTIMATED),
    "state": ("estimated", {}),
    "sensing_delay": (0.004, ESTIMATED),
    "actuators": ("hydraulic", {}),
    "actuator_lag": (0.005, {}),
    "actuator_rise": (0.1, {}),
    "joint_friction": (0.03, {}),
    "preset": ("momentum", {}),
    "upper_body.hand": ("right hand", {}),
    "beat_priority": (0.9, {}),
    "timing": (False, {}),
    "forces": (False, {}),
    "posture": (False, {}),
    "steps": (False, {}),
    "weights.predictive": ({"com": 10.0}, {}),
    "weights.whole_body": ({"momentum": 1.0}, {}),
    "weights.stance": ({"linear": 3.0}, {"steps": False}),
    # Steps at once, whatever they cost.
    "recovery": ({"watch": 0.0, "alarm": 0.0, "step_penalty": 100.0}, {}),
    "pushes.time": (0.04, {}),
    "pushes.duration": (0.05, {}),
    "pushes.impulse": ([10.0, 0.0, 0.0], {}),
    "pushes.body": ("head", {}),
    "events.timing": (False, {}),
    "events.forces": (False, {}),
    "events.posture": (False, {}),
    "events.steps": (False, {}),
    "events.beat_priority": (0.9, {}),
    "events.tempo": (1.1, {}),
    "events.weights": ({"predictive.com": 2000.0}, {}),
    "events.friction": (0.05, {}),
    "events.noise_scale": (2.0, ESTIMATED),
    "events.plan_delay": (0.02, {}),
    "events.left_hand": ([0.0, 0.0, 0.1], {}),
    "events.right_hand": ([0.0, 0.0, 0.1], {}),
    "compliant.joints": (["left arm"], {}),
    "compliant.start": (0.02, {}),
    "compliant.end": (0.04, {}),
    "compliant.stiffness": (20.0, {}),
    "compliant.damping": (1.0, {}),
    "compliant.compensation": (0.2, {"joint_friction": 0.03}),
    "sensor_faults.time": (0.05, ESTIMATED),
    "sensor_faults.duration": (0.1, ESTIMATED),
    "sensor_faults.sensor": ("gyro", ESTIMATED),
    "sensor_faults.joints": (["back"], ESTIMATED),
    "sensor_faults.factor": (0.5, ESTIMATED),
    "sensor_faults.offset": (1.0, ESTIMATED),
    "world.step_height": (0.01, {}),
    "world.tilt_deg": (2.0, {}),
    "world.slope_deg": (2.0, {}),
    "world.patch_friction": ([0.04, 0.06], {}),
    "world.patch_share": (0.5, {"world": {"patch_friction": [0.04, 0.06]}}),
    "world.mass_scale": (1.05, {}),
    "world.mass_spread": (0.1, {}),
    "world.inertia_scale": (1.2, {}),
    "world.com_shift": (0.01, {}),
    "world.damping_scale": (3.0, {}),
    "world.weak_joint": ("l_leg_aky", {"world": {"weak_share": 0.05}}),
    "world.weak_share": (0.05, {"world": {"weak_joint": "l_leg_aky"}}),
    "world.plan_delay": (0.01, {}),
    "world.plan_loss": (0.5, {}),
    "world.tick_loss": (0.2, {}),
    "world.tick_burst": (3, {"world": {"tick_loss": 0.2}}),
} | {
    f"noise.{f.name}": (10.0 * f.default, ESTIMATED)
    for f in fields(SensorNoise)
    if f.name not in ("moment", "hand")
}
# What changes the model that a run begins with, see below.
KIT = {
    "world.drum_shift": (0.02, {}),
    "world.drum": ("ride", {"drum_shift": 0.02, "drum": "snare"}),
}
# What is recorded or watched beside a run, whose motion stays what it is.
BESIDE = {
    "watch_forces": (False, {}),
    "log_dynamics": (True, {}),
    # The watch for forces reads moments on feet; controllers do not.
    "noise.moment": (5.0, ESTIMATED),
}
NESTED = {
    "world": {f.name for f in fields(model_mismatch())},
    "noise": {f.name for f in fields(SensorNoise)},
    "pushes": {f.name for f in fields(Push)},
    "compliant": {f.name for f in fields(CompliantPeriod)},
    "sensor_faults": {f.name for f in fields(SensorFault)},
    "events": set(SETTINGS),
    "upper_body": {"hand"},
    # `own` are those of a file of terms, which the command line names; `trajectory` is
    # of builds, and a scenario that has it is refused.
    "weights": {f.name for f in fields(WeightChanges)} - {"own", "trajectory"},
}


def test_every_key_is_here():
    """A key that is added says in this table what it does in MuJoCo."""
    keys = set(scenario_keys().places) - set(NESTED)
    keys |= {f"{key}.{name}" for key, names in NESTED.items() for name in names}
    assert keys == {*ACTS, *KIT, *REFUSED, *OTHER, *BESIDE, *HAND, *MOVED}


def scenario_with(key, value, rest):
    """The brief scenario with one key at another value."""
    tree = {**BRIEF, **rest}
    first, _, name = key.partition(".")
    if not name:
        tree[first] = value
    elif first == "events":
        tree["events"] = [{"time": 0.04, name: value}]
    elif first == "pushes":
        tree["pushes"] = [{**PUSH, name: value}]
    elif first == "compliant":
        tree["compliant"] = [{"joints": ["right arm"], name: value}]
    elif first == "sensor_faults":
        tree["sensor_faults"] = [{**FAULT, name: value}]
    else:
        tree[first] = {**tree.get(first, {}), name: value}
    return read_scenario(yaml.safe_dump(tree), "table").check()


@pytest.fixture(scope="module")
def moved(built):
    """`moved(key, value, rest, engine)`: how far the key moves joints at most [rad].

    And whether it makes the run of another length.
    """
    known = {}

    def run(scenario):
        name = yaml.safe_dump(scenario.to_dict())
        if name not in known:
            known[name] = run_scenario(scenario, built("stand"))
        return known[name]

    def measure(key, value, rest, engine):
        rest = {**rest, "engine": engine}
        plain = PLAIN.get(key.partition(".")[0])
        if plain is None or key == plain[0]:
            plain = ("seed", rest.get("seed", 0))
        a, b = (run(scenario_with(*of, rest)) for of in ((key, value), plain))
        rows, first = min(len(a.t), len(b.t)), a.behavior.robot_model.num_positions
        off = np.abs(a.x[:rows, 7:first] - b.x[:rows, 7:first])
        return float(off.max()), len(a.t) != len(b.t)

    return measure


# What the world does to the robot, and no controller decides, is as much in both.
PHYSICAL = {
    key
    for key in ACTS
    if key.partition(".")[0] in ("world", "pushes", "friction", "joint_friction")
} - {"world.plan_delay", "world.plan_loss", "world.tick_loss", "world.tick_burst"}


@pytest.mark.slow
@pytest.mark.parametrize("key", ACTS)
def test_a_key_acts(moved, key):
    """It moves joints and, where no controller decides how much, as in Drake."""
    most, is_longer = moved(key, *ACTS[key], "mujoco")
    assert most > 0.0 or is_longer
    if key in PHYSICAL:
        in_drake, _ = moved(key, *ACTS[key], "drake")
        assert 0.5 < most / in_drake < 2.0


@pytest.mark.slow
@pytest.mark.parametrize("key", KIT)
def test_a_drum_stands_elsewhere(built, key):
    value, world = KIT[key]
    places = []
    for its in (world, world | {key.partition(".")[2]: value}):
        behavior = built("outstanding-standing")
        scenario = Scenario.of(
            behavior=behavior.name, engine="mujoco", world=model_mismatch(**its)
        )
        loop = RunningLoop(behavior, scenario.check()).loop
        model = loop.body.moving.engine.made.model
        places.append({model.body(i).name: p for i, p in enumerate(model.body_pos)})
    off = {n: np.linalg.norm(p - places[1][n]) for n, p in places[0].items()}
    changed = {name.rpartition("::")[2] for name, far in off.items() if far > 0}
    assert len(changed) == (1 if key == "world.drum_shift" else 2)
    assert max(off.values()) == pytest.approx(0.02, abs=1e-6)


def test_what_is_watched_beside_a_run_changes_nothing(moved):
    """And what is recorded of a run in MuJoCo has dynamics of its own state."""
    for key, (value, rest) in BESIDE.items():
        assert moved(key, value, rest, "mujoco") == (0.0, False)


@pytest.mark.parametrize("key", HAND)
def test_a_key_acts_on_a_hand_in_task_space(key):
    """Of an arm, which no ground carries."""
    value, rest = HAND[key]
    arm = {"behavior": "", "robot": "ur10", "pushes": [], "task_space": {}}
    runs = [
        run_task_space(scenario_with(*of, arm | rest))
        for of in ((key, value), ("seed", 0))
    ]
    assert np.abs(runs[0].x - runs[1].x).max() > 1e-6


def test_a_base_that_is_moved_is_drakes():
    atlas = {"behavior": "", "robot": "atlas", "pushes": [], "task_space": {}}
    with pytest.raises(BackbeatError, match="moved in Drake alone: take engine: drake"):
        run_task_space(scenario_with("seed", 0, atlas))


@pytest.mark.parametrize(("key", "value"), REFUSED.items())
def test_what_is_drakes_is_refused_by_name(key, value):
    with pytest.raises(BackbeatError, match=f"{key} {value} is Drake's"):
        scenario_with(key, value, {})


def test_steps_in_which_firm_contact_is_no_longer_firm_are_refused():
    long = {"time_step": 0.004, "tick_period": 0.004}
    with pytest.raises(BackbeatError, match=r"needs steps of at most 0\.002 s"):
        scenario_with("seed", 0, long)
    scenario_with("mujoco_contact", "soft", long)
    scenario_with("engine", "drake", long)


def test_a_law_that_a_robot_does_not_have_is_refused_as_in_drake(built):
    for engine in ("drake", "mujoco"):
        with pytest.raises(BackbeatError, match="<safety_controller>"):
            run_scenario(
                scenario_with("safety_law", True, {"engine": engine}), built("stand")
            )
