"""What the shell offers after a tab is what the command takes there."""

import os
import subprocess
import sys

import pytest

from backbeat.behaviors.music.files.score_reader import NOTES
from backbeat.behaviors.specification.kinds import shipped_names, shipped_setlists
from backbeat.cli.common import completion
from backbeat.figures.drawing.registry import FIGURES
from backbeat.models.robot.description import SHIPPED
from backbeat.mpc.sweep.specification import shipped_sweeps


@pytest.fixture
def offered(tmp_path):
    """`offered(words)` is what a bash offers after `backbeat words`."""
    # The last as earlier versions kept them.
    for name in ("atlas/stand", "g1/groove", "atlas/groove", "groove-long"):
        path = tmp_path / "library" / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    (tmp_path / "library" / "cards").mkdir()
    (tmp_path / "library" / "cards" / "groove-pushes.parquet").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bow.parquet").touch()
    (tmp_path / "out").mkdir()
    for name in ("a.run.parquet", "b.yaml", "c.mid", "d.urdf"):
        (tmp_path / name).touch()

    def complete(words, **changed):
        asked = {
            "_BACKBEAT_COMPLETE": "complete_bash",
            "COMP_WORDS": f"backbeat {words}",
            "COMP_CWORD": str(len(words.split(" "))),
        }
        kept = {k: v for k, v in os.environ.items() if k != "BACKBEAT_LIBRARY"}
        script = "import sys; sys.argv[0] = 'backbeat'; from backbeat.cli.main import "
        done = subprocess.run(
            [sys.executable, "-c", f"{script}main; main()"],
            cwd=tmp_path,
            env=kept | asked | changed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return complete


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("tra", ["track"]),
        ("track ", ["groove", "groove-long", "stand"]),
        ("track gr", ["groove", "groove-long"]),
        ("track --library other ", ["bow"]),
        ("track groove --scenario ", ["b.yaml"]),
        ("report s", ["stand"]),
        ("report a", ["a.run.parquet"]),
        ("explain ", ["a.run.parquet"]),
        ("model report atlas_v3_", ["atlas_v3_calibrated"]),
        ("lint ", ["d.urdf"]),
        ("new d", ["dance", "drumming"]),
        # The shell itself has files of other folders.
        ("track groove --scenario out/", []),
    ],
)
def test_names_of_the_library_and_files_are_offered(offered, words, names):
    assert offered(words) == names


def test_the_library_of_the_environment_is_looked_into(offered):
    assert offered("play ", BACKBEAT_LIBRARY="other") == ["bow"]
    assert offered("play ", BACKBEAT_LIBRARY="nowhere") == []


def test_what_ships_is_offered(monkeypatch, tmp_path):
    """Read from folders alone, which are those that the commands read."""
    monkeypatch.chdir(tmp_path)
    shipped = sorted({*shipped_names(), *shipped_setlists()})
    assert completion.specifications("") == shipped
    assert completion.sweeps("") == shipped_sweeps()
    assert completion.robots("") == sorted(SHIPPED)
    assert completion.figures("") == sorted(FIGURES)
    assert set(completion.NOTES) == set(NOTES)


def test_a_script_for_the_shell_is_to_be_had(backbeat, monkeypatch):
    # Typer looks for the shell among the parents of the process.
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    assert "complete -o default" in backbeat("--show-completion", "bash")[1]
