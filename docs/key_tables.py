"""The tables of docs/reference/keys.md, from the schemas; `make tables` writes them."""

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.vocabulary.descriptions import (
    MeterDescription,
    MoveDescription,
    PhraseDescription,
    TempoDescription,
)
from backbeat.behaviors.dance.vocabulary.move_schema import (
    MarkerDescription,
    MoveFile,
    ParameterDescription,
    StepDescription,
)
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.motion.authored import Authored, Specification
from backbeat.behaviors.motion.objectives import MotionWeights, Objectives
from backbeat.behaviors.music.notation.score_description import (
    Adaptation,
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.posture.specification import PostureSpecification, Station
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.models.common.schema_documents import key_rows
from backbeat.models.kit.schema import (
    ChairDescription,
    KitDescription,
    MemberDescription,
    PedalDescription,
)
from backbeat.models.robot.description import RobotDescription, TaskSpaceDescription
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.sensor_fault import SensorFault
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.disturbances.task_changes import TaskChanges
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.specification import scenario_keys
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.task_space.law import TaskSpaceSettings

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
from table_makers import linked  # noqa: E402

PAGE = DOCS / "reference" / "keys.md"


class Section(NamedTuple):
    """A schema that a section of the page is of, and the keys that are told above."""

    schema: Any
    shared: Any = None


SECTIONS = {
    "Every kind": Section(Authored),
    "Objectives": Section(Objectives),
    "Weights of a motion": Section(MotionWeights),
    "Footsteps": Section(FootstepSpecification, Specification),
    "Steps of footsteps": Section(Step),
    "Dances": Section(DanceSpecification, Specification),
    "Changes of meter of a dance": Section(MeterDescription),
    "Changes of tempo of a dance": Section(TempoDescription),
    "Phrases of a dance": Section(PhraseDescription),
    "Moves of a dance": Section(MoveDescription),
    "Recordings of a dance": Section(RecordingDescription),
    "Moves of your own": Section(MoveFile),
    "Parameters of a move": Section(ParameterDescription),
    "Steps of a move": Section(StepDescription),
    "Markers of a move": Section(MarkerDescription),
    "Drumming": Section(DrummingSpecification, Specification),
    "Strokes of a drummer": Section(Stroke),
    "Kits": Section(KitDescription),
    "Members of a kit": Section(MemberDescription),
    "Pedals of a kit": Section(PedalDescription),
    "Chair of a kit": Section(ChairDescription),
    "Adaptations of notes": Section(Adaptation),
    "Scores": Section(ScoreDescription, Adaptation),
    "Parts of a score": Section(PartDescription),
    "Hits of a part": Section(HitDescription),
    "Postures": Section(PostureSpecification, Specification),
    "Stations of a posture tour": Section(Station),
    "Setlists": Section(SetlistSpecification, Authored),
    "Behaviors of a setlist": Section(SetlistEntry),
    "Scenarios": Section(scenario_keys().schema),
    "Pushes of a scenario": Section(Push),
    "Compliant joints of a scenario": Section(CompliantPeriod),
    "Sensor faults of a scenario": Section(SensorFault),
    "Events of a scenario": Section(SettingEvent, TaskChanges),
    "Events in task space": Section(TaskChanges),
    "Upper body of a scenario": Section(UpperBodyTask),
    "Target of a hand": Section(TargetMotion),
    "Task space of a scenario": Section(TaskSpaceTask),
    "Control law in task space": Section(TaskSpaceSettings),
    "Base in task space": Section(BaseMotion),
    "World of a scenario": Section(type(model_mismatch())),
    "Noise of a scenario": Section(SensorNoise),
    "Robots": Section(RobotDescription),
    "Task space of a robot": Section(TaskSpaceDescription),
}


def with_tables(page: str) -> str:
    """The page with a table of keys as the schemas have them in every section.

    Args:
        page: Markdown; the first table of a section is that of its keys.
    """
    heads = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    sections = {head[3:].partition("\n")[0]: head for head in heads[1:]}
    assert list(sections) == list(SECTIONS), "the page has other sections"
    for title, (schema, shared) in SECTIONS.items():
        table = linked("\n".join(key_rows(schema, shared)) + "\n", PAGE)
        sections[title] = re.sub(
            r"^\| key \|.*\n(?:\|.*\n)+",
            lambda _, table=table: table,
            sections[title],
            count=1,
            flags=re.MULTILINE,
        )
    return heads[0] + "".join(sections.values())
