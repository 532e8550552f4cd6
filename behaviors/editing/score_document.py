"""ScoreDocument: the file of a score, which a drumming specification names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from backbeat.behaviors.building.incremental_build import Draft, IncrementalBuild
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.editing.drum_grid import DrumGrid, drum_grid, drum_rows
from backbeat.behaviors.editing.score_edits import edited_score
from backbeat.behaviors.editing.standing import standing_drummer
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import (
    parse_specification,
    with_robot_beside,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text


@dataclass(frozen=True)
class ScoreDraft(Draft):
    """A draft of a drumming specification.

    Attributes:
        score: text of the score that was read for it.
    """

    score: str = ""


class ScoreBuild(IncrementalBuild):
    """Keeps drumming up to date with its score."""

    def read(self) -> ScoreDraft:
        """As of `IncrementalBuild`."""
        score = read_text(read_drumming(self.path).score_path(self.path.parent))
        draft = super().read()
        return ScoreDraft(draft.text, draft.specification, draft.plan, score)


class ScoreDocument(AuthoredDocument):
    """A score; its edits are those of `backbeat.behaviors.editing.score_edits`."""

    kind: ClassVar[str] = "score"

    def __init__(self, specification: str | Path) -> None:
        """Opens the score of a drumming specification.

        Raises:
            BackbeatError: one of the two cannot be read, or the score is no YAML.
        """
        built = Path(specification)
        drumming = read_drumming(built)
        path = drumming.score_path(built.parent)
        if path.suffix.lower() not in (".yaml", ".yml"):
            raise BackbeatError(
                f"{built}: its score {path.name} is no YAML; backbeat author edits "
                "scores in YAML (write the bars into scores/NAME.yaml as `tab`)"
            )
        super().__init__(path, None)
        self.built = built
        self._drumming, self._kit = drumming, drumming.drum_kit(built.parent)
        self._members = kit_members(self._kit)

    def edited(self, edit: Mapping[str, Any]) -> str:
        """As of `AuthoredDocument`."""
        return edited_score(self.text, edit, self._members)

    def sheet(self) -> DrumGrid:
        """As of `AuthoredDocument`."""
        return self._grid(self.text)

    @lru_cache(maxsize=8)  # noqa: B019 - a show has one document.
    def _grid(self, text: str) -> DrumGrid:
        return drum_grid(text, self._drumming, self._kit)

    def offers(self) -> dict[str, Any]:
        """As of `AuthoredDocument`."""
        return {"drums": drum_rows(self._members)}

    def block_on(self, line: int) -> tuple[str, int]:
        """As of `AuthoredDocument`; hits have a sentence with bar and beat."""
        return "", -1

    def standing(self) -> Draft:
        """As of `AuthoredDocument`."""
        return standing_drummer(self._drumming, self.built)

    def building(self, library: Library) -> ScoreBuild:
        """As of `AuthoredDocument`."""
        return ScoreBuild(self.built, library)

    def text_of(self, draft: Draft) -> str:
        """As of `AuthoredDocument`."""
        assert isinstance(draft, ScoreDraft)
        return draft.score


def read_drumming(path: str | Path) -> DrummingSpecification:
    """Reads a drumming specification.

    Raises:
        BackbeatError: it cannot be read, or is of another kind.
    """
    path = Path(path)
    specification = parse_specification(read_text(path), path.name)
    if not isinstance(specification, DrummingSpecification):
        raise BackbeatError(f"{path.name} is a {specification.kind} and has no score")
    found = with_robot_beside(specification, path)
    assert isinstance(found, DrummingSpecification)
    return found
