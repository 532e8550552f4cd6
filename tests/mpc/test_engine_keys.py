"""Every key of a scenario acts in MuJoCo, or is refused by name: none is ignored."""

from dataclasses import fields

import pytest

from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.scenario.compliant_period import CompliantPeriod
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.parts.push import Push
from backbeat.mpc.scenario.setting_event import SETTINGS
from backbeat.mpc.scenario.specification import KEYS, read_scenario

pytest.importorskip("mujoco", reason="the extra mujoco is not installed")

PUSH = {"time": 0.02, "duration": 0.1, "impulse": [25.0, 15.0, 0.0]}
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
DRUMMED = {"behavior": "outstanding-standing", "duration": 3.0, "pushes": []}

# Keys that are Drake's alone, with what they would be there, and keys that say what the
# run is of: they have tests of their own.
REFUSED = {"contact_model": "sap", "feet": "hydroelastic"}
OTHER = {"behavior", "robot", "engine", "planner", "lead_out"}
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
    "safety_law": (True, {}),
    "preset": ("momentum", {}),
    "upper_body.hand": ("right hand", {}),
    "beat_priority": (0.9, {}),
    "timing": (False, {}),
    "forces": (False, {}),
    "posture": (False, {}),
    "steps": (False, {}),
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
    "world.step_height": (0.01, {}),
    "world.tilt_deg": (2.0, {}),
    "world.slope_deg": (2.0, {}),
    "world.patch_friction": ([0.04, 0.06], {}),
    "world.patch_share": (0.5, {"world": {"patch_friction": [0.04, 0.06]}}),
    "world.drum_shift": (0.02, DRUMMED),
    "world.drum": ("floor_tom", DRUMMED | {"world": {"drum_shift": 0.02}}),
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
} | {f"noise.{f.name}": (10.0 * f.default, ESTIMATED) for f in fields(SensorNoise)}
# What is recorded or watched beside a run, whose motion stays what it is.
BESIDE = {"watch_forces", "log_dynamics"}
NESTED = {
    "world": {f.name for f in fields(ModelMismatch)},
    "noise": {f.name for f in fields(SensorNoise)},
    "pushes": {f.name for f in fields(Push)},
    "compliant": {f.name for f in fields(CompliantPeriod)},
    "events": set(SETTINGS),
    "upper_body": {"hand"},
}


def test_every_key_is_here():
    """A key that is added says in this table what it does in MuJoCo."""
    keys = set(KEYS.places) - set(NESTED)
    keys |= {f"{key}.{name}" for key, names in NESTED.items() for name in names}
    assert keys == {*ACTS, *REFUSED, *OTHER, *BESIDE}


def scenario_with(key, value, rest):
    """The brief scenario with one key at another value."""
    import yaml

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
    else:
        tree[first] = {**tree.get(first, {}), name: value}
    return read_scenario(yaml.safe_dump(tree), "table").check()
