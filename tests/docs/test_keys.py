"""The page of keys has every key of every file, with what it is if it is left out."""

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from backbeat.behaviors.dance.arrangement import MeterDescription, MoveDescription
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.motion.authored import Authored, Objectives, Specification
from backbeat.behaviors.music.notation.score_description import (
    Adaptation,
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.posture.specification import PostureSpecification, Station
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.checking import check_file
from backbeat.models.kit.schema import (
    ChairDescription,
    KitDescription,
    MemberDescription,
    PedalDescription,
)
from backbeat.models.robot.description import RobotDescription, TaskSpaceDescription
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.compliant_period import CompliantPeriod
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.parts.push import Push
from backbeat.mpc.scenario.setting_event import SettingEvent
from backbeat.mpc.scenario.specification import KEYS, load_scenario
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.task_changes import TaskChanges
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask

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
    "Behaviors of a setlist": SetlistEntry,
    "Scenarios": KEYS.schema,
    "Pushes of a scenario": Push,
    "Compliant joints of a scenario": CompliantPeriod,
    "Events of a scenario": SettingEvent,
    "Events in task space": TaskChanges,
    "Upper body of a scenario": UpperBodyTask,
    "Target of a hand": TargetMotion,
    "Task space of a scenario": TaskSpaceTask,
    "Base in task space": BaseMotion,
    "World of a scenario": ModelMismatch,
    "Noise of a scenario": SensorNoise,
    "Robots": RobotDescription,
    "Task space of a robot": TaskSpaceDescription,
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
    shared = Specification.__mro__ if is_kind else schema.__mro__[1:]
    classes = [kind for kind in schema.__mro__ if kind not in shared]
    told = {name for kind in classes for name in vars(kind).get("__annotations__", {})}
    own = [f for f in dataclasses.fields(schema) if f.name in told - inherited]
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
    assert scenario.disturbances.pushes[0].impulse == [0, 60, 0]
    assert scenario.world.mismatch.mass_spread == 0.1
