"""The examples of the page on setlists are setlists, and all keys are there."""

import re
from pathlib import Path

from backbeat.behaviors.setlist.specification import SetlistEntry
from backbeat.behaviors.specification.checking import check_setlist

PAGE = (Path(__file__).parents[2] / "docs" / "setlists.md").read_text()
(SETLIST,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_setlist_has_no_failure(tmp_path):
    assert check_setlist(SETLIST, tmp_path / "evening.yaml") == []


def test_the_code_writes_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(PYTHON, {})
    path = tmp_path / "evening.yaml"
    assert check_setlist(path.read_text(), path) == []
    assert "evening: 3 behaviors at 104 BPM" in capsys.readouterr().out


def test_every_key_is_there():
    keys = set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE))
    assert keys >= set(SetlistEntry.__dataclass_fields__)
