"""An imported take is a behavior as others: tracked, pushed, in shows, on a beat."""

import numpy as np
import pytest

from benchmarks.spoiled_takes import repaired, truth_of
from benchmarks.tracked_takes import (
    BPM,
    LONGER,
    Tracked,
    on_the_beat,
    push,
    setlist,
    tracked,
)

# Length of the take and of runs [s], and the largest RMS error of joints [degrees].
LENGTH, RUN, ERROR = 3.0, 2.2, 2.0


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder, with one for the take."""
    top = tmp_path_factory.mktemp("takes")
    (top / "take").mkdir()
    return top


@pytest.fixture(scope="module")
def imported(built, place):
    """A spoiled take of the start of a bow, imported and built."""
    truth = truth_of(built("bow"), LENGTH)
    row, made = repaired(truth, place / "take", 1, "csv", "atlas")
    assert not row.refused
    return made


def check(row):
    assert row.survived
    assert 0.0 < row.error[0] < ERROR
    assert row.seconds == pytest.approx(RUN, abs=0.1)


@pytest.fixture(scope="module")
def calm(imported):
    """It, tracked on sensors."""
    return tracked(imported, Tracked("atlas", "bow"), 1, duration=RUN)


def test_it_is_tracked_on_sensors(calm):
    check(calm)


def test_it_is_tracked_in_the_other_engine(imported):
    pytest.importorskip("mujoco")
    row = Tracked("atlas", "bow")
    check(tracked(imported, row, 1, engine="mujoco", duration=RUN))


def test_it_takes_a_push(imported, calm):
    pushed = Tracked("atlas", "bow")
    check(tracked(imported, pushed, 1, duration=RUN, pushes=[push(imported, 0.2)]))
    assert pushed.error[1] > 5 * calm.error[1]


def test_it_is_put_on_the_beat(imported, place):
    made = on_the_beat(place / "take")
    assert made.bpm == BPM
    assert made.certificate.passed
    (event,) = [e for e in made.events if e.what == "take-1"]
    (own,) = [e for e in imported.events if e.what == "take-1"]
    lead, beat = 2 * 60 / imported.bpm, 60 / BPM
    assert event.time == pytest.approx(beat)
    inside = event.duration - 2 * beat
    assert inside / beat == pytest.approx(round(inside / beat))
    assert inside == pytest.approx(LONGER * (own.duration - lead), abs=0.5 * beat)
    check(tracked(made, Tracked("atlas", "bow"), 1, duration=RUN))


def test_it_is_put_into_a_setlist(imported, place):
    made = setlist([place / "take"], place, "atlas")
    assert made.certificate.passed
    assert made.kind == "setlist"
    widest = [np.ptp(b.motion.q, axis=0).max() for b in (imported, made)]
    assert widest[1] == pytest.approx(widest[0], rel=0.05)
    check(tracked(made, Tracked("atlas", "bow"), 1, duration=RUN))
