"""The score of a behavior on its page: a grid of bars, and what is left out of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.library.beat_grid import place_in_words
from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.music.files.tab_marks import ACCENT, GHOST
from backbeat.behaviors.music.notation.score import FEET, HANDS
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.report.pages.template import rendered
from backbeat.report.plots.style import COLORS

LIMBS = (*HANDS, *FEET)
# Nearer to each other than this hits are at one place of a bar [beats].
SAME = 1e-3
# A tempo that differs by less is the same [beats/min].
SAME_TEMPO = 0.5
# Sizes of a bar's picture [px]: of a quarter note, of more than four of them together,
# of a row, of the names, above the rows and of the largest hit.
QUARTER, WIDEST, ROW, NAMES, TOP, LARGEST = 62, 248, 23, 96, 20, 7.5
# Most letters of a member's name beside its row.
LETTERS = 15


@dataclass(frozen=True)
class ScoreMark:
    """A hit, or a hit that is left out, in a bar.

    Attributes:
        member: drum.
        limb: of `LIMBS`; "" for one that is left out.
        at: beats from the start of the bar.
        velocity: as in MIDI.
        title: the same in words.
    """

    member: str
    limb: str
    at: float
    velocity: int
    title: str

    @property
    def radius(self) -> float:
        """Of its picture [px]; louder is larger."""
        return LARGEST * (0.6 + 0.4 * self.velocity / 127)

    @property
    def is_accent(self) -> bool:
        """Whether it is as loud as `!` in a score."""
        return self.velocity >= ACCENT

    @property
    def is_ghost(self) -> bool:
        """Whether it is as soft as `?` in a score."""
        return self.velocity <= GHOST


@dataclass(frozen=True)
class ScoreRest:
    """A hand that rests on a drum in a bar, from a beat of it to another one."""

    member: str
    limb: str
    start: float
    end: float


@dataclass(frozen=True)
class ScoreBar:
    """A bar, or several equal ones in succession.

    Attributes:
        first, last: numbers, counted from one.
        meter: such as "7/8".
        bpm: tempo at its start.
        tells_tempo: whether that, or the meter, is another than before.
        beats: quarter notes.
        pulses: beats from its start at which a pulse is.
        marks, rests: what is in it.
    """

    first: int
    last: int
    meter: str
    bpm: float
    tells_tempo: bool
    beats: float
    pulses: tuple[float, ...]
    marks: tuple[ScoreMark, ...]
    rests: tuple[ScoreRest, ...]

    @property
    def quarter(self) -> float:
        """Width of a quarter note [px]."""
        return min(QUARTER, WIDEST / self.beats)

    def repeats(self, other: "ScoreBar") -> bool:
        """Whether it follows another one that is the same."""
        same = (self.meter, self.beats, self.tells_tempo) == (
            other.meter,
            other.beats,
            False,
        )
        return same and _content(self) == _content(other)


def _content(bar: ScoreBar) -> tuple[object, ...]:
    """What is seen of a bar."""
    marks = [(m.member, m.limb, round(m.at / SAME), m.velocity) for m in bar.marks]
    ends = [(r.member, r.limb, round(r.start, 2), round(r.end, 2)) for r in bar.rests]
    return tuple(marks), tuple(ends)


def score_section(behavior: Behavior) -> Markup:
    """The part of a behavior's page about its score; empty where nothing is struck."""
    strikes, left_out = behavior.strikes(), behavior.events_of("left out")
    bars = score_bars(behavior)
    if not (strikes or left_out) or not bars:
        return Markup("")
    found = {e.what for e in (*strikes, *left_out, *behavior.events_of("rest"))}
    members = [m for m in DrumKit(text=behavior.scene.kit).members if m in found]
    music, place = behavior.music(), behavior.grid.place
    used = set(_limbs(behavior).values())
    return Markup(
        rendered(
            "score_section.html",
            bars=bars,
            members={m: k for k, m in enumerate(members)},
            names=[_name(m) for m in members],
            limbs=dict(zip(LIMBS, COLORS, strict=False)),
            strokes=strokes_by_limb(behavior, members),
            used=[limb for limb in LIMBS if limb in used],
            left_out=[(e, place_in_words(place(e.time))) for e in left_out],
            remarks=behavior.provenance.get("remarks") or [],
            music=place_in_words(place(music.time)) if music.time > 0 else "",
            size={"row": ROW, "names": NAMES, "top": TOP},
        )
    )


def strokes_by_limb(
    behavior: Behavior, members: Sequence[str]
) -> list[tuple[str, Counter[str]]]:
    """How often each member is struck by each limb, and left out; then all together.

    Args:
        behavior: what is played.
        members: rows of the table, before the last.
    """
    limbs = _limbs(behavior)
    counts = {m: Counter[str]() for m in members}
    for event in behavior.strikes():
        counts[event.what][limbs[event.who]] += 1
    for event in behavior.events_of("left out"):
        counts[event.what]["left out"] += 1
    whole = sum(counts.values(), Counter[str]())
    return [(m.replace("_", " "), c) for m, c in counts.items() if c] + [("all", whole)]


def score_bars(behavior: Behavior) -> list[ScoreBar]:
    """The bars of a behavior, equal ones in succession as one; none without music."""
    firsts = [(t, p) for t, p in behavior.pulses(behavior.duration) if p.number == 1]
    end = behavior.grid.beat(behavior.duration)
    if end is None or not firsts:
        return []
    ends = [p.beat for _, p in firsts[1:]] + [end]
    times = [t for t, _ in firsts[1:]] + [behavior.duration]
    marks, rests = _marks(behavior), _rests(behavior)
    bars: list[ScoreBar] = []
    before: ScoreBar | None = None
    for (time, pulse), stop, until in zip(firsts, ends, times, strict=True):
        if stop - pulse.beat < SAME:
            continue
        meter = behavior.meter.at(pulse.beat)
        length = meter.beats if stop is end else stop - pulse.beat
        bpm = 60.0 * (stop - pulse.beat) / (until - time)
        bar = ScoreBar(
            first=pulse.bar,
            last=pulse.bar,
            meter=str(meter),
            bpm=bpm,
            tells_tempo=before is None
            or before.meter != str(meter)
            or abs(before.bpm - bpm) > SAME_TEMPO,
            beats=length,
            pulses=tuple(meter.pulse * k for k in range(round(length / meter.pulse))),
            marks=_marks_within(marks, pulse.beat, pulse.beat + length),
            rests=_rests_within(rests, pulse.beat, pulse.beat + length),
        )
        before = bar
        if bars and bar.repeats(bars[-1]):
            bars[-1] = replace(bars[-1], last=bar.last)
        else:
            bars.append(bar)
    return bars


def _limbs(behavior: Behavior) -> dict[str, str]:
    """Limb of everything that strikes, by its name in events."""
    tips = {stick_tip(hand): hand for hand in HANDS}
    pedals = DrumKit(text=behavior.scene.kit).pedals()
    feet = {pedal.beater: f"{pedal.foot} foot" for pedal in pedals}
    every = tips | feet
    return {e.who: every[e.who] for e in behavior.strikes() if e.who in every}


def _marks(behavior: Behavior) -> list[ScoreMark]:
    """All hits and what is left out, at beats from the start of the behavior."""
    limbs, found = _limbs(behavior), []
    for event in (*behavior.strikes(), *behavior.events_of("left out")):
        limb, beat = limbs.get(event.who, ""), behavior.grid.beat(event.time)
        if beat is not None:
            title = _title(behavior, event, limb)
            found.append(ScoreMark(event.what, limb, beat, event.velocity, title))
    return found


def _marks_within(
    marks: Sequence[ScoreMark], start: float, end: float
) -> tuple[ScoreMark, ...]:
    """Those between two beats, at beats from the first of them."""
    mine = [m for m in marks if start - SAME <= m.at < end - SAME]
    return tuple(replace(m, at=max(0.0, m.at - start)) for m in mine)


def _title(behavior: Behavior, event: Event, limb: str) -> str:
    """A hit in words."""
    place = place_in_words(behavior.grid.place(event.time))
    who = event.cause or (limb if limb in FEET else f"{limb} hand")
    said = "left out, " if event.kind == "left out" else ""
    return f"{_name(event.what)}, {place}: {said}{who}, velocity {event.velocity}"


def _rests(behavior: Behavior) -> list[ScoreRest]:
    """All rests of hands on drums, at beats from the start of the behavior."""
    hands, found = {stick_tip(hand): hand for hand in HANDS}, []
    for event in behavior.events_of("rest"):
        times = (event.time, event.time + event.duration)
        a, b = (behavior.grid.beat(time) or 0.0 for time in times)
        if event.who in hands:
            found.append(ScoreRest(event.what, hands[event.who], a, b))
    return found


def _rests_within(
    rests: Sequence[ScoreRest], start: float, end: float
) -> tuple[ScoreRest, ...]:
    """What of them is between two beats, at beats from the first of them."""
    cut = (replace(r, start=max(r.start, start), end=min(r.end, end)) for r in rests)
    return tuple(
        replace(r, start=r.start - start, end=r.end - start)
        for r in cut
        if r.end - r.start > SAME
    )


def _name(member: str) -> str:
    """A member as it is written beside its row."""
    name = member.replace("_", " ")
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
