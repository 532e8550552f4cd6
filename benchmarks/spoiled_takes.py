"""`python -m benchmarks.spoiled_takes`: takes of known truth, spoiled and repaired.

Behaviors are written as takes of 50 samples a second with the errors of recordings,
imported and built as a user does. The result is compared with the truth, and so is the
take. Behaviors that the library lacks are built.
"""

import contextlib
import io
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.build_cost import processor_time
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.table import to_frame
from backbeat.behaviors.recording.feasibility import examine
from backbeat.behaviors.recording.take_file import configurations, read_take
from backbeat.behaviors.specification.kinds import Variant, read_any
from backbeat.behaviors.takes.nearness import Nearness, nearness
from backbeat.behaviors.takes.take import Take
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.behaviors.takes.writers.states import MotionStates, motion_states
from backbeat.cli.author.new import write_new
from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from benchmarks.measurement import markdown, write_results
from benchmarks.spoiling import USUAL, Spoiling, spoiled

RATE = 50.0
FORMATS = ("csv", "csv-robot")
PAIRS: tuple[tuple[str, str], ...] = (
    *(("g1", name) for name in ("walk-2", "walk-6", "march", "groove", "bow")),
    *(("g1", name) for name in ("deep-squat", "side-step", "step-touch", "kick")),
    *(("g1", name) for name in ("quarter-turn", "toe-tap", "one-leg-balance")),
    *(("g1", name) for name in ("floor-reach", "posture-tour", "sway-and-bounce")),
    *(("t1", name) for name in ("walk-2", "march", "groove", "bow", "deep-squat")),
)
# Stages of a build, as it reports them.
STAGES = {"reading": "read", "solving": "solve", "verifying": "verify"}
# Longest that is written of a behavior [s].
LONGEST = 12.0


@dataclass
class Repair:
    """What came of one take.

    Attributes:
        robot, name, format: which behavior, and how it was written.
        seconds: of the take, and of the motion that was made of it.
        refused: why there is no motion; "" if there is one.
        before, after: of take and motion, from the truth.
        slide, below: of take and motion: feet that stand, and below the floor [m].
        cpu: processor seconds by stage.
        slower: by how much the motion was stretched.
    """

    robot: str
    name: str
    format: str
    seconds: list[float]
    refused: str = ""
    before: Nearness | None = None
    after: Nearness | None = None
    slide: list[float] = field(default_factory=list)
    below: list[float] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)
    slower: float = 1.0

    @property
    def nearer(self) -> bool:
        """Whether the motion is nearer to the truth than the take was."""
        if self.before is None or self.after is None:
            return False
        return self.after.nearer_than(self.before)


def truth_of(behavior: Behavior, longest: float = LONGEST) -> MotionStates:
    """States of a behavior at an even rate."""
    robot = behavior.robot_model
    frame = to_frame(behavior)
    frame = frame[frame["t"] <= longest] if behavior.duration > longest else frame
    return motion_states(frame, {}, robot, behavior.name, RATE)


def repaired(
    truth: MotionStates,
    folder: Path,
    seed: int,
    form: str,
    robot: str,
    how: Spoiling = USUAL,
) -> tuple[Repair, Behavior | None]:
    """Spoils a motion, imports and builds it, and compares the outcome."""
    model, name = truth.robot, truth.name
    states = spoiled(truth, seed, form == "csv", how)
    path = folder / f"take{WRITTEN[form].suffix}"
    path.write_bytes(WRITTEN[form].write(states))
    rate = None if form == "csv" else RATE
    told = RecordingDescription(rate=rate)
    row = Repair(robot, name, form, [float(truth.t[-1])])
    started, watch = processor_time(), _Stages()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            files = recorded_dance_files("mine", folder, path, told, robot)
            write_new(files)
        row.cpu["import"] = processor_time() - started
        made = build(folder / "mine.yaml", Library(folder / "lib"), progress=watch)
    except BackbeatError as error:
        row.refused = str(error).replace("\n", " ")
        return row, None
    row.cpu |= watch.spent
    row.cpu["whole"] = processor_time() - started
    dance, _ = read_any(folder / "mine.yaml")
    assert isinstance(dance, DanceSpecification)
    take = read_take(path, model, told.conventions())
    t, q = counterpart(made, dance, folder)
    row.seconds.append(made.duration)
    row.slower = float((t[-1, 1] - t[0, 1]) / (t[-1, 0] - t[0, 0]))
    true, was = (_at(t[:, 0], s, x) for s, x in ((truth.t, truth.q), _of(take, model)))
    row.before, row.after = nearness(model, was, true), nearness(model, q, true)
    for motion in (take, _as_take(model, t[:, 1], q)):
        checks = {c.name: c.value for c in examine(motion, model, name).checks.checks}
        row.slide.append(checks["foot_slide"])
        row.below.append(checks["penetration"])
    return row, made


def counterpart(
    made: Behavior, dance: DanceSpecification, folder: Path
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) times of the take and of what was made of it, and its configurations."""
    (move,) = dance.recorded(folder, ["take-1"]).values()
    described = dance.recordings["take-1"]
    (event,) = [e for e in made.events if e.what == "take-1"]
    assert described.start is not None
    assert described.end is not None
    n = round((described.end - described.start) * RATE) + 1
    u = np.linspace(0.0, 1.0, n)
    own = described.start + u * (described.end - described.start)
    t = event.time + event.duration * (move.lead + (1 - 2 * move.lead) * u)
    return np.stack([own, t], axis=1), _at(t, made.motion.t, made.motion.q)


def _as_take(robot: RobotModel, t: np.ndarray, q: np.ndarray) -> Take:
    return Take(t, robot.joint_names, q[:, robot.base_positions :], q[:, :7])


def _of(take: Take, robot: RobotModel) -> tuple[np.ndarray, np.ndarray]:
    return take.t, configurations(take, robot)


def _at(t: np.ndarray, times: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Configurations at other times, on lines between samples."""
    q = q.copy()
    flips = np.where((q[1:, :4] * q[:-1, :4]).sum(axis=1) < 0, -1.0, 1.0)
    q[1:, :4] *= np.cumprod(flips)[:, None]
    out = np.stack([np.interp(t, times, x) for x in q.T], axis=1)
    out[:, :4] /= np.linalg.norm(out[:, :4], axis=1)[:, None]
    return out


class _Stages:
    """Processor time by stage of a build."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._stage, self._since = "", processor_time()

    def __call__(self, share: float, what: str) -> None:
        now = processor_time()
        if self._stage:
            spent = self.spent.get(self._stage, 0.0)
            self.spent[self._stage] = spent + now - self._since
        self._stage, self._since = STAGES.get(what, what), now


def table(rows: Sequence[Repair]) -> str:
    """All takes as Markdown."""
    heads = ["robot", "behavior", "format", "outcome", "nearer", "place [mm]"]
    heads += ["turn [mrad]", "joints [mrad]", "slide [mm]", "below [mm]"]
    heads += ["cpu/s", "slower"]
    lines = []
    for r in rows:
        line = [r.robot, r.name, r.format]
        if r.before is None or r.after is None:
            lines.append([*line, r.refused[:300], *[""] * 8])
            continue
        pairs = [
            f"{1e3 * a:.3g} > {1e3 * b:.3g}"
            for a, b in (
                (r.before.place, r.after.place),
                (r.before.turn, r.after.turn),
                (r.before.joints, r.after.joints),
                r.slide,
                r.below,
            )
        ]
        cost = f"{r.cpu['whole'] / r.seconds[1]:.2f}"
        nearer = "yes" if r.nearer else "no"
        lines.append([*line, "certified", nearer, *pairs, cost, f"{r.slower:.2f}"])
    return markdown(heads, lines, words=5)


def main(
    library: Annotated[Path, typer.Option(help="Library with the behaviors.")],
    only: Annotated[
        list[str] | None, typer.Option(help="ROBOT/NAME; may be repeated.")
    ] = None,
    draw: Annotated[int, typer.Option(help="Of the errors that are drawn.")] = 0,
    output: Annotated[Path, typer.Option(help="Results as JSON.")] = Path(
        "spoiled-takes.json"
    ),
) -> None:
    """Spoils behaviors of a library, repairs them, and prints a table."""
    pairs = PAIRS
    if only:
        pairs = tuple((r, n) for r, _, n in (p.partition("/") for p in only))
    rows, shelf = list[Repair](), Library(library)
    for robot, name in pairs:
        rows.append(measured(robot, name, shelf, draw))
        print(table(rows).splitlines()[-1], flush=True)
    print(table(rows))
    done = [r for r in rows if not r.refused]
    print(f"{len(done)} of {len(rows)} certified, {sum(r.nearer for r in done)} nearer")
    print(f"processor time of a second of motion: {stages(done)}")
    write_results(output, takes=[asdict(r) for r in rows])


def measured(robot: str, name: str, library: Library, draw: int = 0) -> Repair:
    """Spoils and repairs a behavior of a library, with the errors of its place."""
    at = PAIRS.index((robot, name)) if (robot, name) in PAIRS else 0
    if library.key(name, robot) is None:
        build(name, library, variant=Variant(robot=robot))
    truth = truth_of(library.load(name, robot))
    form = FORMATS[at % len(FORMATS)]
    with tempfile.TemporaryDirectory() as folder:
        drawn = at + len(PAIRS) * draw
        return repaired(truth, Path(folder), drawn, form, robot)[0]


def stages(rows: Sequence[Repair]) -> str:
    """Processor time by stage, over all takes."""
    whole = sum(r.seconds[1] for r in rows)
    names = dict.fromkeys(n for r in rows for n in r.cpu)
    spent = {n: sum(r.cpu.get(n, 0.0) for r in rows) / whole for n in names}
    return ", ".join(f"{n} {1e3 * x:.0f} ms" for n, x in spent.items())


if __name__ == "__main__":
    typer.run(main)
