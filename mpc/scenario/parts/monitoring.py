"""MonitoringSettings: what is watched and recorded in a run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MonitoringSettings:
    """What is watched and recorded in a run."""

    # Whether to watch for forces that the model does not know.
    watch_forces: bool = True
    # Whether run files have gravity torques and joint-space inertia as columns.
    log_dynamics: bool = False
