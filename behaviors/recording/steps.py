"""Steps of a recording: what its feet do between the times at which they stand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.footsteps.step_rolls import StepRoll
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.recording.contacts.step_roll import step_roll
from backbeat.behaviors.recording.planted_feet import FootPath
from backbeat.behaviors.takes.edits import alike
from backbeat.models.common.errors import BackbeatError

# Height of a foot on its way [m].
LEAST_RISE, MOST_RISE = 0.03, 0.3
# Height of an arch that no foot on its way gets below [m].
CLEAR = 0.015
# Time between places on the way of a foot, of which there is one at least [s].
BETWEEN = 0.08
# Time for which a foot is still that leaves or lands, and time on both feet between two
# steps that is left of it: four knots of the usual distance [s].
STILL, LEAST_BOTH = 0.05, 0.22
# The least that a step takes [s].
SHORTEST = 0.2
# Smaller changes of where a foot starts are not worth a word [m].
SLIGHT = 0.05
# Places and ways of a foot in two versions of a recording that are as good as the same
# [m, rad].
BESIDE = 3e-3
# What a step of the same length makes up for, so that those that follow land where they
# did [m, rad].
RETURNS = 0.02


@dataclass(frozen=True)
class RecordedStep:
    """A foot in the air, or both in a jump.

    Attributes:
        start, end: when [s].
        foot: the one in the air, or "both".
        to: how far it gets, ahead and left of where the body faces [m].
        turn: how far it turns left [rad].
        rise: how high it gets [m].
        via: (m, 3) places on the way, from where it left, ahead and left of where the
            foot faced there [m].
        roll: how the foot rolls over heel and toe; None if it stays flat.
        each: of a jump, by foot: how far it gets, ahead and left [m], and turns [rad].
    """

    start: float
    end: float
    foot: str
    to: tuple[float, float]
    turn: float
    rise: float
    via: np.ndarray
    roll: StepRoll | None = None
    each: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def along(self, other: "RecordedStep") -> "RecordedStep":
        """A jump: this foot and the other one in the air at the same times."""
        both = {s.foot: (*s.to, s.turn) for s in (self, other)}
        x, y, turn = np.mean(list(both.values()), axis=0).tolist()
        rise = max(self.rise, other.rise)
        return replace(
            self,
            foot="both",
            to=(x, y),
            turn=turn,
            rise=rise,
            via=self.via[:0],
            roll=None,
            each=both,
        )


def moved_start(
    feet: Mapping[str, FootPath],
    at: Mapping[str, np.ndarray],
    where: str,
) -> Iterator[str]:
    """Where a motion begins elsewhere than it was recorded.

    Args:
        feet: what each foot does.
        at: where it is at the start, see `first_places`.
        where: names the recording.
    """
    for foot, path in feet.items():
        away = float(np.linalg.norm(path.places[0][:2] - at[foot][:2]))
        if away > SLIGHT:
            yield (
                f"{where}: it begins with the {foot} foot {away:.2f} m away from where "
                "the dance's start has it beside the other one; its first step goes "
                "from there to where it was recorded to land"
            )


def _swings(feet: Mapping[str, FootPath]) -> list[tuple[float, float, str, int]]:
    """Start and end of each time in the air [s], its foot and its stance before."""
    return sorted(
        (path.planted[k][1], path.planted[k + 1][0], foot, k)
        for foot, path in feet.items()
        for k in range(len(path.planted) - 1)
    )


def as_stepped(feet: Mapping[str, FootPath]) -> dict[str, FootPath]:
    """Feet that leave a little earlier and land a little later than they were found to.

    A plan has a foot still for a knot after it leaves and before it lands, so that what
    moves in between has its recorded time. Steps that follow each other keep theirs,
    and so do those that are too short for any plan.

    Args:
        feet: what each foot does.
    """
    begin = min(path.planted[0][0] for path in feet.values())
    end = max(path.planted[-1][1] for path in feet.values())
    rows = {foot: [list(row) for row in path.planted] for foot, path in feet.items()}
    found = _swings(feet)
    befores = [begin, *(on for _, on, _, _ in found)]
    afters = [*(off for off, _, _, _ in found), end]
    pads = [
        float(np.clip(0.5 * (off - on - LEAST_BOTH), 0.0, STILL))
        for on, off in zip(befores, afters, strict=True)
    ]
    times = [(off, on) for off, on, _, _ in found]
    for i, (off, on, foot, k) in enumerate(found):
        # How long a jump takes is up to gravity.
        if on - off < SHORTEST or times.count((off, on)) > 1:
            continue
        rows[foot][k][1] -= pads[i]
        rows[foot][k + 1][0] += pads[i + 1]
    return {
        foot: replace(path, planted=tuple((a, b) for a, b in rows[foot]))
        for foot, path in feet.items()
    }


def first_places(
    feet: Mapping[str, FootPath], stance: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """(3,) where each foot counts as being at the start: x, y [m] and heading [rad].

    A recording may begin in the middle of a stride, a dance does not. The foot that
    stands first counts as being where it was; the other one is beside it, as the dance
    has it, so that every step lands as it did.

    Args:
        feet: what each foot does.
        stance: (2,) where the feet of the dance are at its start [m].
    """
    at = {foot: path.places[0] for foot, path in feet.items()}
    for _, _, first, _ in _swings(feet)[:1]:
        (other,) = (f for f in FEET if f != first)
        x, y, heading = at[other]
        c, s = np.cos(heading), np.sin(heading)
        ahead, left = stance[first] - stance[other]
        at[first] = np.array(
            [x + c * ahead - s * left, y + s * ahead + c * left, heading]
        )
    return at


def find_steps(
    feet: Mapping[str, FootPath],
    begin: float,
    places: Mapping[str, np.ndarray],
    where: str,
) -> list[RecordedStep]:
    """What the feet do between the times at which they stand.

    Args:
        feet: what each foot does.
        begin: when the motion begins, in the file's time [s].
        places: (3,) where each foot is then: x, y [m] and heading [rad].
        where: names the recording in errors.

    Raises:
        BackbeatError: a foot leaves before the other one has landed.
    """
    steps: list[RecordedStep] = []
    at, faces = dict(places), 0.5 * (places["left"][2] + places["right"][2])
    found = _swings(feet)
    rolls = _rolls(feet, found)
    for (off, on, foot, k), roll in zip(found, rolls, strict=True):
        start, end = off - begin, on - begin
        jumps = bool(steps) and (steps[-1].start, steps[-1].end) == (start, end)
        if steps and not jumps and start < steps[-1].end - 1e-9:
            raise BackbeatError(
                f"{where}: the {foot} foot leaves at {off:.2f} s, before the "
                f"{steps[-1].foot} one lands at {steps[-1].end + begin:.2f} s; declare "
                "under 'planted' when each foot stands"
            )
        new = feet[foot].places[k + 1]
        if not jumps:
            heading = 0.5 * (at["left"][2] + at["right"][2])
        c, s = np.cos(heading), np.sin(heading)
        x, y = new[:2] - at[foot][:2]
        via = _via(feet[foot], k, at[foot], roll)
        step = RecordedStep(
            start,
            end,
            foot,
            (float(c * x + s * y), float(c * y - s * x)),
            float(new[2] - at[foot][2]),
            float(via[:, 2].max()),
            _turned(via, faces + at[foot][2] - places[foot][2]),
            roll,
        )
        at[foot] = new
        if jumps:
            steps[-1] = steps[-1].along(step)
        else:
            steps.append(step)
    return steps


def _rolls(
    feet: Mapping[str, FootPath], found: Sequence[tuple[float, float, str, int]]
) -> list[StepRoll | None]:
    """How the foot in the air rolls before and after each step."""
    begins = [-np.inf, *(on for _, on, _, _ in found)]
    ends = [*(off for off, _, _, _ in found[1:]), np.inf]
    return [
        step_roll(feet[foot].roll, k, (off, on), (begin, end))
        for (off, on, foot, k), begin, end in zip(found, begins, ends, strict=False)
    ]


def _via(path: FootPath, k: int, at: np.ndarray, roll: StepRoll | None) -> np.ndarray:
    """(m, 3) places on the way after the k-th stance, from where it counts as leaving.

    What is recorded is what it differs by from the straight way [m].
    """
    start, end = path.planted[k][1], path.planted[k + 1][0]
    m = max(1, round((end - start) / BETWEEN) - 1)
    u = np.arange(1, m + 1) / (m + 1)
    way, s = path.paths[k], minimum_jerk(u)[:, None]
    times = np.linspace(0.0, 1.0, len(way))
    here = np.stack([np.interp(u, times, x) for x in way.T], axis=1)
    first = np.r_[path.places[k][:2], 0.0]
    moved = np.r_[at[:2] - first[:2], 0.0]
    via = here - first - s * moved
    top = max(float(way[:, 2].max()), 1e-3)
    if roll is not None and path.roll is not None:
        # Heights are those of the lower edge, and ways start where the edge leaves it.
        tilts = np.abs(np.interp(u, np.linspace(0.0, 1.0, len(roll.way)), roll.way))
        via[:, 2] = np.maximum(via[:, 2] - path.roll.half * np.sin(tilts), 0.0)
        ahead = path.roll.half * (1 - np.cos(roll.leaving[-1])) * (roll.toe > 0)
        yaw = path.places[k][2]
        via[:, :2] -= ahead * np.array([np.cos(yaw), np.sin(yaw)])
        top = max(float(via[:, 2].max()), 1e-3)
    # As high as it may get, and as it has to.
    arch = np.sin(np.pi * u) ** 2
    via[:, 2] = via[:, 2] * min(1.0, MOST_RISE / top)
    via[:, 2] = np.maximum(via[:, 2], CLEAR * arch)
    via[:, 2] += max(0.0, LEAST_RISE - top) * arch
    return via


def _turned(p: np.ndarray, angle: float) -> np.ndarray:
    """Points in axes that are turned to the left by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(p @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))


def kept_steps(
    before: Sequence[RecordedStep],
    after: Sequence[RecordedStep],
    found: Sequence[RecordedStep] | None = None,
) -> tuple[RecordedStep, ...]:
    """Steps of a later version of a recording, where they land as before if it is near.

    A step begins where the one before it has landed, so that a step that is another
    one would move all that follow. Those that land beside where they did before, and
    those that are as long and do not land far from there, land where they did.

    Args:
        before: steps of the earlier version.
        after: as many of the later one.
        found: those of the earlier version as they were found, where it has kept some
            of one before it; a step is as long as it was if it is as these are.
    """
    old, at = ({foot: np.zeros(3) for foot in FEET} for _ in range(2))
    steps = []
    for a, b, c in zip(before, after, found or before, strict=True):
        landed, lands = _landing(a, old), _landing(b, at)
        was_there = np.array_equal(at[b.foot], old[b.foot])
        same = alike((c.foot, c.to, c.turn), (b.foot, b.to, b.turn), BESIDE)
        off = np.abs(lands - landed).max()
        if a.foot == b.foot and off < (RETURNS if same else BESIDE):
            lands = landed
        away = _turned(np.r_[lands[:2] - at[b.foot][:2], 0.0], _heading(at))
        turn = float(lands[2] - at[b.foot][2])
        kept = replace(b, to=(float(away[0]), float(away[1])), turn=turn)
        if was_there and alike(a, kept, BESIDE):
            kept, lands = a, landed
        steps.append(kept)
        old[a.foot], at[b.foot] = landed, lands
    return tuple(steps)


def _heading(at: Mapping[str, np.ndarray]) -> float:
    return float(0.5 * (at["left"][2] + at["right"][2]))


def _landing(step: RecordedStep, at: Mapping[str, np.ndarray]) -> np.ndarray:
    """(3,) where a step lands, of feet at some places: x, y [m] and heading [rad]."""
    way = _turned(np.array([*step.to, 0.0]), -_heading(at))
    return at[step.foot] + np.r_[way[:2], step.turn]
