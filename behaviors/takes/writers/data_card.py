"""The card of a data set of motions: what it holds, of what, and how it was made."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class DataFormat:
    """A format that a data set has its motions in.

    Attributes:
        name: of the format, and of its folder.
        summary: what it is, in a few words.
        rate: samples a second; None where they are as stored.
    """

    name: str
    summary: str
    rate: float | None


@dataclass(frozen=True)
class DataCard:
    """What is said of a data set.

    Attributes:
        title: its name.
        robot: whose motions they are.
        license: the note that the user gave; "" for none.
        source: what the takes came from, in words.
        formats: those that it has.
        counts: takes by what became of them.
        seconds: of motion.
        samples: by format.
        versions: of what made it.
        command: how takes were imported.
        bounds: what every motion was verified against, by check.
        motions: plain data of each: `name`, `source`, `take_sha256`, `status`, `cuts`,
            `seconds`, `begins_s` and `ends_s` of what is of the take, `behavior_key`
            and `files`, by format.
    """

    title: str
    robot: str
    license: str
    source: str
    formats: Sequence[DataFormat]
    counts: Mapping[str, int]
    seconds: float
    samples: Mapping[str, int]
    versions: Mapping[str, str]
    command: str
    bounds: Mapping[str, float]
    motions: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    def as_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def as_markdown(self) -> str:
        """A page to read, without the motions one by one."""
        told = ", ".join(f"{n} {status}" for status, n in self.counts.items())
        lines = [
            f"# {self.title}",
            "",
            f"{len(self.motions)} motions of the robot {self.robot}, "
            f"{self.seconds:.1f} s, each verified to be feasible: on its feet, within "
            "the limits of joints, speeds and torques, off the floor and off itself.",
            "",
            "| what | |",
            "|---|---|",
            f"| source | {_cell(self.source)} |",
            f"| license | {_cell(self.license or NO_LICENSE)} |",
            f"| takes | {told}; those that are certified or cut are here |",
            *(f"| {what} | {_cell(v)} |" for what, v in self.versions.items()),
            f"| made by | `{_cell(self.command)}` |",
            "",
            "## Files",
            "",
            "| folder | rate | samples | what it is |",
            "|---|---|---|---|",
            *(
                f"| `{f.name}` | {f'{f.rate:g}/s' if f.rate else 'as stored'} "
                f"| {self.samples[f.name]} | {f.summary} |"
                for f in self.formats
            ),
            "",
            "A motion begins and ends at rest in the robot's posture; `begins_s` and "
            "`ends_s` say when it does what the take does.",
            "",
            "`takes.parquet` has the figures of each motion: how far it is from its "
            "take, slide and penetration before and after, shares of limits, and what "
            "was cut. `card.json` has this page as data and the hash of each file, and "
            "of the take that it was made of; `sha256sum -c SHA256SUMS` checks them.",
            "",
            "## Verified against",
            "",
            "| check | at most |",
            "|---|---|",
            *(f"| {n.replace('_', ' ')} | {v:g} |" for n, v in self.bounds.items()),
            "",
        ]
        return "\n".join(lines)


NO_LICENSE = "none was given: ask whoever recorded the takes before you use it"


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
