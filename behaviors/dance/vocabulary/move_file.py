"""Move files: a move as YAML, with keyframes, steps and parameters."""

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from backbeat.behaviors.dance.vocabulary.expression import Expression, parse_expression
from backbeat.behaviors.dance.vocabulary.move import (
    BOTH,
    BOTH_TURNS,
    FOOT_WORDS,
    STATES,
    TASK_CHANNELS,
    Curve,
    Marker,
    Move,
    MoveStep,
    Parameter,
)
from backbeat.behaviors.dance.vocabulary.move_schema import (
    EXTREMES,
    FEET,
    Amount,
    MoveFile,
    ParameterDescription,
    StepDescription,
)
from backbeat.behaviors.library.stored import check_name
from backbeat.models.common.errors import BackbeatError, located, unknown_name
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import parse_yaml

FOLDER = Path(__file__).parents[1] / "moves"
# Folder of moves of the user's own, beside a choreography.
OWN = "moves"
# Greatest number in a move.
MOST = 1e6
# Axes of the places of feet, as markers name them.
AXES = ("x", "y", "z")


@cache
def shipped_moves() -> dict[str, Move]:
    """The moves that ship, by name."""
    return _read_all(FOLDER)


def vocabulary(folder: str | Path) -> dict[str, Move]:
    """The moves that ship, and those in the folder `moves` beside a choreography.

    Raises:
        BackbeatError: a file there is not a move, or takes the name of a shipped one.
    """
    folder = Path(folder)
    own = _read_all(folder / OWN)
    for name in own:
        if name in shipped_moves():
            raise BackbeatError(
                f"{folder / OWN} has a move {name!r}; one that ships is called so, "
                "so choose another name"
            )
    return shipped_moves() | own


def move_files(folder: str | Path) -> list[Path]:
    """Move files beside a choreography."""
    folder = Path(folder)
    return sorted((folder / OWN).glob("*.yaml"))


def _read_all(folder: Path) -> dict[str, Move]:
    moves: dict[str, Move] = {}
    for path in sorted(folder.glob("*.yaml")):
        move = load_move(path)
        if move.name in moves:
            raise BackbeatError(f"{path}: another file has the move {move.name!r} too")
        moves[move.name] = move
    return moves


def load_move(path: str | Path) -> Move:
    """Reads a move file.

    Raises:
        BackbeatError: it cannot be read, or is no move.
    """
    with located(file=path):
        return parse_move(read_text(path), str(path))


def parse_move(text: str, where: str) -> Move:
    """Reads a move from YAML text; `where` names it in errors.

    Raises:
        BackbeatError: it is not one; what is wrong and what to do.
    """
    return _Reader(where).move(parse_yaml(MoveFile, text, where))


class _Reader:
    """Makes a move of one file."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.names: dict[str, Parameter] = {}

    def move(self, file: MoveFile) -> Move:
        with located("name"):
            name = check_name(file.name)
        self.names = {n: self._parameter(n, d) for n, d in file.parameters.items()}
        usual = ["stand"] if file.track == "legs" else []
        entry = usual if file.entry is None else file.entry
        for state in (*entry, *([file.exit] if file.exit else [])):
            if state not in STATES:
                raise unknown_name(f"state in {self.where}", state, STATES)
        move = Move(
            name=name,
            track=file.track,
            summary=file.summary,
            parameters=self.names,
            length=self._expression(file.length, "length"),
            repeats=file.repeats,
            curves=self._curves(file.keyframes, file.repeats),
            steps=tuple(self._step(step) for step in file.steps),
            marker=None if file.marker is None else Marker(**vars(file.marker)),
            entry=tuple(entry),
            exit=file.exit,
            hold=file.hold,
            apart={n: self._number(x, f"apart of {n}") for n, x in file.apart.items()},
        )
        self._check(move)
        return move

    def _check(self, move: Move) -> None:
        if not move.summary:
            raise BackbeatError(f"{self.where}: a move has a summary of one line")
        if not (move.curves or move.steps or move.exit):
            raise BackbeatError(f"{self.where}: a move has keyframes, steps or an exit")
        if move.track != "legs" and (move.steps or move.exit):
            raise BackbeatError(
                f"{self.where}: only a move of the legs has steps or an exit"
            )
        lengths = [p for p, _ in move.length.factors]
        least = move.length(
            move.defaults() | {n: move.parameters[n].least for n in lengths}
        )
        if not least > 0:
            raise BackbeatError(f"{self.where}: its length can get {least:g} beats")
        ends = [(s.start, s.end) for s in move.steps]
        for (_, end), (start, _) in itertools.pairwise(ends):
            if start < end:
                raise BackbeatError(
                    f"{self.where}: a step begins before the one before it has ended"
                )
        if move.marker is not None:
            self._check_marker(move, move.marker)
        for channel in move.apart:
            if channel not in move.curves or channel in TASK_CHANNELS:
                raise BackbeatError(
                    f"{self.where}: apart has {channel!r}; it takes hands apart with "
                    "joints of the keyframes"
                )
        if not move.repeats:
            self._check_gesture(move)

    def _check_marker(self, move: Move, marker: Marker) -> None:
        """One that can be looked for: a channel that moves, or a foot."""
        foot, _, axis = marker.channel.partition(".")
        if not marker.extreme:
            raise BackbeatError(
                f"{self.where}: extreme of the marker is one of {', '.join(EXTREMES)}"
            )
        lands = marker.extreme == "lands"
        sides = (
            BOTH + marker.channel.partition("_")[2],
            BOTH_TURNS + marker.channel.partition(" ")[2],
        )
        known = {marker.channel, *sides} & set(move.curves)
        fits = not lands and bool(known)
        if move.steps and marker.channel not in TASK_CHANNELS:
            # A robot's own name of a sole will do too; markers on it look it up.
            named = foot in FOOT_WORDS or not foot.endswith(" foot")
            fits |= named and (not axis if lands else axis in AXES)
        if not fits:
            raise BackbeatError(
                f"{self.where}: its marker is {marker.extreme!r} of "
                f"{marker.channel!r}; give it a channel of its keyframes, or of its "
                f"steps a foot that lands, such as {FOOT_WORDS[0]!r}, or its place, "
                f"such as '{FOOT_WORDS[1]}.x'"
            )

    def _check_gesture(self, move: Move) -> None:
        """One that does not repeat begins and ends where nothing is added."""
        values = move.defaults()
        for channel, curve in move.curves.items():
            ends = [curve.values[0](values), curve.values[-1](values)]
            if any(ends) or curve.at[0] < 0 or curve.at[-1] > 1:
                raise BackbeatError(
                    f"{self.where}: {channel} is not 0 at its first and last "
                    "keyframe, as it is in a move that does not repeat"
                )
            hold = move.hold
            if hold is None or hold in curve.at:
                continue
            if curve.at[0] < hold < curve.at[-1]:
                raise BackbeatError(
                    f"{self.where}: {channel} moves at the hold; put a keyframe there"
                )

    def _parameter(self, name: str, told: ParameterDescription) -> Parameter:
        least, default, most = (
            self._number(x, name) for x in (told.min, told.default, told.max)
        )
        if not least <= default <= most:
            raise BackbeatError(
                f"{self.where}: {name} has min <= default <= max, not "
                f"{least:g}, {default:g}, {most:g}"
            )
        return Parameter(least, default, most, told.unit)

    def _curves(
        self, rows: Sequence[Mapping[str, Amount]], repeats: bool
    ) -> dict[str, Curve]:
        keys: dict[str, dict[float, Expression]] = {}
        for row in rows:
            at = self._share(row.get("at"))
            for channel, value in row.items():
                if channel == "at":
                    continue
                items = keys.setdefault(channel, {})
                if at in items or (items and at <= max(items)):
                    raise BackbeatError(
                        f"{self.where}: keyframes of {channel} are not in order of time"
                    )
                items[at] = self._expression(value, f"{channel} at {at:g}")
        for channel, items in keys.items():
            if repeats and 0.0 in items and 1.0 in items:
                raise BackbeatError(
                    f"{self.where}: {channel} has keyframes at 0 and at 1, which are "
                    "the same instant of a move that repeats; leave one out"
                )
        return {n: Curve(tuple(k), tuple(k.values())) for n, k in keys.items()}

    def _step(self, told: StepDescription) -> MoveStep:
        if not told.feet:
            raise BackbeatError(
                f"{self.where}: a step says which feet stay on the ground: feet is one "
                f"of {', '.join(FEET)}"
            )
        if any(len(p) != 3 for p in told.via):
            raise BackbeatError(f"{self.where}: each place in 'via' has three numbers")
        if not told.at < told.until:
            raise BackbeatError(f"{self.where}: a step ends before it begins")
        forward, left = (self._expression(x, "to") for x in told.to)
        return MoveStep(
            told.at,
            told.until,
            told.feet,
            (forward, left),
            self._expression(told.turn, "turn"),
            self._expression(told.clearance, "clearance"),
            tuple(self._place(p) for p in told.via),
        )

    def _place(self, p: Sequence[Amount]) -> tuple[Expression, Expression, Expression]:
        x, y, z = (self._expression(v, "via") for v in p)
        return x, y, z

    def _number(self, value: float, what: str) -> float:
        if not abs(value) < MOST:
            raise BackbeatError(f"{self.where}: {what} is {value}, which no move needs")
        return float(value)

    def _share(self, at: Amount | None) -> float:
        if isinstance(at, str) or at is None or not 0 <= at <= 1:
            raise BackbeatError(
                f"{self.where}: at of a keyframe is {'missing' if at is None else at}; "
                "it is a share of the move's length, 0 to 1"
            )
        return at

    def _expression(self, value: Amount, what: str) -> Expression:
        if isinstance(value, str):
            return parse_expression(value, self.names, f"{self.where}, {what}")
        return Expression(self._number(value, what))
