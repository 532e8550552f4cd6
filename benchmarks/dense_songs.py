"""Ten dense songs to drum, made from seeds 0 to 9.

Each is two grooves of eight bars, one after the other in the same feel, with 8 to 10
hits a second for the hands, drawn evenly: a tempo at which most of the time is left to
neither of them. The odd ones are played as by hand: every hit is early or late by a
normal deviate of 6 ms, as in a file recorded from a player, so that one stroke has less
time than the next. Nothing here knows the robot, as in `grooves`.
"""

from fractions import Fraction

import numpy as np

from backbeat.behaviors.music.notation.percussion import ROWS
from backbeat.behaviors.music.notation.score_description import (
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.music.notation.swing import swung
from benchmarks.grooves import (
    BEATS_PER_BAR,
    FEELS,
    LEAD_IN,
    REST,
    TEMPO,
    Bar,
    Groove,
    draw_bars,
)

SONGS = tuple(range(10))
DENSITY = (8.0, 10.0)
# How far a hit of those that are played as by hand is from its place [s], and at most.
SPREAD, MOST_SPREAD = 0.006, 0.015
# Share of a pair of notes before the off-beat where they swing.
SWING = 0.62
VELOCITIES = {"x": 90, "o": 90, "X": 115, "O": 115, "g": 45}


def make_dense_song(seed: int) -> Groove:
    """Draws a song; the same for the same seed."""
    rng = np.random.default_rng([20261, seed])
    feel, wanted = FEELS[seed % len(FEELS)], rng.uniform(*DENSITY)
    while True:
        bars = [*draw_bars(rng, feel), *draw_bars(rng, feel)]
        hits, beats = sum(b.count() for b in bars), BEATS_PER_BAR * len(bars)
        bpm = round(60.0 * wanted * beats / hits, 1)
        if TEMPO[0] <= bpm <= TEMPO[1]:
            break
    spread = SPREAD * bpm / 60.0 if seed % 2 else 0.0
    swing = SWING if feel.startswith("swing") else 0.5
    note = 16 if feel.endswith("sixteenths") else 8
    played = [
        HitDescription(k + 1, beat + off, ROWS[row], VELOCITIES[mark])
        for k, bar in enumerate(bars)
        for row, beat, mark in _notes(bar, swing, note)
        for off in [_deviate(rng, spread, beat == 1.0)]
    ]
    score = ScoreDescription(
        title=f"Dense song {seed}: {feel}, {bpm} BPM",
        bpm=bpm,
        parts=[
            PartDescription(name="ready", hold=LEAD_IN, rest=dict(REST)),
            PartDescription(name="song", hits=played, bars=len(bars)),
            PartDescription(name="end", hold=BEATS_PER_BAR, rest=dict(REST)),
        ],
    )
    return Groove(score, seed, feel, "none", hits * bpm / (60.0 * beats))


def _notes(bar: Bar, swing: float, note: int) -> list[tuple[str, float, str]]:
    """Row, beat from one and mark of every note of a bar."""
    found = []
    for row, marks in bar.rows.items():
        for step, mark in enumerate(marks):
            if mark != "-":
                at = Fraction(BEATS_PER_BAR * step, bar.steps)
                at = swung(at, Fraction(BEATS_PER_BAR), swing, note)
                found.append((row, 1.0 + float(at), mark))
    return found


def _deviate(rng: np.random.Generator, spread: float, is_first: bool) -> float:
    """How late a hit is [beats]; the first of a bar is not early."""
    most = spread * MOST_SPREAD / SPREAD
    off = float(np.clip(spread * rng.standard_normal(), -most, most))
    return round(abs(off) if is_first else off, 5)
