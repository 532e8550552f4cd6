"""Streaming: joint states and torques of what a player shows, for other programs."""

from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.sources.streamed import stream_plan
from backbeat.stream.server import JointStream


class Streaming:
    """What is told to a stream of what is shown."""

    def __init__(self, stream: JointStream | None) -> None:
        """Tells a stream; None for no stream."""
        self._stream = stream

    def describe(self, source: PlannedSource | SimulationHistory) -> None:
        """Tells what follows."""
        if (stream := self._stream) is None:
            return
        origin = "simulated" if source.is_simulated else "planned"
        stream.describe(source.behavior.robot_model, source.behavior.name, origin)
        if isinstance(source, SimulationHistory):
            source.live.listen(stream.listener)

    def tell(self, source: PlannedSource, before: float, now: float) -> None:
        """Tells what is due of a plan between two times [s]."""
        if self._stream is not None:
            stream_plan(self._stream, source.behavior, before, now)
