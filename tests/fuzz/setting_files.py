"""Settings of runs: scenarios, sweeps, and what the command line takes."""

from pathlib import Path

import yaml
from hypothesis import strategies as st

from backbeat.mpc.disturbances.kinds.push import read_push
from backbeat.mpc.remote.address import read_address
from backbeat.mpc.scenario.specification import Scenario, load_scenario
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.sweep.specification import SHIPPED_FOLDER, load_sweep
from backbeat.mpc.weights.files import FOLDER, load_weights
from tests.fuzz.noise import HOSTILE, HOSTILE_YAML, TEXT, yaml_like
from tests.fuzz.reader import Reader

SCENARIO = """\
behavior: stand
duration: 4.0
friction: 0.4
state: estimated
pushes: [{time: 2.0, duration: 0.1, impulse: [60.0, 0.0, 0.0], body: pelvis}]
world: {mass_spread: 0.1, plan_delay: 0.004}
weights: {predictive: {com: 50, knots: 20}, stance: {linear: 3}}
recovery: {watch: 0.05}
"""
SWEEP = """\
name: timing
behaviors: [stand, march]
seeds: 3
base: {duration: 6, world: {mass_spread: 0.1}, pushes: [{time: 0.1}]}
per_behavior: {march: {push.time: 1.5}}
cases: {all on: {}, timing off: {timing: off}}
variations: {push.direction_deg: [0, 90], friction: [0.4, 0.8]}
search: {field: push.impulse, low: 20, high: 60, step: 20}
"""
ALL = yaml.safe_dump(Scenario.of(behavior="stand").to_dict())
TASK_SPACE = yaml.safe_dump(
    Scenario.of(robot="ur10", task_space=TaskSpaceTask()).to_dict()
)
# As earlier versions had it.
EARLIER = """\
robot: ur10
target: {radius: 0.2, frequency: 0.5}
period: 0.005
noise: {angle: 0.005}
hand_sensing: true
control: {limits: program}
"""
SWEEPS = [
    (SHIPPED_FOLDER / f"{n}.yaml").read_text() for n in ("stance-pushes", "world")
]


def _read_sweep(path: Path) -> None:
    sweep = load_sweep(path)
    assert len({cell.title() for cell in sweep.cells}) == len(sweep.cells)


def _read_push(path: Path) -> None:
    push = read_push(path.read_bytes().decode(errors="replace"))
    Scenario.of(behavior="stand", pushes=[push]).check()


def _read_address(path: Path) -> None:
    assert 0 < read_address(path.read_bytes().decode(errors="replace")).port < 65536


PUSHES = st.lists(st.floats().map(str) | TEXT, min_size=3, max_size=5).map(",".join)
ADDRESSES = st.tuples(TEXT, st.integers(-1, 99_999).map(str) | TEXT).map(":".join)

WEIGHTS = (FOLDER / "default.yaml").read_text()

READERS = (
    Reader(
        "weights",
        load_weights,
        yaml_like(WEIGHTS, "predictive: {com: 2, max_step_length: [0.4, 0.5]}\n"),
        "weights.yaml",
        HOSTILE_YAML,
        count=60,
    ),
    Reader(
        "scenario",
        load_scenario,
        yaml_like(SCENARIO, ALL),
        "scenario.yaml",
        HOSTILE_YAML,
        count=100,
    ),
    Reader(
        "task-space scenario",
        load_scenario,
        yaml_like(TASK_SPACE, EARLIER),
        "task.yaml",
        HOSTILE_YAML,
        count=60,
    ),
    Reader(
        "sweep",
        _read_sweep,
        yaml_like(SWEEP, *SWEEPS, words=list(Scenario().to_dict())),
        "sweep.yaml",
        HOSTILE_YAML,
        count=40,
    ),
    Reader("push", _read_push, PUSHES.map(str.encode), "push.txt", HOSTILE),
    Reader("address", _read_address, ADDRESSES.map(str.encode), "address.txt", HOSTILE),
)
