"""The last step to a Score of every format: onto a kit, and into two hands."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.music.files.note_account import notes_in_words, refuse_notes
from backbeat.behaviors.music.notation.left_out import (
    ABSENT,
    LeftOut,
    left_out_in_words,
)
from backbeat.behaviors.music.notation.moves import arrivals, find_targets, spared
from backbeat.behaviors.music.notation.percussion import (
    Members,
    place_on_kit,
    what_becomes,
)
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import FEET, Hit, Score, counted
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.notation.transfers import check_transfers, with_transfers
from backbeat.behaviors.music.playing.adaptation import adapted
from backbeat.behaviors.music.playing.offers import MOST_WORK, in_words, offers
from backbeat.behaviors.music.playing.ornaments import two_sticks
from backbeat.behaviors.music.playing.sticking import (
    UnplayableError,
    find_hands,
)
from backbeat.models.common.errors import BackbeatError

# Ten minutes at the fastest tempo, and more than hands can play in them.
MOST_BEATS = 4000
MOST_HITS = 20_000
MOST_SECONDS = 600.0


def finish_score(
    score: Score,
    description: Adaptation,
    members: Members,
    where: str,
    player: HandModel | None,
) -> Score:
    """Puts what is written on a kit and into two hands.

    Args:
        score: with hits on any piece and hands that may be open.
        description: the author's choices.
        members: what the kit has.
        where: name of the score in errors.
        player: whose hands play what is open; None leaves it open.

    Raises:
        BackbeatError: as `compile_score`.
    """
    try:
        return _finished(score, description, members, where, player)
    except UnplayableError as error:
        if len(score.hits) > MOST_WORK:
            raise
        found = offers(
            score,
            description,
            lambda other: _finished(score, other, members, where, player),
        )
        is_notes = Path(where).suffix.lower() not in (".yaml", ".yml")
        offered = in_words(found, where, is_notes)
        raise BackbeatError(error.fault, hint=offered) from None


def _finished(
    score: Score,
    description: Adaptation,
    members: Members,
    where: str,
    player: HandModel | None,
) -> Score:
    """The same, refused without an offer."""
    refuse_notes(score.notes, where)
    score = adapted(score, description, where)
    if len(score.hits) > MOST_HITS:
        raise BackbeatError(f"{where}: more than {MOST_HITS} hits")
    seconds = score.tempo.time(score.beats)
    if seconds > MOST_SECONDS:
        raise BackbeatError(
            f"{where}: lasts {seconds:g} s; it may take up to {MOST_SECONDS:g} s"
        )
    choices = (members, description.absent, description.mapping, where)
    hits, remarks = place_on_kit(score.hits, *choices)
    becomes = what_becomes({h.member for h in score.hits}, *choices)
    left_out = [
        LeftOut.of(h, score.tempo, ABSENT)
        for h in score.hits
        if becomes[h.member] == "drop"
    ]
    if score.notes:
        pieces = [piece for _, piece, _ in score.notes]
        remarks = notes_in_words(score.notes, what_becomes(pieces, *choices))
    hits = _on_feet(hits, members, score.tempo, where)
    hits, ornaments = two_sticks(hits, score.tempo)
    remarks += ornaments
    hits, merged = _merge(hits, score.tempo, where)
    remarks += merged
    hits = spared(hits, score.moves, score.tempo, where)
    visits = sorted([*hits, *arrivals(score.moves)], key=lambda h: h.beat)
    holds = with_transfers(score.holds, visits, score.tempo)
    check_transfers(hits, holds, score.tempo, where)
    score = replace(
        score,
        hits=tuple(hits),
        holds=holds,
        remarks=(*score.remarks, *remarks),
        may_drop=description.unplayable == "drop",
        left_out=tuple(left_out),
    )
    return with_hands(score, player, where)


def with_hands(score: Score, player: HandModel | None, where: str) -> Score:
    """The score with hands for its hits, and with the places where they wait.

    Args:
        score: on a kit.
        player: whose hands play what is open; None leaves it open.
        where: name of the score in errors.

    Raises:
        UnplayableError: two hands cannot play a passage that may not be left out.
    """
    hits, remarks = list(score.hits), list[str]()
    left_out = list(score.left_out)
    if player is not None:
        steps = [h for h in hits if h.hand in FEET]
        hits, unplayable = find_hands(
            [h for h in hits if h.hand not in FEET],
            score.holds,
            score.tempo,
            player,
            "drop" if score.may_drop else "refuse",
            where,
        )
        hits += steps
        left_out += unplayable
        remarks += [left_out_in_words(unplayable)] * bool(unplayable)
    return replace(
        score,
        hits=tuple(sorted(hits, key=lambda h: (h.beat, h.hand))),
        targets=find_targets(score.moves, hits, score.holds, score.beats),
        remarks=(*score.remarks, *remarks),
        left_out=tuple(left_out),
    )


def _on_feet(
    hits: Iterable[Hit], members: Members, tempo: Tempo, where: str
) -> list[Hit]:
    """Gives what has a pedal to its foot.

    Raises:
        BackbeatError: the author gave it to a hand, or a foot something else.
    """
    found = []
    for hit in hits:
        foot = members.feet.get(hit.member, "")
        if hit.hand != foot and (hit.hand in FEET or (foot and hit.hand)):
            who = f"the {foot}" if foot else "a hand"
            raise BackbeatError(
                f"{where}: {who} plays the {hit.member}, not the {_limb(hit.hand)}, in "
                f"{tempo.in_words(hit.beat)}; leave its hand out"
            )
        found.append(replace(hit, hand=foot or hit.hand))
    return found


def _limb(hand: str) -> str:
    """A hand or foot in words."""
    return hand if hand in FEET else f"{hand} hand"


def _merge(
    hits: Iterable[Hit], tempo: Tempo, where: str
) -> tuple[list[Hit], list[str]]:
    """One hit where several are on one drum at once: the author's, or the loudest."""
    best: dict[tuple[float, str], Hit] = {}
    busy: dict[tuple[float, str], Hit] = {}
    doubled = 0
    for hit in sorted(hits, key=lambda h: (h.beat, not h.hand, -h.velocity)):
        if hit.hand and busy.setdefault((hit.beat, hit.hand), hit) != hit:
            other = busy[hit.beat, hit.hand].member
            raise BackbeatError(
                f"{where}: the {_limb(hit.hand)} hits {hit.member} and {other} at once "
                f"in {tempo.in_words(hit.beat)}"
            )
        first = best.setdefault((hit.beat, hit.member), hit)
        if first is not hit and hit.hand and first.hand and first.hand != hit.hand:
            best[hit.beat, f"{hit.member} {hit.hand}"] = hit  # both hands, as written
        elif first is not hit:
            doubled += 1
    remarks = [f"{counted(doubled)} on a drum that is hit already dropped"]
    return list(best.values()), remarks * bool(doubled)
