"""Draws the figures of the explanations, of the code that they explain.

    .venv/bin/python docs/draw_diagrams.py

Rates, sizes, bounds, cones, splines, filters and margins are those of the code now, so
the figures change with it; each is an SVG beside its page.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.actuation.motors import HYDRAULIC_LAG
from backbeat.models.actuation.servo_margin import SERVO_STEP, SampledServo
from backbeat.models.contact.cones import PATCH_MARGIN, wrench_cone
from backbeat.mpc.estimation.invariant_filter import FilterNoise
from backbeat.mpc.estimation.joint_filter import joint_gain
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.scenario.parts.sensing import SensingSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.reconstruction.knot_splines import control_point_breaks
from backbeat.report.plots.style import COLORS, STYLE, svg

FOLDER = Path(__file__).with_name("explanation")
BLUE, RED, GREEN, *_ = COLORS
Draw = Callable[[], Figure]


# --- parts of diagrams ----------------------------------------------------------------


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure whose axes count inches, without frame."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def box(
    axes: Axes, x: float, y: float, text: str, color: str = BLUE, **size: Any
) -> None:
    """A box around a text with its center at x, y."""
    w, h = size.get("w", 1.5), size.get("h", 0.56)
    style = "round,pad=0,rounding_size=0.08"
    shape = FancyBboxPatch(
        (x - w / 2, y - h / 2), w, h, boxstyle=style, fc="white", ec=color, lw=1.4
    )
    axes.add_patch(shape)
    axes.text(x, y, text, ha="center", va="center", fontsize=8.5, linespacing=1.35)


def arrow(
    axes: Axes,
    a: tuple[float, float],
    b: tuple[float, float],
    text: str = "",
    **at: Any,
) -> None:
    """An arrow from a to b with a text beside its middle."""
    style = {"arrowstyle": "->", "lw": 1.1, "color": "#444444"}
    if "bend" in at:
        style["connectionstyle"] = f"arc3,rad={at['bend']}"
    axes.annotate("", b, a, arrowprops=style)
    x, y = (a[0] + b[0]) / 2 + at.get("dx", 0), (a[1] + b[1]) / 2 + at.get("dy", 0.1)
    axes.text(x, y, text, ha=at.get("ha", "center"), va="center", fontsize=7.5)


def plot(x: str, y: str, height: float = 2.8) -> tuple[Figure, Axes]:
    """A figure of one plot."""
    figure = Figure(figsize=(7.2, height), layout="constrained")
    axes = figure.subplots()
    axes.set(xlabel=x, ylabel=y)
    return figure, axes


# --- figures --------------------------------------------------------------------------


def overview() -> Figure:
    """What runs where, at which rate and with which delays."""
    timing, sensing = TimingSettings(), SensingSettings()
    figure, axes = canvas(7.6, 4.7)
    axes.text(0.15, 4.5, "offline", fontsize=9, weight="bold")
    names = "specification", "trajectory\nprogram", "reconstruction,\nverification"
    for i, text in enumerate((*names, "library:\nbehavior")):
        box(axes, 1.0 + 1.85 * i, 4.0, text, GREEN)
        if i:
            arrow(axes, (1.85 * i - 0.1, 4.0), (1.85 * i + 0.25, 4.0))
    axes.text(0.15, 3.2, "online", fontsize=9, weight="bold")
    axes.axhline(3.45, color="#cccccc", lw=0.8)

    def rate(period: float) -> str:
        return f"{1 / period:.0f} Hz"

    box(axes, 6.55, 2.6, f"predictive program\n{rate(timing.plan_period)}")
    box(axes, 3.8, 2.6, f"whole-body program\n{rate(timing.tick_period)}", w=1.7)
    box(axes, 1.1, 2.6, f"servo of each joint\n{rate(SERVO_STEP)}")
    box(axes, 1.1, 0.8, f"motors, robot, world\n{rate(timing.time_step)}", RED, w=1.7)
    box(axes, 3.8, 0.8, f"sensors\n{rate(timing.sensor_period)}", RED)
    box(axes, 6.55, 0.8, f"state estimator\n{rate(timing.sensor_period)}")
    arrow(axes, (6.55, 3.7), (6.55, 2.9), "motion, events", dx=-0.5, dy=0)
    late = f"plan, in force up to\n{1e3 * timing.plan_period:.0f} ms later"
    arrow(axes, (5.78, 2.6), (4.67, 2.6), late, dy=0.25)
    arrow(axes, (2.93, 2.6), (1.87, 2.6), "efforts, set points,\ngains", dy=0.25)
    lag = f"lag up to\n{1e3 * HYDRAULIC_LAG:.0f} ms"
    arrow(axes, (1.1, 2.3), (1.1, 1.1), lag, dx=-0.45, dy=0)
    arrow(axes, (1.97, 0.8), (3.03, 0.8))
    delay = f"{1e3 * sensing.sensing_delay:.0f} ms late,\nwith noise"
    arrow(axes, (4.57, 0.8), (5.78, 0.8), delay, dy=0.25)
    arrow(axes, (6.55, 1.1), (6.55, 2.3), "q, v", dx=0.2, dy=0)
    arrow(axes, (6.1, 1.1), (4.2, 2.3), "q, v", dx=-0.25, dy=0)
    arrow(axes, (3.3, 1.1), (1.5, 2.3), "angles, rates", dx=0.5, dy=0)
    return figure


def trajectory_program() -> Figure:
    """Variables at knots and intervals, and the blocks of the normal equations."""
    figure, axes = canvas(7.6, 2.9)
    times = np.array([0.4, 1.2, 2.0, 2.5, 3.3, 4.1])
    axes.plot(times[[0, -1]], [1.6, 1.6], color="#444444", lw=1)
    for k, t in enumerate(times):
        axes.plot(t, 1.6, "o", color=BLUE)
        axes.text(t, 1.84, f"$q_{k}, w_{k}, \\phi_{k}$", ha="center", fontsize=8)
        axes.text(t, 1.36, f"$t_{k}$", ha="center", va="top", fontsize=8)
        if k:
            middle = (t + times[k - 1]) / 2
            axes.text(middle, 1.0, f"$d_{k}$", ha="center", color=RED, fontsize=9)
        if 0 < k < len(times) - 1:
            axes.text(t, 0.62, f"$v_{k}, a_{k}, \\tau_{k}$", ha="center", fontsize=8)
    axes.text(0.3, 2.4, "knots, mean velocities of intervals,", fontsize=8.5)
    axes.text(0.3, 2.2, "velocity, acceleration and torque at knots", fontsize=8.5)
    count, size, left, top = 8, 0.24, 5.1, 2.3
    axes.text(left, 2.45, "blocks of the matrix, wrenches eliminated", fontsize=8.5)
    for i in range(count):
        for j in range(count):
            near = abs(i - j) <= 2
            fill = BLUE if i == j else "#9cc6e4" if near else "#f4f4f4"
            spot = left + size * j, top - size * (i + 1)
            axes.add_patch(mpl.patches.Rectangle(spot, size, size, fc=fill, ec="white"))
    return figure


def reconstruction() -> Figure:
    """Two splines over knots of a motion whose force changes suddenly."""
    step, times = 0.05, np.arange(0, 1.0001, 0.05)
    wanted = np.where(times < 0.5, 0.0, 4.0)
    d = np.cumsum(wanted[:-1]) * step
    q = np.r_[0.0, np.cumsum(d) * step]
    before, after = 2 * q[0] - q[1], 2 * q[-1] - q[-2]
    controlled = scipy.interpolate.BSpline(
        control_point_breaks(times), np.r_[before, q, after], 3
    )
    through = scipy.interpolate.CubicSpline(times, q)
    t = np.linspace(0.2, 0.8, 601)
    figure, axes = plot("time [s]", "acceleration [m/s²]")
    axes.plot(t, through(t, 2), color=RED, lw=1, label="spline through the knots")
    axes.plot(t, controlled(t, 2), color=BLUE, label="knots as control points")
    at = times[4:17]
    second = (q[5:18] - 2 * q[4:17] + q[3:16]) / step**2
    axes.plot(at, second, "o", color="#444444", ms=4, label="$a_k$ of the program")
    axes.legend()
    return figure


def predictive_program() -> Figure:
    """Latest and earliest time over phase that bounds on the phase rate allow."""
    w = PredictiveWeights()
    phase = w.spacing * np.arange(w.knots + 1)
    figure, axes = plot("phase of the behavior from now on [s]", "time from now on [s]")
    limits = (
        (1 / w.min_phase_rate, RED, "latest"),
        (1 / w.max_phase_rate, BLUE, "earliest"),
    )
    for end, color, name in limits:
        slowness, times = 1.0, [0.0]
        for k in range(w.knots):
            if k <= w.rate_change_intervals:
                most = w.max_phase_rate_change * w.spacing
                slowness = np.clip(end, slowness - most, slowness + most)
            else:
                slowness = end
            times.append(times[-1] + w.spacing * float(slowness))
        rate = f"{name}: phase rate {1 / end:.1f}"
        axes.plot(phase, times, ".-", color=color, label=rate)
    axes.plot(phase, phase, color="#444444", lw=1, label="the beat")
    axes.legend()
    return figure


def recovery() -> Figure:
    """States of the recovery and what leads from one to the next."""
    r = Recovery()
    figure, axes = canvas(7.6, 3.7)
    box(axes, 1.3, 3.0, "as the behavior\nno added steps", GREEN, w=1.7)
    box(axes, 4.9, 3.0, "alternatives solved\nboth feet first, put-downs", w=2.1)
    box(axes, 6.4, 0.9, "step under way\nswing, then landing", RED, w=1.7)
    box(axes, 3.4, 0.9, "stands elsewhere\nbalanced", w=1.7)
    watch = f"DCM error > {r.watch:g} m, or\nsoles ≥ {r.astray:g} m away"
    arrow(axes, (2.2, 3.1), (3.8, 3.1), watch, dy=0.27)
    stay = f"no step saves {r.min_saving:g}"
    arrow(axes, (3.8, 2.85), (2.2, 2.85), stay, dy=-0.17)
    saves = (
        f"saves ≥ {r.min_saving:g}, or\nalarm (> {r.alarm:g} m\nin {r.ahead:g} s) and\n"
        f"costs < {r.step_penalty:g} more"
    )
    arrow(axes, (5.0, 2.7), (5.8, 1.2), saves, dx=0.1, ha="left", dy=0.05)
    again = "each plan,\nuntil it\nhas landed"
    arrow(axes, (7.1, 1.2), (5.98, 2.85), again, dx=0.2, ha="left", dy=0.1)
    arrow(axes, (5.5, 0.9), (4.3, 0.9), f"DCM error\n< {r.watch:g} m", dy=0.27)
    arrow(
        axes,
        (3.7, 1.2),
        (4.6, 2.7),
        f"soles ≥ {r.astray:g} m away:\nsteps back",
        dx=0.2,
        ha="left",
        dy=-0.1,
    )
    arrow(axes, (2.5, 1.1), (1.3, 2.7), f"soles within\n{r.astray:g} m", dx=-0.5, dy=0)
    return figure


def whole_body_program() -> Figure:
    """What is eliminated, and the unknowns that are left, with sizes of Atlas."""
    robot = make_robot("atlas", (), Mount())
    soles = [robot.contacts[name] for name in robot.soles]
    legs = sum(len(sole.limb[:6]) for sole in soles)
    free = robot.num_joints - legs
    figure, axes = canvas(7.6, 2.9)
    box(axes, 1.1, 2.2, "base $\\dot v_b$: 6", RED, w=1.7)
    box(axes, 1.1, 1.4, f"legs $\\dot v_L$: {legs}", RED, w=1.7)
    box(axes, 1.1, 0.6, f"other joints $\\dot v_a$: {free}", GREEN, w=1.7)
    box(axes, 4.0, 2.2, "Newton and Euler", w=1.7)
    box(axes, 4.0, 1.4, "motion of the soles", w=1.7)
    box(axes, 4.0, 0.6, f"wrench or slack: {6 * len(soles)}", GREEN, w=1.7)
    arrow(axes, (3.1, 2.2), (2.0, 2.2), "eliminates")
    arrow(axes, (3.1, 1.4), (2.0, 1.4), "eliminates")
    box(axes, 6.5, 0.6, f"unknowns z: {free + 6 * len(soles)}", w=1.5)
    arrow(axes, (4.9, 0.6), (5.7, 0.6))
    arrow(axes, (1.95, 0.45), (5.72, 0.45), bend=0.16)
    box(axes, 6.5, 1.8, "$\\dot v = Z z + z_0$\ntorques, tasks, limits", w=1.7, h=0.7)
    arrow(axes, (6.5, 0.9), (6.5, 1.43))
    return figure


def motors() -> Figure:
    """Largest stable damping by stiffness of a servo, for delays and lags."""
    inertia, omega = 0.1, 2 * np.pi * np.linspace(1, 60, 60)
    figure, axes = plot("stiffness [N m/rad]", "largest damping [N m s/rad]")
    sensing = round(SensingSettings().sensing_delay / SERVO_STEP)
    cases = (0, 0.0), (sensing, 0.0), (sensing, HYDRAULIC_LAG)
    stiffness = inertia * omega**2
    for (late, lag), color in zip(cases, COLORS, strict=False):
        most = [
            max(
                (
                    d
                    for d in np.geomspace(0.05, 400, 300)
                    if SampledServo(inertia, k, d, late=late, lag=lag).holds()
                ),
                default=np.nan,
            )
            for k in stiffness
        ]
        name = f"{1e3 * late * SERVO_STEP:g} ms delay, {1e3 * lag:g} ms lag"
        axes.plot(stiffness, most, color=color, label=name)
    usual = 2 * np.pi * np.linspace(1, 12, 12)
    critical = 2 * inertia * usual
    axes.plot(inertia * usual**2, critical, "k--", lw=1, label="$k_d = 2 I \\omega$")
    axes.set(yscale="log")
    axes.legend(title=f"joint of {inertia:g} kg m², 1 kHz")
    return figure


def estimator() -> Figure:
    """Velocity of a joint: true, measured, and estimated with the steady gain."""
    noise, period = FilterNoise(), TimingSettings().sensor_period
    K = joint_gain(noise, period)
    t = np.arange(0, 0.3, period)
    q, v = 0.1 * np.sin(12 * t), 1.2 * np.cos(12 * t)
    draw = np.random.default_rng(0).normal
    seen = np.c_[
        q + draw(0, noise.position, len(t)), v + draw(0, noise.velocity, len(t))
    ]
    F, g = np.array([[1, period], [0, 1]]), np.array([0.5 * period**2, period])
    x, found = seen[0], []
    for k, sample in enumerate(seen):
        # The program commands the acceleration of the motion.
        x = F @ x + g * (-144 * q[max(k - 1, 0)]) if k else x
        x = x + K @ (sample - x)
        found.append(x)
    figure, axes = plot("time [s]", "error of the velocity [rad/s]")
    axes.plot(
        t, seen[:, 1] - v, ".", color="#aaaaaa", ms=4, label="one sample of the encoder"
    )
    axes.plot(t, np.array(found)[:, 1] - v, color=BLUE, label="estimate")
    axes.legend()
    return figure


def contact() -> Figure:
    """Largest yaw moment by place of the center of pressure, of Atlas's sole."""
    robot = make_robot("atlas", (), Mount())
    X, Y = robot.contacts[robot.soles[0]].bearing
    w = PredictiveWeights()
    figure, axes = plot(
        "center of pressure, from the middle to the side [mm]",
        "yaw moment [mm × normal force]",
    )
    A = wrench_cone(X, Y, Limits().friction)
    side = np.linspace(-Y, Y, 81)
    for along, color in ((0.0, BLUE), (0.7 * X, GREEN)):
        most, least = [], []
        for y in side:
            # m_x = y f_z, m_y = -x f_z at the center of pressure (x, y), f_z = 1.
            base = np.array([y, -along, 0, 0, 0, 1.0])
            rest, slope = A @ base, A[:, 2]
            most.append(min(-r / s for r, s in zip(rest, slope, strict=True) if s > 0))
            least.append(max(-r / s for r, s in zip(rest, slope, strict=True) if s < 0))
        name = f"wrench cone, {1e3 * along:.0f} mm ahead of the middle"
        axes.fill_between(
            1e3 * side,
            1e3 * np.array(least),
            1e3 * np.array(most),
            color=color,
            alpha=0.3,
            label=name,
        )
    part = PATCH_MARGIN * Y
    corners = np.array([[-part, -1], [part, -1], [part, 1], [-part, 1], [-part, -1]])
    axes.plot(
        1e3 * corners[:, 0],
        1e3 * w.yaw_moment * corners[:, 1],
        color=RED,
        label="predictive program",
    )
    axes.legend(loc="upper right", fontsize=7.5)
    axes.set(ylim=(-75, 95))
    return figure


DIAGRAMS: dict[str, Draw] = {
    draw.__name__: draw
    for draw in (
        overview,
        trajectory_program,
        reconstruction,
        predictive_program,
        recovery,
        whole_body_program,
        motors,
        estimator,
        contact,
    )
}


def drawn(name: str) -> str:
    """A figure as the text of an SVG file."""
    with mpl.rc_context(STYLE):
        return svg(DIAGRAMS[name](), name) + "\n"


if __name__ == "__main__":
    for chosen in DIAGRAMS:
        (FOLDER / f"{chosen}.svg").write_text(drawn(chosen))
