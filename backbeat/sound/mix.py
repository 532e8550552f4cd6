"""Mix: notes and a backing become stereo sound, and a WAV file."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import scipy

from backbeat.behaviors.music.notation.backing import read_recording
from backbeat.models.common.atomic_file import replacing
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.sound.notes import CLICK, Note
from backbeat.sound.voices import layer, voice

RATE = 44100  # samples a second
# The last sound rings out for as long as this after the end [s].
TAIL = 2.0
# Loudness of the drums in the mix, and of a backing beside them.
DRUMS, BACKING = 0.5, 0.7
# Brightness is worked out for every eighth velocity.
STEP = 8
# Louder than this, all of it is turned down.
CEILING = 0.98
# How far a drum is heard from the middle, per meter to the player's side.
WIDTH = 0.9


def mixed(
    notes: Sequence[Note],
    duration: float,
    backing: np.ndarray | None = None,
    music: float = 0.0,
    kit: str = "",
) -> np.ndarray:
    """(n, 2) sound of notes, left and right, within -1 to 1.

    Args:
        notes: what is played; of one that is cut by the beginning, the rest is heard.
        duration: length without the last sound's ringing [s].
        backing: (m, 2) sound at `RATE` to play along with, see `read_backing`.
        music: when the backing begins [s]; below 0 its start is not heard.
        kit: as text, see `kit_text`; "" for the usual one.
    """
    frames = round((max(duration, 0.0) + TAIL) * RATE)
    out = np.zeros((frames, 2))
    for note in notes:
        velocity, gain = layer(note.velocity, STEP)
        sound = DRUMS * gain * voice(note.member, velocity, RATE, kit)
        start = round(note.time * RATE)
        first, last = max(start, 0), min(start + len(sound), frames)
        if first < last:
            heard = sound[first - start : last - start]
            out[first:last] += heard[:, None] * sides(note.member, kit)
    if backing is not None:
        backing, music = from_start(backing, music)
        start = round(music * RATE)
        heard = backing[: max(frames - start, 0)]
        out[start : start + len(heard)] += BACKING * heard
    loudest = np.abs(out).max(initial=0.0)
    return out * (CEILING / loudest) if loudest > CEILING else out


def from_start(backing: np.ndarray, music: float) -> tuple[np.ndarray, float]:
    """What is heard of a backing from time zero on, and when that begins [s]."""
    before = max(0, round(-music * RATE))
    return backing[before:], max(0.0, music)


def pan(member: str, kit: str = "") -> float:
    """Where a member of a kit is heard: -1 left to 1 right, as the drummer sits."""
    if member == CLICK:
        return 0.0
    return float(np.clip(-WIDTH * DrumKit(text=kit).member(member).place[1], -1.0, 1.0))


def sides(member: str, kit: str = "") -> np.ndarray:
    """(2,) gain of a member left and right, of equal power wherever it is."""
    angle = 0.25 * np.pi * (1.0 + pan(member, kit))
    return np.array([np.cos(angle), np.sin(angle)])


def write_wav(sound: np.ndarray, path: str | Path, rate: int = RATE) -> None:
    """Writes sound (n,) or (n, channels) as 16-bit WAV, whole or not at all.

    Raises:
        BackbeatError: the file cannot be written.
    """
    with replacing(Path(path)) as file:
        file.write(wav_bytes(sound, rate))


def wav_bytes(sound: np.ndarray, rate: int = RATE) -> bytes:
    """Sound as the bytes of a WAV file."""
    stream = BytesIO()
    scipy.io.wavfile.write(stream, rate, np.round(32767.0 * sound).astype("<i2"))
    return stream.getvalue()


def read_backing(path: str | Path) -> np.ndarray:
    """(n, 2) the sound of a WAV file at `RATE`, within -1 to 1.

    Raises:
        BackbeatError: as `read_recording`.
    """
    recording = read_recording(Path(path))
    rate, samples = recording.rate, _scaled(recording.samples)
    stereo = np.stack([samples[:, 0], samples[:, min(1, samples.shape[1] - 1)]], 1)
    if rate == RATE:
        return stereo
    common = np.gcd(rate, RATE)
    even = scipy.signal.resample_poly(stereo, RATE // common, rate // common, axis=0)
    return np.clip(even, -1.0, 1.0)


def _scaled(samples: np.ndarray) -> np.ndarray:
    """(n, channels) samples of any format as numbers within -1 to 1."""
    if samples.dtype.kind == "u":  # 8 bits have no sign
        return (samples.astype(float) - 128.0) / 128.0
    if samples.dtype.kind == "i":
        return samples.astype(float) / -float(np.iinfo(samples.dtype).min)
    # Casting a signaling NaN warns.
    with np.errstate(invalid="ignore"):
        sound = samples.astype(float)
    sound = np.nan_to_num(sound, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(sound, -1.0, 1.0)
