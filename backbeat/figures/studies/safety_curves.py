"""The safety law of a joint: bounds of velocity over position, of torque over speed."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

# Positions at which torque is shown: shares of the way between the soft limits.
SHARES = (0.5, 0.96, 1.0)


def safety_law(sources: Sources) -> Figure:
    """Velocity bounds over position, and torque bounds over velocity."""
    law = sources.safety_law
    margin = 0.05 * (law.upper - law.lower)
    q = np.linspace(law.lower - margin, law.upper + margin, 601)
    v = np.linspace(-1.6 * law.velocity, 1.6 * law.velocity, 601)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.4 * HEIGHT), layout="constrained")
        left, right = figure.subplots(1, 2)
        low, high = law.velocity_bounds(q)
        left.fill_between(q, low, high, color=COLORS[5], alpha=0.25, lw=0)
        left.plot(q, high, color=COLORS[1], label="highest")
        left.plot(q, low, color=COLORS[0], label="lowest")
        for hard, soft in ((law.lower, law.soft_lower), (law.upper, law.soft_upper)):
            left.axvline(hard, color=COLORS[6], lw=1, label="hard limit")
            left.axvline(soft, color=COLORS[6], lw=1, ls="--", label="soft limit")
        left.set(
            title=f"Velocity: k_position {law.k_position:g} /s",
            xlabel="position [rad]",
            ylabel="velocity allowed [rad/s]",
        )
        for share, color in zip(SHARES, (COLORS[2], COLORS[4], COLORS[3]), strict=True):
            at = law.soft_lower + share * (law.soft_upper - law.soft_lower)
            low, high = law.effort_bounds(np.full(v.shape, at), v)
            right.plot(v, high, color=color, label=f"highest at {at:.2f} rad")
            right.plot(v, low, color=color, ls="--")
        right.set(
            title=f"Torque: k_velocity {law.k_velocity:g} N m s/rad",
            xlabel="velocity [rad/s]",
            ylabel="torque allowed [N m]",
        )
        right.plot([], [], color=COLORS[6], ls="--", label="lowest")
        for axes in (left, right):
            handles, labels = axes.get_legend_handles_labels()
            named = dict(zip(labels, handles, strict=True))
            axes.legend(
                named.values(),
                named.keys(),
                loc="upper center",
                bbox_to_anchor=(0.5, -0.18),
                ncols=2,
            )
        figure.suptitle(f"Safety law of the joint “{law.joint}”")
        return figure
