import numpy as np
import pytest

from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, PLACE, ROW, VELOCITY
from backbeat.stage.frames.strikes import (
    FORCE_SHOWN,
    Strike,
    accents,
    flashes,
    greatest_tip_forces,
    loudness,
    measured_strikes,
    planned_strikes,
)
from backbeat.stage.sources.kinds import SimulatedSource
from tests.backbeat.performances import drumming, run_of

TIPS, MEMBERS = ("l_stick_tip", "r_stick_tip"), tuple(DrumKit().members)


def strike_log(kit, contacts, duration=2.0):
    """Times and rows of a log with contacts (start, end, tip, member, force, speed)."""
    t = np.arange(0.0, duration, 1e-3)
    rows = np.zeros((len(t), 2, ROW))
    rows[:, :, MEMBER] = -1
    for start, end, tip, member, force, speed in contacts:
        during = (t >= start) & (t < end)
        X_WM = kit.strike_pose(member)
        rows[during, tip, FORCE] = force
        rows[during, tip, MEMBER] = MEMBERS.index(member)
        before = (t >= start - 0.01) & (t < end)
        rows[before, tip, PLACE:VELOCITY] = X_WM.translation()
        rows[before, tip, VELOCITY:] = -speed * X_WM.rotation().matrix()[:, 2]
    return t, rows.reshape(len(t), -1)


@pytest.fixture(scope="module")
def run():
    behavior = drumming(duration=2.0)
    contacts = [
        (0.5, 0.505, 0, "snare", 60.0, 1.2),
        (1.0, 1.004, 1, "ride", 300.0, 1.5),
        (1.2, 1.8, 0, "floor_tom", 12.0, 0.05),
    ]
    kit = DrumKit(behavior.scene.place)
    return run_of(behavior, strikes=strike_log(kit, contacts))


def test_measured_strikes_are_hits_and_resting_is_none(run):
    strikes = measured_strikes(run)
    assert [s.member for s in strikes] == ["snare", "ride"]
    np.testing.assert_allclose([s.time for s in strikes], [0.5, 1.0], atol=3e-3)
    assert strikes[0].loudness < strikes[1].loudness == 1.0


def test_a_run_flashes_where_it_hit_and_shows_forces_long_enough(run):
    take, kit = SimulatedSource(run), DrumKit(run.behavior.scene.place)
    frame = take.frame_at(1.05)
    assert set(frame.flashes) == {"ride"}
    normal = kit.strike_pose("ride").rotation().matrix()[:, 2]
    np.testing.assert_allclose(frame.forces["r_stick_tip"].force, 300.0 * normal)
    tip = frame.state.pose("r_stick_tip").translation()
    np.testing.assert_allclose(frame.forces["r_stick_tip"].point, tip)
    assert "r_stick_tip" not in take.frame_at(1.01 + FORCE_SHOWN).forces
    resting = take.frame_at(1.6)
    assert not resting.flashes
    assert np.linalg.norm(resting.forces["l_stick_tip"].force) == pytest.approx(12.0)


def test_no_rows_and_no_contact_are_no_force():
    kit = DrumKit()
    assert not greatest_tip_forces(np.zeros((0, 2 * ROW)), TIPS, MEMBERS, kit)
    assert not greatest_tip_forces(np.zeros((5, 2 * ROW)), TIPS, MEMBERS, kit)


def test_a_flash_is_brightest_at_the_strike_and_of_the_latest_one():
    strikes = [Strike(t, "ride", 0.8) for t in (1.0, 1.2)]
    glow = [flashes(strikes, t).get("ride", 0.0) for t in (0.99, 1.0, 1.19, 1.2, 2.0)]
    assert glow[0] == glow[4] == 0.0
    assert glow[1] == glow[3] == pytest.approx(0.8)
    assert 0.0 < glow[2] < glow[3]


def test_louder_strikes_are_brighter():
    soft, loud = (loudness(force) for force in (20.0, 70.0))
    assert 0.0 < soft < loud < loudness(500.0) == 1.0
    strikes = planned_strikes(drumming(duration=2.0))
    assert [round(s.loudness, 2) for s in strikes[:2]] == [0.81, 0.89]


def test_accents_stand_at_a_strike_and_on_both_sides():
    strikes = [Strike(1.0, "ride", 1.0)]
    assert accents(strikes).tolist() == pytest.approx([0.985, 1.0, 1.015])
    assert len(accents([])) == 0
