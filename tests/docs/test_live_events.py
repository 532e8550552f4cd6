"""What docs/live_events.md says of settings is what there is."""

import functools
import operator
import re
from pathlib import Path

import yaml

from backbeat.mpc.disturbances.kinds.setting_event import MOST_OFFSET, RANGES, SETTINGS
from backbeat.mpc.disturbances.task_changes import OF_TASK_SPACE
from backbeat.mpc.scenario.specification import load_scenario

TEXT = (Path(__file__).parents[2] / "docs" / "live_events.md").read_text()


def test_the_scenario_of_the_page_is_one(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[0])
    scenario = load_scenario(path)
    assert (
        len(scenario.disturbances.events)
        == len(yaml.safe_load(path.read_text())["events"])
        == 5
    )
    assert scenario.disturbances.events[2].values() == {"tempo": 0.8}


def test_the_table_has_every_setting_and_its_range():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    told = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in rows]
    assert sorted(functools.reduce(operator.iadd, told, [])) == sorted(SETTINGS)
    for name, (least, most) in RANGES.items():
        if name in OF_TASK_SPACE:
            continue  # Their ranges are in the page on keys.
        row = next(r for r in rows if f"`{name}`" in r.split("|")[1])
        assert f"{least:g} to {most:g}" in row
    assert f"up to {MOST_OFFSET:g} m" in rows[-1]
