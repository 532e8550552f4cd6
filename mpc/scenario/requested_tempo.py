"""The requested tempo of a run, from start to end."""

from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.music.notation.meter import Pulse
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.predictive.settings import TempoRamp
from backbeat.mpc.scenario.parts.disturbances import DisturbanceSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario


@dataclass(frozen=True)
class RequestedTempo:
    """Tempos that follow each other; a run without changes has one.

    Attributes:
        tempos: in order of time.
    """

    tempos: tuple[TempoRamp, ...] = (TempoRamp(),)

    def phase(self, t: float) -> float:
        """Requested phase of the behavior at a time of the behavior [s]."""
        past = [tempo for tempo in self.tempos[1:] if tempo.since <= t]
        return (past[-1] if past else self.tempos[0]).requested_phase(t)

    def when(self, phase: float) -> float:
        """Time of the behavior at which a phase is requested [s]."""
        past = [tempo for tempo in self.tempos[1:] if tempo.phase <= phase]
        return (past[-1] if past else self.tempos[0]).when(phase)

    def place(self, event: Event) -> Event:
        """An event of a behavior at its requested time."""
        if len(self.tempos) == 1:
            return event
        start, end = self.when(event.time), self.when(event.time + event.duration)
        return replace(event, time=start, duration=end - start)

    def beat_times(self, behavior: Behavior, end: float) -> np.ndarray:
        """(B,) requested times of the beats of a behavior, up to a time of it [s]."""
        beats = behavior.beat_times(self.phase(end))
        if len(self.tempos) == 1:
            return beats
        return np.array([self.when(beat) for beat in beats.tolist()])

    def pulses(self, behavior: Behavior, end: float) -> list[tuple[float, Pulse]]:
        """Requested times of the pulses of a behavior's bars, up to a time of it [s].

        Returns:
            Times and pulses; see `Behavior.pulses`.
        """
        pulses = behavior.pulses(self.phase(end))
        if len(self.tempos) == 1:
            return pulses
        return [(self.when(time), pulse) for time, pulse in pulses]


def requested_tempo(disturbances: DisturbanceSettings) -> RequestedTempo:
    """The tempo that the events of a run ask for."""
    tempos = [TempoRamp()]
    for event in disturbances.sorted_events():
        if event.tempo is not None:
            tempos.append(tempos[-1].changed(event.time, event.tempo))
    return RequestedTempo(tuple(tempos))


def run_length(scenario: Scenario, behavior: Behavior) -> float:
    """From the start of the behavior to the end of the run [s].

    A robot that is driven goes on for as long as the scenario says.
    """
    timing = scenario.timing
    if scenario.control.drive is not None:
        return timing.duration
    return play_length(timing, scenario.disturbances, behavior)


def play_length(
    timing: TimingSettings, disturbances: DisturbanceSettings, behavior: Behavior
) -> float:
    """From the start of the behavior to the end of a run that follows it [s]."""
    ends = requested_tempo(disturbances).when(behavior.duration)
    return float(min(timing.duration or np.inf, ends + timing.lead_out))


def check_times(scenario: Scenario, behavior: Behavior) -> None:
    """Checks that all disturbances of a scenario come in the run.

    Raises:
        BackbeatError: one would never come.
    """
    timing, disturbances = scenario.timing, scenario.disturbances
    end = run_length(scenario, behavior)
    for event in disturbances.sorted_events():
        if event.time > end:
            raise BackbeatError(
                f"scenario: an event at {event.time:g} s comes after the run of "
                f"{behavior.name}, which ends at {end:.2f} s; let it come earlier, or "
                "change lead_out or duration"
            )
    for item in disturbances.everything():
        if not (span := item.span()) or -timing.lead_in <= span[0] < end:
            continue
        raise BackbeatError(
            f"scenario: a {item.name} at {span[0]:g} s is not in the run of "
            f"{behavior.name}, which goes from {-timing.lead_in:g} to {end:.2f} s; "
            f"{item.name} within, or change lead_in, lead_out or duration"
        )
