"""The examples of the page on kits are kits, and do what it says."""

import re
from pathlib import Path

import numpy as np
import pytest

from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit

PAGE = (Path(__file__).parents[2] / "docs" / "kits.md").read_text()
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_first_example_does_what_the_page_says(tmp_path):
    (tmp_path / "my-kit.yaml").write_text(EXAMPLES[0])
    kit, usual = DrumKit(text=kit_text("my-kit.yaml", tmp_path)), DrumKit()
    assert "mid_tom" not in kit.members
    assert kit.member("crash").tilt_deg == 20
    assert kit.member("crash").radius == usual.member("crash").radius
    assert kit.member("floor_tom").radius == 0.22
    assert kit.member("cowbell").number == 5
    assert kit.member("cowbell").notes == [56]


def test_the_second_example_has_a_kick_with_a_pedal(tmp_path):
    (tmp_path / "kick.yaml").write_text(EXAMPLES[1])
    kit = DrumKit(text=kit_text("kick.yaml", tmp_path))
    (pedal,) = kit.pedals()
    assert (pedal.member, pedal.foot) == ("kick", "right")
    full = DrumKit(text=kit_text("full-kit", tmp_path))
    assert kit.member("kick").pedal == full.member("kick").pedal


def test_feet_go_as_far_as_the_page_says():
    full = DrumKit(text=kit_text("full-kit", Path()))
    lever = 0.26  # of Atlas's sole
    for pedal in full.pedals():
        assert lever * (np.sin(pedal.rest) - np.sin(pedal.hit)) == pytest.approx(
            0.06, abs=0.005
        )
