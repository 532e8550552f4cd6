"""The ablation figure tells the runs of its sweep, and says where there are none."""

import json

import numpy as np
import pytest

from backbeat.figures.drawing.sources import Sources
from backbeat.figures.studies.ablation import IMPULSE, ablation, ablation_rates
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.sweep.success_rate import wilson
from backbeat.mpc.sweep.table import SweepTable


def fill(folder):
    """A table with 4 runs of each of two cases: 4 and 1 survived, with an older one."""
    table = SweepTable(folder / "ablation.parquet")
    for case, good in (("all on", 4), ("steps off", 1)):
        for seed in range(4):
            row = {
                "case": case,
                "values": json.dumps({IMPULSE: 120}),
                "seed": seed,
                "survived": seed < good,
                "com_error_rms_mm": 50.0 + seed,
            }
            table.add_run(f"{case} {seed}", row)
    old = {"source": "before", "finished": "2000-01-01T00:00:00+00:00"}
    table.add_run("old", {**row, **old, "case": "all on"})


def test_rates_are_those_of_the_newest_sources(tmp_path):
    fill(tmp_path)
    rates = ablation_rates(Sources(sweeps=tmp_path).sweep("ablation"))
    assert rates["case"].tolist() == ["all on", "steps off"]
    assert rates["runs"].tolist() == [4, 4]
    assert rates["survived"].tolist() == [4, 1]
    assert rates[["low", "high"]].to_numpy() == pytest.approx(
        np.array([wilson(4, 4), wilson(1, 4)])
    )
    assert rates["com_mm"].tolist() == [51.5, 50.0]


def test_what_is_drawn_are_the_rates(tmp_path):
    fill(tmp_path)
    left, _ = ablation(Sources(sweeps=tmp_path)).axes
    (points,) = (line for line in left.lines if line.get_marker() == "o")
    assert np.asarray(points.get_ydata()).tolist() == [1.0, 0.25]


def test_without_runs_it_says_what_makes_them(tmp_path, backbeat):
    with pytest.raises(BackbeatError, match="`backbeat sweep ablation` makes them"):
        Sources(sweeps=tmp_path).sweep("ablation")
    code, _, said = backbeat("figure", "ablation", "--sweeps", str(tmp_path))
    assert code != 0
    assert "backbeat sweep ablation" in said
