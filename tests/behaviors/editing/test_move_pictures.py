"""Pictures of moves: what of the robot is where on them."""

import re

import numpy as np
import pytest

from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.editing import pictures
from backbeat.behaviors.editing.pictures import SIZE, kept_pictures, move_pictures

SHOWN = ("raise", "sink", "side-step", "look", "sway", "rise")


def points(path):
    """(n, 2) ends of the lines of a path."""
    return np.array(re.findall(r"[ML]([-.\d]+) ([-.\d]+)", path), float)


@pytest.fixture(scope="module", params=["atlas", "h1"])
def drawn(request):
    return move_pictures({n: shipped_moves()[n] for n in SHOWN}, request.param)


def test_lines_stay_within_the_picture_and_the_head_is_above_the_middle(drawn):
    for picture in drawn.values():
        both = np.vstack([points(picture.lines), points(picture.other)])
        assert (both >= 0).all()
        assert (both <= SIZE).all()
        assert picture.head[1] < SIZE / 2


def test_what_a_move_does_is_seen_in_its_picture(drawn):
    # Arms at the sides that go up, and a head that has gone down.
    lifted = drawn["raise"]
    wide = [np.ptp(points(path)[:, 0]) for path in (lifted.lines, lifted.other)]
    assert wide[0] > 1.4 * wide[1]
    assert drawn["sink"].head[1] > drawn["raise"].head[1] + 1
    # Both feet land elsewhere; in sway they stay where they are.
    ground = {
        n: [np.sort(points(p)[:, 1])[-4:].mean() for p in (d.lines, d.other)]
        for n, d in drawn.items()
    }
    assert ground["sway"][0] == pytest.approx(ground["sway"][1], abs=0.5)
    shifted = abs(points(drawn["side-step"].lines) - points(drawn["side-step"].other))
    assert np.median(shifted[:, 0]) > 1


def test_pictures_are_drawn_once_for_a_robot_and_a_vocabulary(tmp_path, monkeypatch):
    few = {n: shipped_moves()[n] for n in SHOWN[:1]}
    monkeypatch.setattr(pictures, "vocabulary", lambda folder: few)
    first = kept_pictures(tmp_path, "atlas", tmp_path)
    kept = list((tmp_path / pictures.KEPT).iterdir())
    assert len(kept) == 1
    monkeypatch.setattr(pictures, "move_pictures", None)
    again = kept_pictures(tmp_path, "atlas", tmp_path)
    assert all(again[n]["lines"] == first[n]["lines"] for n in few)
    kept[0].write_text("cut sho")
    monkeypatch.undo()
    monkeypatch.setattr(pictures, "vocabulary", lambda folder: few)
    assert kept_pictures(tmp_path, "atlas", tmp_path).keys() == few.keys()
