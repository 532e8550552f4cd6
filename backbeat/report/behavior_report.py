"""A behavior as a page: what it is, what limits it, and how it was found."""

from markupsafe import Markup

from backbeat.report.figures import (
    center_of_mass_figure,
    force_figure,
    solve_figure,
    torque_figure,
)
from backbeat.report.run_curves import patch_words
from backbeat.report.template import rendered
from behaviors.behavior import Behavior
from behaviors.joint_jerk import jerk_of_motion


def behavior_page(behavior: Behavior) -> str:
    """HTML of one page that needs nothing else."""
    made = behavior.provenance
    table = jerk_of_motion(behavior.robot_model, behavior.motion)
    jerk = table.to_dict("records")
    return rendered(
        "page.html",
        behavior=behavior,
        made=made,
        active=made.get("active_limits", []),
        jerk=[{**row, "group": patch_words(row["group"])} for row in jerk],
        solve=Markup(solve_figure(behavior.iterations())),
        forces=Markup(force_figure(behavior)),
        center_of_mass=Markup(center_of_mass_figure(behavior)),
        torques=Markup(torque_figure(behavior)),
    )
