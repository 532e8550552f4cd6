"""SongRow: songs that a drummer plays one after the other without getting up.

Between two of them hands rest on drums, feet stay on their pedals, and the tempo
changes: all of it is one score, and one motion.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from backbeat.behaviors.drumming.keys import DrummingKeys
from backbeat.behaviors.drumming.problem import DrummingProblem
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.motion.authored import Attempt
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.files.score_finish import with_hands
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.player import HandModel, Hints
from backbeat.behaviors.music.notation.score import Score
from backbeat.behaviors.music.playing.row import in_a_row
from backbeat.behaviors.music.playing.tempo_scale import with_tempo_scale
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values

# Keys that songs of a row have in common, for one drummer plays them on one kit.
COMMON_KEYS = ("robot", "seat", "stroke", "scale", "weights", "objectives")


@dataclass
class SongRow(DrummingSpecification):
    """Songs in a row as a specification, which no file has.

    Attributes:
        songs: specification, folder and pause before each [s].
    """

    songs: list[tuple[DrummingKeys, str, float]] = field(default_factory=list)

    @classmethod
    def of(
        cls, name: str, summary: str, songs: list[tuple[DrummingKeys, str, float]]
    ) -> Self:
        """The row of some songs.

        Args:
            name, summary: of the row.
            songs: specification, folder and pause before each [s]; at least one.

        Raises:
            BackbeatError: two are not played by one drummer on one kit.
        """
        (first, folder, _), *others = songs
        for other, where, _ in others:
            differs = [k for k in COMMON_KEYS if getattr(first, k) != getattr(other, k)]
            if first.kit_text(folder) != other.kit_text(where):
                differs.append("kit")
            if differs:
                raise BackbeatError(
                    f"{name}: {first.name} and {other.name} differ in "
                    f"{' and '.join(differs)}; one drummer plays all songs of a row on "
                    f"one kit, so write the same {differs[0]} into both"
                )
        keys = {k: getattr(first, k) for k in ("equipment", "kit", *COMMON_KEYS)}
        keys["search_time"] = sum(song.search_time for song, _, _ in songs)
        return cls(name=name, summary=summary, songs=songs, **keys)

    def load(
        self, folder: str | Path, members: Members, player: HandModel | None = None
    ) -> Score:
        """As of `DrummingKeys`."""
        read = [
            (song.name, with_tempo_scale(song.load(where, members), song.tempo_scale))
            for song, where, _ in self.songs
        ]
        pauses = [pause for _, _, pause in self.songs]
        row = in_a_row((*named, p) for named, p in zip(read, pauses, strict=True))
        return with_hands(row, player, self.name)

    def plan_with_hints(self, folder: str | Path, hints: Hints) -> MotionPlan:
        """As of `DrummingSpecification`; the values of songs are checked."""
        for song, _, _ in self.songs:
            check_values(song, song.name)
        return DrummingProblem(self, folder, hints).plan()

    def kit_text(self, folder: str | Path) -> str:
        """As of `DrummingKeys`: that of its first song."""
        song, where, _ = self.songs[0]
        return song.kit_text(where)

    def unread_lines(self, folder: str | Path) -> list[tuple[Path, int, str]]:
        """As of `Specification`: those of its songs."""
        return [line for s, where, _ in self.songs for line in s.unread_lines(where)]

    def offer(self, path: str | Path, attempt: Attempt) -> str:
        """As of `Specification`: which songs to build alone."""
        names = ", ".join(dict.fromkeys(song.name for song, _, _ in self.songs))
        return f"; build its songs alone to see which is at fault: {names}"
