"""Concatenation: behaviors and the transitions between them, in order of time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.motion.concatenation import hold
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.music.notation.meter import COMMON, MeterChange, MeterMap
from backbeat.behaviors.setlist.transition import Leg
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import BOUNDS, Check

# A start this close after a beat is on it [s], and all this near to where it stays is
# at rest [rad, m].
ON_THE_BEAT, STILL = 1e-6, 1e-4


@dataclass
class Concatenation:
    """Behaviors and transitions, joined so far.

    Attributes:
        bpm: tempo [beats/min], 0 without music, and of behaviors with several.
        time: when what comes next will start [s].
        motions: motions in a row.
        events: segments, and what belongs to the behaviors.
        knots: knots solved.
        log: iterations of all solves.
        limits: limits used to the full.
        checks: knot violations.
        still_since: when the robot came to rest last [s].
        meters: meters of the behaviors, each from the beat on which it starts.
        marked: beats that behaviors have marked so far: those of a changing tempo, and
            all where there are several.
        marks_all: whether there are several.
        remarks: what is not as it was asked for.
    """

    bpm: float
    time: float = 0.0
    motions: list[DenseTrajectory] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    knots: int = 0
    log: list[dict[str, float]] = field(default_factory=list)
    limits: list[dict[str, object]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    still_since: float = np.inf
    meters: list[MeterChange] = field(default_factory=list)
    marked: int = 0
    marks_all: bool = False
    remarks: list[str] = field(default_factory=list)

    def add_part(self, part: Behavior, place: Placement) -> None:
        """Adds a behavior where it happens."""
        start, made = self.time, part.provenance
        self.still_since = min(self.still_since, start)
        marked = part.grid.points(part.duration) if self._marks(part) else ()
        first = self._add_meter(part, marked)
        self.events += [
            Event(start + time, "beat", f"{first + beat:.12g}") for beat, time in marked
        ]
        for event in (e for e in part.events if e.kind != "beat"):
            kind = "marker" if event.kind == "segment" else event.kind
            time, length = start + event.time, event.duration
            if event.kind == "rest" and event.time == 0.0:
                # The hands are there since the transition ended, and wait for the beat.
                time, length = self.still_since, length + start - self.still_since
            self.events.append(replace(event, time=time, duration=length, kind=kind))
        for check in part.certificate.checks:
            if check.name == "knot_violation":
                self.checks.append(replace(check, time=start + check.time))
        self.knots += int(str(made["knots"]))
        self.log += part.iterations().to_dict("records")
        limits = part.active_limits().to_dict("records")
        self._add_limits([x for x in limits if x["from_s"] < part.duration])
        self._add(place.motion(part.motion))
        self._add_segment(part.name, start)

    def _marks(self, part: Behavior) -> bool:
        """Whether the beats of a behavior are marked one by one."""
        return bool(part.grid.marked or (self.marks_all and part.bpm))

    def _add_meter(
        self, part: Behavior, marked: Sequence[tuple[float, float]]
    ) -> float:
        """A bar begins with a behavior; returns the beat on which that is."""
        first = float(self.marked)
        if marked:
            self.marked += int(marked[-1][0]) + 1
        elif not part.bpm or self.marked:
            return first
        else:
            first = round(self.time * self.bpm / 60.0, 9)
        # What a behavior that was left early would have had does not come.
        self.meters = [m for m in self.meters if m.beat < first - 1e-9]
        self.meters += part.meter.moved(first)
        return first

    def meter(self) -> MeterMap:
        """Bars of the whole, which begin anew with every behavior."""
        if not self.meters:
            return COMMON
        return MeterMap(self.meters[0].meter, tuple(self.meters))

    def add_transition(self, name: str, legs: Sequence[Leg]) -> None:
        """Adds the transition to the behavior of a name."""
        start, bound = self.time, BOUNDS["knot_violation"]
        for leg in legs:
            amount, where = leg.solution.violation(), f"{leg.name} to {name}"
            self.checks.append(Check("knot_violation", amount, bound, self.time, where))
            self.knots += len(leg.solution.q)
            self.log += leg.solution.log
            self._add_limits(active_limits(leg.solution).to_dict("records"))
            self._add(leg.motion)
        if legs:
            self._add_segment(f"to {name}", start)

    def rest(self, seconds: float, beats: float) -> None:
        """Stays for a while, and until the next beat."""
        until = self.time + seconds
        self.still_since = self.time - _still_for(self.motions[-1])
        if self.bpm:
            beat = 60.0 / self.bpm
            until = beat * np.ceil((until - ON_THE_BEAT) / beat + beats)
        if until > self.time + ON_THE_BEAT:
            since = self.still_since
            self._add(hold(self.motions[-1], until - self.time))
            self.still_since = since
        self.time = float(until)

    def worst_knot(self) -> Check | None:
        """The largest violation of what the optimizer solved."""
        return max(self.checks, key=lambda c: c.value, default=None)

    def statistics(self) -> dict[str, object]:
        """What the optimizer did, for the provenance."""
        worst = self.worst_knot()
        return {
            "knots": self.knots,
            "iterations": len(self.log),
            "violation": worst.value if worst else 0.0,
            "log": self.log,
            "active_limits": self.limits,
            "remarks": self.remarks,
        }

    def _add_segment(self, name: str, start: float) -> None:
        length = self.time - start
        self.events.append(Event(start, "segment", name, duration=length))

    def _add(self, motion: DenseTrajectory) -> None:
        self.motions.append(motion)
        self.time += float(motion.t[-1])
        self.still_since = np.inf

    def _add_limits(self, limits: Sequence[Mapping[str, object]]) -> None:
        for limit in limits:
            times = {k: self.time + float(str(limit[k])) for k in ("from_s", "to_s")}
            self.limits.append({**limit, **times})


def _still_for(motion: DenseTrajectory) -> float:
    """How long a motion is at rest at its end [s]."""
    moving = np.abs(motion.q - motion.q[-1]).max(axis=1) > STILL
    return float(motion.t[-1] - motion.t[moving].max(initial=0.0))
