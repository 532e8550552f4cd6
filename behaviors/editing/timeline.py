"""The timeline of a dance as data: blocks, bars, and what is wrong with each."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields
from math import ceil
from pathlib import Path
from typing import Any

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.vocabulary.descriptions import MoveDescription
from backbeat.behaviors.dance.vocabulary.move import TRACKS, Move
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.editing.edits import DANCE_KEYS, OPTIONS, plain, read_dance
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.specification.checking import (
    LocatedFinding,
    check_specification,
)
from backbeat.models.common.errors import BackbeatError, KeyPath
from backbeat.models.common.schema_documents import key_text
from backbeat.models.common.yaml_lines import YamlLines

# Beats of a block whose length nothing says.
UNKNOWN_LENGTH = 4.0
# Ranges of sliders for keys whose schema has no limits, or wider ones than sliders do.
SLIDERS: Mapping[str, tuple[float, float, float]] = {
    "bpm": (40, 200, 1),
    "beats": (4, 200, 1),
    "fade": (0.1, 4, 0.1),
    "beat_priority": (0, 1, 0.05),
    "repeat": (1, 16, 1),
    "blend": (0, 8, 0.5),
    "timing": (0, 1, 0.05),
    "tracking": (0, 1, 0.05),
}


@dataclass(frozen=True)
class MoveBlock:
    """A row of a track as it is seen.

    Attributes:
        row: which of the track.
        move: name of the move.
        start, beats: when, and how long each repetition is [beats].
        values: of the parameters, those that are not given too.
        given: names of those that are.
        options: other keys.
    """

    row: int
    move: str
    start: float
    beats: float
    values: dict[str, float]
    given: list[str]
    options: dict[str, Any]


@dataclass(frozen=True)
class Echo:
    """A move that a phrase plays again.

    Attributes:
        track, row: of the block that it repeats.
        start, beats: when, and for how long [beats].
        mirror: whether left and right are exchanged.
    """

    track: str
    row: int
    start: float
    beats: float
    mirror: bool


@dataclass(frozen=True)
class Mark:
    """A finding at a block or, without a track, about the whole.

    Attributes:
        fails: whether it keeps the motion from being built.
        sentence: what it is, and what would do.
        track, row, key: of the block and its key; "" and -1 for none.
        fix: the value of the key that would do; None where none is obvious.
    """

    fails: bool
    sentence: str
    track: str = ""
    row: int = -1
    key: str = ""
    fix: float | str | None = None


@dataclass(frozen=True)
class Sheet:
    """What a page shows of any file that has beats.

    Attributes:
        name, robot: of the behavior.
        beats: its length.
        bpm: its tempo [beats/min].
        bars: first beat and number of every bar.
        keys: values of the keys that may be set.
        marks: findings.
        backing, offset: recording that plays along, and where in it this begins [s].
        times: of each beat, counted from zero, and of the end [s]; empty where the
            tempo does not change.
        is_read: whether the file can be read; if not, the rest is empty.
    """

    name: str = ""
    robot: str = ""
    beats: float = 0.0
    bpm: float = 0.0
    bars: list[tuple[float, int]] = field(default_factory=list)
    keys: dict[str, Any] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    backing: str = ""
    offset: float = 0.0
    times: list[float] = field(default_factory=list)
    is_read: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to solve."""
        return False


@dataclass(frozen=True)
class TrackSheet(Sheet):
    """A sheet of blocks.

    Attributes:
        tracks: blocks by track.
    """

    tracks: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is no block yet."""
        return self.is_read and not any(self.tracks.values())


@dataclass(frozen=True)
class DanceTimeline(TrackSheet):
    """What a dance holds.

    Attributes:
        tracks: blocks by track.
        echoes: moves that phrases play again.
    """

    tracks: dict[str, list[MoveBlock]] = field(default_factory=dict)
    echoes: list[Echo] = field(default_factory=list)


def timeline(text: str, path: str | Path) -> DanceTimeline:
    """The timeline of a dance, checked by all rules that need no plan.

    Args:
        text: the file.
        path: where it is, or will be.
    """
    path = Path(path)
    try:
        dance = read_dance(text, path.name)
        tempo = dance.tempo_map()
        moves = vocabulary(path.parent)
    except BackbeatError as error:
        return DanceTimeline(marks=[Mark(True, str(error))], is_read=False)
    tracks = {
        track: [_block(dance, row, d, moves) for row, d in enumerate(rows)]
        for track, rows in dance.tracks.items()
    }
    order = [*TRACKS, *(t for t in tracks if t not in TRACKS)]
    bars = [(p.beat, p.bar) for p in tempo.meter.pulses(dance.beats) if p.number == 1]
    found = check_specification(text, path, False) if any(tracks.values()) else []
    return DanceTimeline(
        name=dance.name,
        robot=dance.robot,
        beats=dance.beats,
        bpm=dance.bpm,
        bars=bars,
        keys={name: plain(getattr(dance, name)) for name in DANCE_KEYS},
        tracks={track: tracks.get(track, []) for track in order},
        marks=[_mark(item) for item in found],
        backing=dance.backing,
        offset=dance.offset,
        times=_times(tempo, dance.beats),
        echoes=_echoes(dance, moves),
    )


def _block(
    dance: DanceSpecification,
    row: int,
    d: MoveDescription,
    moves: Mapping[str, Move],
) -> MoveBlock:
    move, values, beats = moves.get(d.move), dict(d.values), d.beats
    if move is not None:
        values = move.defaults() | values
        if beats is None and values.keys() == move.parameters.keys():
            beats = move.usual_beats(values)
    recording = dance.recordings.get(d.move)
    if beats is None and recording is not None and recording.beats is not None:
        beats = recording.beats + 2 * recording.lead
    return MoveBlock(
        row=row,
        move=d.move,
        start=plain(d.start(dance.meter_map())),
        beats=plain(UNKNOWN_LENGTH if beats is None else beats),
        values=plain(values),
        given=list(d.values),
        options={name: plain(getattr(d, name)) for name in OPTIONS},
    )


def _times(tempo: Tempo, end: float) -> list[float]:
    """Times of all beats and of the end [s]; none where the tempo does not change."""
    if tempo.is_constant:
        return []
    return [round(tempo.time(b), 5) for b in [*map(float, range(ceil(end))), end]]


def _echoes(dance: DanceSpecification, moves: Mapping[str, Move]) -> list[Echo]:
    """What phrases play again; nothing while a move or a value makes no sense."""
    try:
        placed = dance.placed_moves(moves) if dance.phrases else []
    except (BackbeatError, KeyError):
        return []  # the findings tell it
    return [
        Echo(p.track, p.row, plain(p.start), plain(p.beats), p.mirror)
        for p in placed
        if p.is_again
    ]


def _mark(item: LocatedFinding) -> Mark:
    finding = item.finding
    track, row, key = block_at(finding.path)
    return Mark(finding.fails, finding.sentence, track, row, key, finding.fix)


def block_at(path: KeyPath) -> tuple[str, int, str]:
    """Track, row and key of a place in the file; "" and -1 for none."""
    if path[:1] != ("tracks",) or len(path) < 2:
        return "", -1, str(path[-1]) if path else ""
    row = path[2] if len(path) > 2 and isinstance(path[2], int) else -1
    return str(path[1]), row, str(path[-1]) if len(path) > 3 else ""


def block_on(text: str, line: int) -> tuple[str, int, str]:
    """The block that is written on a line of a text; "" and -1 for none."""
    lines = YamlLines(text)
    for track in lines.names(("tracks",)):
        row = item_on(lines, ("tracks", track), line)
        if row >= 0:
            return track, row, ""
    return "", -1, ""


def item_on(lines: YamlLines, place: KeyPath, line: int) -> int:
    """The item of a list that begins on a line; -1 for none."""
    rows = range(lines.length(place))
    return next((row for row in rows if lines.line((*place, row)) == line), -1)


def palette(folder: str | Path) -> list[dict[str, Any]]:
    """The moves that blocks are made of, with the ranges of their parameters.

    Raises:
        BackbeatError: a move of the user's own cannot be read.
    """
    moves = sorted(
        vocabulary(folder).values(), key=lambda m: (TRACKS.index(m.track), m.name)
    )
    return [
        {
            "move": move.name,
            "track": move.track,
            "summary": move.summary,
            "beats": plain(move.usual_beats(move.defaults())),
            "parameters": {n: asdict(p) for n, p in move.parameters.items()},
        }
        for move in moves
    ]


def sliders(
    keys: Sequence[tuple[Any, Sequence[str]]] = (
        (DanceSpecification, DANCE_KEYS),
        (MoveDescription, OPTIONS),
    ),
    ranges: Mapping[str, tuple[float, float, float]] = SLIDERS,
) -> dict[str, dict[str, Any]]:
    """Keys that have a slider or a switch, as pages offer them.

    Args:
        keys: schemas, and those of their keys that may be set.
        ranges: least and most where a schema has no limits, and step of sliders.

    Returns:
        By key: what it says, its unit, and the range and step of a slider.
    """
    found = {}
    for schema, names in keys:
        items: dict[str, Field[Any]] = {item.name: item for item in fields(schema)}
        for name in names:
            told = items[name].metadata
            row = {"help": key_text(schema, items[name]), "unit": told.get("unit", "")}
            if name in ranges:
                low, high, step = ranges[name]
                row |= {"low": told.get("ge", low), "high": told.get("le", high)}
                row["step"] = step
            found[name] = row
    return found
