"""The first command that anybody calls, on less than what it shows."""

from backbeat.cli import demo
from backbeat.mpc.scenario.specification import Scenario

SHORT = {"duration": 0.1, "lead_in": 0.1}


def test_the_demo_plans_tracks_and_records(
    backbeat, built, library_folder, tmp_path, monkeypatch
):
    """A first page before the rest, a run file each, and a page of all of them."""
    program = {name: name.title() for name in ("stand", "posture-tour")}
    for name in program:
        built(name)

    def scenario(name, contact_model):
        return Scenario(behavior=name, contact_model=contact_model, **SHORT)

    monkeypatch.setattr(demo, "PROGRAM", program)
    monkeypatch.setattr(demo, "_scenario", scenario)
    code, out, errors = backbeat("demo", "--library", library_folder, "--out", tmp_path)
    assert code == 0, errors
    assert "stand.html" in errors
    assert out.splitlines()[-1].startswith("Open it in a browser: ")
    runs = {f"{name}.run.parquet" for name in program}
    assert {p.name for p in tmp_path.iterdir()} == {"stand.html", "demo.html", *runs}
