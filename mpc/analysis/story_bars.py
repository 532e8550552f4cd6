"""Bars of a run, from the story in its file."""

from collections.abc import Mapping
from typing import Any

from backbeat.behaviors.library.beat_grid import BeatGrid, place_in_words
from backbeat.behaviors.music.notation.meter import (
    Meter,
    MeterMap,
    Pulse,
    meter_from_plain,
)

TimedPulse = tuple[float, Pulse]


def story_bars(story: Mapping[str, Any]) -> tuple[MeterMap, tuple[TimedPulse, ...]]:
    """Meter and pulses of a run; stories of old have quarter notes a bar.

    Raises:
        BackbeatError: no meter.
        KeyError, TypeError, ValueError: the story has another form.
    """
    if "meter" in story:
        pulses = tuple(
            (float(t), Pulse(float(beat), int(bar), int(number), int(count)))
            for t, beat, bar, number, count in story["pulses"]
        )
        lead_in = int(story.get("lead_in_bars", 0))
        return meter_from_plain(story["meter"], lead_in), pulses
    meter = MeterMap(Meter(int(story.get("beats_per_bar", 4)), 4))
    times = [float(t) for t in story.get("beats", [])]
    return meter, tuple(zip(times, meter.pulses(len(times) - 1), strict=True))


def story_grid(story: Mapping[str, Any]) -> BeatGrid:
    """Beats of a run, when they are asked for."""
    meter, _ = story_bars(story)
    beats = [(float(k), float(t)) for k, t in enumerate(story.get("beats", []))]
    return BeatGrid(0.0, meter, beats)


def story_place(story: Mapping[str, Any], time: float) -> str:
    """What musicians call a time of a run [s]; empty without music."""
    return place_in_words(story_grid(story).place(time))
