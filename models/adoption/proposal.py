"""What is proposed for a robot, and why: found in the model, or guessed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AdoptionRemark:
    """One thing that a robot YAML says, and the reason for it.

    Attributes:
        what: what it is about, in few words.
        said: what is proposed.
        why: the reason.
        is_guess: whether the model does not say so itself.
    """

    what: str
    said: str
    why: str
    is_guess: bool = False

    def sentence(self) -> str:
        """All of it on one line."""
        return f"{self.what}: {self.said} ({self.why})"


@dataclass
class Proposal:
    """A robot YAML in the making.

    Attributes:
        keys: what it says, by key, as plain data in the order of the file.
        remarks: what is proposed and why, in the same order.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    remarks: list[AdoptionRemark] = field(default_factory=list)

    def found(self, what: str, said: str, why: str) -> None:
        """Notes what the model says."""
        self.remarks.append(AdoptionRemark(what, said, why))

    def guessed(self, what: str, said: str, why: str) -> None:
        """Notes what the model does not say."""
        self.remarks.append(AdoptionRemark(what, said, why, is_guess=True))

    def as_data(self) -> Mapping[str, Any]:
        """Keys and remarks as plain data."""
        return {
            "description": self.keys,
            "found": [vars(r) for r in self.remarks if not r.is_guess],
            "guessed": [vars(r) for r in self.remarks if r.is_guess],
        }
