"""DrummingKeys: the keys of a drumming specification, and the files it names."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.music.files.note_maps import map_files
from backbeat.behaviors.music.files.score_reader import (
    find_notes,
    load_score,
    score_files,
)
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Score
from backbeat.behaviors.music.notation.score_description import (
    Adaptation,
    ScoreDescription,
)
from backbeat.models.common.errors import BackbeatError, located
from backbeat.models.common.schema import key
from backbeat.models.kit.description import kit_sources, kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.schema import USUAL


@dataclass
class DrummingKeys(Specification):
    """Keys of `kind: drumming`, whose score is not compiled."""

    ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            (f.name for f in fields(ScoreDescription)),
            "it is a key of the score, the file that `score` names",
        ),
        **dict.fromkeys(
            (f.name for f in fields(Adaptation)),
            "it is a key of the score, and of `adapt` here",
        ),
        "tempo": "the score has it as bpm; tempo_scale is a factor on it",
    }

    kind: str = "drumming"
    equipment: list[str] = key(["sticks"])
    """What the robot carries."""
    score: str = key("")
    """Score in the folder `scores` beside this file, without its extension; or a
    tablature or MIDI file there or beside this one, with its extension."""
    kit: str = key(USUAL)
    """The drums: `drum-kit`, `full-kit` which has pedals, or a [kit file](kits.md), as
    a path from the folder of this file."""
    seat: str = key("none", choices=("chair", "none"))
    """`chair`: sits on the kit's chair, not fixed to it; `none`: stands."""
    stroke: Stroke = key(Stroke)
    """How drums are struck: `apex` is the highest point between hits, `speed` that of
    the tip at the head."""
    tempo_scale: float = key(1.0)
    """Factor on the tempo of what is played; rests keep the time they have."""
    search_time: float = key(600.0, "s", ge=1)
    """How long other hands, closer knots and, with `unplayable: drop`, fewer hits are
    tried where no motion is found; a try that has begun is finished. Windows that are
    solved are kept, so that a later build of a longer song goes on from there."""
    adapt: Adaptation = key(Adaptation)
    """Changes to the score, applied before those in the score itself, see below."""

    def score_path(self, folder: str | Path) -> Path:
        """Path of the score.

        Raises:
            BackbeatError: no score is named, or no file could have its name.
        """
        folder = Path(folder)
        if not self.score:
            raise BackbeatError(
                f"{self.name}: score names no file; write 'score: my-song' for "
                "scores/my-song.yaml, or the name of a tablature or MIDI file",
                path=("score",),
            )
        if Path(self.score).suffix:
            return find_notes(folder, self.score)
        return folder / "scores" / f"{check_name(self.score)}.yaml"

    def load(
        self, folder: str | Path, members: Members, player: HandModel | None = None
    ) -> Score:
        """The score with what is done to it, at the tempo that it is written in.

        Args:
            folder: where the specification was found.
            members: what the kit has.
            player: whose hands play what is open; None leaves it open.

        Raises:
            BackbeatError: it cannot be read, or makes no sense.
        """
        return load_score(self.score_path(folder), members, player, self.adapt)

    def kit_text(self, folder: str | Path) -> str:
        """The kit as text.

        Raises:
            BackbeatError: there is no such kit.
        """
        with located("kit"):
            return kit_text(self.kit, folder)

    def sources(self, folder: str | Path) -> list[Path]:
        """Files besides the specification that decide the motion."""
        score = score_files(self.score_path(folder))
        score += map_files(self.adapt.map, score[0].parent, self.name)
        return [*score, *kit_sources(self.kit, folder)]

    def drum_kit(self, folder: str | Path) -> DrumKit:
        """The kit, its origin at that of the world.

        Raises:
            BackbeatError: there is no such kit, or it makes no sense.
        """
        return DrumKit(text=self.kit_text(folder))
