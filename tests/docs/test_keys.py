"""The page of keys has every key of every file, with what it is if it is left out."""

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from behaviors.authored import Authored, Objectives
from behaviors.checking import check_file
from behaviors.dance.arrangement import MeterDescription, MoveDescription
from behaviors.dance.choreography import DanceSpecification
from behaviors.dance.recorded_move import RecordingDescription
from behaviors.drumming import DrummingSpecification
from behaviors.footsteps import FootstepSpecification
from behaviors.music.score_description import (
    Adaptation,
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from behaviors.posture import PostureSpecification, Station
from behaviors.setlist import Number, SetlistSpecification
from behaviors.step import Step
from behaviors.strokes import Stroke
from models.kit.kit_file import (
    ChairDescription,
    KitDescription,
    MemberDescription,
    PedalDescription,
)
from models.sensors import SensorNoise
from mpc.simulation.compliant_period import CompliantPeriod
from mpc.simulation.scenario import Push, Scenario, load_scenario
from mpc.simulation.setting_event import SettingEvent
from mpc.simulation.target_motion import TargetMotion
from mpc.simulation.upper_body_task import UpperBodyTask
from mpc.simulation.world_error import WorldError

PAGE = (Path(__file__).parents[2] / "docs" / "keys.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
FOOTSTEPS, SCENARIO = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SCHEMAS = {
    "Every kind": Authored,
    "Objectives": Objectives,
    "Footsteps": FootstepSpecification,
    "Steps of footsteps": Step,
    "Dances": DanceSpecification,
    "Changes of meter of a dance": MeterDescription,
    "Moves of a dance": MoveDescription,
    "Recordings of a dance": RecordingDescription,
    "Drumming": DrummingSpecification,
    "Strokes of a drummer": Stroke,
    "Kits": KitDescription,
    "Members of a kit": MemberDescription,
    "Pedals of a kit": PedalDescription,
    "Chair of a kit": ChairDescription,
    "Adaptations of notes": Adaptation,
    "Scores": ScoreDescription,
    "Parts of a score": PartDescription,
    "Hits of a part": HitDescription,
    "Postures": PostureSpecification,
    "Stations of a posture tour": Station,
    "Setlists": SetlistSpecification,
    "Behaviors of a setlist": Number,
    "Scenarios": Scenario,
    "Pushes of a scenario": Push,
    "Compliant joints of a scenario": CompliantPeriod,
    "Events of a scenario": SettingEvent,
    "Upper body of a scenario": UpperBodyTask,
    "Target of an upper body": TargetMotion,
    "World of a scenario": WorldError,
    "Noise of a scenario": SensorNoise,
}


def usual(field):
    """What a key is if it is left out; None for what has keys of its own."""
    value = field.default
    if value is dataclasses.MISSING:
        value = field.default_factory()
    return None if dataclasses.is_dataclass(value) else value


def test_every_file_has_a_section():
    assert list(SECTIONS) == list(SCHEMAS)


@pytest.mark.parametrize("title", SCHEMAS)
def test_every_key_is_there(title):
    schema = SCHEMAS[title]
    rows = re.findall(
        r"^\| `(\w+)` \| (?:`(.*?)`)? ?\| (\S.*) \|$", SECTIONS[title], re.M
    )
    is_kind = issubclass(schema, Authored) and schema is not Authored
    inherited = {"kind"} if is_kind else set()
    own = [
        f
        for f in dataclasses.fields(schema)
        if f.name in schema.__annotations__ and f.name not in inherited
    ]
    assert [row[0] for row in rows] == [f.name for f in own]
    for (_, value, _), field in zip(rows, own, strict=True):
        assert yaml.safe_load(value or "null") == usual(field), field.name


def test_the_footsteps_are_right(tmp_path):
    path = tmp_path / "two-steps.yaml"
    path.write_text(FOOTSTEPS)
    assert not check_file(path)


def test_the_scenario_is_right(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    scenario = load_scenario(path)
    assert scenario.pushes[0].impulse == [0, 60, 0]
    assert scenario.world.mass_spread == 0.1
