"""A run as a page: what ran, how it ended, and every curve that says why."""

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.mpc.analysis.safety_metrics import in_words
from backbeat.mpc.runs.balance import find_balance
from backbeat.mpc.runs.record import RunRecord
from backbeat.mpc.world.limits_reached import reached_in_words
from backbeat.report.pages.dance import dance_section
from backbeat.report.pages.drumming import can_analyze, drumming_section
from backbeat.report.pages.run_words import (
    commands,
    events,
    facts,
    result_sentence,
    scenario_yaml,
)
from backbeat.report.pages.template import rendered
from backbeat.report.plots.balance import (
    plot_forces,
    plot_from_above,
    plot_margins,
    plot_prediction,
)
from backbeat.report.plots.hit_table import hits_by_member, hits_in_bars
from backbeat.report.plots.joints import plot_joint_use, plot_limb
from backbeat.report.plots.measures import MEASURES
from backbeat.report.plots.run_curves import patch_words
from backbeat.report.plots.style import svg
from backbeat.report.plots.timing import (
    plot_hits,
    plot_phase,
    plot_solver_times,
)


def run_page(
    record: RunRecord,
    path: str | Path,
    recording: str = "",
    link: str = "",
    note: str = "",
) -> str:
    """HTML of one page that needs nothing else.

    Args:
        record: the run.
        path: its file, for the commands that make it again.
        recording: page of its recording, to be shown within this one.
        link: where its recording is, if it stands beside this page.
        note: why there is none.
    """
    balance, story = find_balance(record), record.story
    values = [(m, m.value(record, balance)) for m in MEASURES]
    return rendered(
        "run.html",
        title=record.title,
        story=story,
        metrics=record.metrics,
        sentence=result_sentence(record),
        facts=facts(record),
        events=events(record),
        measures=[
            (m.name, m.text(value), m.unit) for m, value in values if value is not None
        ],
        safety=_safety(record),
        all_metrics=json.dumps(record.metrics, indent=1),
        recording=recording,
        link=link,
        note=note,
        balance=balance is not None,
        above=balance and _drawn(plot_from_above(balance), "above"),
        margins=balance and _drawn(plot_margins(balance, record), "margins"),
        forces=_drawn(plot_forces(record), "forces"),
        prediction=_drawn(plot_prediction(record), "prediction"),
        phase=_drawn(plot_phase(record), "phase"),
        hits=_drawn(plot_hits(story), "hits") if story["hits"] else None,
        members=hits_by_member(story),
        every_hit=hits_in_bars(story),
        limits_reached=reached_in_words(record.metrics.get("limits_reached") or []),
        use=_drawn(plot_joint_use(record), "use"),
        jerk=_jerk(record),
        limbs=[
            (patch_words(name), _drawn(plot_limb(record, joints), name))
            for name, joints in record.limbs.items()
        ],
        times=_drawn(plot_solver_times(record), "times"),
        drumming=drumming_section(record.samples, story) if can_analyze(story) else "",
        dance=dance_section(story) if story["markers"] else "",
        scenario=scenario_yaml(record),
        commands=commands(record, path),
    )


def _drawn(figure: Figure | None, name: str) -> Markup | None:
    return None if figure is None else Markup(svg(figure, name))


def _jerk(record: RunRecord) -> list[dict[str, Any]]:
    """Jerk by joint group; none of files of before it was measured."""
    found = record.metrics.get("jerk")
    if found is None:
        return []
    return [
        {"group": patch_words(g), "planned": planned, "measured": found["measured"][g]}
        for g, planned in found["planned"].items()
        if g in found["measured"]
    ]


def _safety(record: RunRecord) -> list[str]:
    """What the controllers did without solved programs, a sentence each."""
    said = [
        in_words(f"{name.replace('_', '-')} controller", found)
        for name, found in record.metrics["safety"].items()
    ]
    return [sentence for sentence in said if sentence]
