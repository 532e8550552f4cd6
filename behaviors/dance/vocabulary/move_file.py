"""Move files: a move as YAML, with keyframes, steps and parameters."""

import itertools
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from backbeat.behaviors.dance.vocabulary.expression import Expression, parse_expression
from backbeat.behaviors.dance.vocabulary.move import (
    BOTH,
    BOTH_TURNS,
    FOOT_WORDS,
    STATES,
    TASK_CHANNELS,
    TRACKS,
    Curve,
    Marker,
    Move,
    MoveStep,
    Parameter,
)
from backbeat.behaviors.library.stored import check_name
from backbeat.models.common.errors import BackbeatError, located, unknown_name
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import read_tree

FOLDER = Path(__file__).parents[1] / "moves"
# Folder of moves of the user's own, beside a choreography.
OWN = "moves"
KEYS = (
    *("name", "track", "summary", "parameters", "length", "repeats", "keyframes"),
    *("steps", "marker", "entry", "exit", "hold", "apart"),
)
PARAMETER_KEYS = ("min", "default", "max", "unit")
STEP_KEYS = ("at", "until", "feet", "to", "turn", "clearance", "via")
MARKER_KEYS = ("at", "what", "channel", "extreme")
EXTREMES = ("most", "least", "lands")
FEET = ("left", "right", "none")
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
        with located(file=path):
            move = parse_move(read_text(path), str(path))
        if move.name in moves:
            raise BackbeatError(f"{path}: another file has the move {move.name!r} too")
        moves[move.name] = move
    return moves


def parse_move(text: str, where: str) -> Move:
    """Reads a move from YAML text; `where` names it in errors.

    Raises:
        BackbeatError: it is not one; what is wrong and what to do.
    """
    return _Reader(where).move(read_tree(text, where))


class _Reader:
    """Reads one file."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.names: dict[str, Parameter] = {}

    def move(self, tree: Mapping[Any, Any]) -> Move:
        self._keys(tree, KEYS, "move")
        name = check_name(str(tree.get("name", "")))
        track = self._one_of(tree, "track", TRACKS)
        self.names = self._parameters(tree.get("parameters", {}))
        repeats, hold = tree.get("repeats", True), tree.get("hold")
        if not isinstance(repeats, bool):
            raise BackbeatError(f"{self.where}: repeats is true or false")
        usual = ["stand"] if track == "legs" else []
        entry = [str(state) for state in self._list(tree.get("entry", usual))]
        leave = str(tree.get("exit", ""))
        for state in (*entry, *([leave] if leave else [])):
            if state not in STATES:
                raise unknown_name(f"state in {self.where}", state, STATES)
        move = Move(
            name=name,
            track=track,
            summary=str(tree.get("summary", "")),
            parameters=self.names,
            length=self._expression(tree.get("length", 4), "length"),
            repeats=repeats,
            curves=self._curves(self._list(tree.get("keyframes", [])), repeats),
            steps=self._steps(self._list(tree.get("steps", []))),
            marker=self._marker(tree["marker"]) if "marker" in tree else None,
            entry=tuple(entry),
            exit=leave,
            hold=None if hold is None else self._share(hold, "hold"),
            apart={
                str(channel): self._number(value, f"apart of {channel}")
                for channel, value in self._mapping(
                    tree.get("apart", {}), "apart"
                ).items()
            },
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

    def _parameters(self, tree: Any) -> dict[str, Parameter]:
        found = {}
        for name, item in self._mapping(tree, "parameters").items():
            item = self._mapping(item, f"parameter {name}")
            self._keys(item, PARAMETER_KEYS, f"parameter {name}")
            numbers = [
                self._number(item.get(key), f"{key} of {name}")
                for key in PARAMETER_KEYS[:3]
            ]
            least, default, most = numbers
            if not least <= default <= most:
                raise BackbeatError(
                    f"{self.where}: {name} has min <= default <= max, not "
                    f"{least:g}, {default:g}, {most:g}"
                )
            found[str(name)] = Parameter(
                least, default, most, str(item.get("unit", ""))
            )
        return found

    def _curves(self, rows: list[Any], repeats: bool) -> dict[str, Curve]:
        keys: dict[str, dict[float, Expression]] = {}
        for row in rows:
            row = dict(self._mapping(row, "keyframe"))
            at = self._share(row.pop("at", None), "at of a keyframe")
            for channel, value in row.items():
                items = keys.setdefault(str(channel), {})
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

    def _steps(self, rows: list[Any]) -> tuple[MoveStep, ...]:
        steps = []
        for row in rows:
            row = self._mapping(row, "step")
            self._keys(row, STEP_KEYS, "step")
            feet = self._one_of(row, "feet", FEET)
            to = self._list(row.get("to", [0, 0]))
            via = [self._list(p) for p in self._list(row.get("via", []))]
            if len(to) != 2 or any(len(p) != 3 for p in via):
                raise BackbeatError(
                    f"{self.where}: 'to' has two numbers and each place in 'via' three"
                )
            start = self._share(row.get("at"), "at of a step")
            end = self._share(row.get("until"), "until of a step")
            if not start < end:
                raise BackbeatError(f"{self.where}: a step ends before it begins")
            forward, left = (self._expression(x, "to") for x in to)
            steps.append(
                MoveStep(
                    start,
                    end,
                    feet,
                    (forward, left),
                    self._expression(row.get("turn", 0), "turn"),
                    self._expression(row.get("clearance", 0.05), "clearance"),
                    tuple(self._place(p) for p in via),
                )
            )
        return tuple(steps)

    def _place(self, p: list[Any]) -> tuple[Expression, Expression, Expression]:
        x, y, z = (self._expression(v, "via") for v in p)
        return x, y, z

    def _marker(self, tree: Any) -> Marker:
        item = self._mapping(tree, "marker")
        self._keys(item, MARKER_KEYS, "marker")
        extreme = self._one_of(item, "extreme", EXTREMES)
        at = self._share(item.get("at"), "at of the marker")
        return Marker(at, str(item.get("what", "")), str(item.get("channel")), extreme)

    def _keys(self, tree: Mapping[Any, Any], known: Any, what: str) -> None:
        for key in tree:
            if key not in known:
                raise unknown_name(f"key of a {what} in {self.where}", key, known)

    def _one_of(self, tree: Mapping[Any, Any], key: str, known: Any) -> str:
        value = tree.get(key)
        if value not in known:
            raise unknown_name(f"{key} in {self.where}", value, known)
        return str(value)

    def _mapping(self, tree: Any, what: str) -> Mapping[Any, Any]:
        if not isinstance(tree, dict):
            raise BackbeatError(f"{self.where}: {what} has keys with values")
        return tree

    def _list(self, tree: Any) -> list[Any]:
        if not isinstance(tree, list):
            raise BackbeatError(f"{self.where}: {str(tree)[:40]!r} is not a list")
        return tree

    def _number(self, value: Any, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BackbeatError(f"{self.where}: {what} is not a number")
        if not abs(value) < 1e6:
            raise BackbeatError(f"{self.where}: {what} is {value}, which no move needs")
        return float(value)

    def _share(self, value: Any, what: str) -> float:
        number = self._number(value, what)
        if not 0 <= number <= 1:
            raise BackbeatError(
                f"{self.where}: {what} is {number:g}; it is a share of the move's "
                "length, 0 to 1"
            )
        return number

    def _expression(self, value: Any, what: str) -> Expression:
        if isinstance(value, str):
            return parse_expression(value, self.names, f"{self.where}, {what}")
        return Expression(self._number(value, what))
