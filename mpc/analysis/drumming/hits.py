"""Hits of sticks and of beaters of pedals on drums, from contact forces.

A hit is the onset of force between a tip, or the head of a beater, and a member after
at least 40 ms without it, with an approach of at least 0.3 m/s; its time is
interpolated within the step from the tip's height above the surface. The plan is
not used; `match_hits` compares with it afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backbeat.behaviors.library.behavior import Event
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.pedals import HEAD_RADIUS
from backbeat.mpc.disturbances.kinds.moved_drum import MovedDrum
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.world.stick_contacts import (
    FORCE,
    MEMBER,
    PLACE,
    ROW,
    SHAFT_FORCE,
    VELOCITY,
)

SILENCE = 0.040  # s without force before a new onset
APPROACH = 0.3  # m/s
WINDOW = 0.050  # s around a planned hit
TIP_RADIUS = 0.007  # m
# Shaft and rim contacts count when the force is more than a brush [N].
BRUSH = 1.0


@dataclass(frozen=True)
class MeasuredHit:
    """One onset of contact.

    Attributes:
        time: interpolated onset [s].
        tip: contact name of the tip.
        member: drum.
        speed: approach speed along the normal [m/s].
        place: where on the surface, from the strike point, in its axes [m].
        peak_force: largest normal force of the contact [N].
        kind: "hit", "touch" (too slow to be a hit), "double" (force came back
            within the silence) or "shaft".
    """

    time: float
    tip: str
    member: str
    speed: float
    place: tuple[float, float]
    peak_force: float
    kind: str

    def offset(self, aim: tuple[float, float] = (0.0, 0.0)) -> float:
        """Distance from a place on the surface, usually the strike point [m]."""
        return float(np.hypot(self.place[0] - aim[0], self.place[1] - aim[1]))


def find_hits(
    t: np.ndarray,
    rows: np.ndarray,
    tips: Sequence[str],
    members: Sequence[str],
    kit: DrumKit,
) -> list[MeasuredHit]:
    """Finds all onsets of contact between sticks and kit.

    Args:
        t: (M,) sample times [s].
        rows: (M, tips * ROW) rows of `ContactLog.strikes`.
        tips, members: names in the order of the log.
        kit: where the heads are.
    """
    hits: list[MeasuredHit] = []
    radii = {pedal.beater: HEAD_RADIUS for pedal in kit.pedals()}
    table = rows.reshape(len(t), len(tips), ROW)
    for i, tip in enumerate(tips):
        one = table[:, i]
        radius = radii.get(tip, TIP_RADIUS)
        hits += _tip_hits(t, one, tip, members, kit, radius)
        hits += _shaft_hits(t, one, tip)
    return sorted(hits, key=lambda h: h.time)


def _tip_hits(
    t: np.ndarray,
    rows: np.ndarray,
    tip: str,
    members: Sequence[str],
    kit: DrumKit,
    radius: float,
) -> list[MeasuredHit]:
    hits = []
    touching = rows[:, MEMBER] >= 0
    starts = np.where(touching & ~np.r_[False, touching[:-1]])[0]
    last_end = -np.inf
    for start in starts:
        end = start
        while end + 1 < len(t) and touching[end + 1]:
            end += 1
        member = members[int(rows[start, MEMBER])]
        time, speed, place = _onset(t, rows, int(start), kit, member, radius)
        peak = float(rows[start : end + 1, FORCE].max())
        if t[start] - last_end < SILENCE:
            kind = "double"
        else:
            kind = "hit" if speed >= APPROACH else "touch"
        hits.append(MeasuredHit(time, tip, member, speed, place, peak, kind))
        last_end = t[end]
    return hits


def _onset(
    t: np.ndarray,
    rows: np.ndarray,
    i: int,
    kit: DrumKit,
    member: str,
    radius: float,
) -> tuple[float, float, tuple[float, float]]:
    """Time, approach speed and place of an onset of a tip first seen at sample i.

    The plant samples its outputs: forces at t_i acted during the step that began
    at t_i-1, where place and velocity are those before the contact.
    """
    i = max(i - 1, 0)
    X_WM = kit.strike_pose(member)
    p = X_WM.inverse().multiply(rows[i, PLACE:VELOCITY])
    normal = X_WM.rotation().matrix()[:, 2]
    speed = -float(normal @ rows[i, VELOCITY:ROW])
    depth = radius - p[2]
    step = t[i] - t[i - 1] if i > 0 else 0.0
    back = float(np.clip(depth / max(speed, 1e-3), 0.0, step))
    return float(t[i]) - back, speed, (float(p[0]), float(p[1]))


def _shaft_hits(t: np.ndarray, rows: np.ndarray, tip: str) -> list[MeasuredHit]:
    """Contacts of a stick behind its tip."""
    force = rows[:, SHAFT_FORCE]
    touching = force > BRUSH
    hits, last = [], -np.inf
    for i in np.where(touching)[0]:
        if t[i] - last > SILENCE:
            hits.append(
                MeasuredHit(
                    float(t[i]), tip, "", 0.0, (0.0, 0.0), float(force[i]), "shaft"
                )
            )
        last = t[i]
    return hits


@dataclass(frozen=True)
class HitReport:
    """Planned and made hits, matched one to one.

    Attributes:
        table: one row a planned hit: time, member, tip, made, error [s], speed
            [m/s], offset from the aim [m], peak force [N].
        extra: contacts that are not in the plan.
    """

    table: pd.DataFrame
    extra: tuple[MeasuredHit, ...]

    def metrics(self) -> dict[str, float | int]:
        """Counts and timing in milliseconds; timing is against authored time."""
        made = self.table[self.table["made"]]
        error = made["error"].to_numpy() * 1e3
        none = float("nan")
        some = len(error) > 0
        return {
            "planned": len(self.table),
            "made": len(made),
            "missed": len(self.table) - len(made),
            "extra": len(self.extra),
            "timing_mean_ms": float(np.abs(error).mean()) if some else none,
            "timing_bias_ms": float(error.mean()) if some else none,
            "timing_sd_ms": float(error.std()) if some else none,
            "timing_max_ms": float(np.abs(error).max()) if some else none,
            "position_max_mm": float(made["offset"].max() * 1e3) if some else none,
            "speed_min_m_s": float(made["speed"].min()) if some else none,
        }


def run_hits(run: SimulationRun) -> HitReport | None:
    """Planned and made hits of a run; None when its behavior has no strikes."""
    if not run.behavior.strikes():
        return None
    moved = run.scenario.world.mismatch.part(MovedDrum)
    kit = run.behavior.scene.drum_kit(moved.moved(run.scenario.seed, run.behavior))
    found = find_hits(run.strike_t, run.strikes, run.tips, run.members, kit)
    return match_hits(found, run.requested_events(), float(run.t[-1]))


def match_hits(
    hits: Sequence[MeasuredHit], events: Sequence[Event], end: float
) -> HitReport:
    """Matches hits with the strikes of a behavior, one to one.

    Args:
        hits: what happened.
        events: events of the behavior.
        end: how far the behavior was played [s].
    """
    # What the end cuts off is not missed; made in time, it is not extra either.
    planned = [e for e in events if e.kind == "strike" and e.time < end + WINDOW]
    candidates = [h for h in hits if h.kind == "hit"]
    used: set[int] = set()
    rows = []
    for event in planned:
        window = min(WINDOW, 0.5 * _gap(event, planned))
        near = [
            (abs(h.time - event.time), i)
            for i, h in enumerate(candidates)
            if i not in used
            and (h.member, h.tip) == (event.what, event.who)
            and abs(h.time - event.time) <= window
        ]
        hit = candidates[min(near)[1]] if near else None
        if near:
            used.add(min(near)[1])
        if event.time >= end - WINDOW:
            continue
        rows.append(
            {
                "time": event.time,
                "member": event.what,
                "tip": event.who,
                "velocity": event.velocity,
                "made": hit is not None,
                "error": hit.time - event.time if hit else np.nan,
                "speed": hit.speed if hit else np.nan,
                "offset": hit.offset(event.aim) if hit else np.nan,
                "peak_force": hit.peak_force if hit else np.nan,
            }
        )
    columns = ["time", "member", "tip", "velocity", "made", "error", "speed"]
    table = pd.DataFrame(rows, columns=[*columns, "offset", "peak_force"])
    table["made"] = table["made"].astype(bool)
    rests = [e for e in events if e.kind == "rest"]
    extra = [
        h for i, h in enumerate(candidates) if i not in used and not _rests(h, rests)
    ]
    extra += [h for h in hits if h.kind in ("double", "shaft") and not _rests(h, rests)]
    return HitReport(table, tuple(sorted(extra, key=lambda h: h.time)))


def _gap(event: Event, planned: Sequence[Event]) -> float:
    """Smallest gap to another planned hit of the same member [s]."""
    gaps = [abs(e.time - event.time) for e in planned if e.what == event.what]
    return min((g for g in gaps if g > 0), default=np.inf)


def _rests(hit: MeasuredHit, rests: Sequence[Event]) -> bool:
    """Whether a hand is declared to rest on this member at this time."""
    return any(
        e.who == hit.tip
        and hit.member in ("", e.what)
        and e.time - SILENCE <= hit.time <= e.time + e.duration + SILENCE
        for e in rests
    ) or (hit.time < 0 and any(e.who == hit.tip and e.time == 0 for e in rests))
