"""Writes what is declared in the code into the files that show it.

These are `mpc/weights/default.yaml` and the tables of pages. From the root of the
checkout:

    .venv/bin/python docs/write_tables.py
"""

import re
import sys
from pathlib import Path
from typing import Any

from backbeat.models.actuation import motors, servo_law, servo_margin
from backbeat.models.contact import cones
from backbeat.models.robot.description import ServoGains
from backbeat.mpc.analysis import survival
from backbeat.mpc.estimation.contact_estimator import ContactThresholds
from backbeat.mpc.estimation.invariant_filter import FilterNoise
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.runs.metric_definitions import metric_table
from backbeat.mpc.scenario.parts.actuation import ActuationSettings
from backbeat.mpc.scenario.parts.sensing import SensingSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.files import FOLDER, weights_text
from backbeat.mpc.whole_body.programs import contact_motion, limits
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.reconstruction import curves, rebounds
from backbeat.optimization.terms.documents import cost_table, number_table
from backbeat.optimization.transcription.constraints import constraint_table

DOCS, DEFAULT = Path(__file__).parent, FOLDER / "default.yaml"
sys.path.insert(0, str(DOCS))
import command_page  # noqa: E402
import key_tables  # noqa: E402
from table_makers import attribute_table, constant_table, key_table  # noqa: E402


def keys(schema: Any) -> str:
    """Keys of a schema, for a page of explanations."""
    return key_table(schema, DOCS / "explanation" / "page.md")


# By page, and there by the heading that they are below, in order.
TABLES = {
    "reference/weights": {
        "Predictive program: costs": [cost_table(PredictiveWeights)],
        "Predictive program: bounds and thresholds": [number_table(PredictiveWeights)],
        "Whole-body program: tasks": [cost_table(WholeBodyGains)],
        "Whole-body program: gains": [number_table(WholeBodyGains)],
        "Recovery steps": [number_table(Recovery)],
        "Trajectory": [
            cost_table(TrajectoryWeights),
            number_table(TrajectoryWeights),
            number_table(Limits),
            constraint_table(),
        ],
    },
    "reference/metrics": {
        "All metrics": [metric_table()],
        "Verdicts": [constant_table(survival, "RECOVERY", "CALM", "UPRIGHT")],
    },
    "explanation/overview": {
        "Rates and delays": [
            keys(TimingSettings),
            keys(SensingSettings),
            constant_table(servo_margin, "SERVO_STEP"),
        ]
    },
    "explanation/trajectory_program": {
        "Costs": [cost_table(TrajectoryWeights)],
        "Limits": [number_table(Limits)],
        "Solver": [attribute_table(InteriorPointOptions)],
    },
    "explanation/reconstruction": {
        "Parameters": [
            constant_table(
                rebounds, "LONGEST", "SHARE", "MOST_SPEED", "SHARES", "NEARER"
            ),
            constant_table(curves, "FADE", "STEP", "ROUNDS"),
        ]
    },
    "explanation/predictive_program": {
        "Costs": [cost_table(PredictiveWeights)],
        "Bounds and thresholds": [number_table(PredictiveWeights)],
    },
    "explanation/recovery": {"Parameters": [number_table(Recovery)]},
    "explanation/whole_body_program": {
        "Weights of tasks": [cost_table(WholeBodyGains)],
        "Gains": [number_table(WholeBodyGains)],
        "Constants of limits": [
            constant_table(limits, "MAX_FORCE", "STOP_TIME", "LIMB_ROOM"),
            constant_table(contact_motion, "MOST_TURN"),
        ],
    },
    "explanation/motors": {
        "Parameters": [
            keys(ServoGains),
            keys(ActuationSettings),
            constant_table(motors, "HYDRAULIC_LAG"),
            constant_table(servo_law, "FRICTION_SPEED", "OBSERVER_RATE"),
        ]
    },
    "explanation/estimator": {
        "Parameters": [attribute_table(FilterNoise), attribute_table(ContactThresholds)]
    },
    "explanation/contact": {
        "Parameters": [
            constant_table(cones, "PATCH_MARGIN", "FLOOR", "BODY", "STICK_TIP")
        ]
    },
}


def with_tables(page: str, name: str = "reference/weights") -> str:
    """A page with its tables as they are declared now."""
    sections = re.split(r"\n(?=##+ )", page)
    return "\n".join(_with_tables(section, TABLES[name]) for section in sections)


def _with_tables(section: str, of: dict[str, list[str]]) -> str:
    """A section with its tables."""
    tables = iter(of.get(section.partition("\n")[0].lstrip("# "), ()))
    blocks = section.split("\n\n")
    for i, block in enumerate(blocks):
        if block.startswith("| ") and (table := next(tables, None)):
            blocks[i] = table.rstrip("\n") + "\n" * block.endswith("\n")
    return "\n\n".join(blocks)


def default_text() -> str:
    """The weights file that ships, with its own summary."""
    summary, _, _ = DEFAULT.read_text().partition("\n")
    return weights_text(ControllerWeights(), summary.removeprefix("summary: "))


def main() -> None:
    """Writes all files."""
    DEFAULT.write_text(default_text())
    key_tables.PAGE.write_text(key_tables.with_tables(key_tables.PAGE.read_text()))
    command_page.PAGE.write_text(command_page.command_page())
    for name in TABLES:
        page = DOCS / f"{name}.md"
        page.write_text(with_tables(page.read_text(), name))


if __name__ == "__main__":
    main()
