"""A behavior as a page: what it is, what limits it, and how it was found."""

from markupsafe import Markup

from backbeat.report.figures import (
    center_of_mass_figure,
    force_figure,
    solve_figure,
    torque_figure,
)
from backbeat.report.template import rendered
from behaviors.behavior import Behavior


def behavior_page(behavior: Behavior) -> str:
    """HTML of one page that needs nothing else."""
    made = behavior.provenance
    return rendered(
        "page.html",
        behavior=behavior,
        made=made,
        active=made.get("active_limits", []),
        solve=Markup(solve_figure(behavior.iterations())),
        forces=Markup(force_figure(behavior)),
        center_of_mass=Markup(center_of_mass_figure(behavior)),
        torques=Markup(torque_figure(behavior)),
    )
