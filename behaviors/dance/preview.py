"""Preview: one move alone, as a short dance that is solved and verified."""

from collections.abc import Mapping

from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.models.common.errors import unknown_name

# Beats of rest before and after, and cycles of a move that repeats.
BEFORE, AFTER, CYCLES = 2.0, 4.0, 2
# Moves that lead into a state and out of it.
INTO, OUT = {"squat": "sink"}, {"squat": "rise"}


def preview(
    name: str, moves: Mapping[str, Move], values: Mapping[str, float] | None = None
) -> Choreography:
    """A dance of one move, with what leads into it and out of it if it needs that.

    Args:
        name: name of the move.
        moves: the vocabulary.
        values: of its parameters; the others have their defaults.

    Raises:
        BackbeatError: no such move or parameter.
    """
    if name not in moves:
        raise unknown_name("move", name, moves)
    move = moves[name]
    given = move.values(values or {}, "the preview")
    beats = move.usual_beats(given)
    if move.repeats and not move.steps:
        beats = max(beats, CYCLES * move.length(given) + 2)
    before, start = "", BEFORE
    if move.entry and "stand" not in move.entry:
        before = INTO[move.entry[0]]
        start += moves[before].usual_beats({})
    after = OUT.get(move.exit, "")
    end = start + beats
    last = end + (moves[after].usual_beats({}) if after else 0.0)
    dance = Choreography(
        f"preview-{name}", last + AFTER, summary=f"The move {name}: {move.summary}."
    )
    if before:
        dance.legs(before, BEFORE)
    dance.add(move.track, name, start, beats=beats, values=dict(given))
    if after:
        dance.legs(after, end)
    return dance
