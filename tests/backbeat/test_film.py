import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.sound.notes import SoundExtras, planned
from backbeat.stage.recording.film import _sound as sound_of
from backbeat.stage.recording.film import check_film, is_film
from tests.backbeat.performances import drumming


@pytest.mark.parametrize(
    ("name", "expected"), [("a.mp4", True), ("a.GIF", True), ("a.html", False)]
)
def test_a_film_is_known_by_its_name(tmp_path, name, expected):
    assert is_film(tmp_path / name) is expected


@pytest.mark.parametrize("missing", ["chromium", "ffmpeg"])
def test_a_missing_program_is_named_with_the_cure(tmp_path, monkeypatch, missing):
    def which(name):
        return None if missing in name or "chrom" in missing else f"/usr/bin/{name}"

    monkeypatch.setattr("shutil.which", which)
    with pytest.raises(BackbeatError, match=f"apt install {missing}"):
        check_film(tmp_path / "a.mp4")


def test_sound_begins_with_the_picture():
    """A lead-in is silent, and what a film leaves out is not heard."""
    performance = planned(drumming(True, 2.0))
    at, late, early = (
        sound_of(performance, SoundExtras(), start) for start in (0.0, -0.5, 0.25)
    )
    assert not late[:22050].any()
    np.testing.assert_array_equal(late[22050:], at)
    np.testing.assert_array_equal(early, at[11025:])
