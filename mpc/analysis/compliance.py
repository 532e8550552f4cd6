"""Stiffness of the soft joints of a run, and their largest deflections."""

from typing import Any

import numpy as np

from backbeat.mpc.analysis.kinematics import RunAnalysis
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.world.joint_softness import soft_periods


def compliance_metrics(analysis: RunAnalysis) -> list[dict[str, Any]]:
    """What soft joints were like, and how far they gave way, by period."""
    scenario, robot = analysis.run.scenario, analysis.reference.robot
    away = np.abs(analysis.joints - analysis.joints_planned)
    rows = []
    timing, latency = scenario.timing, scenario.latency
    compliant = scenario.disturbances.of(CompliantPeriod)
    periods = soft_periods(compliant, analysis.reference, timing, latency)
    for own, soft in zip(compliant, periods, strict=True):
        clock = analysis.t + scenario.timing.lead_in
        inside = (clock >= soft.start) & (clock < soft.end)
        far = away[inside][:, soft.joints].max(axis=0, initial=0.0)
        rows.append(
            {
                "joints": [robot.joint_names[j] for j in soft.joints],
                "start_s": own.start,
                "end_s": own.end,
                "stiffness_Nm_per_rad": soft.stiffness.tolist(),
                "damping_Nms_per_rad": soft.damping.tolist(),
                "compensation": soft.compensation,
                "gave_way_rad": far.tolist(),
            }
        )
    return rows
