"""The same scenario and seed are the same run, to the last bit, in one environment."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.table import to_frame
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.runs.file import load_run
from backbeat.mpc.runs.replay import compare_samples
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.processes import start

# On sensors, pushed so that the robot steps: estimator, recovery and swings take part.
SCENARIO = Scenario.of(
    behavior="stand",
    lead_in=0.1,
    duration=0.6,
    state="estimated",
    seed=3,
    pushes=[Push(0.05, 0.1, [120.0, 0.0, 0.0])],
)
# What the same run may differ by on other processors while contacts stay as they are,
# within half a second: positions [m, rad], velocities [m/s, rad/s].
ELSEWHERE = {"q.": 1e-8, "v.": 1e-5}


@pytest.fixture(scope="module")
def stand(built):
    return built("stand")


@pytest.fixture(scope="module")
def run(stand):
    """The run that all others are compared with."""
    return run_scenario(SCENARIO, stand)


def test_one_run_after_the_other(stand, run):
    """What a process has done before, and how often, leaves nothing behind."""
    first = run_frame(run)
    assert np.ptp(first["com.x"]) > 0.01
    other = SCENARIO.changed(state="true", seed=4, friction=0.5)
    difference = compare_samples(first, run_frame(run_scenario(other, stand)))
    assert difference is not None
    assert difference.greatest > 1e-4
    again = run_scenario(SCENARIO, stand)
    assert compare_samples(first, run_frame(again)) is None
    np.testing.assert_array_equal(run.push, again.push)
    for a, b in zip(run.plans, again.plans, strict=True):
        np.testing.assert_array_equal(a.deviation, b.deviation)
        np.testing.assert_array_equal(a.wrench, b.wrench)
        assert a.rate == b.rate


@pytest.fixture(scope="module")
def tracked(run, library_folder, tmp_path_factory):
    """A scenario file, and the run file that this process makes of it."""
    from backbeat.mpc.runs.file import save_run

    folder = tmp_path_factory.mktemp("tracked")
    return save_run(run, folder / "stand.run.parquet", run_metrics(run))


@pytest.mark.parametrize(
    "threads",
    [pytest.param(n, marks=[pytest.mark.slow] * (n != 4)) for n in (1, 2, 4)],
)
def test_replayed_by_another_process_with_any_number_of_threads(
    tracked, library_folder, threads
):
    process = start(
        *["replay", tracked, "--library", library_folder],
        environment={
            "OMP_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads),
        },
        stdout=subprocess.PIPE,
    )
    said, errors = process.communicate(timeout=300)
    assert said == f"{tracked}: the same bit for bit.\n", errors
    assert process.returncode == 0


# Several wishes, some for places on the body: what is gone through is of all kinds.
POSTURE = """
kind: posture
name: small
stations:
  - posture: stand
    targets: {left hand: at the head, right hand: at the hip, pelvis: down 0.05}
    move: 0.4
    hold: 0.1
"""


def test_a_behavior_built_by_one_process_and_by_another(tmp_path):
    """Sets have another order in each, and memory that is new has other bytes."""
    file = tmp_path / "small.yaml"
    file.write_text(POSTURE)
    built = []
    for number in (0, 2):
        folder = tmp_path / f"library{number}"
        setting = {"PYTHONHASHSEED": str(number), "MALLOC_PERTURB_": str(85 * number)}
        process = start("build", file, "--library", folder, environment=setting)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        built.append(to_frame(Library(folder).load("small")))
    pd.testing.assert_frame_equal(*built, check_exact=True)


@pytest.mark.slow
def test_a_sweep_by_one_process_or_two(backbeat, stand, library_folder, tmp_path):
    sweep = tmp_path / "shaken.yaml"
    sweep.write_text(
        "behaviors: [stand]\nseeds: 2\n"
        "base: {duration: 0.3, lead_in: 0.1, state: estimated}\n"
        "variations: {friction: [0.4, 0.8]}\n"
    )
    tables = []
    for jobs in (1, 2):
        words = ["sweep", sweep, "--library", library_folder, "--jobs", jobs, "--json"]
        code, said, _ = backbeat(*words, "-o", tmp_path / str(jobs))
        assert code == 0
        assert json.loads(said)["cells"]
        table = pd.read_parquet(tmp_path / str(jobs) / "shaken.parquet")
        clocks = ["finished", "plan_ms_median", "tick_ms_median", "realtime_factor"]
        rows = table.drop(columns=clocks).sort_values("key", ignore_index=True)
        assert len(rows) == 4
        tables.append(rows)
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.slow
def test_other_linear_algebra_is_near(stand, library_folder, tmp_path):
    """OpenBLAS as on processors of 2008 rounds otherwise; the robot does the same."""
    runs = []
    for kernels in ("", "Nehalem"):
        path = tmp_path / f"{kernels}.run.parquet"
        words = ["track", "stand", "--duration", 0.5, "--library", library_folder]
        setting = {"OPENBLAS_CORETYPE": kernels} if kernels else {}
        process = start(*words, "--state", "estimated", "-o", path, environment=setting)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        runs.append(load_run(path)[0])
    difference = compare_samples(*runs)
    if difference is None:
        pytest.skip("these processors' own kernels round alike")
    for prefix, bound in ELSEWHERE.items():
        names = [name for name in runs[0].columns if name.startswith(prefix)]
        off = np.abs(runs[0][names].to_numpy() - runs[1][names].to_numpy())
        assert off.max() < bound
