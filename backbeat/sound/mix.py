"""Mix: notes and a backing become stereo sound, and a WAV file."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import scipy

from backbeat.behaviors.music.notation.backing import read_recording
from backbeat.models.common.atomic_file import replacing
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.sound.notes import CLICK, STICKS, Note
from backbeat.sound.room import in_room
from backbeat.sound.strokes import HeardStroke, heard_strokes
from backbeat.sound.voices import layer, voice

RATE = 44100  # samples a second
# The last sound rings out for as long as this after the end, at least [s].
TAIL = 2.0
# Loudness of the drums in the mix, and of a backing beside them.
DRUMS, BACKING = 0.5, 0.7
# Brightness is worked out for every eighth velocity, in so many takes.
STEP, TAKES = 8, 3
# The largest sample of a mix: 3 dB below the most that there is.
PEAK = 10 ** (-3 / 20)
# Time constant with which a sound is choked, and until it is silent [s].
CHOKE, CHOKED = 0.012, 0.08
# How far a drum is heard from the middle, per meter to the player's side.
WIDTH = 0.9


def mixed(
    notes: Sequence[Note],
    duration: float,
    backing: np.ndarray | None = None,
    music: float = 0.0,
    kit: str = "",
) -> np.ndarray:
    """(n, 2) sound of notes in a small room, left and right; its peak is `PEAK`.

    Args:
        notes: what is played; of one that is cut by the beginning, the rest is heard.
        duration: length without the last sound's ringing [s].
        backing: (m, 2) sound at `RATE` to play along with, see `read_backing`.
        music: when the backing begins [s]; below 0 its start is not heard.
        kit: as text, see `kit_text`; "" for the usual one.
    """
    out = drum_sound(heard_strokes(notes, kit, TAKES), duration, kit, RATE, STEP)
    if backing is not None:
        add_backing(out, backing, music, RATE)
    return out * level(out)


def level(sound: np.ndarray) -> float:
    """Factor with which the largest sample of a sound is `PEAK`; 1 for silence."""
    loudest = float(np.abs(sound).max(initial=0.0))
    return PEAK / loudest if loudest > 0 else 1.0


def drum_sound(
    strokes: Sequence[HeardStroke], duration: float, kit: str, rate: int, step: int
) -> np.ndarray:
    """(n, 2) sound of strokes in the room, before it is brought to its level.

    Args:
        strokes: what is heard, in order of time.
        duration: length without the last sound's ringing [s].
        kit: as text, see `kit_text`; "" for the usual one.
        rate: samples a second.
        step: see `backbeat.sound.voices.layer`.
    """
    sounds = [_stroke_sound(stroke, kit, rate, step) for stroke in strokes]
    starts = [round(stroke.note.time * rate) for stroke in strokes]
    ends = [a + len(sound) for a, sound in zip(starts, sounds, strict=True)]
    frames = max([round((max(duration, 0.0) + TAIL) * rate), *ends])
    out = np.zeros((frames, 2))
    for stroke, sound, start, end in zip(strokes, sounds, starts, ends, strict=True):
        first = max(start, 0)
        if first < end:
            out[first:end] += sound[first - start :, None] * sides(
                stroke.note.member, kit
            )
    return in_room(out, rate) if strokes else out


def _stroke_sound(stroke: HeardStroke, kit: str, rate: int, step: int) -> np.ndarray:
    """(n,) sound of one stroke, until it is choked."""
    note = stroke.note
    velocity, gain = layer(note.velocity, step)
    sound = voice(note.member, velocity, rate, kit, stroke.take, stroke.is_open)
    sound = DRUMS * gain * sound
    if np.isfinite(stroke.end):
        after = np.arange(len(sound)) / rate - (stroke.end - note.time)
        sound *= np.exp(-np.maximum(after, 0.0) / CHOKE)
        sound = sound[after < CHOKED]
    return sound


def add_backing(out: np.ndarray, backing: np.ndarray, music: float, rate: int) -> None:
    """Adds a backing to a mix, in place.

    Args:
        out: (n, 2) the mix.
        backing: (m, 2) sound at the same rate.
        music: when it begins [s].
        rate: samples a second.
    """
    start = round(music * rate)
    heard = BACKING * backing[max(0, -start) :][: max(len(out) - max(start, 0), 0)]
    out[max(start, 0) : max(start, 0) + len(heard)] += heard


def from_start(backing: np.ndarray, music: float) -> tuple[np.ndarray, float]:
    """What is heard of a backing from time zero on, and when that begins [s]."""
    before = max(0, round(-music * RATE))
    return backing[before:], max(0.0, music)


def pan(member: str, kit: str = "") -> float:
    """Where a member of a kit is heard: -1 left to 1 right, as the drummer sits."""
    if member in (CLICK, STICKS):
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
