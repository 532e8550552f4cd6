"""Recordings: one HTML file that plays when it is opened, without a network."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.atomic_file import replacing
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.sound.notes import Performance, SoundExtras, performed, planned
from backbeat.sound.page import packed_sound
from backbeat.stage.drawing.stage import Stage
from backbeat.stage.drawing.trails import ribbons
from backbeat.stage.frames.frame import PlaybackSource, frame_times
from backbeat.stage.recording.canvas import RecordingCanvas
from backbeat.stage.sources.kinds import PlannedSource, SimulatedSource
from backbeat.stage.sources.run_file import RunFileSource
from backbeat.stage.web.page import packed, with_overlay


@dataclass(frozen=True)
class Recording:
    """A file that was written.

    Attributes:
        path: where.
        size: its size [bytes].
    """

    path: Path
    size: int

    def __str__(self) -> str:
        """For the console."""
        return f"{self.path} ({self.size / 1e6:.1f} MB)"


def record_behavior(
    behavior: Behavior,
    path: str | Path,
    fps: float = 30.0,
    extras: SoundExtras | None = None,
) -> Recording:
    """Records a behavior as it was planned.

    Args:
        behavior: what to show.
        path: HTML file to write.
        fps: frames a second; accents such as strikes come on top.
        extras: what is heard besides the drums.

    Raises:
        BackbeatError: the file cannot be written.
    """
    return write_page(page_of(PlannedSource(behavior), fps, extras), path)


def record_run(
    run: SimulationRun,
    path: str | Path,
    fps: float = 30.0,
    extras: SoundExtras | None = None,
) -> Recording:
    """Records a closed-loop run as it was measured; arguments as above."""
    return write_page(page_of(SimulatedSource(run), fps, extras), path)


def page_of(
    source: PlaybackSource,
    fps: float = 30.0,
    extras: SoundExtras | None = None,
    more: Mapping[str, Any] | None = None,
) -> str:
    """The HTML of a recording; `more` is what its overlay is told besides."""
    runs = SimulatedSource | RunFileSource
    disturbances = source.disturbances if isinstance(source, runs) else ()
    arrows = [item for item in disturbances if not item.has_lines]
    pushed = sorted({link for item in arrows for link in item.links()})
    stage = Stage(source.behavior, is_simulated=source.is_simulated, pushed=pushed)
    times = frame_times(source, fps)
    canvas = RecordingCanvas(stage.meshcat)
    for canvas.frame, t in enumerate(times):
        stage.draw(canvas, source.frame_at(t))
    motion = packed(canvas.tracks(times), times)
    stage.aim(source)
    trails, fastest = ribbons(source)
    info = stage.info(source, fastest, trails) | dict(more or {})
    if isinstance(source, SimulatedSource):
        info["sayings"] = source.sayings()
    if isinstance(source, RunFileSource) and source.lacks:
        info["note"] = f"{info['note']}; {source.lacks}".strip("; ")
    sound = packed_sound(performance_of(source), extras or SoundExtras())
    return with_overlay(stage.meshcat.StaticHtml(), info, motion, sound)


def performance_of(source: PlaybackSource) -> Performance:
    """What is heard of a source: its contacts if it was simulated, else its score."""
    if isinstance(source, SimulatedSource):
        return performed(source.run)
    if isinstance(source, RunFileSource):
        return source.performance()
    return planned(source.behavior)


def write_page(page: str, path: str | Path) -> Recording:
    """Writes a page whole or not at all.

    Raises:
        BackbeatError: the file cannot be written.
    """
    path = Path(path)
    with replacing(path) as file:
        file.write(page.encode())
    return Recording(path, path.stat().st_size)
