"""A behavior as a page: what it is, what limits it, and how it was found."""

from markupsafe import Markup

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.joint_jerk import jerk_of_motion
from backbeat.report.pages.score import score_section
from backbeat.report.pages.template import rendered
from backbeat.report.plots.behavior import (
    center_of_mass_figure,
    force_figure,
    solve_figure,
    torque_figure,
)
from backbeat.report.plots.costs import knot_cost_figure
from backbeat.report.plots.run_curves import patch_words


def behavior_page(behavior: Behavior, recorded: Markup | None = None) -> str:
    """HTML of one page that needs nothing else.

    Args:
        behavior: what the page is about.
        recorded: the part about its recorded takes, see `recorded_section`.
    """
    made = behavior.provenance
    table = jerk_of_motion(behavior.robot_model, behavior.motion)
    jerk = table.to_dict("records")
    return rendered(
        "page.html",
        behavior=behavior,
        made=made,
        active=made.get("active_limits", []),
        recorded=recorded or Markup(""),
        score=score_section(behavior),
        jerk=[{**row, "group": patch_words(row["group"])} for row in jerk],
        solve=Markup(solve_figure(behavior.iterations())),
        costs=Markup(knot_cost_figure(behavior) if made.get("costs") else ""),
        forces=Markup(force_figure(behavior)),
        center_of_mass=Markup(center_of_mass_figure(behavior)),
        torques=Markup(torque_figure(behavior)),
    )
