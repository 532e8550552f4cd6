"""Sound of a recording's page: the voices that are heard, once each, and the hits.

A page with every voice once and a list of hits does not grow with the show: 1.3 MB of
samples for `outstanding`, and all of it would be 2.2 MB in mono, 12 MB for three
minutes. It starts each hit to the sample, pans it, and keeps the drums' pitch when
it is played slowly. Voices come from the same code as the WAV file: one instrument.
"""

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from backbeat.models.common.errors import BackbeatError
from backbeat.sound.mix import (
    BACKING,
    CHOKE,
    DRUMS,
    RATE,
    add_backing,
    drum_sound,
    from_start,
    level,
    pan,
)
from backbeat.sound.notes import Performance, SoundExtras
from backbeat.sound.room import reflections
from backbeat.sound.strokes import HeardStroke, heard_strokes
from backbeat.sound.voices import layer, voice

VOICE_RATE = 32000  # samples a second
BACKING_RATE = 22050
# Brightness of a drum comes in four steps, and each in two takes, but for sounds that
# ring on for longer than this [s].
STEP, TAKES, LONG = 32, 2, 2.0
# More of a backing makes a page too large [s]; this is 12 MB.
LONGEST_BACKING = 200.0


def packed_sound(performance: Performance, extras: SoundExtras) -> dict[str, Any]:
    """What `sound.js` reads.

    Raises:
        BackbeatError: the backing is too long, or there are no beats to click.
    """
    kit, hits, strokes = performance.kit, [], list[HeardStroke]()
    voices: dict[tuple[str, int, int, bool], int] = {}
    for stroke in heard_strokes(performance.heard(extras), kit, TAKES):
        note = stroke.note
        velocity, gain = layer(note.velocity, STEP)
        first = voice(note.member, velocity, VOICE_RATE, kit, 0, stroke.is_open)
        if len(first) > LONG * VOICE_RATE:
            stroke = replace(stroke, take=0)
        strokes.append(stroke)
        key = (note.member, velocity, stroke.take, stroke.is_open)
        number = voices.setdefault(key, len(voices))
        hit = [round(note.time, 5), number, round(DRUMS * gain, 4)]
        hits.append([*hit, round(stroke.end, 5)] if np.isfinite(stroke.end) else hit)
    sounds = [voice(m, v, VOICE_RATE, kit, k, o) for m, v, k, o in voices]
    mix = drum_sound(strokes, performance.duration, kit, VOICE_RATE, STEP)
    backing = _packed_backing(extras.backing, performance, mix)
    return {
        "rate": VOICE_RATE,
        "voices": [
            {"member": member, "count": len(sound), "pan": round(pan(member, kit), 3)}
            for (member, *_), sound in zip(voices, sounds, strict=True)
        ],
        "blob": _encoded(np.concatenate([*sounds, np.zeros(0)])),
        "hits": hits,
        "level": round(level(mix), 4),
        "choke": CHOKE,
        # Left, then right.
        "room": _encoded(reflections(VOICE_RATE).T.ravel()) if hits else "",
        "backing": backing,
    }


def _packed_backing(
    backing: np.ndarray | None, performance: Performance, mix: np.ndarray
) -> dict[str, Any] | None:
    """The backing, which is added to the mix as well."""
    if backing is None:
        return None
    backing, start = from_start(backing, performance.music)
    end = max(performance.duration - start, 0.0)
    if min(end, len(backing) / RATE) > LONGEST_BACKING:
        raise BackbeatError(
            f"a page holds {LONGEST_BACKING:.0f} s of a backing; for a longer one mix "
            "it into a WAV file with `backbeat export RUN --wav PATH --backing FILE`"
        )
    mono = backing[: int(end * RATE)].mean(1)
    even = scipy.signal.resample_poly(mono, BACKING_RATE // 50, RATE // 50)
    even = np.clip(even, -1, 1)
    same = scipy.signal.resample_poly(even, VOICE_RATE // 50, BACKING_RATE // 50)
    add_backing(mix, same[:, None], start, VOICE_RATE)
    return {
        "rate": BACKING_RATE,
        "start": round(start, 5),
        "gain": BACKING,
        "blob": _encoded(even),
    }


def _encoded(sound: np.ndarray) -> str:
    whole = np.round(32767.0 * sound).astype("<i2")
    return base64.b64encode(whole.tobytes()).decode("ascii")
