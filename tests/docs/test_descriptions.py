"""The page on descriptions has every rule, and its examples do what it says."""

import re
from pathlib import Path

from backbeat.models.urdf.checks.support_table import Support
from backbeat.models.urdf.overlay.model_report import model_report
from backbeat.models.urdf.overlay.overlaying import apply_overlay
from backbeat.models.urdf.reading.parsing import read_description

CHECKOUT = Path(__file__).parents[2]
PAGE = (CHECKOUT / "docs" / "descriptions.md").read_text()
(OVERLAY,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# How the source names a rule: as the first word of a finding, or in a variable.
CALLS = r"(?:Finding|_found|_finding|_error|\.error|\.found|MeshFile)"
CALLS += r"\((?:None, |made, )?\s*\"([a-z-]+)\""
NAMES = r"\brule(?:, \w+)? = \"([a-z-]+)\""


def rules():
    """Rules in the source, and those that are made of a support or an outcome."""
    folder = CHECKOUT / "models" / "urdf"
    text = "\n".join(p.read_text() for p in folder.rglob("*.py"))
    found = {*re.findall(CALLS, text), *re.findall(NAMES, text)}
    found |= {support.value.lower().replace(" ", "-") for support in Support}
    found |= {f"drake-{end}" for end in ("refused", "exits", "aborts", "hangs")}
    return found | {"unknown-attribute", "unknown-element"}


def test_the_page_has_every_rule_and_no_other():
    found = rules()
    assert len(found) > 60
    table = PAGE.split("## Rules")[1].split("## What")[0]
    told = {
        rule
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for rule in re.findall(r"`([a-z-]+)`", row)
    }
    assert told == found


def test_the_overlay_makes_what_the_page_says(tmp_path):
    urdf = CHECKOUT / "models" / "robots" / "atlas" / "atlas_v5.urdf"
    overlay, path = tmp_path / "heavy.yaml", tmp_path / "heavy.urdf"
    overlay.write_text(OVERLAY.replace("atlas_v5.urdf", str(urdf)))
    path.write_bytes(apply_overlay(overlay, path))
    report = model_report(read_description(path))
    mass = (175.117964 - 84.409 + 90.0) * 1.02 + 12.0
    assert abs(report.mass_kg - mass) < 1e-9
    assert report.name == "atlas_with_battery"


def test_the_code_prints_the_shoulder_and_a_finding(capsys, monkeypatch):
    monkeypatch.chdir(CHECKOUT)
    exec(PYTHON, {})
    said = capsys.readouterr().out
    assert "(0.0, 0.5, 0.866025) 212.0 -11.5708" in said
    assert "atlas_v3.urdf:" in said
    assert "soft" in said


def test_fates_are_those_of_the_page():
    assert [f.value for f in Support if f"| {f.value} |" not in PAGE] == []
