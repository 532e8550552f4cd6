"""Twenty grooves to drum, made from seeds 0 to 19.

Each is what a drummer would call a groove: a cymbal keeps time, the snare answers on
the backbeat, ghost notes fill the gaps, kick and pedal hi-hat go along, a crash opens
and fills over the toms close four bars. They differ in feel (straight eighths and
sixteenths, swung eighths and sixteenths, triplets), in density (3 to 8 hits a second
for the hands, drawn evenly) and in tempo changes (none, a step, a ramp).

Nothing here knows the robot: no more than two hands hit at once, and one hand is never
asked for more than a human's single strokes; that is all. `hits_per_second` counts what
hands play, kick and pedal apart.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)

SEEDS = tuple(range(20))
FEELS = ("eighths", "sixteenths", "swing-eighths", "swing-sixteenths", "triplets")
BARS = 8
BEATS_PER_BAR = 4
# Hits of the hands per second over the bars played.
DENSITY = (3.0, 8.0)
TEMPO = (60.0, 200.0)
FEET = ("BD", "HF")
ROWS = ("CC", "RD", "HH", "HT", "MT", "SN", "FT", *FEET)
TOMS = ("SN", "HT", "MT", "FT")
# The rest before the music starts: two bars.
LEAD_IN = 2 * BEATS_PER_BAR
REST = {"left": "snare", "right": "floor_tom"}


@dataclass(frozen=True)
class Groove:
    """A groove and what it was drawn with.

    Attributes:
        score: as in a file; its hands are open.
        seed: that made it.
        feel: one of `FEELS`.
        change: "none", "step" or "ramp", of the tempo.
        hits_per_second: of the hands, from the first bar to the last.
    """

    score: ScoreDescription
    seed: int
    feel: str
    change: str
    hits_per_second: float


class Bar:
    """A bar of tablature that is being written."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.rows = {row: ["-"] * steps for row in ROWS}

    def put(self, row: str, step: int, mark: str) -> None:
        self.rows[row][step] = mark

    def hands(self, step: int) -> list[str]:
        """What hands hit on a step."""
        return [r for r in ROWS if r not in FEET and self.rows[r][step] != "-"]

    def count(self) -> int:
        """Hits of the hands."""
        return sum(len(self.hands(k)) for k in range(self.steps))

    def text(self) -> str:
        """Lines of tablature; rows without a hit are left out."""
        played = {r: marks for r, marks in self.rows.items() if set(marks) != {"-"}}
        return "".join(f"{r}|{''.join(marks)}|\n" for r, marks in played.items())


def make_groove(seed: int) -> Groove:
    """Draws a groove; the same for the same seed."""
    rng = np.random.default_rng([20260, seed])
    feel = FEELS[seed % len(FEELS)]
    change = ("none", "none", "step", "ramp")[seed // len(FEELS)]
    wanted = rng.uniform(*DENSITY)
    factor = rng.uniform(0.85, 1.15) if change != "none" else 1.0
    # Beats at the first tempo, at the mean of a ramp's bar, and at the second tempo.
    ramp = int(change == "ramp")
    beats = BEATS_PER_BAR * np.array([BARS // 2, ramp, BARS // 2 - ramp])
    length = float(beats @ [1.0, 2 / (1 + factor), 1 / factor])
    while True:
        bars = draw_bars(rng, feel)
        hits = sum(b.count() for b in bars)
        bpm = round(60.0 * wanted * length / hits, 1)
        if TEMPO[0] <= bpm <= TEMPO[1]:
            break
    after = round(bpm * factor, 1)
    swing = round(rng.uniform(0.58, 0.68), 2) if feel.startswith("swing") else 0.5
    parts = [PartDescription(name="ready", hold=LEAD_IN, rest=dict(REST))]
    for k, bar in enumerate(bars):
        part = PartDescription(name=f"bar {k + 1}", tab=bar.text())
        if change != "none" and k == BARS // 2:
            part.bpm = bpm if ramp else after
            part.end_bpm = after if ramp else 0.0
        parts.append(part)
    parts.append(PartDescription(name="end", hold=BEATS_PER_BAR, rest=dict(REST)))
    score = ScoreDescription(
        title=f"Groove {seed}: {feel}, {bpm} BPM",
        bpm=bpm,
        swing=swing,
        swing_note=16 if feel == "swing-sixteenths" else 8,
        parts=parts,
    )
    return Groove(score, seed, feel, change, hits / (length * 60.0 / bpm))


def draw_bars(rng: np.random.Generator, feel: str) -> list[Bar]:
    """Four bars with a fill, twice; the second time on another cymbal."""
    steps = 3 if feel == "triplets" else 4
    pattern = _draw_pattern(rng, feel, steps)
    bars = []
    for k in range(BARS):
        cymbal = "HH" if k < BARS // 2 else "RD"
        if k % 4 == 3:
            bar = _play(rng, pattern, steps, cymbal, last_beat=2)
            _fill(rng, bar, steps)
        else:
            bar = _play(rng, pattern, steps, cymbal, last_beat=4)
        if k % 4 == 0:  # the crash takes the place of the cymbal
            bar.put(cymbal, 0, "-")
            bar.put("CC", 0, "X")
        bars.append(bar)
    # The last stroke of all is left out, so that hands come to rest in time.
    for row in ROWS:
        for step in range(3 * steps, 4 * steps):
            bars[-1].put(row, step, "-")
    return bars


@dataclass(frozen=True)
class _Pattern:
    """What a groove repeats: steps of a bar of cymbal, ghosts and kick."""

    cymbal: tuple[int, ...]
    ghosts: tuple[int, ...]
    kick: tuple[int, ...]
    pedal: bool


def _draw_pattern(rng: np.random.Generator, feel: str, steps: int) -> _Pattern:
    total = BEATS_PER_BAR * steps
    if feel == "triplets":
        # Shuffle (first and third of each beat) or all three.
        every = rng.random() < 0.5
        cymbal = [k for k in range(total) if every or k % 3 != 1]
    else:
        # Both hands share sixteenths, or one plays eighths among ghost notes.
        shared = feel.endswith("sixteenths") and rng.random() < 0.5
        cymbal = [k for k in range(total) if shared or k % 2 == 0]
    free = [k for k in range(1, total) if k not in cymbal]
    odds = rng.uniform(0.0, 0.8)
    ghosts = [k for k in free if rng.random() < odds]
    kick = [0, 2 * steps]
    kick += [k for k in range(total) if k not in kick and rng.random() < 0.15]
    return _Pattern(tuple(cymbal), tuple(ghosts), tuple(kick), rng.random() < 0.4)


def _play(
    rng: np.random.Generator, pattern: _Pattern, steps: int, cymbal: str, last_beat: int
) -> Bar:
    """A bar of the pattern up to a beat; hi-hats open now and then."""
    bar, end = Bar(BEATS_PER_BAR * steps), last_beat * steps
    backbeats = [k for k in (steps, 3 * steps) if k < end]
    dense = len(pattern.cymbal) == bar.steps and steps > 2
    for k in pattern.cymbal:
        # Who plays every step with two hands leaves the cymbal for the snare.
        if k < end and not (dense and k in backbeats):
            accent = k % steps == 0 and rng.random() < 0.3
            bar.put(cymbal, k, "X" if accent else "x")
    for k in backbeats:
        bar.put("SN", k, "O")
    for k in pattern.ghosts:
        if k < end:
            bar.put("SN", k, "g")
    for k in pattern.kick:
        if k < end:
            bar.put("BD", k, "o")
    if pattern.pedal and cymbal == "RD":
        for k in (steps, 3 * steps):
            bar.put("HF", k, "x")
    return bar


def _fill(rng: np.random.Generator, bar: Bar, steps: int) -> None:
    """Two beats over snare and toms, from high to low, one stroke a step."""
    strokes = range(2 * steps, 4 * steps)
    drums = np.sort(rng.integers(0, len(TOMS), len(strokes)))
    for k, drum in zip(strokes, drums, strict=True):
        if k % steps == 0 or rng.random() < 0.8:
            bar.put(TOMS[drum], k, "O" if k % steps == 0 else "o")
