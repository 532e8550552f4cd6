"""Strikes: when a drum or cymbal was hit, for flashes, arrows and sharp corners."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.analysis.drumming.hits import find_hits
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, ROW

# A hit glows for about this long, and the greatest force is shown for this long [s].
GLOW, FORCE_SHOWN = 0.22, 0.08
# A contact with this force, or more, is as bright as it gets [N].
LOUDEST = 100.0
# A force on a tip that is worth an arrow [N].
LEAST_TIP_FORCE = 4.0
# Beside a strike, the stick turns round in this time: the corner is drawn sharp [s].
CORNER = 0.015


@dataclass(frozen=True)
class Strike:
    """One hit, planned or measured.

    Attributes:
        time: when [s].
        member: drum or cymbal.
        loudness: 0 to 1.
    """

    time: float
    member: str
    loudness: float


def planned_strikes(behavior: Behavior) -> list[Strike]:
    """What the score asks for."""
    return [
        Strike(event.time, event.what, 0.5 + 0.5 * event.velocity / 127.0)
        for event in behavior.strikes()
    ]


def measured_strikes(run: SimulationRun) -> list[Strike]:
    """What the sticks did to the kit, planned or not; resting on it is no strike."""
    if not len(run.strike_t):
        return []
    kit = run.behavior.scene.drum_kit()
    hits = find_hits(run.strike_t, run.strikes, run.tips, run.members, kit)
    return [
        Strike(hit.time, hit.member, loudness(hit.peak_force))
        for hit in hits
        if hit.kind in ("hit", "double")
    ]


def loudness(force: float) -> float:
    """How bright a contact with a force [N] should be."""
    return 0.3 + 0.7 * min(force / LOUDEST, 1.0)


def flashes(strikes: Sequence[Strike], t: float) -> dict[str, float]:
    """Brightness, 0 to 1, of the members that have just been struck."""
    found: dict[str, float] = {}
    for strike in strikes:
        age = t - strike.time
        if 0.0 <= age < 2.0 * GLOW:
            glow = strike.loudness * float(np.exp(-2.0 * age / GLOW))
            found[strike.member] = max(glow, found.get(strike.member, 0.0))
    return found


def accents(strikes: Sequence[Strike]) -> np.ndarray:
    """Times at which strikes must be drawn: before, at and after them [s]."""
    times = np.array([strike.time for strike in strikes])
    around = CORNER * np.array([-1.0, 0.0, 1.0])
    return np.unique(np.ravel(times[:, None] + around)) if len(times) else times


def greatest_tip_forces(
    rows: np.ndarray, tips: Sequence[str], members: Sequence[str], kit: DrumKit
) -> dict[str, np.ndarray]:
    """Greatest normal force (3,) on every stick tip that touched something [N].

    Beaters of pedals are no part of the robot, and left out.

    A hit is over in 5 ms, too short to be seen.

    Args:
        rows: (n, tips * ROW) rows of `ContactLog.strikes`, the last FORCE_SHOWN.
        tips, members: names in the order of the log.
        kit: where the heads are.
    """
    forces = {}
    beaters = {pedal.beater for pedal in kit.pedals()}
    for i, tip in enumerate(tips):
        if tip in beaters:
            continue
        mine = rows.reshape(len(rows), len(tips), ROW)[:, i]
        if not len(mine):
            continue
        row = mine[np.argmax(mine[:, FORCE])]
        if row[FORCE] > LEAST_TIP_FORCE and row[MEMBER] >= 0:
            X_WM = kit.strike_pose(members[int(row[MEMBER])])
            forces[tip] = row[FORCE] * X_WM.rotation().matrix()[:, 2]
    return forces
