"""A drummed run on its page: tempo from spikes, holds, how like a person."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from backbeat.behaviors.drumming.elbows import find_elbows
from backbeat.behaviors.kinematic.singular_values import singular_values
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.mpc.analysis.drumming.onsets import (
    fit_tempo,
    matched,
    spikes_per_minute,
    velocity_spikes,
)
from backbeat.mpc.analysis.drumming.performance import (
    drummer_motion,
    find_holds,
    likeness,
    strokes,
)
from backbeat.report.pages.template import rendered
from backbeat.report.plots.drumming import (
    plot_singular_values,
    plot_spikes,
)
from backbeat.report.plots.style import svg

# A spike belongs to a contact within this [s].
NEAR = 0.03
# The song's singular values are worked out at every so many samples.
EVERY = 4


def can_analyze(story: Mapping[str, Any]) -> bool:
    """Whether a run is one of a free robot that drums, which this section is about."""
    robot = story["robot"]
    is_free = robot["mount"]["p_WB"] is None
    return bool(story["hits"]) and is_free and "sticks" in robot["equipment"]


def drumming_section(samples: pd.DataFrame, story: Mapping[str, Any]) -> Markup:
    """The part of a run's page about drumming.

    Args:
        samples, story: of a run file that `can_analyze` accepts.
    """
    robot = story["robot"]
    motion = drummer_motion(samples, robot["name"], robot["equipment"])
    holds, made = find_holds(motion, story), strokes(motion, story)
    spikes, contacts, tempi = {}, {}, []
    for hand in HANDS:
        spikes[hand] = velocity_spikes(samples, motion.robot.roles.names(f"{hand} arm"))
        contacts[hand] = made.loc[made["hand"] == hand, "time"].to_numpy()
        near = matched(spikes[hand], contacts[hand], NEAR)
        fit = fit_tempo(spikes[hand])
        tempi.append(
            {
                "hand": hand,
                "spikes": len(spikes[hand]),
                "contacts": len(contacts[hand]),
                "found": int((near == near).sum()),
                "counted": spikes_per_minute(spikes[hand]),
                "fitted": fit.bpm,
            }
        )
    elbows = find_elbows(motion.robot, motion.t, motion.q)
    values = singular_values(motion.robot, motion.t[::EVERY], motion.q[::EVERY])
    return Markup(
        rendered(
            "drumming_section.html",
            tempi=tempi,
            holds=holds.to_dict("records"),
            likeness=likeness(made, elbows).to_dict("records"),
            smallest=float(values["s6"].min()),
            spikes=Markup(svg(plot_spikes(spikes, contacts, holds), "spikes")),
            singular=Markup(svg(plot_singular_values(values), "singular")),
        )
    )
