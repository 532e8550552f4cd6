"""A soft joint from outside: torque over displacement, and what friction is felt."""

import matplotlib as mpl
from matplotlib.figure import Figure

from backbeat.figures.drawing.sources import Sources
from backbeat.models.actuation.servo_modes import COMPENSATION
from backbeat.models.world.force_displacement import Pull, pull
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

# Time from no torque to the largest [s]: short, for every second is simulated.
QUARTER = 1.5


def soft_elbow(sources: Sources) -> Figure:
    """Atlas's elbow pulled to and fro, without and with friction compensated."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.4 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        for share, color in ((0.0, COLORS[1]), (COMPENSATION, COLORS[0])):
            asked = Pull(compensation=share, quarter=QUARTER)
            curve = pull(asked)
            label = f"{share:.0%} compensated: {curve.friction():.2f} N m of friction"
            axes.plot(curve.displacement, curve.torque, color=color, label=label)
        end = asked.torque / asked.stiffness
        ends = [-end, end], [-asked.torque, asked.torque]
        axes.plot(*ends, color=COLORS[6], ls="--", lw=1, label="the spring asked for")
        axes.set(
            title=f"Elbow as a spring of {asked.stiffness:g} N m/rad, "
            f"{asked.friction:.0%} Coulomb friction",
            xlabel="displacement [rad]",
            ylabel="torque from outside [N m]",
        )
        axes.legend(loc="upper left")
        return figure
