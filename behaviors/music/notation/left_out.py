"""Hits that are not played, each with its place in the file and the cause."""

from collections.abc import Iterable
from dataclasses import dataclass

from backbeat.behaviors.music.notation.score import DROPPED, Hit, Remark, counted
from backbeat.behaviors.music.notation.tempo import Tempo

# Digits of a quarter note in a place.
DIGITS = 3
# Cause for which hits of pieces are left out that the kit lacks or the author drops.
ABSENT = "given to no member of the kit"


@dataclass(frozen=True)
class LeftOut:
    """A hit that is not played.

    Attributes:
        hit: the hit, on a drum or on a piece that the kit lacks.
        bar: of the file, counted from one.
        beat: quarter note in it, counted from one.
        cause: why it is left out, one for all hits of a kind.
        proof: what it would have taken; empty where the cause says it.
    """

    hit: Hit
    bar: int
    beat: float
    cause: str
    proof: str = ""

    @staticmethod
    def of(hit: Hit, tempo: Tempo, cause: str, proof: str = "") -> "LeftOut":
        """A hit with its place in a tempo map."""
        bar, beat = tempo.place(hit.beat)
        return LeftOut(hit, bar, round(beat, DIGITS), cause, proof)

    def __str__(self) -> str:
        """The hit and its place."""
        return f"{self.hit.member} in bar {self.bar}, beat {self.beat:g}"

    def to_plain(self) -> dict[str, str | int | float]:
        """Member, place, cause and proof, ready for JSON."""
        place = {"bar": self.bar, "beat": self.beat}
        why = {"cause": self.cause, "proof": self.proof}
        return {"member": self.hit.member, **place, **why}


def left_out_in_words(hits: Iterable[LeftOut]) -> Remark:
    """Every hit with its place, by the cause."""
    hits, causes = list(hits), dict[str, list[str]]()
    for hit in hits:
        causes.setdefault(hit.cause, []).append(str(hit))
    told = "; ".join(f"{why}: {', '.join(which)}" for why, which in causes.items())
    return Remark(f"{counted(len(hits))} dropped, {told}", DROPPED, len(hits))
