"""Hits: found in a made-up log of contact, and matched with what was planned."""

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Event
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.analysis.drumming.hits import TIP_RADIUS, find_hits, match_hits
from backbeat.mpc.world.stick_contacts import (
    FORCE,
    MEMBER,
    PLACE,
    ROW,
    SHAFT_FORCE,
    VELOCITY,
)

KIT = DrumKit()
MEMBERS = tuple(KIT.members)
TIPS = ("l_stick_tip", "r_stick_tip")
STEP = 0.001
SPEED = 1.4


class Log:
    """Two seconds of sticks in the air, into which contacts are written."""

    def __init__(self):
        self.t = np.arange(0.0, 2.0, STEP)
        self.rows = np.zeros((len(self.t), len(TIPS), ROW))
        self.rows[:, :, MEMBER] = -1
        self.rows[:, :, PLACE + 2] = 1.5

    def strike(
        self, onset, member="snare", tip=0, speed=SPEED, offset=0.0, length=0.005
    ):
        """A tip comes down along the normal and touches at `onset`.

        The force at a sample acted over the step before it, as the plant samples its
        outputs; place and velocity are those of the sample itself.
        """
        X_WM = KIT.strike_pose(member)
        R = X_WM.rotation().matrix()
        first = int(np.searchsorted(self.t, onset + STEP - 1e-12))
        for i in range(first - 20, first):
            height = TIP_RADIUS + speed * (onset - self.t[i])
            row = self.rows[i, tip]
            row[PLACE:VELOCITY] = X_WM.multiply(np.array([offset, 0.0, height]))
            row[VELOCITY:ROW] = -speed * R[:, 2]
        last = first + round(length / STEP)
        self.rows[first:last, tip, MEMBER] = MEMBERS.index(member)
        self.rows[first:last, tip, FORCE] = np.linspace(50, 150, last - first)

    def shaft(self, start, length=0.01, force=5.0, tip=0):
        i = int(np.searchsorted(self.t, start))
        self.rows[i : i + round(length / STEP), tip, SHAFT_FORCE] = force

    def hits(self):
        return find_hits(self.t, self.rows.reshape(len(self.t), -1), TIPS, MEMBERS, KIT)


def planned(*strikes):
    """Events of strikes given as (time, member, tip)."""
    return [Event(t, "strike", member, tip, 90) for t, member, tip in strikes]


@pytest.fixture
def log():
    return Log()


@pytest.mark.parametrize("share", [0.0, 0.31, 0.5, 0.97])
@pytest.mark.parametrize("member", ["snare", "crash", "high_tom"])
def test_an_onset_is_interpolated_within_the_step(log, member, share):
    onset = 1.0 + share * STEP
    log.strike(onset, member, offset=0.03)
    (hit,) = log.hits()
    assert hit.kind == "hit"
    assert (hit.tip, hit.member) == (TIPS[0], member)
    assert hit.time == pytest.approx(onset, abs=1e-9)
    assert hit.speed == pytest.approx(SPEED)
    assert hit.offset() == pytest.approx(0.03)
    assert hit.peak_force == 150.0


def test_hits_of_both_hands_come_in_order(log):
    log.strike(1.2, "ride", tip=1)
    log.strike(1.0, "hi_hat", tip=0)
    assert [h.member for h in log.hits()] == ["hi_hat", "ride"]


@pytest.mark.parametrize(("gap", "kind"), [(0.030, "double"), (0.060, "hit")])
def test_a_second_contact_within_the_silence_is_a_double(log, gap, kind):
    log.strike(1.0)
    log.strike(1.005 + gap)
    assert [h.kind for h in log.hits()] == ["hit", kind]


def test_a_slow_contact_is_a_touch(log):
    log.strike(1.0, speed=0.2)
    assert [h.kind for h in log.hits()] == ["touch"]


def test_the_shaft_is_seen_but_a_brush_is_not(log):
    log.shaft(1.0, force=5.0)
    log.shaft(1.5, force=0.5)
    assert [(h.kind, h.time) for h in log.hits()] == [("shaft", pytest.approx(1.0))]


def test_each_planned_hit_is_made_once(log):
    log.strike(1.004)
    report = match_hits(log.hits(), planned((1.0, "snare", TIPS[0])), 2.0)
    metrics = report.metrics()
    assert (metrics["planned"], metrics["made"]) == (1, 1)
    assert (metrics["missed"], metrics["extra"]) == (0, 0)
    assert metrics["timing_mean_ms"] == pytest.approx(4.0)
    assert metrics["timing_bias_ms"] == pytest.approx(4.0)
    assert metrics["speed_min_m_s"] == pytest.approx(SPEED)


def test_early_and_late_do_not_cancel(log):
    log.strike(0.497)
    log.strike(1.003)
    log.strike(1.506, offset=0.012)
    events = planned(*((t, "snare", TIPS[0]) for t in (0.5, 1.0, 1.5)))
    metrics = match_hits(log.hits(), events, 2.0).metrics()
    assert metrics["timing_mean_ms"] == pytest.approx(4.0)
    assert metrics["timing_bias_ms"] == pytest.approx(2.0)
    assert metrics["timing_sd_ms"] == pytest.approx(np.std([-3.0, 3.0, 6.0]))
    assert metrics["timing_max_ms"] == pytest.approx(6.0)
    assert metrics["position_max_mm"] == pytest.approx(12.0)


@pytest.mark.parametrize(
    ("what", "made", "extra"),
    [
        ({"onset": 1.0}, 1, 0),
        ({"onset": 1.045}, 1, 0),
        ({"onset": 1.055}, 0, 1),
        ({"onset": 0.945}, 0, 1),
        ({"onset": 1.0, "member": "high_tom"}, 0, 1),
        ({"onset": 1.0, "tip": 1}, 0, 1),
        ({"onset": 1.0, "speed": 0.2}, 0, 0),
    ],
)
def test_a_hit_counts_only_where_when_and_by_whom_it_was_planned(
    log, what, made, extra
):
    log.strike(**what)
    report = match_hits(log.hits(), planned((1.0, "snare", TIPS[0])), 2.0)
    assert report.metrics()["made"] == made
    assert report.metrics()["missed"] == 1 - made
    assert report.metrics()["extra"] == extra


@pytest.mark.parametrize(("onset", "extra"), [(1.004, 0), (0.93, 1)])
def test_a_strike_that_the_end_cuts_off_counts_for_nothing(log, onset, extra):
    log.strike(onset)
    metrics = match_hits(log.hits(), planned((1.0, "snare", TIPS[0])), 1.02).metrics()
    assert (metrics["planned"], metrics["made"], metrics["extra"]) == (0, 0, extra)


def test_a_double_and_a_rim_shot_are_extra(log):
    log.strike(1.0)
    log.strike(1.03)
    log.shaft(1.3)
    report = match_hits(log.hits(), planned((1.0, "snare", TIPS[0])), 2.0)
    assert report.metrics()["made"] == 1
    assert [h.kind for h in report.extra] == ["double", "shaft"]


def test_no_hit_is_counted_for_two(log):
    """Planned 60 ms apart, one made between them: it is the nearer one's."""
    log.strike(1.035)
    events = planned((1.0, "snare", TIPS[0]), (1.06, "snare", TIPS[0]))
    report = match_hits(log.hits(), events, 2.0)
    assert list(report.table["made"]) == [False, True]
    assert not report.extra


def test_a_run_that_ends_early_is_asked_for_no_more_than_it_could(log):
    log.strike(0.5)
    events = planned((0.5, "snare", TIPS[0]), (1.5, "snare", TIPS[0]))
    metrics = match_hits(log.hits(), events, 1.0).metrics()
    assert (metrics["planned"], metrics["missed"]) == (1, 0)


def test_a_resting_hand_may_touch_its_own_drum_and_no_other(log):
    rest = Event(0.8, "rest", "snare", TIPS[0], 0, 0.5)
    log.strike(1.0)
    log.strike(1.03)
    assert not match_hits(log.hits(), [rest], 2.0).extra
    log.strike(1.2, "hi_hat")
    log.strike(1.6)
    log.strike(1.0, tip=1)
    extra = match_hits(log.hits(), [rest], 2.0).extra
    assert [(h.member, h.tip) for h in extra] == [
        ("snare", TIPS[1]),
        ("hi_hat", TIPS[0]),
        ("snare", TIPS[0]),
    ]


def test_without_hits_there_is_no_timing(log):
    metrics = match_hits(log.hits(), planned((1.0, "snare", TIPS[0])), 2.0).metrics()
    assert metrics["missed"] == 1
    assert not np.isfinite(metrics["timing_mean_ms"] or np.nan)
