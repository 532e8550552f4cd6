import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from backbeat.stage.frames.keyframes import TOLERANCES, Track, thinned

TIMES = np.linspace(0.0, 10.0, 301)


def track(key, values):
    return Track("/a", key, np.arange(len(values)), values)


def replayed(track):
    """What a player shows at every frame of the recording."""
    return np.stack(
        [np.interp(TIMES, TIMES[track.frames], column) for column in track.values.T],
        axis=1,
    )


def test_positions_come_back_within_their_tolerance():
    rng = np.random.default_rng(1)
    phases = rng.uniform(0, 6, 3)
    values = 0.2 * np.sin(TIMES[:, None] * [0.5, 0.8, 1.2] + phases)
    thin = thinned(track("position", values), TIMES)
    errors = np.linalg.norm(replayed(thin) - values, axis=1)
    assert errors.max() <= TOLERANCES["position"]
    assert len(thin.frames) < 0.8 * len(values)
    np.testing.assert_array_equal(thin.values, values[thin.frames])


def test_an_impact_keeps_its_corner():
    height = np.abs(np.sin(TIMES))
    values = np.stack([height, height, height], axis=1)
    thin = thinned(track("position", values), TIMES)
    corner = int(np.argmin(np.abs(TIMES - np.pi)))
    assert corner in thin.frames


def test_a_straight_line_needs_two_keyframes_and_rest_needs_one():
    line = np.outer(TIMES, [1.0, -2.0, 0.5])
    assert thinned(track("position", line), TIMES).frames.tolist() == [0, 300]
    rest = np.full((301, 3), 0.7)
    assert thinned(track("position", rest), TIMES).is_constant


def test_rotations_come_back_within_their_tolerance():
    rng = np.random.default_rng(2)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    # Turns all the way round, more than once, and trembles.
    angle = 1.5 * TIMES + 0.1 * np.sin(2 * TIMES)
    values = Rotation.from_rotvec(angle[:, None] * axis).as_quat()
    flips = rng.choice([-1.0, 1.0], size=(301, 1))
    thin = thinned(track("quaternion", flips * values), TIMES)
    assert len(thin.frames) < 150
    player = Slerp(TIMES[thin.frames], Rotation.from_quat(thin.values))
    errors = (player(TIMES).inv() * Rotation.from_quat(values)).magnitude()
    assert errors.max() <= TOLERANCES["quaternion"] + 1e-9
    # A player interpolates components first: signs of neighbors must agree.
    dots = np.sum(thin.values[1:] * thin.values[:-1], axis=1)
    assert (dots > 0).all()


def test_switches_keep_exactly_their_changes():
    values = np.zeros((301, 1))
    values[100:105] = 1.0
    thin = thinned(track("visible", values), TIMES)
    assert thin.frames.tolist() == [0, 100, 105]
    assert thin.values.ravel().tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-3, 1e-2])
def test_a_looser_tolerance_needs_fewer_keyframes(tolerance):
    values = 0.2 * np.sin(TIMES[:, None] * [1.0, 1.7, 3.0])
    tight = thinned(track("position", values), TIMES, 0.5 * tolerance)
    loose = thinned(track("position", values), TIMES, tolerance)
    assert len(loose.frames) <= len(tight.frames)
    assert np.linalg.norm(replayed(loose) - values, axis=1).max() <= tolerance
