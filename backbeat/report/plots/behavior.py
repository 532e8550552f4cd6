"""Figures of a behavior as planned: solve, torques, forces, center of mass."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from backbeat.behaviors.library.behavior import Behavior
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, svg

# Joints of the figure of torques.
MOST_JOINTS = 12


def solve_figure(log: pd.DataFrame) -> str:
    """Cost, and violation, step and barrier of every iteration of the solver."""
    iterations = np.arange(1, len(log) + 1)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.plot(iterations, log["cost"], "o-", ms=3)
        left.set(title="Cost", xlabel="iteration", ylabel="cost")
        for key, label in (
            ("violation", "largest scaled violation"),
            ("step", "largest step [rad or m]"),
            ("barrier", "barrier parameter"),
        ):
            positive = log[key].where(log[key] > 0)
            right.semilogy(iterations, positive, "o-", ms=3, label=label)
        right.set(title="Convergence", xlabel="iteration")
        right.legend()
        _whole_numbers(left, right)
        return svg(figure)


def torque_figure(behavior: Behavior) -> str:
    """Peak and root mean square torque of the joints that work hardest."""
    robot, motion = behavior.robot_model, behavior.motion
    share = robot.motors.shares(motion.tau, motion.v[:, robot.base_velocities :])
    peak, mean = share.max(axis=0), np.sqrt(_mean(behavior, share**2))
    order = np.argsort(peak)[::-1][:MOST_JOINTS][::-1]
    names = [robot.joint_names[j] for j in order]
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.24 * len(order) + 0.9), layout="constrained")
        axes = figure.subplots()
        axes.barh(names, 100 * peak[order], color=COLORS[5], label="peak")
        axes.barh(names, 100 * mean[order], 0.35, color=COLORS[0], label="rms")
        axes.axvline(100, color=COLORS[1], lw=1)
        axes.set(title="Torque / limit of each joint", xlabel="share [%]")
        axes.legend(loc="lower right")
        return svg(figure)


def force_figure(behavior: Behavior) -> str:
    """Normal force of every contact, in weights of the robot."""
    motion, robot = behavior.motion, behavior.robot_model
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        for i, name in enumerate(motion.contacts):
            force = motion.wrench[:, i, 5] / robot.weight
            axes.plot(motion.t, force, lw=1, label=name.replace("_", " "))
        axes.set(
            title="Planned contact forces",
            xlabel="time [s]",
            ylabel="normal force [weights]",
        )
        axes.legend()
        return svg(figure)


def center_of_mass_figure(behavior: Behavior) -> str:
    """The three coordinates of the center of mass, from where it starts."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        for i, name in enumerate(("forward", "left", "up")):
            moved = behavior.com[:, i] - behavior.com[0, i]
            axes.plot(behavior.motion.t, 1e3 * moved, label=name)
        axes.set(
            title="CoM displacement from the start",
            xlabel="time [s]",
            ylabel="distance [mm]",
        )
        axes.legend()
        return svg(figure)


def _mean(behavior: Behavior, values: np.ndarray) -> np.ndarray:
    """Means over time of (M, n) values."""
    t = behavior.motion.t
    return np.trapezoid(values, t, axis=0) / (t[-1] - t[0])


def _whole_numbers(*axes: Axes) -> None:
    for one in axes:
        one.xaxis.set_major_locator(MaxNLocator(integer=True))
