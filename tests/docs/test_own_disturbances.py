"""The rope of the page on disturbances: its physics, in both engines and shown."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.cli.main import app
from backbeat.jobs.sweeping import run_sweep
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances import registry
from backbeat.mpc.disturbances.disturbance import Disturbance, StepStart
from backbeat.mpc.runs.file import load_run, run_settings, save_run
from backbeat.mpc.runs.origin import check_terms
from backbeat.mpc.scenario.specification import Scenario, read_scenario, scenario_keys
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.card.sweeps import card_sweeps
from backbeat.mpc.sweep.specification import parse_sweep
from backbeat.optimization.terms.user_file import UserFile, load_user_file
from backbeat.stage.drawing.canvas import LiveCanvas
from backbeat.stage.drawing.lines import DisturbanceLines
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.live.simulation import LiveSimulation
from backbeat.stage.sources.kinds import SimulatedSource
from backbeat.stage.web import panel
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import RECURSION

DOCS = Path(__file__).parents[2] / "docs/how_to"
PAGE, FILE = (DOCS / "own_disturbances.md").read_text(), DOCS / "own_disturbance.py"
ROPE = {"time": 0.1, "duration": 0.5, "place": [1.0, 0.2, 1.2], "slack": 0.9}


@pytest.fixture(scope="module")
def file() -> Iterator[UserFile]:
    """The file, whose rope is registered."""
    with registry.only_kinds():
        loaded = load_user_file(FILE)
        registry.register_file(loaded)
        yield loaded


@pytest.fixture(scope="module")
def rope(file: UserFile) -> Callable[..., Disturbance]:
    return file.contents["Rope"]


@pytest.fixture(scope="module")
def pulled(rope: Any, built: Callable[[str], Behavior]) -> Callable[[str], Any]:
    """A run in which Atlas is pulled, in an engine."""
    runs: dict[str, Any] = {}

    def get(engine: str) -> Any:
        if engine == "mujoco":
            pytest.importorskip("mujoco")
        if engine not in runs:
            scenario = Scenario.of(
                behavior="stand",
                engine=engine,
                lead_in=0.1,
                duration=0.9,
                lead_out=0.0,
                ropes=[rope(**ROPE, stiffness=600.0)],
            )
            runs[engine] = run_scenario(scenario, built("stand"))
        return runs[engine]

    return get


def test_the_page_lists_what_is_registered():
    rows = re.findall(r"^\| ([a-z ]+) \| (`[^|]*`) \| ([A-Z][^|]*) \|$", PAGE, re.M)
    known = {
        kind.name: (registry.keys_of(kind), (kind.__doc__ or "").splitlines()[0])
        for kind in registry.shipped()
    }
    told = {name: (re.findall(r"`([^`]+)`", keys), text) for name, keys, text in rows}
    assert told == known


def test_what_the_page_shows_is_what_the_file_runs(file):
    scenario, sweep = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert scenario.strip() == file.contents["SCENARIO"].strip()
    assert sweep.strip() == file.contents["SWEEP"].strip()
    found = read_scenario(scenario, "the page").check()
    assert found.disturbances.ropes[0].stiffness == 600.0
    cells = parse_sweep(sweep, "the page").cells
    ropes = [cell.seeded(0).disturbances.ropes[0] for cell in cells]
    assert [r.stiffness for r in ropes] == 2 * [200, 600, 1800]


@pytest.mark.parametrize("seed", range(4))
def test_its_force_is_that_of_spring_and_damper(rope, built, seed):
    """Against Drake's kinematics; slack, it does not pull."""
    robot = built("stand").robot_model
    random = np.random.default_rng(seed)
    q = built("stand").motion.q[0].copy()
    q[7:] += 0.1 * random.normal(size=len(q) - 7)
    v = 0.3 * random.normal(size=robot.num_velocities)
    drake = DrakeRobot(robot)
    drake.set(q, v)
    link = robot.trunk.name
    frame = drake.plant.GetFrameByName(link)
    p = frame.CalcPoseInWorld(drake.context).translation()
    rate = frame.CalcSpatialVelocityInWorld(drake.context).translational()
    place = p + random.normal(size=3)
    away = place - p
    length = np.linalg.norm(away)
    one = rope(place=place.tolist(), stiffness=700.0, damping=30.0).placed(robot)
    state = Configuration(robot, q, v)
    now = StepStart(0.3, 0.0, 1e-3, 0, lambda: state)
    for slack in (0.7 * length, 1.01 * length):
        (force,) = replace(one, slack=slack).link_forces(now)
        pull = 700.0 * (length - slack) - 30.0 * rate @ away / length
        expected = max(0.0, pull) * away / length if slack < length else np.zeros(3)
        assert force.link == link
        np.testing.assert_allclose(force.force, expected, rtol=RECURSION, atol=1e-9)
    assert not list(one.link_forces(replace(now, clock=-0.1)))
    assert not list(one.link_forces(replace(now, clock=1.1)))


def rope_in(run: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(M,) lengths and their rates, and (M, 3) directions of the rope in a run."""
    robot = run.behavior.robot_model
    lengths, rates, along = [], [], []
    for x in run.x:
        state = Configuration(robot, *np.split(x, [robot.num_positions]))
        frame = robot.link_frame(robot.trunk.name)
        away = np.array(ROPE["place"]) - state.place(frame)
        lengths.append(np.linalg.norm(away))
        along.append(away / lengths[-1])
        rates.append(-along[-1] @ state.velocity(frame)[3:])
    return np.array(lengths), np.array(rates), np.array(along)


@pytest.mark.parametrize("engine", ["drake", "mujoco"])
def test_the_run_is_pulled_by_it(pulled, engine):
    """Force by force as its state has it; what it does not give back it has taken."""
    run = pulled(engine)
    (one,) = run.scenario.disturbances.ropes
    lengths, rates, along = rope_in(run)
    tied = (run.t > one.time - 1e-6) & (run.t < one.time + one.duration - 1e-6)
    tensions = [one.tension(*a) for a in zip(lengths, rates, strict=True)]
    pull = np.where(tied, tensions, 0.0)
    np.testing.assert_allclose(run.push, pull[:, None] * along, atol=1e-6)
    assert 30.0 < pull.max() < 300.0
    taut = np.flatnonzero(pull > 0)
    # From when it is taut on, in one piece, until it is cut or slack.
    i = np.arange(taut[0], taut[0] + np.argmin(np.r_[np.diff(taut) == 1, False]) + 1)
    energy = 0.5 * one.stiffness * (lengths[i] - one.slack) ** 2
    work = -np.trapezoid(pull[i] * rates[i], run.t[i])
    lost = np.trapezoid(one.damping * rates[i] ** 2, run.t[i])
    assert lost > 0.0
    scale = np.trapezoid(np.abs(pull[i] * rates[i]), run.t[i])
    assert work == pytest.approx(energy[0] - energy[-1] - lost, abs=0.03 * scale)


def test_both_engines_are_pulled_alike(pulled):
    first, second = pulled("drake"), pulled("mujoco")
    size = np.linalg.norm(first.push, axis=1).max()
    assert np.abs(first.push - second.push).max() < 0.05 * size
    nq = first.behavior.robot_model.num_positions
    assert np.abs(first.x[:, 4:7] - second.x[:, 4:7]).max() < 2e-3
    assert np.abs(first.x[:, 7:nq] - second.x[:, 7:nq]).max() < 0.02


def test_a_file_keeps_it_and_is_read_without_it(pulled, file, tmp_path, caplog):
    run = pulled("drake")
    path = save_run(run, tmp_path / "rope.run.parquet", run_metrics(run))
    _, story = load_run(path)
    assert story["disturbances"] == {**file.story(), "keys": ["ropes"]}
    assert check_terms(story, file, path) == []
    assert run_settings(story).disturbances.ropes == run.scenario.disturbances.ropes
    with pytest.raises(BackbeatError, match=r"--with FOLDER/own_disturbance\.py"):
        check_terms(story, None, path)
    changed = replace(file, sha256="0")
    assert check_terms(story, changed, path) == [
        "disturbances of own_disturbance.py as they were then"
    ]
    with registry.only_kinds():
        settings = run_settings(story)
        assert "ropes is a disturbance of own_disturbance.py" in " ".join(
            caplog.text.split()
        ).replace("ropes of the run is", "ropes is")
        assert "ropes" not in settings.to_dict()


def test_a_pull_is_judged_and_told(pulled):
    (told,) = run_metrics(pulled("drake"))["pushes"]
    assert told["kind"] == "rope"
    assert told["time_s"] == ROPE["time"]
    assert told["survived"] is None


def test_the_stage_shows_it(pulled):
    run = pulled("drake")
    stage, source = Stage(run.behavior, is_simulated=True), SimulatedSource(run)
    lengths, _, _ = rope_in(run)
    k = int(np.argmin(np.abs(run.t - 0.4)))
    frame = source.frame_at(float(run.t[k]))
    (line,) = frame.lines
    assert line.end.tolist() == ROPE["place"]
    assert np.linalg.norm(line.end - line.start) == pytest.approx(lengths[k], abs=1e-4)
    assert line.is_taut == (lengths[k] > ROPE["slack"])
    assert not source.frame_at(0.05).lines
    shown: dict[str, bool] = {}

    class Noted(LiveCanvas):
        def show(self, path: str, visible: bool) -> None:
            shown[path] = visible

    stage.draw(Noted(stage.meshcat), frame)
    lines = [visible for path, visible in shown.items() if "/lines of" in path]
    assert sum(lines) == 1
    names = [s["path"] for s in stage.info(source, 1.0)["layers"]]
    assert DisturbanceLines.path in names


def test_the_panel_offers_it_and_a_live_run_takes_it(rope, built):
    robot = built("stand").robot_model
    offer = panel.offers(robot, [robot.base_name])["disturbances"]
    assert list(offer) == ["rope"]
    by_name = {s["name"]: s for s in offer["rope"]}
    assert list(by_name) == ["slack", "stiffness", "damping"]
    stiffness = by_name["stiffness"]
    assert (stiffness["low"], stiffness["high"], stiffness["usual"]) == (0, 2000, 400)
    assert stiffness["unit"] == "N/m"
    assert "Force by how much it is longer" in stiffness["hint"]
    values = {"slack": 0.5, "stiffness": 300.0, "damping": 0.0}
    read = panel.SIMULATING["disturb"]({"name": "rope", "values": values})
    assert read == (rope, values)
    for wrong in ({**values, "stiffness": 3000.0}, {"slack": 0.5}):
        with pytest.raises(BackbeatError):
            panel.SIMULATING["disturb"]({"name": "rope", "values": wrong})
    with pytest.raises(BackbeatError, match="one of rope"):
        panel.SIMULATING["disturb"]({"name": "rod", "values": values})
    live = LiveSimulation(built("stand"), Scenario.of(behavior="stand", lead_in=0.1))
    live.advance(0.2)
    assert live.disturb(*read) == pytest.approx(0.102)
    live.advance(0.1)
    (line,) = live.now().lines
    assert line.is_taut
    (one,) = live.scenario_so_far().disturbances.ropes
    assert one.body == robot.trunk.name
    live.close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rops: []", "unknown key in .* 'rops'; did you mean ropes"),
        ("ropes: [{stifness: 3}]", "'stifness'; did you mean stiffness"),
        ("ropes: [{stiffness: 1e9}]", "stiffness is .*; it must be from 0 to 2000 N/m"),
    ],
)
def test_what_is_wrong_is_said(file, text, says):
    with pytest.raises(BackbeatError, match=says):
        read_scenario(f"behavior: stand\n{text}", "rope.yaml")


def test_a_link_that_is_not_there_is_named(rope, built):
    scenario = Scenario.of(behavior="stand", ropes=[rope(body="utors")])
    with pytest.raises(BackbeatError, match="body of a rope 'utors'; did you mean"):
        run_scenario(scenario, built("stand"))


def test_a_name_that_is_taken_is_refused(rope):
    for change in ({"name": "push"}, {"list_key": "pushes"}, {"name": ""}):
        with pytest.raises(BackbeatError, match="Other"):
            registry.register(type("Other", (rope,), change))
    other = type("Other", (rope,), {"list_key": "friction"})
    told = pytest.raises(BackbeatError, match="have the key 'friction'")
    with registry.only_kinds(other), told:
        scenario_keys()


def test_a_card_has_the_cases_of_what_is_registered(rope, built):
    case = {"a rope": {"rope": {"stiffness": 100.0, "duration": 0.2}}}
    with registry.only_kinds(type("Carded", (rope,), {"card": case})):
        disturbances, _ = card_sweeps(built("stand"), seeds=1, engines=["drake"])
    cells = {cell.case: cell for cell in disturbances.cells}
    (one,) = cells["a rope"].seeded(0).disturbances.ropes
    assert one.time > 0.0
    assert {"a push of 40 N s", "each mass +-10 %", "plans late and lost"} < set(cells)


def test_the_command_line_takes_it(library_folder, built, tmp_path, monkeypatch):
    built("stand")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rope.yaml").write_text(
        "behavior: stand\nlead_in: 0.1\nduration: 0.3\nlead_out: 0\n"
        f"ropes: [{json.dumps(ROPE)}]\n"
    )
    call = ["track", "--scenario", "rope.yaml", "--library", str(library_folder)]
    runner = CliRunner()
    with registry.only_kinds():
        refused = runner.invoke(app, call)
        assert refused.exit_code != 0
        assert "ropes" in str(refused.exception or refused.output)
        done = runner.invoke(app, [*call, "--with", str(FILE), "-o", "a.run.parquet"])
        assert done.exit_code == 0, done.output
    with registry.only_kinds():
        again = ["replay", "a.run.parquet", "--library", str(library_folder)]
        same = runner.invoke(app, [*again, "--with", str(FILE)])
        assert "the same bit for bit" in same.output


@pytest.mark.slow
def test_a_sweep_over_its_stiffness(file, built, library_folder, tmp_path):
    """In processes of their own, which load the file again."""
    built("stand")
    sweep = parse_sweep(
        file.contents["SWEEP"].replace("[200, 600, 1800]", "[200, 600]"), "ropes"
    )
    found = run_sweep(sweep, library_folder, tmp_path, terms=file)
    assert not found.failures
    assert found.made == 4
    moved = {
        (row["engine"], *json.loads(row["values"]).values()): row["com_error_max_mm"]
        for row in found.rows
    }
    for engine in ("drake", "mujoco"):
        assert moved[engine, 600] > moved[engine, 200]
    assert Library(library_folder).load("stand").name == "stand"
