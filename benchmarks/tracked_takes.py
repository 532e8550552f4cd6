"""`python -m benchmarks.tracked_takes`: imported takes, tracked in closed loop.

The takes of `benchmarks.spoiled_takes` are repaired as there, and what comes of them is
tracked on sensors with noise and delay, motors that lag, and masses that are off by a
tenth. Some are pushed, some simulated in MuJoCo, one is put on a beat, and two are put
into a setlist. Errors of joints are against the certified plan.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from benchmarks.measurement import markdown, write_results
from benchmarks.spoiled_takes import FORMATS, PAIRS, repaired, truth_of

# What the world and the sensors are, by key of a scenario.
WORLD: dict[str, Any] = {
    "state": "estimated",
    "actuator_lag": 0.005,
    "world": model_mismatch(mass_spread=0.1),
}
# Speed that a push gives to the body, to its left [m/s], and its share of the time.
PUSHED, WHEN = 0.15, 0.4
# Tempo, and how much longer a take gets that is put on the beat.
BPM, LONGER = 120.0, 1.1
# Takes that are pushed, and those that are simulated in MuJoCo besides.
PUSHES = (("g1", "walk-6"), ("g1", "groove"), ("g1", "side-step"), ("t1", "march"))
MUJOCO = (("g1", "march"), ("t1", "walk-2"))
# The take that is put on the beat, and those of the setlist.
ON_THE_BEAT = ("g1", "step-touch")
SETLIST = (("g1", "bow"), ("g1", "walk-2"))


@dataclass
class Tracked:
    """What came of tracking one behavior.

    Attributes:
        robot, name: which one.
        how: "", or what is otherwise than usual.
        seconds: of the run.
        refused: why there is none, or "".
        survived: whether it was played to the end without a fall.
        error: RMS and largest error of joints, against the plan [degrees].
        com: RMS error of the center of mass, against the plan [mm].
        slip: farthest that a corner of a standing sole got [mm].
    """

    robot: str
    name: str
    how: str = ""
    seconds: float = 0.0
    refused: str = ""
    survived: bool = False
    error: tuple[float, float] = (0.0, 0.0)
    com: float = 0.0
    slip: float = 0.0


def tracked(behavior: Behavior, row: Tracked, seed: int, **settings: Any) -> Tracked:
    """Tracks a behavior; settings are keys of a scenario."""
    scenario = Scenario.of(
        behavior=behavior.name, robot=behavior.robot, seed=seed, **WORLD, **settings
    )
    figures: dict[str, Any] = run_metrics(run_scenario(scenario.check(), behavior))
    error = figures["joint_error_deg"]
    row.seconds, row.survived = figures["duration_s"], not figures["fell"]
    row.error = error["rms"], error["max"]
    row.com = figures["com_error_mm"]["rms"]
    row.slip = figures["foot_slip_mm"]
    return row


def push(behavior: Behavior, when: float = WHEN) -> Push:
    """A push to the left that gives the whole body some speed.

    Args:
        behavior: what is pushed.
        when: share of its duration.
    """
    impulse = PUSHED * behavior.robot_model.total_mass
    return Push(time=when * behavior.duration, impulse=[0.0, impulse, 0.0])


def on_the_beat(folder: Path) -> Behavior:
    """The take of a folder, at another tempo and stretched to whole beats."""
    path = folder / "mine.yaml"
    dance = yaml.safe_load(path.read_text())
    described = dance["recordings"]["take-1"]
    own = (described["end"] - described["start"]) * BPM / 60
    beats = round(LONGER * own)
    described["beats"] = beats
    dance |= {"name": "on-the-beat", "bpm": BPM, "beats": beats + 4}
    other = folder / "on-the-beat.yaml"
    other.write_text(yaml.safe_dump(dance))
    return build(other, Library(folder / "lib"))


def setlist(folders: list[Path], folder: Path, robot: str) -> Behavior:
    """A setlist of the takes of some folders, below the folder of the setlist."""
    rows = []
    for i, own in enumerate(folders):
        dance = yaml.safe_load((own / "mine.yaml").read_text())
        dance["name"] = f"take-{i}"
        (own / "mine.yaml").write_text(yaml.safe_dump(dance))
        rows.append({"behavior": f"{own.name}/mine.yaml"})
    both = {"kind": "setlist", "name": "both", "summary": "", "robot": robot}
    (folder / "both.yaml").write_text(yaml.safe_dump(both | {"behaviors": rows}))
    return build(folder / "both.yaml", Library(folder / "lib"))


def runs(
    robot: str, name: str, library: Library, folder: Path, seed: int
) -> Iterator[Tracked]:
    """Repairs a take in a folder, and tracks what comes of it."""
    at, pair = PAIRS.index((robot, name)), (robot, name)
    if library.key(name, robot) is None:
        build(name, library, variant=Variant(robot=robot))
    truth = truth_of(library.load(name, robot))
    form = FORMATS[at % len(FORMATS)]
    row, made = repaired(truth, folder, at, form, robot)
    if made is None:
        yield Tracked(robot, name, refused=row.refused)
        return
    yield tracked(made, Tracked(robot, name), seed)
    if pair in PUSHES:
        how = f"pushed, {PUSHED:g} m/s"
        yield tracked(made, Tracked(robot, name, how), seed, pushes=[push(made)])
    if pair in MUJOCO:
        yield tracked(made, Tracked(robot, name, "in MuJoCo"), seed, engine="mujoco")
    if pair == ON_THE_BEAT:
        how = f"on the beat, {BPM:g} BPM"
        yield tracked(on_the_beat(folder), Tracked(robot, name, how), seed)


def table(rows: list[Tracked]) -> str:
    """All runs as Markdown."""
    heads = ["robot", "behavior", "how", "outcome", "s", "joints, RMS [deg]"]
    heads += ["most [deg]", "CoM, RMS [mm]", "slip [mm]"]
    lines = []
    for r in rows:
        if r.refused:
            lines.append([r.robot, r.name, r.how, r.refused[:200], *[""] * 5])
            continue
        outcome = "survived" if r.survived else "fell"
        values = [f"{x:.3g}" for x in (r.seconds, *r.error, r.com, r.slip)]
        lines.append([r.robot, r.name, r.how, outcome, *values])
    return markdown(heads, lines, words=4)


def main(
    library: Annotated[Path, typer.Option(help="Library with the behaviors.")],
    only: Annotated[
        list[str] | None, typer.Option(help="ROBOT/NAME; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of noise and masses.")] = 1,
    output: Annotated[Path, typer.Option(help="Results as JSON.")] = Path(
        "tracked-takes.json"
    ),
) -> None:
    """Tracks repaired takes in closed loop, and prints a table."""
    pairs, rows, shelf = PAIRS, list[Tracked](), Library(library)
    if only:
        pairs = tuple((r, n) for r, _, n in (p.partition("/") for p in only))
    with tempfile.TemporaryDirectory() as name:
        top, folders = Path(name), dict[tuple[str, str], Path]()
        for pair in pairs:
            folders[pair] = top / "-".join(pair)
            folders[pair].mkdir()
            for row in runs(*pair, shelf, folders[pair], seed):
                rows.append(row)
                print(table(rows).splitlines()[-1], flush=True)
        if all(pair in folders for pair in SETLIST):
            both = setlist([folders[pair] for pair in SETLIST], top, SETLIST[0][0])
            what = Tracked(SETLIST[0][0], " and ".join(n for _, n in SETLIST))
            what.how = "a setlist"
            rows.append(tracked(both, what, seed))
    print(table(rows))
    usual = [r for r in rows if not r.how]
    good = sum(r.survived for r in usual)
    worst = max((r.error[0] for r in usual if r.survived), default=0.0)
    print(
        f"{good} of {len(usual)} without a fall; joints off by {worst:.2f} degrees RMS"
    )
    write_results(output, runs=[asdict(r) for r in rows])


if __name__ == "__main__":
    typer.run(main)
