"""DanceLayers: the keys of a choreography, tracks of moves on a grid of beats."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from backbeat.behaviors.dance.arrangement import PlacedMove, place_moves
from backbeat.behaviors.dance.knots import KNOTS_PER_BEAT
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.vocabulary.descriptions import (
    MeterDescription,
    MoveDescription,
    PhraseDescription,
    TempoDescription,
)
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.behaviors.motion.authored import MOST_BEND, Specification
from backbeat.behaviors.motion.plan import check_length
from backbeat.behaviors.music.notation.backing import LONGEST
from backbeat.behaviors.music.notation.count_in import MOST_CLICKS, count_in_beats
from backbeat.behaviors.music.notation.meter import (
    MeterMap,
    first_meter,
    meter_map,
    read_meter,
)
from backbeat.behaviors.music.notation.tempo import Tempo, TempoChange
from backbeat.models.common.bounds import LONGEST_TAKE
from backbeat.models.common.errors import BackbeatError, located
from backbeat.models.common.schema import check_values, key

LEAST_FADE = 0.1
# Beats before and after the longest recording, together at most [s].
LEADS = 60.0


@dataclass
class DanceLayers(Specification):
    """Keys of `kind: dance`, whose moves are not looked up."""

    kind: str = "dance"
    bpm: float = key(98.0, "beats/min")
    """Tempo."""
    beats_per_bar: int = key(4)
    """Quarter notes in a bar."""
    meter: str = key("")
    """Meter such as "7/8"; empty to use `beats_per_bar`."""
    meters: list[MeterDescription] = key(list)
    """Changes of meter, in order of bars."""
    tempos: list[TempoDescription] = key(list)
    """Changes of tempo, in order of time."""
    beats: float = key(16.0)
    """Length in beats, with a beat or two of rest at the end."""
    start: str = key("stand")
    """Posture to which all moves are added."""
    fade: float = key(1.0)
    """Beats over which a move fades in at its start and out at its end."""
    backing: str = key("")
    """A WAV file beside this one that plays along."""
    offset: float = key(0.0, "s", ge=-LONGEST, le=LONGEST)
    """Where in the backing the dance begins [s]; below 0 it begins before that."""
    count_in: int = key(0, ge=0, le=MOST_CLICKS)
    """Clicks of sticks before the first move begins, a pulse of the meter apart."""
    mirror: bool = key(False)
    """Exchanges left and right of the whole dance, as a partner dances who faces the
    dancer."""
    phrases: list[PhraseDescription] = key(list)
    """Phrases that are danced again, on all tracks."""
    tracks: dict[str, list[MoveDescription]] = key(dict)
    """Moves by track: legs, body, arms, head."""
    recordings: dict[str, RecordingDescription] = key(dict)
    """Recorded joint trajectories, by the name of the move that each becomes."""
    knot_spacing: float = key(0.0, "s")
    """Maximum time between knots [s]; 0 for the value that its moves need."""
    bend: float = key(0.0, "rad", ge=0, le=MOST_BEND)
    """Minimum bend of the knees of standing feet [rad]; 0 for no minimum."""
    apart: list[list[str]] = key(list)
    """Pairs of links, as `[[head, chest]]`, that keep their distance although planners
    take links so near to each other for links that cannot meet."""

    def meter_map(self) -> MeterMap:
        """Its bars.

        Raises:
            BackbeatError: no meter, or bars in disorder.
        """
        first = first_meter(self.beats_per_bar, self.meter, self.name)
        where = f"{self.name}, meters"
        with located("meters"):
            changes = [
                (m.bar, read_meter(m.meter, f"{where}, bar {m.bar}"))
                for m in self.meters
            ]
        try:
            return meter_map(first, changes)
        except BackbeatError as error:
            raise error.reworded(f"{where}: {error}") from None

    def tempo_map(self) -> Tempo:
        """Its tempo, with all changes.

        Raises:
            BackbeatError: no tempo or meter, or changes in disorder.
        """
        tempo = Tempo(self.bpm, self.meter_map())
        until = 0.0
        for i, d in enumerate(self.tempos):
            start = d.start(tempo.meter)
            where = f"{self.name}, tempos, {tempo.in_words(start)}"
            with located("tempos", i):
                if not until <= start < self.beats or start <= 0:
                    raise BackbeatError(
                        f"{where}: a change of tempo begins after the one before has "
                        f"ended, at beat {until:g}, and before the dance ends, at beat "
                        f"{self.beats:g}; the first tempo is that of 'bpm'"
                    )
                now = d.bpm if d.beats <= 0 else tempo.bpm_at(start)
                change = TempoChange(start, now, d.bpm, d.beats)
                try:
                    tempo = replace(tempo, changes=(*tempo.changes, change))
                except BackbeatError as error:
                    raise error.reworded(f"{where}: {error}") from None
            until = start + d.beats
        return tempo

    def placed_moves(self, moves: Mapping[str, Move]) -> list[PlacedMove]:
        """Its moves, each at its place; see `arrangement.place_moves`."""
        meter, where, scale = self.meter_map(), self.name, self.scale
        return place_moves(
            self.tracks,
            moves,
            meter,
            self.fade,
            where,
            scale,
            self.mirror,
            self.phrases,
        )

    def count_in_beats(self) -> list[float]:
        """Beats of the count-in.

        Raises:
            BackbeatError: they do not fit before the first move, or there is no meter.
        """
        meter = self.meter_map()
        starts = [d.start(meter) for rows in self.tracks.values() for d in rows]
        first = min(starts, default=0.0)
        return count_in_beats(self.count_in, first, meter, self.name)

    def check_grid(self) -> None:
        """Refuses a beat grid that makes no sense.

        Raises:
            BackbeatError: too few beats, too short a fade, a tempo or meter that is
                none, no moves, or too long a dance.
        """
        if not self.beats >= 2:
            raise BackbeatError(
                f"{self.name}: a dance needs at least 2 beats", path=("beats",)
            )
        if not self.fade >= LEAST_FADE:
            raise BackbeatError(
                f"{self.name}: fade is {self.fade:g} beats; it must be at least "
                f"{LEAST_FADE:g}",
                path=("fade",),
            )
        if not any(self.tracks.values()):
            raise BackbeatError(
                f"{self.name}: there is no move on any track", path=("tracks",)
            )
        check_values(self, self.name)
        tempo = self.tempo_map()
        finest = tempo.longest_beat(self.beats) / KNOTS_PER_BEAT[-1]
        if self.knot_spacing and not self.knot_spacing >= finest:
            raise BackbeatError(
                f"{self.name}: knot_spacing is {self.knot_spacing:g} s; at this tempo "
                f"it is at least {finest:.3g} s, or 0 for what the moves take",
                path=("knot_spacing",),
            )
        self.count_in_beats()
        with located("beats"):
            check_length(self.name, tempo.time(self.beats), LONGEST_TAKE + LEADS)
