"""Takes in the manner of drummers at an electronic kit, made by a generator.

What a drummer does to a page: every hit is early or late by some milliseconds, louder
on the beat than between, ghost notes are hardly heard; flams have their grace note 20
to 40 ms before, drags two of them, rolls bounce some 25 to 35 ms apart, and hands that
strike together do so within some 10 ms. Notes are those of a Roland TD-11.
"""

from dataclasses import dataclass, field

import numpy as np

from tests.behaviors.midi_files import bpm as tempo
from tests.behaviors.midi_files import hit, meter, midi_bytes

KICK, SNARE, RIM, STICK, FOOT = 36, 38, 40, 37, 44
CLOSED, OPEN, CLOSED_EDGE, OPEN_EDGE = 42, 46, 22, 26
HIGH, MID, FLOOR, CRASH, RIDE, BELL = 48, 45, 43, 49, 51, 53
LOUD, PLAIN, SOFT, GHOST = 112, 84, 60, 24
TICKS = 960


@dataclass
class Take:
    """A take as it is played, note by note."""

    bpm: float
    seed: int
    jitter: float = 0.008  # standard deviation of when hits are made [s]
    beats_per_bar: int = 4
    notes: list[tuple[float, int, int]] = field(default_factory=list)  # s, note, loud

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)

    def play(self, beat, note, velocity=PLAIN, early=0.0):
        """Plays a note, so many seconds early."""
        late = float(np.clip(self.rng.normal(0.0, self.jitter), -0.02, 0.02))
        loud = int(np.clip(self.rng.normal(velocity, 6), 1, 127))
        self.notes.append((beat * 60 / self.bpm - early + late, note, loud))

    def each(self, beats, note, velocity=PLAIN):
        for beat in beats:
            self.play(beat, note, velocity)

    def flam(self, beat, note, velocity=LOUD):
        """A grace note of the other hand just before."""
        spread, late = self.rng.uniform(0.02, 0.04), self.rng.normal(0, self.jitter)
        at = beat * 60 / self.bpm + float(late)
        self.notes += [(at - spread, note, int(0.4 * velocity)), (at, note, velocity)]

    def drag(self, beat, note, velocity=LOUD):
        """Two bounces of one stick before the stroke of the other."""
        at = beat * 60 / self.bpm
        gap = self.rng.uniform(0.025, 0.035)
        graces = [(at - k * gap, note, int(0.3 * velocity)) for k in (2, 1)]
        self.notes += [*graces, (at, note, velocity)]

    def roll(self, start, end, note, velocity=SOFT):
        """Bounces of both sticks from one beat to another."""
        at, last = start * 60 / self.bpm, end * 60 / self.bpm
        while at < last - 0.02:
            loud = int(np.clip(self.rng.normal(velocity, 8), 1, 127))
            self.notes.append((at, note, loud))
            at += self.rng.uniform(0.025, 0.035)

    def midi(self):
        """Bytes of the file that the kit would have recorded."""
        first = min(0.0, *(t for t, _, _ in self.notes))
        events = [(0, tempo(self.bpm)), (0, meter(self.beats_per_bar, 4))]
        for t, note, velocity in self.notes:
            tick = round((t - first) * self.bpm / 60 * TICKS)
            events.append((tick, hit(note, max(1, velocity))))
        return midi_bytes([events], TICKS)


def steps(start, end, each):
    """Beats from one to before another."""
    return np.arange(start, end - 1e-9, each)


def rock():
    take = Take(120, 1)
    for beat in steps(0, 8, 0.5):
        take.play(beat, CLOSED_EDGE if beat % 1 == 0 else CLOSED, 90 - 25 * (beat % 1))
    take.each((1, 3, 5, 7), SNARE, LOUD)
    take.each((0, 2, 2.5, 4, 6, 6.5), KICK)
    return take


def funk():
    take = Take(100, 2)
    take.each(steps(0, 8, 0.25), CLOSED, SOFT)
    take.each((1, 3, 5, 7), RIM, LOUD)
    take.each((1.75, 2.25, 3.75, 5.75, 6.25), SNARE, GHOST)
    take.each((0, 0.75, 2.5, 4, 4.75, 6.5), KICK)
    return take


def flams():
    take = Take(110, 3)
    for beat in range(8):
        take.flam(beat + 0.05, SNARE, LOUD if beat % 2 else PLAIN)
        take.each((beat + 0.5, beat + 0.75), SNARE, SOFT)
    return take


def drags():
    take = Take(96, 4)
    take.each(steps(0, 8, 0.5), RIDE)
    for beat in (1, 3, 5, 7):
        take.drag(beat, SNARE)
    take.each((1, 3, 5, 7), FOOT, SOFT)
    return take


def roll():
    take = Take(120, 5)
    take.each((0, 0.5, 1, 1.5), CLOSED)
    take.each((1,), SNARE, LOUD)
    take.roll(2, 4, SNARE)
    take.each((4,), CRASH, LOUD)
    take.each((4,), KICK, LOUD)
    return take


def tom_fill():
    take = Take(160, 6, jitter=0.005)
    take.each(steps(0, 4, 0.5), CLOSED_EDGE)
    take.each((1, 3), SNARE, LOUD)
    for beat, note in zip((4, 5, 6, 7), (SNARE, HIGH, MID, FLOOR), strict=True):
        take.each(steps(beat, beat + 1, 0.25), note)
    take.each((8,), CRASH, LOUD)
    return take


def hat_foot():
    take = Take(130, 7)
    take.each(steps(0, 8, 1), RIDE)
    take.each(steps(0.5, 8, 2), BELL, SOFT)
    take.each((1, 3, 5, 7), FOOT, SOFT)
    take.each((1, 3, 4.5, 7), STICK)
    return take


def unisons():
    take = Take(140, 8)
    for beat in steps(0, 8, 1):
        take.each((beat,), SNARE, LOUD)
        take.each((beat,), FLOOR, LOUD)
        take.each((beat + 0.5,), CLOSED if beat % 2 else OPEN_EDGE, SOFT)
    take.each((3.5, 7.5), CRASH, LOUD)
    return take


def swing():
    take = Take(180, 9)
    for bar in (0, 4):
        take.each((bar, bar + 1, bar + 2, bar + 3), RIDE)
        take.each((bar + 1.67, bar + 3.67), RIDE, SOFT)
        take.each((bar + 2.67, bar + 0.67), SNARE, GHOST)
        take.each((bar + 1, bar + 3), FOOT)
    return take


def blast():
    take = Take(180, 10, jitter=0.006)
    take.each(steps(0, 4, 0.25), CLOSED)
    take.each(steps(0, 4, 0.5), SNARE, LOUD)
    take.each(steps(0, 4, 0.25), KICK)
    return take


def three_at_once():
    take = Take(110, 11)
    take.each(steps(0, 8, 0.5), CLOSED_EDGE, SOFT)
    take.each((1, 3, 5, 7), SNARE, LOUD)
    take.each((3, 7), CRASH, LOUD)
    take.each(steps(0, 8, 1), KICK)
    return take


def linear():
    take = Take(120, 12, jitter=0.005)
    order = (SNARE, HIGH, SNARE, FLOOR, CLOSED, MID, SNARE, FLOOR)
    for k, beat in enumerate(steps(0, 4, 0.125)):
        take.play(beat, order[k % 8], SOFT if k % 4 else LOUD)
    return take


TAKES = {
    make.__name__.replace("_", "-"): make
    for make in (
        *(rock, funk, flams, drags, roll, tom_fill, hat_foot, unisons, swing),
        *(blast, three_at_once, linear),
    )
}
