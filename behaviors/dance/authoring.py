"""Choreography in code: the same as the YAML, for notebooks and scripts."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import yaml

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.vocabulary.descriptions import (
    MeterDescription,
    MoveDescription,
    PhraseDescription,
    TempoDescription,
)
from backbeat.behaviors.dance.vocabulary.move import TRACKS
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.library.behavior import BEAT_PRIORITY
from backbeat.behaviors.library.stored import check_name
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import unknown_name

# What a description has when it says nothing.
_USUAL, _USUAL_RECORDING = MoveDescription(), RecordingDescription()


class Choreography:
    """A dance that is written move by move.

    Every method that adds something returns the choreography, so that lines chain.
    """

    def __init__(
        self,
        name: str,
        beats: float,
        bpm: float = 98.0,
        beats_per_bar: int = 4,
        summary: str = "",
        fade: float = 1.0,
        beat_priority: float = BEAT_PRIORITY,
        meter: str = "",
    ) -> None:
        """Starts an empty dance.

        Args:
            name, beats, bpm, beats_per_bar, summary, fade, beat_priority, meter: the
                keys of the YAML.

        Raises:
            BackbeatError: the name is not one of a behavior.
        """
        self.dance = DanceSpecification(
            name=check_name(name),
            beats=float(beats),
            bpm=float(bpm),
            beats_per_bar=beats_per_bar,
            summary=summary or f"Atlas dances {name}.",
            fade=fade,
            beat_priority=beat_priority,
            meter=meter,
        )

    def change_meter(self, bar: int, meter: str) -> "Choreography":
        """Changes the meter.

        Args:
            bar: the first bar of the new meter, counted from 1.
            meter: such as 3/4.
        """
        self.dance.meters.append(MeterDescription(bar, meter))
        return self

    def change_tempo(
        self, bar: float, bpm: float, beats: float = 0.0
    ) -> "Choreography":
        """Changes the tempo.

        Args:
            bar: the first bar of the new tempo, counted from 1.
            bpm: the new tempo [beats/min].
            beats: over which it is reached evenly; 0 for at once.
        """
        self.dance.tempos.append(TempoDescription(bar, bpm=bpm, beats=beats))
        return self

    def dance_again(
        self, at: float, beats: float, again: Sequence[float], alternate: bool = False
    ) -> "Choreography":
        """Dances a phrase again: all moves that begin in some beats.

        Args:
            at: beat at which the phrase begins, counted from zero.
            beats: its length.
            again: beats at which it is danced again.
            alternate: whether it is mirrored the first time again, and every second
                time from there.
        """
        phrase = PhraseDescription(
            at=at, beats=beats, again=list(again), alternate=alternate
        )
        self.dance.phrases.append(phrase)
        return self

    def add(
        self, track: str, move: str, at: float = 0.0, **options: Any
    ) -> "Choreography":
        """Adds a move to a track.

        Args:
            track: legs, body, arms or head.
            move: name of the move.
            at: beat on which it starts, counted from zero.
            options: other keys of a move, such as beats, repeat, mirror, blend; any
                other name is a parameter of the move.

        Raises:
            BackbeatError: no such track.
        """
        if track not in TRACKS:
            raise unknown_name("track", track, TRACKS)
        keys = {n: v for n, v in options.items() if hasattr(_USUAL, n)}
        values = {n: float(v) for n, v in options.items() if n not in keys}
        described = MoveDescription(move, float(at), **{"values": values, **keys})
        self.dance.tracks.setdefault(track, []).append(described)
        return self

    def legs(self, move: str, at: float = 0.0, **options: Any) -> "Choreography":
        """Adds a move of the legs; see `add`."""
        return self.add("legs", move, at, **options)

    def body(self, move: str, at: float = 0.0, **options: Any) -> "Choreography":
        """Adds a move of the body; see `add`."""
        return self.add("body", move, at, **options)

    def arms(self, move: str, at: float = 0.0, **options: Any) -> "Choreography":
        """Adds a move of the arms; see `add`."""
        return self.add("arms", move, at, **options)

    def head(self, move: str, at: float = 0.0, **options: Any) -> "Choreography":
        """Adds a move of the head; see `add`."""
        return self.add("head", move, at, **options)

    def recording(
        self, name: str, file: str | Path, unit: str = "", **options: Any
    ) -> "Choreography":
        """Makes a move of a motion file.

        Args:
            name: name of the move, for `add`.
            file: the file, from the folder of the dance.
            unit: radians or degrees; "" as its format has it.
            options: other keys of a recording, such as joints, beats, planted.

        Raises:
            BackbeatError: no such key.
        """
        known = vars(_USUAL_RECORDING)
        for key in options:
            if key not in known:
                raise unknown_name("key of a recording", key, known)
        described = RecordingDescription(str(file), unit, **options)
        self.dance.recordings[check_name(name)] = described
        return self

    def text(self) -> str:
        """The dance as YAML, which `backbeat build` takes."""
        dance = self.dance
        recordings = {
            name: _unusual(d, _USUAL_RECORDING) for name, d in dance.recordings.items()
        }
        changes = {
            "meters": [dict(vars(m)) for m in dance.meters],
            "tempos": [_unusual(t, TempoDescription()) for t in dance.tempos],
            "phrases": [_unusual(p, PhraseDescription()) for p in dance.phrases],
        }
        tree: dict[str, Any] = {
            "kind": dance.kind,
            "name": dance.name,
            "summary": dance.summary,
            "bpm": dance.bpm,
            "beats_per_bar": dance.beats_per_bar,
            **({"meter": dance.meter} if dance.meter else {}),
            **{name: rows for name, rows in changes.items() if rows},
            "beats": dance.beats,
            "fade": dance.fade,
            "beat_priority": dance.beat_priority,
            **({"recordings": recordings} if recordings else {}),
            "tracks": {
                track: [_said(d) for d in rows] for track, rows in dance.tracks.items()
            },
        }
        return yaml.safe_dump(tree, sort_keys=False, default_flow_style=None)

    def save(self, folder: str | Path = Path()) -> Path:
        """Writes the dance into a folder, under its name; returns where."""
        folder = Path(folder)
        path = folder / f"{self.dance.name}.yaml"
        with replacing(path) as file:
            file.write(self.text().encode())
        return path

    def __str__(self) -> str:
        """A line for every move, track by track in order of time."""
        lines, meter = [self._title()], self.dance.meter_map()
        for track, start, beats, what, values in self._rows():
            bar, beat = meter.place(start)
            lines.append(
                f"  {track:5s} bar {bar:3d} beat {beat:<4g} "
                f"{beats}  {what}  {values}".rstrip()
            )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        head = ("track", "bar", "beat", "beats", "move", "values")
        meter = self.dance.meter_map()
        table = ["<tr>", *(f"<th>{name}</th>" for name in head), "</tr>"]
        for track, start, beats, what, values in self._rows():
            bar, beat = meter.place(start)
            row = (
                track,
                f"{bar}",
                f"{beat:g}",
                beats.removesuffix(" beats"),
                what,
                values,
            )
            table += ["<tr>", *(f"<td>{escape(cell)}</td>" for cell in row), "</tr>"]
        caption = f"<caption>{escape(self._title())}</caption>"
        return f"<table>{caption}{''.join(table)}</table>"

    def _title(self) -> str:
        dance = self.dance
        seconds = dance.tempo_map().time(dance.beats)
        length = f"{dance.beats:g} beats at {dance.bpm:g} BPM"
        return f"{dance.name}: {length} ({seconds:.1f} s)"

    def _rows(self) -> list[tuple[str, float, str, str, str]]:
        """Track, first beat, length, move and values of all moves in order.

        A recording is read when the dance is built; its length is not known here
        unless it is stretched.
        """
        dance, moves = self.dance, vocabulary(Path())
        meter = dance.meter_map()
        known = {
            t: [d for d in rows if d.move in moves] for t, rows in dance.tracks.items()
        }
        rows = []
        for p in replace(dance, tracks=known).placed_moves(moves):
            values = ", ".join(f"{n} {v:g}" for n, v in p.values.items())
            what = f"{p.move.name} mirrored" if p.mirror else p.move.name
            rows.append((p.track, p.start, f"{p.beats:4g} beats", what, values))
        for track, described in dance.tracks.items():
            for d in described:
                if d.move in moves:
                    continue
                recording = dance.recordings.get(d.move)
                said = "unknown" if recording is None else f"from {recording.file}"
                beats = "its own length"
                if recording is not None and recording.beats is not None:
                    beats = f"{recording.beats + 2 * recording.lead:4g} beats"
                what = f"{d.move} mirrored" if d.mirror else d.move
                start = d.start(meter)
                rows.append((track, start, beats, what, said))
        order = {track: i for i, track in enumerate(TRACKS)}
        return sorted(rows, key=lambda row: (order.get(row[0], 9), row[1]))


def _unusual(described: object, usual: object) -> dict[str, Any]:
    """The keys of a description that are not as usual."""
    return {n: v for n, v in vars(described).items() if v != getattr(usual, n)}


def _said(d: MoveDescription) -> dict[str, Any]:
    """What the YAML says of a move."""
    return {"move": d.move, "at": d.at, **_unusual(d, _USUAL)}
