"""MonitoringSettings: what is watched and recorded in a run."""

from dataclasses import dataclass

from backbeat.models.common.schema import key


@dataclass(frozen=True)
class MonitoringSettings:
    """What is watched and recorded in a run."""

    watch_forces: bool = key(True)
    """Whether to detect [forces that the model does not contain](unknown_forces.md)."""
    log_dynamics: bool = key(False)
    """Whether [run files](runs.md) have gravity torques and the joints' inertia as
    columns."""
