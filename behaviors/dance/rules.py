"""Rules: failures and warnings of a choreography, before anything is solved."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from backbeat.behaviors.dance.arrangement import (
    SAME,
    PlacedMove,
    mean_timing,
    state_changes,
    timings,
)
from backbeat.behaviors.dance.layers import DanceLayers
from backbeat.behaviors.dance.vocabulary.descriptions import MoveDescription
from backbeat.behaviors.dance.vocabulary.move import TRACKS, Move
from backbeat.behaviors.footsteps.jump import LONG_FLIGHT, SHORT_FLIGHT
from backbeat.behaviors.motion.finding import RuleFinding, without_slip
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.models.common.errors import BackbeatError, KeyPath, unknown_name

# Times that are so near to each other are the same [s].
SLIGHT_TIME = 1e-6
# A foot in the air for less [s]: cannot be done, or is hard to follow.
SHORT_SWING, QUICK_SWING = 0.2, 0.35
MOST_REPEATS = 200
# Gravity [m/s^2], the share of it with which a body goes down and keeps its feet on the
# ground, and the spacing at which that is looked at [beats].
GRAVITY, MOST_FALL, FINE = 9.81, 0.9, 1 / 48
# How far the beat priorities of moves may be apart without a word.
APART = 0.3


def findings(dance: DanceLayers, moves: Mapping[str, Move]) -> list[RuleFinding]:
    """All findings; those on moves that do not exist hide those on what they do."""
    found = [*_names(dance, moves), *_phrases(dance)]
    if any(f.fails for f in found):
        return found
    placed = dance.placed_moves(moves)
    found += _ends(dance, placed)
    if any(f.fails for f in found):
        return found
    return [
        *found,
        *_lengths(dance, placed),
        *_states(dance, placed),
        *_steps(dance, placed),
        *_falls(dance, placed),
        *_knobs(dance, placed),
    ]


def _names(dance: DanceLayers, moves: Mapping[str, Move]) -> Iterator[RuleFinding]:
    """Tracks, moves and parameters that do not exist, and values out of range."""
    for track, rows in dance.tracks.items():
        path: KeyPath = ("tracks", track)
        if track not in TRACKS:
            error = unknown_name(f"track in {dance.name}", track, TRACKS)
            yield RuleFinding(True, path, str(error), without_slip(track, TRACKS), True)
            continue
        for row, d in enumerate(rows):
            yield from _move(dance, d, (*path, row), track, moves)


def _move(
    dance: DanceLayers,
    d: MoveDescription,
    path: KeyPath,
    track: str,
    moves: Mapping[str, Move],
) -> Iterator[RuleFinding]:
    where = f"{dance.name}, beat {d.start(dance.meter_map()):g}"
    if d.move not in moves:
        error = unknown_name(f"move in {where}", d.move, moves)
        yield RuleFinding(
            True, (*path, "move"), str(error), without_slip(d.move, moves)
        )
        return
    move = moves[d.move]
    if move.track != track:
        yield RuleFinding(
            True,
            (*path, "move"),
            f"{where}: {d.move} belongs on the track {move.track!r}, not on {track!r}",
        )
    for name, value in d.values.items():
        own: KeyPath = (*path, "values", name)
        try:
            move.values({name: value}, where)
        except BackbeatError as error:
            known = move.parameters.keys() - d.values.keys()
            fix = None if name in move.parameters else without_slip(name, known)
            yield RuleFinding(True, own, str(error), fix, fix is not None)
    yield from _keys(d, path, where)
    yield from _start(d, path, where, dance.meter_map())


def _keys(d: MoveDescription, path: KeyPath, where: str) -> Iterator[RuleFinding]:
    """Values that every move may have."""
    for key, low, high in (
        ("timing", 0.0, 1.0),
        ("tracking", 0.0, 1.0),
        ("repeat", 1, MOST_REPEATS),
        ("blend", 0.0, 8.0),
    ):
        value = getattr(d, key)
        if value is not None and not low <= value <= high:
            yield RuleFinding(
                True,
                (*path, key),
                f"{where}: {key} of {d.move} is {value:g}; it goes from {low:g} to "
                f"{high:g}",
            )


def _start(
    d: MoveDescription, path: KeyPath, where: str, meters: MeterMap
) -> Iterator[RuleFinding]:
    """The beat on which a move starts, or the bar and its beat."""
    if d.bar and d.at:
        yield RuleFinding(
            True,
            (*path, "at"),
            f"{where}: {d.move} has a beat to start at and a bar; leave one out",
        )
    if d.bar and not (d.bar >= 1 and d.beat >= 1):
        yield RuleFinding(
            True,
            (*path, "bar"),
            f"{where}: bars and their beats are counted from 1; 'at' counts from 0",
        )
    elif d.bar and d.beat >= meters.at(meters.start(int(d.bar))).beats + 1:
        meter = meters.at(meters.start(int(d.bar)))
        has = f"{meter.beats:g}" if meter.denominator == 4 else f"{meter}"
        if meter.denominator != 4:
            has += f", which is {meter.beats:g} quarters long"
        yield RuleFinding(
            True,
            (*path, "beat"),
            f"{where}: {d.move} starts on beat {d.beat:g} of a bar of {has}; "
            "count on in the next bar, or from 0 with 'at'",
        )


def _phrases(dance: DanceLayers) -> Iterator[RuleFinding]:
    """Phrases without beats or moves, and those that run into themselves."""
    meter = dance.meter_map()
    moves = [d.start(meter) for rows in dance.tracks.values() for d in rows]
    for i, phrase in enumerate(dance.phrases):
        start, path = phrase.start(meter), ("phrases", i)
        end = start + phrase.beats
        what, key = "", "beats"
        starts = sorted([start, *phrase.starts_again(meter)])
        if not phrase.beats > 0:
            what = f"has {phrase.beats:g} beats; give it its length"
        elif not phrase.again:
            what, key = "is never danced again; 'again' says where", "again"
        elif not any(start - SAME <= at < end - SAME for at in moves):
            what, key = f"has no move that begins before beat {end:g}", "at"
        elif any(b - a < phrase.beats - SAME for a, b in itertools.pairwise(starts)):
            what = (
                f"has {phrase.beats:g} beats and is danced again before it is over, or "
                "twice at once"
            )
            key = "again"
        if what:
            sentence = f"{dance.name}: the phrase from beat {start:g} {what}"
            yield RuleFinding(True, (*path, key), sentence)


def _about(
    dance: DanceLayers,
    p: PlacedMove,
    key: str,
    what: str,
    fails: bool = True,
    fix: float | None = None,
) -> RuleFinding:
    """A finding on a move at its place, of which `what` goes on the sentence."""
    sentence = f"{dance.name}, beat {p.start:g}: {p.move.name} {what}"
    return RuleFinding(fails, ("tracks", p.track, p.row, key), sentence, fix)


def _ends(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Moves that do not fit into the dance."""
    for p in placed:
        if p.start >= 0 and p.beats > 0 and p.end <= dance.beats + 1e-9:
            continue
        d = dance.tracks[p.track][p.row]
        left = dance.beats - p.start
        once = d.repeat == 1 and not p.is_again
        fits = p.start >= 0 and p.beats > 0 and left > 0 and once
        what = (
            f"runs from beat {p.start:g} to {p.end:g}; the dance has {dance.beats:g} "
            "beats"
        )
        fix = left if fits and d.beats is not None else None
        yield _about(dance, p, "beats", what, fix=fix)


def _lengths(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Moves that cannot be as long as they are asked to be."""
    for p in placed:
        length = p.move.length(p.values)
        takes = f"takes {length:g} beats"
        whole = bool(p.move.steps) or bool(p.move.exit)
        if whole and p.beats < length - SAME:
            what = (
                f"{takes} and cannot be cut to {p.beats:g}; its feet would be left "
                "halfway"
            )
            yield _about(dance, p, "beats", what, fix=length)
        elif p.beats < length - SAME:
            what = f"{takes} and is cut to {p.beats:g}"
            yield _about(dance, p, "beats", what, fails=False)
        elif not p.move.repeats and p.beats > length + SAME and p.move.hold is None:
            what = (
                f"{takes} and cannot be held for {p.beats:g}; give it that or repeat it"
            )
            yield _about(dance, p, "beats", what, fix=length)
        elif p.move.steps and p.move.repeats:
            rest = p.beats - p.cycles * length
            if rest > SAME:
                what = f"{takes} a time; of {p.beats:g} the last {rest:g} stand still"
                yield _about(dance, p, "beats", what, fails=False)


def _states(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Moves of the legs that cannot start from what the one before left."""
    changes = state_changes(placed)
    for p, state, _ in changes:
        if p.move.entry and state not in p.move.entry:
            what = (
                f"starts from {' or '.join(p.move.entry)}, and the legs are in {state} "
                f"since beat {_since(changes, p, state):g}; put a move between that "
                "leads there (see `backbeat moves`)"
            )
            yield _about(dance, p, "move", what)
    if changes and changes[-1][2] != "stand":
        p, _, state = changes[-1]
        yield RuleFinding(
            True,
            ("tracks", p.track, p.row, "move"),
            f"{dance.name}: the dance ends in {state}; end it with a move that leads "
            "back to stand",
        )


def _since(
    changes: Sequence[tuple[PlacedMove, str, str]], p: PlacedMove, state: str
) -> float:
    ends = [q.end for q, _, _ in changes if q.move.exit == state and q.start < p.start]
    return ends[-1] if ends else 0.0


def _steps(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Steps at the same time, or too quick."""
    walking = sorted(
        (p for p in placed if p.move.steps or p.move.exit), key=lambda p: p.start
    )
    for before, p in itertools.pairwise(walking):
        if p.start < before.end - SAME:
            what = (
                f"steps while {before.move.name} still does, until beat {before.end:g}"
            )
            written = dance.tracks[p.track][p.row].at and not p.is_again
            fix = before.end if written else None
            yield _about(dance, p, "at", what, fix=fix)
    tempo = dance.tempo_map()
    for p in walking:
        length = p.move.length(p.values)
        for step in p.move.steps:
            a, b = (p.start + s * length for s in (step.start, step.end))
            time = tempo.time(b) - tempo.time(a)
            low, high = SHORT_FLIGHT - SLIGHT_TIME, LONG_FLIGHT + SLIGHT_TIME
            if step.feet == "none" and not low <= time <= high:
                what = (
                    f"flies for {time:.2f} s at {tempo.bpm_at(a):g} BPM; a jump takes "
                    f"{SHORT_FLIGHT:g} to {LONG_FLIGHT:g} s, so choose another tempo "
                    "or another move"
                )
                yield _about(dance, p, "move", what)
            if time < QUICK_SWING and step.feet != "none":
                yield RuleFinding(
                    time < SHORT_SWING,
                    ("tracks", p.track, p.row, "move"),
                    f"{dance.name}, beat {p.start:g}: a step of {p.move.name} takes "
                    f"{time:.2f} s; a foot that has less than {QUICK_SWING:g} s is "
                    f"hard to follow and {SHORT_SWING:g} s is the least; give it more "
                    "beats or the dance a slower tempo",
                )
                break


def _falls(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Moves that go down faster than a body falls."""
    tempo = dance.tempo_map()
    for p in {(p.track, p.row): p for p in placed}.values():
        if "com.z" not in p.move.curves:
            continue
        beats = np.arange(p.start, p.end, FINE)
        height = (
            p.window(beats) * p.move.shape(beats - p.start, p.beats, p.values)["com.z"]
        )
        bpm = np.array([tempo.bpm_at(b) for b in beats[1:-1]])
        bend = np.diff(height, 2) * (bpm / (60.0 * FINE)) ** 2
        down = -float(bend.min(initial=0.0))
        if down > MOST_FALL * GRAVITY:
            fast = bpm[bend.argmin()]
            what = (
                f"goes down with {down:.0f} m/s^2 at {fast:g} BPM, and a body falls "
                f"with {GRAVITY:g}; it will be smaller, so ask for less or take "
                "more beats"
            )
            yield _about(dance, p, "move", what, fails=False)


def _knobs(dance: DanceLayers, placed: Sequence[PlacedMove]) -> Iterator[RuleFinding]:
    """Beat priorities that differ, of which a dance has but one."""
    asked = timings(placed, dance.beat_priority)
    if len(asked) and np.ptp(asked) > APART:
        mean = mean_timing(placed, dance.beat_priority)
        far = int(np.abs(asked - mean).argmax())
        p = placed[far]
        yield RuleFinding(
            False,
            ("tracks", p.track, p.row, "timing"),
            f"{dance.name}: moves have timings from {asked.min():g} to "
            f"{asked.max():g}; a dance has one, and takes their mean "
            f"{mean:.2f} instead of {asked[far]:g}",
        )
