"""The page of keys has every key of every file, as its schema declares it."""

import re
import runpy
from pathlib import Path

from backbeat.behaviors.specification.checking import check_file
from backbeat.mpc.scenario.specification import load_scenario

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "keys.md").read_text()
FOOTSTEPS, SCENARIO = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_every_key_is_there_and_explained():
    """`python docs/key_tables.py` writes the tables again."""
    tables = runpy.run_path(str(DOCS / "key_tables.py"))
    assert tables["with_tables"](PAGE) == PAGE
    assert not re.findall(r"^\| `\w+` \|.*\|  \|$", PAGE, re.MULTILINE)


def test_the_footsteps_are_right(tmp_path):
    path = tmp_path / "two-steps.yaml"
    path.write_text(FOOTSTEPS)
    assert not check_file(path)


def test_the_scenario_is_right(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    scenario = load_scenario(path)
    assert scenario.disturbances.pushes[0].impulse == [0, 60, 0]
    assert scenario.world.mismatch.mass_spread == 0.1
