"""The examples of the page on kits are kits, and do what it says."""

import re
from pathlib import Path

from models.kit.drum_kit import DrumKit
from models.kit.kit_file import kit_text

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
