"""The page on sweeps has every key, every column and every sweep that ships."""

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from backbeat.mpc.disturbances.kinds.push import PolarPush
from backbeat.mpc.sweep.cells import SweepSettings
from backbeat.mpc.sweep.margin import MarginSearch
from backbeat.mpc.sweep.specification import parse_sweep, shipped_sweeps
from backbeat.mpc.sweep.success_rate import SequentialTest
from backbeat.mpc.sweep.table import COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text()
SWEEP, OF_ENGINES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
TABLES = re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
SCHEMAS = (SweepSettings, PolarPush, MarginSearch, SequentialTest)
SETTINGS_OF_RUNS = {"base", "per_behavior", "cases", "variations"}


def test_the_sweep_is_one():
    sweep = parse_sweep(SWEEP, "page")
    assert len(sweep.cells) == 16
    assert sweep.settings.search is not None
    assert sweep.settings.search.levels()[-1] == 160
    cells = parse_sweep(OF_ENGINES, "page").cells
    assert [c.engine_name for c in cells] == 2 * ["drake", "mujoco"]


@pytest.mark.parametrize("place", range(len(SCHEMAS)))
def test_every_key_is_there_with_its_default(place):
    schema, row = SCHEMAS[place], r"^\| `(\w+)` \| (?:`(.*?)`)? ?\|"
    rows = dict(re.findall(row, TABLES[place], re.MULTILINE))
    known = {f.name: f for f in dataclasses.fields(schema)}
    others = SETTINGS_OF_RUNS if schema is SweepSettings else set()
    assert set(rows) == set(known) | others
    for name, field in known.items():
        value = field.default
        if value is dataclasses.MISSING:
            value = field.default_factory()
        assert yaml.safe_load(rows[name] or "null") == value, name


@pytest.mark.parametrize(
    ("table", "names"), [(4, list(COLUMNS)), (5, shipped_sweeps())]
)
def test_every_column_and_every_sweep_is_there(table, names):
    cells = re.findall(r"^\| (`.*?) \|", TABLES[table], re.MULTILINE)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(cells))) == sorted(names)
