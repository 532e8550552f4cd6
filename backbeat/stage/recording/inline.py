"""Recordings within a notebook: no port, no server, nothing to fetch."""

from dataclasses import dataclass
from html import escape

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.stage.recording.html import page_of
from backbeat.stage.sources.kinds import PlannedSource, SimulatedSource


@dataclass(frozen=True)
class InlineRecording:
    """A recording that a notebook shows as the result of a cell.

    Attributes:
        page: its HTML, which needs nothing else.
        height: of its frame [pixels].
    """

    page: str
    height: int

    def _repr_html_(self) -> str:
        """The page in a frame of its own."""
        return (
            f'<iframe title="Recording" srcdoc="{escape(self.page)}" '
            f'style="width: 100%; height: {self.height}px; border: 0" '
            'allow="autoplay; fullscreen"></iframe>'
        )

    def __repr__(self) -> str:
        """A word instead of megabytes."""
        return f"a recording of {len(self.page) / 1e6:.1f} MB"


def show(
    what: Behavior | SimulationRun, fps: float = 30.0, height: int = 480
) -> InlineRecording:
    """Plays a behavior as it was planned, or a run as it was measured.

    Args:
        what: behavior or run.
        fps: frames a second.
        height: of the frame [pixels].
    """
    source: PlannedSource | SimulatedSource
    source = (
        PlannedSource(what) if isinstance(what, Behavior) else SimulatedSource(what)
    )
    return InlineRecording(page_of(source, fps), height)
