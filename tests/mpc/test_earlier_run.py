"""A run that is in the way of another is kept, unless it is the same."""

from dataclasses import replace

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.runs.earlier import keep_earlier
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario


@pytest.fixture(scope="module")
def short(built):
    scenario = Scenario.of(behavior="stand", duration=0.1)
    return run_scenario(scenario, built("stand"))


@pytest.fixture
def path(short, tmp_path):
    return save_run(short, tmp_path / "stand.run.parquet", {})


def changed(run):
    """The same run, as if it had been pushed."""
    push = Push(time=0.05, impulse=[0.0, 1.0, 0.0])
    return replace(run, scenario=run.scenario.changed(pushes=[push]))


def test_the_same_run_replaces_its_file(short, path):
    assert keep_earlier(path, short) is None
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_another_run_leaves_the_earlier_one(short, path):
    content, other = path.read_bytes(), changed(short)
    first = keep_earlier(path, other)
    assert first.name == "stand.earlier-1.run.parquet"
    assert first.read_bytes() == content
    assert not path.exists()
    save_run(other, path, {})
    assert keep_earlier(path, short).name == "stand.earlier-2.run.parquet"
    assert keep_earlier(path, short) is None


def test_what_is_no_run_is_kept_too(short, path):
    path.write_text("notes")
    assert keep_earlier(path, short).read_text() == "notes"


def test_one_that_cannot_be_renamed_stays(short, path, monkeypatch):
    def refuse(self, new):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "rename", refuse)
    with pytest.raises(BackbeatError, match=r"cannot rename .*: Permission denied"):
        keep_earlier(path, changed(short))
    assert path.exists()
