"""Scenario files: whatever is in them, a Scenario or one sentence."""

from dataclasses import FrozenInstanceError, fields

import pytest
import yaml

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.kinds.push import Push, read_push
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario, load_scenario, scenario_keys


def write(tmp_path, text):
    path = tmp_path / "scenario.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_overrides_defaults(tmp_path):
    path = write(
        tmp_path,
        "behavior: stand\nfriction: 0.4\n"
        "pushes:\n- {time: 1.5, impulse: [0, 60, 0], body: utorso}\n",
    )
    scenario = load_scenario(path)
    assert scenario.world.friction == 0.4
    assert scenario.world.contact_model == Scenario().world.contact_model
    assert scenario.disturbances.pushes == [
        Push(time=1.5, impulse=[0, 60, 0], body="utorso")
    ]


def test_a_scenario_goes_to_a_file_and_back(tmp_path):
    scenario = Scenario.of(
        behavior="groove",
        timing=False,
        contact_model="sap",
        time_step=0.002,
        pushes=[Push(time=2.0, duration=0.05, impulse=[1.0, 2.0, 3.0])],
    )
    path = write(tmp_path, yaml.safe_dump(scenario.to_dict()))
    assert load_scenario(path) == scenario


def test_the_true_state_may_be_written_as_yaml_reads_it(tmp_path):
    for text in ("true", '"true"', "estimated"):
        path = write(tmp_path, f"behavior: stand\nstate: {text}\n")
        assert load_scenario(path).sensing.state == text.strip('"')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("behavior: stand\nfrcition: 0.5", "did you mean friction"),
        ("behavior: stand\ntick_period: 0.0025", "multiple of time_step"),
        ("behavior: stand\nplan_period: 0.0005", "multiple of time_step"),
        ("behavior: stand\nstate: guessed", "did you mean estimated"),
        (
            "behavior: stand\nstate: estimated\nsensing_delay: 0.0015",
            "sensing_delay must be a multiple",
        ),
        ("behavior: stand\npushes: [{impulse: [0, 1.0e+8, 0]}]", "at most 10000 N s"),
        (
            "behavior: stand\npushes: [{impulse: [9, 0, 0], duration: 1.0e-6}]",
            "and 1e.06 N$",
        ),
        ("behavior: ../stand", "not a behavior name"),
        ("friction: 0.5", "key 'behavior' is missing"),
        ("- behavior: stand", "expected keys"),
        ("kind: dance\nname: mine", "what to perform"),
        ("behavior: [stand", "not valid YAML"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        load_scenario(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BackbeatError, match="No such file"):
        load_scenario(tmp_path / "nothing.yaml")
    with pytest.raises(BackbeatError, match="cannot read"):
        load_scenario(tmp_path)


def test_a_push_on_the_command_line():
    assert read_push("2,60,0,-5.5") == Push(time=2.0, impulse=[60.0, 0.0, -5.5])


@pytest.mark.parametrize(
    "text", ["", "2", "2,60,0", "2,60,0,0,0", "a,b,c,d", "2;60;0;0"]
)
def test_a_push_that_is_none(text):
    with pytest.raises(BackbeatError, match="TIME,X,Y,Z"):
        read_push(text)


def test_every_key_of_a_file_belongs_to_one_part(tmp_path):
    """What is written is read again, whichever part a key belongs to."""
    own = {f.name for f in fields(Scenario)}
    for key, (part, name) in scenario_keys().places.items():
        assert part in own or (part == "" and name in own), key
    parts = {part for part, _ in scenario_keys().places.values()} - {""}
    assert own == parts | {"behavior", "robot", "seed"}
    scenario = Scenario.of(
        "stand",
        robot="g1",
        duration=2.0,
        friction=0.4,
        world=model_mismatch(mass_spread=0.1),
        pushes=[Push(0.5, impulse=[1.0, 0.0, 0.0])],
        events=[SettingEvent(1.0, tempo=0.9)],
        timing=False,
        state="estimated",
        actuators="hydraulic",
        log_dynamics=True,
        seed=4,
    ).check()
    assert scenario.control.timing is False
    assert scenario.timing.duration == 2.0
    assert scenario.world.mismatch.mass_spread == 0.1
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(scenario.to_dict()))
    assert load_scenario(path) == scenario
    assert list(scenario.to_dict()) == list(scenario_keys().places)


def test_a_scenario_stays_what_it_is():
    scenario = Scenario.of("stand", actuators="hydraulic")
    checked = scenario.check()
    assert scenario.actuation.actuator_lag == 0.0 < checked.actuation.actuator_lag
    assert scenario.changed(friction=0.3).world.friction == 0.3
    assert scenario.world.friction == 0.8
    with pytest.raises(BackbeatError, match="did you mean friction"):
        scenario.changed(frction=0.3)
    with pytest.raises(FrozenInstanceError):
        scenario.world.friction = 0.3
