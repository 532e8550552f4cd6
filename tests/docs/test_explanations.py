"""The explanations state what the code declares: every term, work and parameter."""

import re
import runpy
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.mpc.horizon.patch_rows import PATCH
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.problem.tasks import Task
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import (
    Term,
    cost,
    declared,
    file_fields,
    key_of,
)
from backbeat.optimization.transcription.constraints import EQUATIONS, ROWS

CHECKOUT = Path(__file__).parents[2]
PAGES = CHECKOUT / "docs" / "explanation"
PACKAGES = ("models", "optimization", "behaviors", "mpc")
PARTS = "trajectory_program reconstruction predictive_program recovery "
PARTS += "whole_body_program motors estimator contact"
TABLES = runpy.run_path(str(CHECKOUT / "docs" / "write_tables.py"))
DIAGRAMS = runpy.run_path(str(CHECKOUT / "docs" / "draw_diagrams.py"))


def page(name):
    return (PAGES / f"{name}.md").read_text()


def equations(text):
    """All displayed equations of a page, one after the other."""
    return "\n".join(re.findall(r"^```math\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


def typed(text):
    """Keys in displayed equations, weights of costs with w_ before."""
    found = re.findall(r"(w_\{)?\\texttt\{([^}]*)\}", equations(text))
    return {("w_" if weight else "") + key.replace("\\_", "_") for weight, key in found}


def labels(text):
    """What displayed equations say in words, such as the names of constraints."""
    said = re.findall(r"\\text\{([^}]*)\}", equations(text))
    return {part.strip() for words in said for part in words.split(",")} - {""}


# --- terms ----------------------------------------------------------------------------


def terms(*schemas):
    """Names in equations of all declared terms: w_KEY of costs, KEY of numbers."""
    return {
        ("w_" if declared(item).cost else "") + key_of(item)
        for schema in schemas
        for item in file_fields(schema)
    }


def missing(text, schemas, others=()):
    """Declared terms and other names that a page's displayed equations lack."""
    prose = set(re.findall(r"`(\w+)`", text.split("## Parameters")[0]))
    numbers = {n for n in terms(*schemas) if not n.startswith("w_")}
    said = typed(text) | (prose & numbers)
    return sorted({*terms(*schemas), *others} - said)


STATED = {
    "trajectory_program": (
        [TrajectoryWeights, Limits],
        [k.__name__ for k in Task.__subclasses__() if k.__module__ == Task.__module__],
    ),
    "predictive_program": ([PredictiveWeights], []),
    "recovery": ([Recovery], []),
    "whole_body_program": ([WholeBodyGains], []),
}


@pytest.mark.parametrize("name", STATED)
def test_every_declared_term_is_in_a_displayed_equation(name):
    """Costs always; numbers that are no weights may be in the text beside."""
    schemas, others = STATED[name]
    assert missing(page(name), schemas, others) == []
    # Nothing is stated that the code does not declare.
    weights = {n for n in typed(page(name)) if n.startswith("w_")}
    assert weights <= terms(*schemas)


def test_a_term_that_is_not_stated_is_found():
    @dataclass(frozen=True)
    class More(PredictiveWeights):
        turning: float = cost(1.0, Term("turning", "dk", "m^2/s", lambda z: z))

    text = page("predictive_program")
    assert missing(text, [More]) == ["w_turning"]
    # Beside the equation, in the text, is not in it.
    assert missing("`turning`\n\n" + text, [More]) == ["w_turning"]
    cut = text.replace(r"w_{\texttt{terminal}}", "w")
    assert missing(cut, [PredictiveWeights]) == ["w_terminal"]


def unstated(names, said):
    """Names of constraints that contain no label of the equations."""
    plain = [name.replace("{side} ", "") for name in names]
    return [name for name in plain if not any(label in name for label in said)]


def whole_body_limits():
    robot = make_robot("atlas", (), Mount())
    program = WholeBodyProgram(robot, list(robot.soles))
    return [name for block in program.limits for name in block.names]


CONSTRAINTS = {
    "trajectory_program": lambda: [c.kind for c in (*ROWS.values(), *EQUATIONS)],
    "predictive_program": lambda: [
        *PATCH,
        *filter(None, (declared(f).limit for f in file_fields(PredictiveWeights))),
    ],
    "whole_body_program": whole_body_limits,
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_every_constraint_is_in_a_displayed_equation(name):
    names, said = CONSTRAINTS[name](), labels(page(name))
    assert len(names) > 10
    assert unstated(names, {label for label in said if len(label) > 4}) == []
    assert unstated(["turning of a foot"], said - {"f"}) != []


# --- works ----------------------------------------------------------------------------


def one_line(text: str) -> str:
    return " ".join(text.split()).casefold()


def cited_titles() -> set[str]:
    """Titles of works named in the code, as in "Title of a Work", 2015."""
    titles = set()
    for package in PACKAGES:
        for path in (CHECKOUT / package).rglob("*.py"):
            text = one_line(path.read_text())
            titles |= set(re.findall(r'"([^"]{10,150})", (?:19|20)\d\d\b', text))
    return titles


def test_every_work_that_the_code_cites_is_listed() -> None:
    pages = " ".join(one_line(p.read_text()) for p in PAGES.glob("*.md"))
    titles = cited_titles()
    assert len(titles) > 10
    assert [title for title in titles if title not in pages] == []


# --- each part has a page -------------------------------------------------------------


@pytest.mark.parametrize("name", PARTS.split())
def test_a_part_has_equations_a_figure_sources_parameters_and_failures(name):
    text = page(name)
    assert len(re.findall(r"=|<|>|\\le\b|\\ge\b", equations(text))) >= 5
    assert f"]({name}.svg)" in text
    for title in ("Where it fails", "Parameters", "Sources"):
        assert f"\n## {title}\n" in text
    assert re.search(r"^- .*?\*.+?\*, (19|20)\d\d", text, re.MULTILINE | re.DOTALL)
    assert f"explanation/{name}" in TABLES["TABLES"]


@pytest.mark.parametrize("name", TABLES["TABLES"])
def test_tables_are_those_of_the_code(name):
    """`make tables` writes them."""
    text = (CHECKOUT / "docs" / f"{name}.md").read_text()
    assert TABLES["with_tables"](text, name) == text
    for parts in TABLES["TABLES"][name].values():
        assert [table for table in parts if table.strip() not in text] == []
        # They come back, whatever has become of them.
        row = parts[0].splitlines()[2]
        assert TABLES["with_tables"](text.replace(row, "| `c` |"), name) == text


@pytest.mark.parametrize("name", DIAGRAMS["DIAGRAMS"])
def test_figures_are_those_of_the_code(name):
    """`make tables` draws them."""
    assert DIAGRAMS["drawn"](name) == (PAGES / f"{name}.svg").read_text()


def test_a_table_without_an_explanation_of_a_number_is_refused():
    @dataclass
    class Silent:
        """Says nothing of its number."""

        number: float = 1.0

    assert [f.name for f in fields(Silent)] == ["number"]
    with pytest.raises(ValueError, match="Silent: not explained"):
        TABLES["attribute_table"](Silent)
