"""Parts of a take: what stands in the way of a robot on its feet, and what remains."""

from dataclasses import dataclass

from backbeat.models.common.errors import BackbeatError

Interval = tuple[float, float]
# Obstacles, and parts, that a sentence names at most.
NAMED = 6


@dataclass(frozen=True)
class TakeObstacle:
    """A time that a robot on its feet cannot do.

    Attributes:
        what: in words, such as "left hand on the floor".
        start, end: when [s of the take].
        bodies: parts of the body that it is about, in words; empty if it is all of it.
    """

    what: str
    start: float
    end: float
    bodies: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what} from {self.start:.1f} to {self.end:.1f} s"


@dataclass(frozen=True)
class TakeParts:
    """A take, or a part of it, cut at what a robot on its feet cannot do.

    Attributes:
        first, last: what was looked at [s of the take].
        obstacles: in order of time; empty if nothing has to be cut.
        parts: first and last time of each part that remains [s], in order. Every one
            begins and ends with both feet on the ground, nearly at rest, but for the
            ends of the take.
        flights: first and last time of each jump from both feet to both [s].
    """

    first: float
    last: float
    obstacles: tuple[TakeObstacle, ...]
    parts: tuple[Interval, ...]
    flights: tuple[Interval, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing has to be cut."""
        return not self.obstacles

    @property
    def longest(self) -> Interval:
        """The longest part.

        Raises:
            BackbeatError: none remains.
        """
        if not self.parts:
            raise BackbeatError(f"the take has {self.sentence()}")
        return max(self.parts, key=lambda part: part[1] - part[0])

    def sentence(self) -> str:
        """What is in the way, by time and body, and what remains."""
        if self.is_whole:
            return "nothing but soles touches the floor"
        return f"{_listed(self.obstacles, '; ')}; {self.remains()}"

    def notable(self, gravity: float) -> list[str]:
        """Sentences on jumps, and on what has to be cut.

        Args:
            gravity: [m/s^2].
        """
        said = []
        if self.flights:
            each = [
                f"{b - a:.2f} s at {a:.2f} s, {1e3 * gravity * (b - a) ** 2 / 8:.0f} mm"
                for a, b in self.flights
            ]
            count = f"{len(each)} jump{'s' if len(each) > 1 else ''}"
            said.append(f"{count} from both feet to both: {_listed(each, '; ')}")
        if not self.is_whole:
            said.append(f"not on its feet: {self.sentence()}")
        return said

    def remains(self) -> str:
        """What remains, in words."""
        spans = [f"{a:.2f} to {b:.2f}" for a, b in self.parts]
        if not spans:
            return "no part remains that begins and ends on both feet"
        verb = "remains" if len(spans) == 1 else "remain"
        return f"{_listed(spans, ', ')} s {verb}"


def _listed(items: tuple[TakeObstacle, ...] | list[str], between: str) -> str:
    """Some items, and how many more there are."""
    said = between.join(str(item) for item in items[:NAMED])
    more = len(items) - NAMED
    return f"{said} and {more} more" if more > 0 else said
