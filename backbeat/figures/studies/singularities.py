"""Singular values over a song, with and without what keeps arms from stretching."""

import matplotlib as mpl
from matplotlib.figure import Figure

from backbeat.behaviors.kinematic.player import KinematicSettings
from backbeat.behaviors.kinematic.singular_values import compare_cures
from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.drumming import plot_cures
from backbeat.report.plots.style import STYLE


def singular_values(sources: Sources) -> Figure:
    """Smallest singular value and fastest joint of the kinematic player, by case."""
    settings = KinematicSettings()
    table = compare_cures(sources.score, sources.kit, settings)
    figure = plot_cures(table, settings.floor)
    with mpl.rc_context(STYLE):
        figure.suptitle(f"“{sources.behavior}”, kinematic player")
    return figure
