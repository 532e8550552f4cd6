"""Changes of the source as the page shows them: made in a copy, which then runs.

Each route is applied as printed, to as few files as it says, and what it adds is looked
at from outside, in a process that imports the copy.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.compiled.build import find_library
from tests.copied_sources import copy_packages

CHECKOUT = Path(__file__).parents[2]
PAGE = (CHECKOUT / "docs/how_to/where.md").read_text()
MOST_FILES = 3
STEP = re.compile(
    r"^\*\*\d\.\*\* `([^`]+)`(, new)?:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Change:
    """What a route does to one file: all of a new one, or a diff."""

    file: str
    is_new: bool
    text: str

    def apply(self, root: Path) -> None:
        path = root / self.file
        if self.is_new:
            assert not path.exists(), f"{self.file} is there already"
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.text)
            return
        source = path.read_text()
        for hunk in self.text.split("@@\n"):
            source = replaced(source, hunk.splitlines(), self.file)
        path.write_text(source)


def replaced(source: str, hunk: list[str], file: str) -> str:
    """A text with the lines of a diff taken out and put in, where all others agree."""
    assert {line[:1] for line in hunk} <= {" ", "+", "-"}, hunk
    old = [line[1:] for line in hunk if line[0] in " -"]
    new = [line[1:] for line in hunk if line[0] in " +"]
    lines, n = source.splitlines(), len(old)
    found = [i for i in range(len(lines)) if lines[i : i + n] == old]
    assert len(found) == 1, "\n".join([f"docs/how_to/where.md shows, of {file}:", *old])
    lines[found[0] : found[0] + n] = new
    return "".join(f"{line}\n" for line in lines)


def read_routes() -> dict[str, list[Change]]:
    sections = re.findall(
        r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
    return {
        title: [Change(f, bool(new), text) for f, new, text in STEP.findall(body)]
        for title, body in sections
    }


ROUTES = read_routes()


def test_every_route_takes_three_files_at_most():
    assert list(ROUTES) == [
        "A kind of behavior",
        "A cost of the predictive program",
        "A cost of the whole-body program",
        "A cost of the trajectory",
        "A disturbance",
        "A robot",
        "A sensor",
        "A layer of the stage",
    ]
    for title, changes in ROUTES.items():
        files = [change.file for change in changes]
        assert len(set(files)) == len(files), title
        most = 1 if title.startswith("A cost") else MOST_FILES
        assert 1 <= len(files) <= most, title
    # Nothing on the page that looks like a step has been passed over.
    assert sum(map(len, ROUTES.values())) == len(
        re.findall(r"^\*\*\d", PAGE, re.MULTILINE)
    )


def test_a_page_that_is_out_of_date_is_told():
    with pytest.raises(AssertionError, match="shows, of some"):
        replaced("a = 1\nb = 2\n", [" a = 3", "+c = 1"], "some.py")
    with pytest.raises(AssertionError, match="shows, of some"):
        replaced("a = 1\na = 1\n", [" a = 1", "+c = 1"], "some.py")
    assert replaced("a\nb\nc\n", [" a", "-b", "+B"], "some.py") == "a\nB\nc\n"


def test_every_edit_finds_its_place(tmp_path: Path) -> None:
    """Also all of them together, in the source as it is today."""
    copy_packages(CHECKOUT, tmp_path)
    for change in (change for route in ROUTES.values() for change in route):
        change.apply(tmp_path)
        if change.file.endswith(".py"):
            ast.parse((tmp_path / change.file).read_text())


class Changed:
    """A copy of the source with the changes of a route."""

    def __init__(self, root: Path, changes: list[Change]) -> None:
        self.root = root / "source"
        self.root.mkdir()
        copy_packages(CHECKOUT, self.root)
        for change in changes:
            change.apply(self.root)
        self.work, compiled = root / "work", root / "compiled"
        self.work.mkdir()
        compiled.mkdir()
        # What is compiled has not changed, and need not be compiled again.
        shutil.copy(find_library(CHECKOUT), compiled)
        paths = {"PYTHONPATH": self.root, "BACKBEAT_COMPILED": compiled}
        self.environment = os.environ | {n: str(path) for n, path in paths.items()}

    def run(self, *arguments: object, fails: bool = False) -> str:
        """What a process that imports the copy prints; of one that fails, why."""
        result = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode != 0) is fails, result.stdout + result.stderr
        return result.stderr if fails else result.stdout

    def command(self, *arguments: object, fails: bool = False) -> str:
        return self.run("-m", "backbeat.cli.main", *arguments, fails=fails)

    def told(self, script: str, *arguments: object) -> Any:
        """What a script leaves in `told`, as plain data."""
        head = "import json, sys\nimport numpy as np\nimport backbeat\n"
        tail = "\nprint(json.dumps([backbeat.__file__, told]))"
        answer = self.run("-c", head + script + tail, *arguments)
        where, told = json.loads(answer.splitlines()[-1])
        assert Path(where).is_relative_to(self.root)
        return told


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str], Changed]:
    """`changed(route)` is a copy of the source in which a route was gone."""
    return lambda title: Changed(tmp_path, ROUTES[title])


@pytest.mark.slow
def test_all_of_it_together_is_in_style(tmp_path: Path) -> None:
    """Edits as printed pass the linters, and imports go the way that they shall."""
    copy = Changed(tmp_path, [change for route in ROUTES.values() for change in route])
    shutil.copy(CHECKOUT / "pyproject.toml", copy.root)
    folder = Path(sysconfig.get_path("scripts"))
    for command in (
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        ("lint-imports", "--no-cache", "--no-logo"),
    ):
        result = subprocess.run(
            [folder / command[0], *command[1:]],
            cwd=copy.root,
            env=copy.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr


# --- routes ---------------------------------------------------------------------------

SWAY = """
kind: sway
name: to-the-left
summary: Atlas sways to the left and back.
width: 0.04
"""


SWAYED = """
from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.checking import check_file

far, other, path, library = sys.argv[1:]
behavior = build(path, Library(library))
com = behavior.com
told = {
    "findings": [
        [found.finding.sentence for found in check_file(file)]
        for file in (far, other, path)
    ],
    "kind": behavior.kind,
    "passed": behavior.certificate.passed,
    "half": (com[len(com) // 2] - com[0]).tolist(),
    "end": (com[-1] - com[0]).tolist(),
}
"""


@pytest.mark.slow
def test_a_kind_of_behavior(changed: Callable[[str], Changed]) -> None:
    copy = changed("A kind of behavior")
    files = {
        "far.yaml": SWAY.replace("0.04", "4"),
        "swing.yaml": SWAY.replace("kind: sway", "kind: swing"),
        "to-the-left.yaml": SWAY,
    }
    for name, text in files.items():
        (copy.work / name).write_text(text)
    library = copy.work / "library"
    told = copy.told(SWAYED, *files, library)
    far, other, right = told["findings"]
    assert "width is at most 0.1 m" in far[0]
    # It is listed among the kinds there are.
    assert re.search(r"known: .*\bsway\b", other[0]), other
    assert right == []
    assert told["kind"] == "sway"
    assert told["passed"]
    assert told["half"][1] == pytest.approx(0.04, abs=0.005)
    assert told["end"][1] == pytest.approx(0.0, abs=0.005)
    assert "to-the-left" in copy.command("list", "--library", library)


TURNED = """
from backbeat.behaviors.library.store import Library
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.matrices import PredictiveMatrices
from backbeat.mpc.predictive.plan_explanation import explain_plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference

reference = Reference(Library(sys.argv[1]).load("stand"))
deviation = np.zeros(12)
deviation[11] = 0.1
told = []
for heading in (0.0, 50.0):
    weights = PredictiveWeights(heading=heading)
    of = PredictiveMatrices(reference, weights, reference.soles)
    program = PredictiveProgram(reference, weights)
    plan = program.solve(PlanStart(2.0, 2.0, deviation))
    explained = explain_plan(program, plan)
    told.append({
        "P": of.P.diagonal().tolist(),
        "width": of.num_inputs + of.num_states,
        "inputs": of.num_inputs,
        "turned": plan.deviation[:, 11].tolist(),
        "objective": plan.objective,
        "costs": explained.costs,
        "words": str(explained),
    })
"""


def test_a_cost_of_the_predictive_program(
    changed: Callable[[str], Changed],
    built: Callable[[str], Behavior],
    library_folder: Path,
) -> None:
    built("stand")
    copy = changed("A cost of the predictive program")
    without, with_it = copy.told(TURNED, library_folder)
    # In every state of the matrix one entry differs, that of the heading.
    more = np.array(with_it["P"]) - without["P"]
    more = more.reshape(-1, with_it["width"])
    others = np.delete(more, with_it["inputs"] + 11, axis=1)
    assert (more[:, with_it["inputs"] + 11] > 0).all()
    assert not others.any()
    # It is among the named costs, which still are all of the objective.
    name = "heading of the body"
    assert without["costs"][name] == 0
    assert with_it["costs"][name] > 0
    assert name in with_it["words"]
    for plan in (without, with_it):
        total = sum(plan["costs"].values())
        assert total == pytest.approx(plan["objective"], rel=1e-6)
    # And the plan turns back sooner.
    turned = [np.square(p["turned"]).sum() for p in (with_it, without)]
    assert turned[0] < turned[1]


STOPPED = """
from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.scenario.specification import read_scenario
from backbeat.mpc.simulation.simulate import run_scenario

told = []
for weight in (0, 4):
    text = f"behavior: stand\\nweights: {{whole_body: {{turning: {weight}}}}}\\n"
    text += "lead_in: 0.1\\nduration: 0.4\\n"
    scenario = read_scenario(text, "mine").check()
    run = run_scenario(scenario, Library(sys.argv[1]).load("stand"))
    tasks = {task.name: task for task in explain_run(run, 0.3).tick.tasks}
    task = tasks.get("turning of the base")
    told.append(None if task is None else [task.weight, task.cost, str(run.fell)])
"""


@pytest.mark.slow
def test_a_cost_of_the_whole_body_program(
    changed: Callable[[str], Changed],
    built: Callable[[str], Behavior],
    library_folder: Path,
) -> None:
    """What is compiled has another struct of gains, and is compiled again."""
    built("stand")
    copy = changed("A cost of the whole-body program")
    without, (weight, cost, fell) = copy.told(STOPPED, library_folder)
    assert without is None
    assert weight == 4.0
    assert cost > 0
    assert fell == "False"


LOW = """
from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant

told = []
for weight in (0.0, 2000.0):
    library = Library(f"{sys.argv[1]}-{weight:g}")
    behavior = build("side-step", library, variant=Variant(weights={"turning": weight}))
    totals = behavior.costs().totals()
    log = behavior.provenance["log"][-1]["cost"]
    spin = np.square(behavior.momentum[:, 2]).mean()
    told.append([totals["angular momentum about the vertical"], spin, log, totals])
"""


@pytest.mark.slow
def test_a_cost_of_the_trajectory(changed: Callable[[str], Changed]) -> None:
    copy = changed("A cost of the trajectory")
    without, with_it = copy.told(LOW, copy.work / "library")
    assert without[0] == 0
    assert with_it[0] > 0
    assert with_it[1] < 0.5 * without[1]
    for _, _, log, totals in (without, with_it):
        assert sum(totals.values()) == pytest.approx(log, rel=1e-4)


BLOWN = """
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.simulation.simulate import run_scenario

told = []
try:
    load_scenario(sys.argv[2])
except BackbeatError as error:
    told += [str(error)]
for path in sys.argv[3:]:
    scenario = load_scenario(path)
    run = run_scenario(scenario, Library(sys.argv[1]).load(scenario.behavior))
    told.append({
        "force": run.push.tolist(),
        "ground": run.contact[-60:, :, 3:].sum(axis=1).mean(axis=0).tolist(),
        "fell": run.fell,
    })
"""


def test_a_disturbance(
    changed: Callable[[str], Changed],
    built: Callable[[str], Behavior],
    library_folder: Path,
) -> None:
    built("stand")
    copy, scenarios = changed("A disturbance"), []
    short, long = 0.1, 1.0
    for wind, seed, duration in (
        (9999, 1, short),
        (0, 1, short),
        (40, 1, long),
        (40, 2, short),
    ):
        path = copy.work / f"wind-{wind}-{seed}.yaml"
        path.write_text(
            f"behavior: stand\nduration: {duration}\nlead_in: 0.1\nlead_out: 0\n"
            f"seed: {seed}\nworld: {{wind: {wind}}}\n"
        )
        scenarios.append(path)
    refusal, calm, blown, other = copy.told(BLOWN, library_folder, *scenarios)
    assert "world.wind is 9999" in refusal
    assert not np.array(calm["force"]).any()
    for run in (blown, other):
        force = np.array(run["force"])
        assert np.linalg.norm(force, axis=1) == pytest.approx(40.0)
        assert not force[:, 2].any()
        assert force == pytest.approx(np.tile(force[0], (len(force), 1)))
    # Standing in a wind, the robot leans on the ground, which pushes back.
    assert not blown["fell"]
    pushed = np.array(blown["force"][0][:2])
    assert blown["ground"][:2] == pytest.approx(-pushed, abs=8.0)
    assert blown["force"][0] != pytest.approx(other["force"][0], abs=1.0)


REACHER = """
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

robot = RobotModel("reacher")
state = Configuration(robot, robot.posture("stretched"))
told = {
    "joints": list(robot.joint_names),
    "efforts": robot.effort_limits.tolist(),
    "held": state.gravity_forces.tolist(),
    "g": robot.gravity,
}
try:
    RobotModel("reached")
except BackbeatError as error:
    told["unknown"] = str(error)
"""


@pytest.mark.slow
def test_a_robot(changed: Callable[[str], Changed]) -> None:
    copy = changed("A robot")
    told = copy.told(REACHER)
    assert told["joints"] == ["shoulder", "elbow"]
    assert told["efforts"] == [60.0, 30.0]
    # Stretched along x, links of 2 and 1 kg hang on levers of 0.2, 0.55 and 0.15 m.
    moments = told["g"] * np.array([2 * 0.2 + 1 * 0.55, 1 * 0.15])
    assert np.abs(told["held"]) == pytest.approx(moments)
    assert "known: " in told["unknown"]
    assert "reacher" in told["unknown"]
    urdf = copy.root / "models" / "robots" / "reacher" / "reacher.urdf"
    # It is checked, and lint sees what is wrong with it where something is.
    assert copy.command("lint", urdf)
    urdf.write_text(urdf.read_text().replace('effort="60"', 'effort="-60"'))
    copy.command("lint", urdf, fails=True)


SENSED = """
from backbeat.behaviors.library.store import Library
from backbeat.models.sensing import sensors
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run

behavior, scenario = Library(sys.argv[1]).load("stand"), load_scenario(sys.argv[2])
honest, told = sensors._heading, {}
compasses = {
    "honest": honest,
    "turned": lambda q: honest(q) + 0.5,
    "silent": lambda q: np.nan,
}
for name, compass in compasses.items():
    sensors._heading = compass
    with RunningLoop(behavior, scenario) as running:
        while not running.is_over:
            running.advance(0.02)
        diagram = running.loop.diagram
        estimator = diagram.GetSubsystemByName("state_estimator")
        own = estimator.GetMyContextFromRoot(running.context)
        memory = estimator.GetOutputPort("memory").Eval(own)
        last = run_frame(collect_run(running)).iloc[-1]

    def heading(prefix):
        w, x, y, z = (float(last[f"{prefix}q.base.q{a}"]) for a in "wxyz")
        return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    told[name] = {
        "compass": float(memory.reading.compass),
        "true": heading(""),
        "sensed": heading("sensed."),
        "variance": float(memory.base.P[2, 2]),
    }
"""


@pytest.mark.slow
def test_a_sensor(
    changed: Callable[[str], Changed],
    built: Callable[[str], Behavior],
    library_folder: Path,
) -> None:
    built("stand")
    copy = changed("A sensor")
    scenario = copy.work / "compass.yaml"
    scenario.write_text(
        "behavior: stand\nduration: 0.2\nlead_in: 0.1\nlead_out: 0\nseed: 3\n"
        "state: estimated\nnoise: {compass: 0.01}\n"
    )
    told = copy.told(SENSED, library_folder, scenario)
    honest, turned, silent = told["honest"], told["turned"], told["silent"]
    # Its sample has the error that was asked for: four standard deviations at most.
    assert 0 < abs(honest["compass"] - honest["true"]) < 4 * 0.01
    assert turned["compass"] - turned["true"] == pytest.approx(0.5, abs=4 * 0.01)
    assert np.isnan(silent["compass"])
    # It makes the heading better known, and one that is wrong leads it astray.
    assert honest["variance"] < silent["variance"]
    errors = [run["sensed"] - run["true"] for run in (honest, turned)]
    assert abs(errors[0]) < 3e-3
    assert errors[1] > 10 * abs(errors[0])


DRAWN = """
from pydrake.math import RigidTransform
from backbeat.behaviors.library.store import Library
from backbeat.stage.drawing.canvas import LiveCanvas
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.sources.kinds import PlannedSource

behavior = Library(sys.argv[1]).load("stand")
stage, take = Stage(behavior, is_simulated=False), PlannedSource(behavior)
frame = take.frame_at(1.0)


class Noted(LiveCanvas):
    placed = {}

    def place(self, path, X):
        super().place(path, X)
        self.placed[path] = X.translation().tolist()


stage.draw(Noted(stage.meshcat), frame)
told = {
    "there": stage.meshcat.HasPath("/center of pressure/disc"),
    "place": Noted.placed["/center of pressure/disc"],
    "com": frame.state.center_of_mass.tolist(),
    "feet": [f.point.tolist() for f in frame.forces.values()],
    "switches": stage.info(take, 1.0)["layers"],
}
"""


@pytest.mark.slow
def test_a_layer_of_the_stage(
    changed: Callable[[str], Changed],
    built: Callable[[str], Behavior],
    library_folder: Path,
) -> None:
    built("stand")
    told = changed("A layer of the stage").told(DRAWN, library_folder)
    assert told["there"]
    (switch,) = [s for s in told["switches"] if s["path"] == "/center of pressure"]
    assert switch["color"] == "rgb(0 115 178)"
    # At rest the forces act below the center of mass, between the feet.
    assert told["place"][:2] == pytest.approx(told["com"][:2], abs=0.01)
    assert told["place"][2] == pytest.approx(0.0, abs=0.01)
    left, right = sorted(point[1] for point in told["feet"])
    assert left < told["place"][1] < right
