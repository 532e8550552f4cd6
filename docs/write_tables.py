"""Writes what is declared in the code into the files that show it.

These are `mpc/weights/default.yaml` and the tables of pages. From the root of the
checkout:

    .venv/bin/python docs/write_tables.py
"""

from pathlib import Path

from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.files import FOLDER, weights_text
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.documents import cost_table, number_table
from backbeat.optimization.transcription.constraints import constraint_table

DOCS, DEFAULT = Path(__file__).parent, FOLDER / "default.yaml"
PAGE = DOCS / "reference" / "weights.md"
# By the heading that they are below, in order.
TABLES = {
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
}


def with_tables(page: str) -> str:
    """The page with its tables as they are declared now."""
    head, *sections = page.split("\n## ")
    return "\n## ".join([head, *map(_with_tables, sections)])


def _with_tables(section: str) -> str:
    """A section with its tables."""
    tables = iter(TABLES.get(section.partition("\n")[0], ()))
    blocks = section.split("\n\n")
    for i, block in enumerate(blocks):
        if block.startswith("| ") and (table := next(tables, None)):
            blocks[i] = table.rstrip("\n") + "\n" * block.endswith("\n")
    return "\n\n".join(blocks)


def default_text() -> str:
    """The weights file that ships, with its own summary."""
    summary, _, _ = DEFAULT.read_text().partition("\n")
    return weights_text(ControllerWeights(), summary.removeprefix("summary: "))


if __name__ == "__main__":
    DEFAULT.write_text(default_text())
    PAGE.write_text(with_tables(PAGE.read_text()))
