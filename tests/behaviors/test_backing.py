"""A backing track is a WAV file beside the score, and nothing else."""

import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import wavfile

from backbeat.behaviors.music.notation import backing
from backbeat.behaviors.music.notation.backing import (
    check_recording,
    find_backing,
    read_recording,
)
from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError


def write_wav(path, seconds=0.5, rate=8000, channels=2):
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(bytes(2 * channels * int(seconds * rate)))
    return path


def test_integers_and_floating_point_are_read(tmp_path):
    write_wav(tmp_path / "a.wav")
    wavfile.write(tmp_path / "b.wav", 44100, np.zeros(4410, np.float32))
    found = [read_recording(tmp_path / name) for name in ("a.wav", "b.wav")]
    assert [(b.rate, b.samples.shape[1]) for b in found] == [(8000, 2), (44100, 1)]
    assert [b.seconds for b in found] == pytest.approx([0.5, 0.1])


@pytest.mark.parametrize(
    "name",
    [
        *("../a.wav", "/etc/passwd", "sub/a.wav", ".", "..", "sub\\a.wav", "a\0b"),
        "a" * 300,
    ],
)
def test_a_path_is_refused(tmp_path, name):
    (tmp_path / "scores" / "sub").mkdir(parents=True)
    write_wav(tmp_path / "a.wav")
    write_wav(tmp_path / "scores" / "sub" / "a.wav")
    with pytest.raises(BackbeatError, match="song: "):
        find_backing(tmp_path / "scores", name, "song")


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "a.wav").symlink_to(write_wav(tmp_path / "a.wav"))
    with pytest.raises(BackbeatError, match=r"no file a\.wav beside it"):
        find_backing(tmp_path / "scores", "a.wav", "song")


def test_what_is_not_there_or_no_audio_is_refused(tmp_path):
    with pytest.raises(BackbeatError, match=r"no file b\.wav"):
        find_backing(tmp_path, "b.wav", "song")
    whole = write_wav(tmp_path / "a.wav").read_bytes()
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_bytes(b"# a score\n" * 50)
    (tmp_path / "short.wav").write_bytes(whole[: len(whole) // 2])
    write_wav(tmp_path / "silent.wav", seconds=0)
    for name in ("empty.wav", "text.wav", "short.wav", "silent.wav"):
        with pytest.raises(BackbeatError) as caught:
            read_recording(find_backing(tmp_path, name, "song"))
        assert "\n" not in str(caught.value)


def test_hours_are_too_long(tmp_path):
    write_wav(tmp_path / "a.wav", seconds=1000, channels=1)
    with pytest.raises(BackbeatError, match="lasts 1000 s"):
        read_recording(tmp_path / "a.wav")


def test_a_recording_is_decoded_once_until_it_is_saved_again(tmp_path, monkeypatch):
    """A score is read many times in a build, and a recording may be large."""
    path, decoded = write_wav(tmp_path / "a.wav"), []
    monkeypatch.setattr(backing, "read_recording", decoded.append)
    for _ in range(3):
        check_recording(path)
    assert decoded == [path]
    write_wav(path, seconds=1.0)
    check_recording(path)
    assert decoded == [path, path]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("recordings") / "song.wav"


SOUNDS = st.tuples(
    st.integers(1000, 96_000),
    st.integers(1, 400),
    st.integers(1, 4),
    st.sampled_from([np.uint8, np.int16, np.int32, np.float32, np.float64]),
    st.integers(0, 2**32 - 1),
)


def write_noise(path, sound):
    """Writes noise; gives its samples (n, channels)."""
    rate, length, channels, kind, seed = sound
    noise = np.random.default_rng(seed).uniform(-1, 1, (length, channels))
    if np.issubdtype(kind, np.integer):
        top = np.iinfo(kind).max
        noise = 0.5 * top * (noise + (kind is np.uint8))
    samples = noise.astype(kind)
    wavfile.write(path, rate, samples)
    return samples


@given(sound=SOUNDS)
def test_sound_of_any_kind_is_what_was_written(place, sound):
    samples = write_noise(place, sound)
    found = read_recording(place)
    assert found.rate == sound[0]
    assert found.seconds == pytest.approx(len(samples) / sound[0])
    assert found.samples.dtype == samples.dtype
    assert (found.samples == samples).all()


@given(sound=SOUNDS, share=st.floats(0.0, 1.0, exclude_max=True))
def test_sound_that_is_cut_anywhere_is_refused(place, sound, share):
    odd = write_noise(place, sound).nbytes % 2
    # Behind an odd number of bytes the format has one that is no sound.
    whole = place.read_bytes()
    place.write_bytes(whole[: int(share * (len(whole) - odd))])
    with pytest.raises(BackbeatError) as caught:
        read_recording(place)
    assert str(place) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_opened_or_is_huge_is_refused(tmp_path, monkeypatch):
    path = write_wav(tmp_path / "a.wav")
    with pytest.raises(BackbeatError, match=r"cannot read .*: No such file"):
        check_recording(tmp_path / "b.wav")
    with pytest.raises(BackbeatError, match=r"cannot read .*: Is a directory"):
        read_recording(tmp_path)
    monkeypatch.setitem(BYTES, "WAV", path.stat().st_size - 1)
    with pytest.raises(BackbeatError, match="larger than"):
        read_recording(path)


@pytest.mark.parametrize("rate", [999, 400_001])
def test_rates_of_no_recorder_are_refused(tmp_path, rate):
    with pytest.raises(BackbeatError, match=f"at {rate} samples a second"):
        read_recording(write_wav(tmp_path / "a.wav", rate=rate))
