"""Kits at another size: the key `scale`, and what it leaves as it is."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text, resized_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.resizing import Resizing


def kit(folder, text, name="mine.yaml"):
    (folder / name).write_text(text)
    return DrumKit(text=kit_text(name, folder))


def test_lengths_are_multiplied_and_what_is_under_a_tip_stays(tmp_path):
    usual, small = DrumKit(), kit(tmp_path, "scale: 0.6\n")
    for name, member in usual.members.items():
        other = small.member(name)
        np.testing.assert_allclose(other.place, 0.6 * np.array(member.place), atol=1e-5)
        assert other.radius == pytest.approx(0.6 * member.radius, abs=1e-5)
        assert other.depth == pytest.approx(0.6 * member.depth, abs=1e-5)
        for key in ("stiffness", "restitution", "tilt_deg", "notes", "number"):
            assert getattr(other, key) == getattr(member, key), key
    assert small.seat_height == pytest.approx(0.6 * usual.seat_height)


def test_a_pedal_keeps_its_angles_and_meets_the_member_at_the_same_one(tmp_path):
    text = "base: full-kit\nscale: 0.65\n"
    large, small = kit(tmp_path, "base: full-kit\n", "l.yaml"), kit(tmp_path, text)
    for a, b in zip(large.pedals(), small.pedals(), strict=True):
        assert (a.rest, a.hit, a.swing(a.rest)) == (b.rest, b.hit, b.swing(b.rest))
        heads = [p.head_motion(0.0, 0.0)[:3] for p in (a, b)]
        # Of the beater's head alone, 2 cm over the surface, the radius stays.
        normals = [p.X_WM.rotation().matrix()[:, 2] for p in (a, b)]
        gaps = [
            (head - p.X_WM.translation()) @ n
            for head, p, n in zip(heads, (a, b), normals, strict=True)
        ]
        np.testing.assert_allclose(gaps, 0.02, atol=1e-9)


def test_scales_multiply_over_bases(tmp_path):
    kit(tmp_path, "scale: 0.6\n", "half.yaml")
    small = kit(
        tmp_path, "base: half.yaml\nscale: 0.6\nmembers: {snare: {radius: 0.2}}"
    )
    usual = DrumKit()
    place = np.array(usual.member("ride").place)
    np.testing.assert_allclose(small.member("ride").place, 0.36 * place, atol=2e-5)
    # The file's own numbers are lengths of it.
    assert small.member("snare").radius == pytest.approx(0.12)


def test_a_point_stays_where_a_drummer_has_it():
    about = Resizing(0.5, (0.1, 0.0, 1.0), (0.0, 0.0, 0.8))
    text = resized_text("", about, {}, Resizing(0.7))
    usual, moved = DrumKit(), DrumKit(text=text)
    for name in usual.members:
        before = np.array(usual.member(name).place) - [0.1, 0.0, 1.0]
        after = np.array(moved.member(name).place) - [0.0, 0.0, 0.8]
        np.testing.assert_allclose(after, 0.5 * before, atol=1e-5)
    assert moved.seat_height == pytest.approx(0.7 * usual.seat_height)


def test_a_scale_that_no_kit_has_is_refused(tmp_path):
    with pytest.raises(BackbeatError, match="scale is"):
        kit(tmp_path, "scale: 0\n")
