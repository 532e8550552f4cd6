"""Controllers of a user's own in the loop."""

import json
import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import LeafSystem
from typer.testing import CliRunner

from backbeat.behaviors.library.behavior import Behavior
from backbeat.cli.main import app
from backbeat.models.actuation.joint_command import joint_command
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.control.controllers import ControllerSettings
from backbeat.mpc.control.own_controllers import ControllerInput, OwnControllers
from backbeat.mpc.control.user_code import load_user_code
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.horizon.near_plan import PlanNear
from backbeat.mpc.plans.plan import empty_plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.file import settings_story
from backbeat.mpc.runs.origin import check_controller
from backbeat.mpc.safety.servo_gains import hold_gains
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.table import run_key

OWN = Path(__file__).resolve().parents[2] / "docs/how_to/own_controller.py"
SHORT = Scenario.of(behavior="stand", lead_in=0.1, duration=0.3)


@pytest.fixture(scope="module")
def stand(built: Callable[[str], Behavior]) -> Behavior:
    """A behavior that stands."""
    return built("stand")


@pytest.fixture(scope="module")
def lqr() -> dict[str, Any]:
    """What the example of the documentation defines."""
    return runpy.run_path(str(OWN))


def follow(reference: Reference, settings: ControllerSettings) -> OwnControllers:
    """Plans the behavior itself."""
    near = PlanNear(reference)
    return OwnControllers(plan=lambda now: near(now.t, now.plan.phase_at(now.t)))


class HeldPosture:
    """A joint command that holds the behavior's posture, with its torques."""

    def __init__(self, reference: Reference) -> None:
        self.reference, self.robot = reference, reference.robot
        self.gains = hold_gains(self.robot, reference, 0.0, SHORT.timing.time_step)

    def __call__(self, now: ControllerInput) -> np.ndarray:
        s = now.plan.phase_at(now.t)
        sample, tau = self.reference.sample(s), self.reference.behavior.motion.tau[0]
        rest = np.zeros(self.robot.num_joints)
        return joint_command(tau, sample.q[7:], rest, *self.gains)


class PlanSystem(LeafSystem):
    """The behavior's plan as a system with a state input."""

    def __init__(self, reference: Reference) -> None:
        super().__init__()
        robot, self.near = reference.robot, PlanNear(reference)
        self.state = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        first = self.near(0.0, -SHORT.timing.lead_in)
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first), self.calc
        )

    def calc(self, context, output) -> None:
        t = context.get_time()
        assert np.isfinite(self.state.Eval(context)).all()
        output.set_value(self.near(t, t - SHORT.timing.lead_in))


def test_an_lqr_survives_a_push_and_is_recorded(stand: Behavior, lqr) -> None:
    push = Push(0.3, 0.1, [40.0, 0.0, 0.0])
    scenario = SHORT.changed(state="estimated", duration=1.6, pushes=[push])
    run = run_scenario(scenario.changed(steps=False), stand, controller=lqr["make"])
    assert not run.fell
    after = np.abs(run.x[run.t > 1.5][:, 4:7] - run.x[run.t < 0][-1, 4:7])
    assert 5.0 < run_metrics(run)["com_error_mm"]["max"] < 30.0
    assert after.max() < 5e-3
    assert run.controller == {"replaces": ["plan"]}
    assert len(run.plan_ms) == len(run.plans)


def test_the_lqr_shares_out_what_it_asks_for(stand: Behavior, lqr) -> None:
    law = lqr["Lqr"](Reference(stand))
    sample = law.reference.sample(0.0)
    law.state.update(sample.q, np.zeros(law.robot.num_velocities))
    total = np.array([0.05, -0.02, 0.1, 0.003, 0.02, -0.01])
    wrench = law.shared(total, sample)
    force, moment = np.zeros(3), np.zeros(3)
    for c, (R, p) in enumerate(zip(sample.R_contact, sample.p_contact, strict=True)):
        m, f = R @ wrench[c, :3], R @ wrench[c, 3:]
        force += f
        moment += m + np.cross(p - law.state.center_of_mass, f)
    np.testing.assert_allclose(np.r_[force, moment], total, atol=1e-12)


def test_a_joint_command_of_ones_own_holds_the_robot(stand: Behavior) -> None:
    run = run_scenario(
        SHORT,
        stand,
        controller=lambda reference, _: OwnControllers(command=HeldPosture(reference)),
    )
    assert not run.fell
    # It sways, as nothing balances it.
    assert run_metrics(run)["com_error_mm"]["max"] < 15.0
    assert len(run.tick_ms) == round(0.4 / SHORT.timing.tick_period)
    assert run.controller == {"replaces": ["command"]}


def test_a_system_and_a_function_agree(stand: Behavior) -> None:
    runs = [
        run_scenario(SHORT, stand, controller=own)
        for own in (follow, lambda r, _: OwnControllers(plan=PlanSystem(r)))
    ]
    # The system's plan is that of the moment, the function's up to a period older.
    nq = stand.robot_model.num_positions
    np.testing.assert_allclose(runs[0].x[:, :nq], runs[1].x[:, :nq], atol=2e-3)


def _unfinished(reference: Reference, settings: ControllerSettings) -> OwnControllers:
    near = PlanNear(reference)

    def plan(now: ControllerInput):
        found = near(now.t, now.plan.phase_at(now.t))
        return replace(found, wrench=np.full_like(found.wrench, np.nan))

    return OwnControllers(plan=plan)


class _Lonely(LeafSystem):
    def __init__(self, port: str, output: str) -> None:
        super().__init__()
        self.DeclareVectorInputPort(port, 1)
        if output:
            self.DeclareVectorOutputPort(output, 1, lambda context, out: None)


REFUSED = {
    "not OwnControllers": lambda r, s: 7,
    "replaces nothing": lambda r, s: OwnControllers(),
    "not a Plan": lambda r, s: OwnControllers(plan=lambda now: 3),
    "other sizes": lambda r, s: OwnControllers(plan=lambda now: empty_plan()),
    "finite numbers": _unfinished,
    "joint_command": lambda r, s: OwnControllers(command=lambda now: np.zeros(3)),
    "nothing to connect": lambda r, s: OwnControllers(plan=_Lonely("moon", "plan")),
    "no output port 'command'": lambda r, s: OwnControllers(
        command=_Lonely("state", "")
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_followed_is_refused(stand: Behavior, why: str) -> None:
    said = {"other sizes": r"durations|wrench"}.get(why, why)
    with pytest.raises(BackbeatError, match=said):
        run_scenario(SHORT, stand, controller=REFUSED[why])


def test_settings_of_what_is_replaced_are_refused(stand: Behavior) -> None:
    with pytest.raises(BackbeatError, match="planner: process"):
        run_scenario(
            SHORT.changed(planner="process", planning_time=0.02),
            stand,
            controller=follow,
        )


FILE = """
from backbeat.mpc.control.own_controllers import OwnControllers

def make(reference, settings):
    def plan(now):
        return 1 / 0
    return OwnControllers(plan=plan)

wrong = 3
"""


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    """A file whose controller fails."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


def test_an_error_of_the_users_is_told_with_its_line(
    stand: Behavior, own_file: Path
) -> None:
    code = load_user_code(f"{own_file}:make")
    with pytest.raises(BackbeatError, match="ZeroDivisionError in line 6") as caught:
        run_scenario(SHORT, stand, controller=code)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("mine.py", "write FILE.py:NAME"),
        ("none.py:make", "there is no Python file"),
        ("mine.py:mak", "did you mean make"),
        ("mine.py:wrong", "function of mine.py"),
        ("broken.py:make", "SyntaxError in line 1"),
        ("raises.py:make", "KeyError in line 2"),
    ],
)
def test_files_without_such_a_function_are_refused(
    own_file: Path, monkeypatch: pytest.MonkeyPatch, place: str, why: str
) -> None:
    monkeypatch.chdir(own_file.parent)
    Path("broken.py").write_text("def make(:\n")
    Path("raises.py").write_text("x = {}\nx['a']\n")
    with pytest.raises(BackbeatError, match=why):
        load_user_code(place)


def test_run_files_name_the_file_and_replay_asks_for_it(
    stand: Behavior, own_file: Path, tmp_path: Path
) -> None:
    code = load_user_code(f"{own_file}:make")
    story = {"controller": {"replaces": ["plan"], **code.story()}}
    assert check_controller(story, code, "run") == []
    with pytest.raises(BackbeatError, match=r"--controller FOLDER/mine.py:make"):
        check_controller(story, None, "run")
    with pytest.raises(BackbeatError, match="leave --controller out"):
        check_controller({}, code, "run")
    with pytest.raises(BackbeatError, match="there alone"):
        check_controller({"controller": {"replaces": ["plan"]}}, code, "run")
    own_file.write_text(FILE.replace("1 / 0", "2 / 0"))
    (changed,) = check_controller(story, load_user_code(f"{own_file}:make"), "run")
    assert "mine.py:make as it was then" in changed


def test_the_story_of_a_run_has_its_controller(stand: Behavior) -> None:
    run = run_scenario(SHORT.changed(duration=0.02), stand, controller=follow)
    assert isinstance(run, SimulationRun)
    assert json.loads(json.dumps(settings_story(run)))["controller"] == run.controller


def test_runs_of_a_sweep_are_told_apart_by_the_file() -> None:
    assert run_key(SHORT, "key") == run_key(SHORT, "key", "")
    assert run_key(SHORT, "key", "a") not in (
        run_key(SHORT, "key"),
        run_key(SHORT, "b"),
    )


def test_remote_and_own_controllers_exclude_each_other(own_file: Path) -> None:
    given = ["--remote", "127.0.0.1:1", "--controller", f"{own_file}:make"]
    found = CliRunner().invoke(app, ["track", "stand", *given])
    assert isinstance(found.exception, BackbeatError)
    assert "give one" in str(found.exception)
