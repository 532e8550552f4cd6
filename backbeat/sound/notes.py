"""Notes: hits with a time, a drum and a loudness, from what a simulation measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.drumming.strokes import PLAIN, Stroke
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.music.notation.meter import COMMON, MeterMap, Pulse
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.analysis.story_bars import story_bars
from backbeat.mpc.runs.file import load_run
from backbeat.mpc.simulation.run import SimulationRun

# The drum of a metronome's click; no member of a kit has a space in its name.
CLICK = "the click"
# What is heard of a count-in, which nothing strikes.
STICKS = "the sticks"
CLICK_VELOCITY, BAR_VELOCITY = 64, 112
LOUDEST = 127
# Below this velocity, loudness follows speed down to silence.
SOFT = 20
# Longer runs are none [s].
LONGEST = 4 * 3600.0


@dataclass(frozen=True)
class Note:
    """One sound.

    Attributes:
        time: when the stick touches [s].
        member: drum or cymbal, or `CLICK`.
        velocity: loudness as in MIDI, 1 to 127.
    """

    time: float
    member: str
    velocity: int


@dataclass(frozen=True)
class SoundExtras:
    """What is heard besides the drums.

    Attributes:
        click: whether a metronome is.
        latency: how much later than the picture drums and click sound, negative for
            earlier [s]; the backing stays.
        backing: (n, 2) sound to play along with, see `backbeat.sound.mix`.
    """

    click: bool = False
    latency: float = 0.0
    backing: np.ndarray | None = None


@dataclass(frozen=True)
class Performance:
    """All sounds of a run or a behavior.

    Attributes:
        name: of the behavior.
        notes: in order of time.
        duration: [s].
        beats: (B,) times of the beats from the first on [s]; empty without music.
        meter: its bars.
        pulses: pulses of the bars, each with its time [s]; see `Behavior.pulses`.
        count_in: times of the clicks of sticks before the music [s].
        music: when a backing begins [s].
        backing: its file name, beside the score; empty for none.
        kit: as text, see `kit_text`; "" for the usual one.
    """

    name: str
    notes: tuple[Note, ...]
    duration: float
    beats: np.ndarray
    meter: MeterMap = COMMON
    pulses: tuple[tuple[float, Pulse], ...] = ()
    count_in: tuple[float, ...] = ()
    music: float = 0.0
    backing: str = ""
    kit: str = ""

    def heard(self, extras: SoundExtras) -> list[Note]:
        """Notes and clicks in order of time, with the latency.

        Raises:
            BackbeatError: there are no beats to click.
        """
        sticks = [Note(t, STICKS, BAR_VELOCITY) for t in self.count_in]
        clicks = self.clicks() if extras.click else []
        notes = [*self.notes, *sticks, *clicks]
        late = [Note(n.time + extras.latency, n.member, n.velocity) for n in notes]
        return sorted(late, key=lambda note: note.time)

    def clicks(self) -> list[Note]:
        """A click on every pulse, stronger on the first of a bar.

        Raises:
            BackbeatError: there are no beats.
        """
        if not self.pulses:
            raise BackbeatError(
                f"{self.name} has no beats to click; leave out --click, or track the "
                "behavior again if the run file is an old one"
            )
        return [
            Note(t, CLICK, CLICK_VELOCITY if pulse.number > 1 else BAR_VELOCITY)
            for t, pulse in self.pulses
        ]


def performed(run: SimulationRun) -> Performance:
    """What a run sounds like: every contact that was a strike, planned or not."""
    behavior, hits = run.behavior, run_hits(run)
    end, music = float(run.t[-1]), behavior.music()
    made = [] if hits is None else hits.table.to_dict("records")
    extra = [] if hits is None else [asdict(hit) for hit in hits.extra]
    records = _strikes(made, extra)
    return _performance(
        Performance(
            behavior.name,
            (),
            end,
            run.beat_times(),
            behavior.meter,
            tuple(run.pulses()),
            tuple(e.time for e in run.requested_events() if e.kind == "count"),
            music.time,
            music.what,
            behavior.scene.kit,
        ),
        records,
    )


def performed_in_file(path: str | Path) -> Performance:
    """What the run in a run file sounds like.

    Raises:
        BackbeatError: the file is not a run file.
    """
    frame, story = load_run(path)
    try:
        end = float(frame["t"].iloc[-1])
    except (KeyError, IndexError, TypeError, ValueError):
        raise BackbeatError(f"{path} holds no samples; track it again") from None
    return performed_in_story(story, end, str(path))


def performed_in_story(
    story: Mapping[str, Any], end: float, source: str
) -> Performance:
    """What a run sounds like, from the story in its file.

    Args:
        story: of the run file.
        end: last time of the run [s].
        source: where the story is from, for messages.

    Raises:
        BackbeatError: the story is not that of a run.
    """
    try:
        records = _strikes(story["hits"], story["extra_hits"])
        meter, pulses = story_bars(story)
        silent = Performance(
            str(story["behavior"]),
            (),
            end,
            np.array(story.get("beats", []), float),
            meter,
            pulses,
            tuple(float(t) for t in story.get("count_in") or ()),
            float(story.get("music", 0.0)),
            str(story.get("backing", "")),
            str(story.get("kit", "")),
        )
        return _performance(silent, records)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BackbeatError(
            f"{source} does not hold the hits of a run as this Backbeat writes them "
            f"({error!r}); track the behavior again"
        ) from None


def planned(behavior: Behavior) -> Performance:
    """What a behavior would sound like if it were played as it is written."""
    notes = tuple(Note(e.time, e.what, max(e.velocity, 1)) for e in behavior.strikes())
    beats, music = behavior.beat_times(behavior.duration), behavior.music()
    return Performance(
        behavior.name,
        notes,
        behavior.duration,
        beats,
        behavior.meter,
        tuple(behavior.pulses(behavior.duration)),
        tuple(e.time for e in behavior.events_of("count")),
        music.time,
        music.what,
        behavior.scene.kit,
    )


def strike_velocity(speed: float) -> int:
    """MIDI velocity, 1 to 127, of a strike with a speed at the head [m/s].

    It is the one that a stroke of this speed is asked for with, so that a score comes
    back as it was written.
    """
    stroke = Stroke()
    soft, plain = stroke.strike_speed(SOFT), stroke.strike_speed(PLAIN)
    if speed < soft:
        velocity = SOFT * speed / soft
    else:
        velocity = SOFT + (PLAIN - SOFT) * (speed - soft) / (plain - soft)
    return int(np.clip(round(velocity), 1, LOUDEST))


def _strikes(
    planned: Iterable[Mapping[str, Any]], extra: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Measured time, member and speed of strikes, unplanned ones too."""
    made = [{**h, "time": h["time"] + h["error"]} for h in planned if h["made"]]
    return made + [h for h in extra if h["member"]]


def _performance(
    silent: Performance, records: Sequence[Mapping[str, Any]]
) -> Performance:
    """A performance with the notes of what was struck."""
    end = silent.duration
    if not (0 <= end <= LONGEST and 0 <= silent.music <= LONGEST):
        raise BackbeatError(
            f"the run of {silent.name} lasts {end:.4g} s; what can be heard lasts up "
            f"to {LONGEST / 3600:g} hours"
        )
    kit = DrumKit(text=silent.kit)
    for record in records:
        kit.member(str(record["member"]))
    # What touches before the behavior begins is a hand that comes to rest.
    notes = [
        Note(float(r["time"]), str(r["member"]), strike_velocity(float(r["speed"])))
        for r in records
        if r["time"] >= 0
    ]
    notes.sort(key=lambda note: note.time)
    return replace(silent, notes=tuple(notes))
