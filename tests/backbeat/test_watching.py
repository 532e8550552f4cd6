"""Watching: what counts as a save, and that only the last one counts."""

import itertools
import os
import threading
from types import SimpleNamespace

import pytest

from backbeat.jobs.watching import (
    Drafted,
    FileWatch,
    Performed,
    Refused,
    Worker,
    Working,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.stage.players.watched import LEAST, span_about

SOON = 10.0


@pytest.fixture
def files(tmp_path):
    """A dance, a folder of moves with one in it, and the watch of them."""
    dance, moves = tmp_path / "dance.yaml", tmp_path / "moves"
    moves.mkdir()
    dance.write_text("beats: 8")
    (moves / "a.yaml").write_text("a")
    watch = FileWatch(lambda: [dance, moves, *sorted(moves.glob("*.yaml"))])
    return SimpleNamespace(dance=dance, moves=moves, watch=watch)


def later(path, text):
    """Saves, as if some time had gone by."""
    path.write_text(text)
    later.clock += 1
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9 * later.clock))


later.clock = 0


def test_a_save_is_noticed_once(files):
    assert not files.watch.has_changed()
    later(files.dance, "beats: 9")
    assert files.watch.has_changed()
    assert files.watch.saved_at == pytest.approx(files.dance.stat().st_mtime)
    assert not files.watch.has_changed()


def test_the_same_contents_are_no_save(files):
    later(files.dance, "beats: 8")
    assert not files.watch.has_changed()


def test_a_file_in_the_middle_of_a_save_is_awaited(files):
    """Editors empty a file and fill it, or put another one in its place."""
    later(files.dance, "")
    assert not files.watch.has_changed()
    later(files.dance, "beats: 8")
    assert not files.watch.has_changed()
    files.dance.unlink()
    assert not files.watch.has_changed()
    later(files.dance, "beats: 7")
    assert files.watch.has_changed()


def test_a_move_that_is_added_or_changed_is_a_save(files):
    later(files.moves / "b.yaml", "b")
    os.utime(files.moves, ns=(0, files.moves.stat().st_mtime_ns + 1))
    assert files.watch.has_changed()
    later(files.moves / "b.yaml", "c")
    assert files.watch.has_changed()
    assert not files.watch.has_changed()


class IncrementalBuild:
    """Takes as long as it is told to, and writes down what it does."""

    def __init__(self):
        self.drafts = itertools.count()
        self.done, self.stored = [], []
        self.goes_on, self.working = threading.Event(), threading.Event()
        self.fails = None

    def read(self):
        return next(self.drafts)

    def changed(self, draft):
        return None

    def perform(self, draft, heard):
        self.working.set()
        while not self.goes_on.wait(0.001):
            heard(0.5, "solving")
        if self.fails is not None:
            raise self.fails
        self.done.append(draft)
        return SimpleNamespace(behavior=draft)

    def store(self, behavior):
        self.stored.append(behavior)

    def prepare(self, heard):
        heard(1.0, "")


@pytest.fixture
def worker():
    incremental = IncrementalBuild()
    worker = Worker(incremental)
    yield SimpleNamespace(incremental=incremental, worker=worker)
    worker.close()
    assert not worker._thread.is_alive()


def news_until(worker, kind):
    """What happens until there is news of a kind, without how the work goes on."""
    found, clock = [], threading.Event()
    for _ in range(int(SOON / 0.005)):
        found += [n for n in worker.news() if not isinstance(n, Working)]
        if any(isinstance(n, kind) for n in found):
            return found
        clock.wait(0.005)
    raise AssertionError(found)


def test_a_save_is_read_performed_and_stored(worker):
    worker.incremental.goes_on.set()
    worker.worker.save(0.0)
    drafted, performed = news_until(worker.worker, Performed)
    assert isinstance(drafted, Drafted)
    assert (drafted.draft, performed.updated.behavior) == (0, 0)
    assert performed.seconds > 1e9


def test_a_newer_save_ends_the_work_on_an_older_one(worker):
    worker.worker.save(0.0)
    # Nothing but the second draft comes to an end.
    assert news_until(worker.worker, Drafted)[-1].draft == 0
    worker.worker.save(0.0)
    assert news_until(worker.worker, Drafted)[-1].draft == 1
    worker.incremental.goes_on.set()
    assert news_until(worker.worker, Performed)[-1].updated.behavior == 1
    worker.worker.close()
    assert worker.incremental.done == worker.incremental.stored == [1]


def test_a_mistake_is_told_and_the_next_save_may_be_better(worker):
    worker.incremental.goes_on.set()
    worker.incremental.fails = BackbeatError("dance.yaml:3: too far")
    worker.worker.save(0.0)
    assert news_until(worker.worker, Refused)[-1].sentence == "dance.yaml:3: too far"
    worker.incremental.fails = None
    worker.worker.save(0.0)
    news_until(worker.worker, Performed)
    # It is stored when it was shown.
    worker.worker.close()
    assert worker.incremental.stored == [1]


def test_a_fault_of_ours_is_not_kept_quiet(worker):
    worker.incremental.goes_on.set()
    worker.incremental.fails = ZeroDivisionError("ours")
    worker.worker.save(0.0)
    found = news_until(worker.worker, ZeroDivisionError)[-1]
    assert found is worker.incremental.fails


def test_the_end_ends_the_work_under_way(worker):
    worker.worker.save(0.0)
    assert worker.incremental.working.wait(SOON)
    worker.worker.close()
    assert worker.incremental.done == []


@pytest.mark.parametrize(
    ("changed", "end", "span"),
    [
        ((10.0, 14.0), 60.0, (9.0, 15.0)),
        ((10.0, 10.5), 60.0, (8.25, 12.25)),
        ((0.2, 0.4), 60.0, (0.0, 2.3)),
        ((59.0, 60.0), 60.0, (57.5, 60.0)),
        ((0.0, 20.0), 20.0, (0.0, 20.0)),
    ],
)
def test_what_is_played_is_what_changed_and_a_little_more(changed, end, span):
    found = span_about(changed, end)
    assert found == pytest.approx(span)
    assert found[0] <= changed[0] < changed[1] <= found[1]
    inside = found[0] > 0 and found[1] < end
    assert found[1] - found[0] >= LEAST - 1e-9 or not inside
