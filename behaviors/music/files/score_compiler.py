"""Compiles the parts of a score file into a Score, with a hand for each hit.

Places are kept as fractions of a beat until the end, so that triplets and repeats
add up to nothing but the beat that is meant.
"""

from collections import Counter
from fractions import Fraction

from backbeat.behaviors.music.files.hand_parts import (
    check_hold,
    has_bars,
    part_moves,
    with_hand_names,
)
from backbeat.behaviors.music.files.score_finish import (
    MOST_BEATS,
    MOST_HITS,
    finish_score,
)
from backbeat.behaviors.music.files.tab_marks import (
    ACCENT,
    GHOST,
    PLAIN,
    TabNote,
    chokes_in_words,
)
from backbeat.behaviors.music.files.tablature import read_tab
from backbeat.behaviors.music.notation.meter import (
    MeterChange,
    MeterMap,
    first_meter,
    read_meter,
)
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import (
    HANDS,
    HandMove,
    Hit,
    Hold,
    Score,
    Section,
)
from backbeat.behaviors.music.notation.score_description import (
    HAND_LETTERS,
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.music.notation.swing import check_swing, swung
from backbeat.behaviors.music.notation.tempo import Tempo, TempoChange
from backbeat.models.common.errors import BackbeatError, located
from backbeat.models.common.schema import check_values

LOUDNESS = {"!": ACCENT, "": PLAIN, "?": GHOST}


def compile_score(
    description: ScoreDescription,
    members: Members,
    where: str,
    player: HandModel | None = None,
    lead_in: int = 0,
) -> Score:
    """Reads the parts of a score.

    Args:
        description: the score as in the file.
        members: what the kit has.
        where: name of the score in errors.
        player: whose hands play what is open; None leaves it open.
        lead_in: how many bars were put before those of the file.

    Raises:
        BackbeatError: a word, drum or length makes no sense, or two hands cannot play
            it; says bar and beat.
    """
    check_values(description, where)
    if not description.parts:
        raise BackbeatError(f"{where}: needs parts", path=("parts",))
    check_swing(description.swing, description.swing_note, where)
    compiler = _Compiler(description, members, where, lead_in)
    for i, part in enumerate(description.parts):
        with located("parts", i):
            compiler.add(part)
    tempo = compiler.tempo()
    if any(hit.beat >= compiler.beat for hit in compiler.hits):
        raise BackbeatError(
            f"{where}: ends with the hit of a goto; let a part follow, such as a hold"
        )
    return finish_score(
        Score(
            tempo,
            tuple(compiler.hits),
            tuple(compiler.holds),
            float(compiler.beat),
            tuple(compiler.sections),
            tuple(chokes_in_words(compiler.choked)),
            description.backing,
            offset=description.offset,
            count_in=description.count_in,
            moves=tuple(compiler.moves),
        ),
        description,
        members,
        where,
        player,
    )


class _Compiler:
    """Lays parts one after the other."""

    def __init__(
        self,
        description: ScoreDescription,
        members: Members,
        where: str,
        lead_in: int,
    ) -> None:
        self.description, self.members, self.where = description, members, where
        self.beat = Fraction(0)
        self.hits: list[Hit] = []
        self.holds: list[Hold] = []
        self.moves: list[HandMove] = []
        self.sections: list[Section] = []
        self.choked: Counter[str] = Counter()
        self._bpm, self._lead_in = description.bpm, lead_in
        self._changes: list[TempoChange] = []
        self._meters: list[MeterChange] = []
        self._meter = first_meter(description.beats_per_bar, description.meter, where)
        self.tempo()  # refuses what is no music
        self.bar = Fraction(self._meter.beats)

    def tempo(self) -> Tempo:
        """The tempo map so far."""
        try:
            return Tempo(
                self.description.bpm,
                MeterMap(self._meter, tuple(self._meters), self._lead_in),
                tuple(self._changes),
            )
        except BackbeatError as error:
            raise error.reworded(f"{self.where}: {error}") from None

    def add(self, part: PartDescription) -> None:
        """Adds a part, with the changes of tempo and meter that it begins with."""
        part = with_hand_names(part)
        where = f"{self.where}: part {part.name!r}" if part.name else self.where
        if not (part.name or part.tab):  # Rows of a tablature have lines.
            where = f"{self.where}: part {len(self.sections) + 1}"
        if part.meter:
            meter = read_meter(part.meter, where)
            self.bar = Fraction(meter.beats)
            self._meters.append(MeterChange(float(self.beat), meter))
        start = self.beat
        if part.hold != 0:
            check_hold(part, self.members, self.where)
            self.holds.append(
                Hold(
                    float(start),
                    part.hold,
                    part.name or "hold",
                    dict(part.rest),
                    part.sway,
                    part.sway_beats,
                )
            )
            self.beat += Fraction(part.hold)
        elif part.goto != 0 or part.to or part.place:
            self._go(part, where)
        else:
            self._play(part, where)
        beats = float(self.beat - start)
        if self.beat > MOST_BEATS:
            raise BackbeatError(f"{self.where}: more than {MOST_BEATS} beats")
        self._change_tempo(part, float(start), beats)
        self.sections.append(Section(part.name, float(start), beats))

    def _go(self, part: PartDescription, where: str) -> None:
        """Sends hands somewhere, with hits at the end or without, while others play."""
        start = self.beat
        for move in part_moves(part, float(start), self.members, where):
            self.moves.append(move)
            if move.velocity:
                hit = Hit(move.end, move.member, move.hand, move.velocity)
                self.hits.append(hit)
        if has_bars(part):
            self._play(part, where)
            if self.beat < start + Fraction(part.goto):
                raise BackbeatError(
                    f"{where}: its goto takes {part.goto:g} beats and its bars "
                    f"{float(self.beat - start):g}; hands arrive within the part"
                )
        else:
            self.beat += Fraction(part.goto)

    def _change_tempo(self, part: PartDescription, beat: float, beats: float) -> None:
        if part.bpm == 0 and part.end_bpm == 0:
            return
        start = part.bpm or self._bpm
        end = part.end_bpm or None
        self._changes.append(TempoChange(beat, start, end, beats if end else 0.0))
        self._bpm = end or start
        self.tempo()

    def _play(self, part: PartDescription, where: str) -> None:
        """Reads the bars of a part and plays them as often as it says."""
        notes, beats = self._read(part, where)
        if self.beat + beats * part.repeat > MOST_BEATS:
            raise BackbeatError(f"{self.where}: more than {MOST_BEATS} beats")
        if len(self.hits) + len(notes) * part.repeat > MOST_HITS:
            raise BackbeatError(f"{self.where}: more than {MOST_HITS} hits")
        swing, kind = self.description.swing, self.description.swing_note
        for _ in range(part.repeat):
            for note in notes:
                at = note.at
                if note.swings:
                    at = swung(at, self.bar, swing, kind)
                beat = float(self.beat + note.bar + at)
                lasts = float(note.beats) if note.ornament else 0.0
                what = note.piece, note.hand, note.velocity, note.ornament, lasts
                self.hits.append(Hit(beat, *what))
            self.beat += beats

    def _read(
        self, part: PartDescription, where: str
    ) -> tuple[list[TabNote], Fraction]:
        """Notes of a part and its length in beats."""
        notes, beats = self._read_lines(part, where)
        if part.tab.strip():
            more, length, choked = read_tab(
                part.tab, self.members, self.bar, part.steps_per_beat, where
            )
            if beats and length != beats:
                raise BackbeatError(
                    f"{where}: the hands' lines take {float(beats):g} beats and the "
                    f"tablature {float(length):g}"
                )
            notes, beats = notes + more, length
            for piece, count in choked.items():
                self.choked[piece] += count * part.repeat
        if part.hits:
            more, length = self._read_hits(part, where)
            if beats and length > beats:
                raise BackbeatError(
                    f"{where}: a hit of the list is later than its other lines, which "
                    f"take {float(beats):g} beats"
                )
            notes, beats = notes + more, beats or length
        elif beats == 0:
            if not 0 <= part.bars <= MOST_BEATS:
                raise BackbeatError(f"{where}: cannot be {part.bars} bars long")
            beats = part.bars * self.bar  # of silence
        if beats == 0:
            raise BackbeatError(
                f"{self.where}: part {part.name!r} neither holds nor plays"
            )
        return notes, beats

    def _read_lines(
        self, part: PartDescription, where: str
    ) -> tuple[list[TabNote], Fraction]:
        """Notes of the lines of hands."""
        lines = {h: getattr(part, h).replace("|", " ").split() for h in HANDS}
        steps = max(len(words) for words in lines.values())
        per_beat = part.steps_per_beat or self.description.steps_per_beat
        names = {str(number): name for number, name in self.members.numbers.items()}
        notes = []
        for hand, words in lines.items():
            if words and len(words) != steps:
                raise BackbeatError(
                    f"{self.where}: in part {part.name!r} the left hand has "
                    f"{len(lines['left'])} steps and the right {len(lines['right'])}"
                )
            for i, word in enumerate(words):
                if word == "-":
                    continue
                beat = Fraction(i, per_beat)
                number, mark = (word[:-1], word[-1]) if word[-1] in "!?" else (word, "")
                if number not in names:
                    at = self.tempo().in_words(float(self.beat + beat))
                    raise BackbeatError(
                        f"{where}: {word[:40]!r} in {at} is not a "
                        f"drum; numbers are {', '.join(sorted(names, key=int))}"
                    )
                bar_start = beat // self.bar * self.bar
                notes.append(
                    TabNote(
                        bar_start,
                        beat - bar_start,
                        names[number],
                        LOUDNESS[mark],
                        hand,
                        per_beat % 3 != 0,
                    )
                )
        return notes, Fraction(steps, per_beat)

    def _read_hits(
        self, part: PartDescription, where: str
    ) -> tuple[list[TabNote], Fraction]:
        """Notes of a list of hits, and the bars they take."""
        notes, last = [], max(h.bar for h in part.hits)
        bars = part.bars or last
        if not last <= bars <= MOST_BEATS:
            raise BackbeatError(
                f"{where}: has bars 1 to {bars}, and a hit in bar {last}"
            )
        for hit in part.hits:
            here = f"{where}, bar {hit.bar}, beat {hit.beat:g}"
            if not 1 <= hit.beat < 1 + self.bar:
                raise BackbeatError(
                    f"{here}: bars count from 1, and beats from 1 to below "
                    f"{1 + float(self.bar):g}"
                )
            piece = self.members.named(hit.member, self.where)
            start, at = (hit.bar - 1) * self.bar, Fraction(hit.beat) - 1
            hand = HAND_LETTERS.get(hit.hand, hit.hand)
            notes.append(TabNote(start, at, piece, hit.velocity, hand, False))
        return notes, bars * self.bar
