"""Singular values over a song, with and without what keeps arms from stretching."""

import matplotlib as mpl
from matplotlib.figure import Figure

from backbeat.figures.sources import Sources
from backbeat.report.drumming_figures import plot_cures
from backbeat.report.figures import STYLE
from behaviors.kinematic_player import KinematicSettings
from behaviors.singular_values import compare_cures


def singular_values(sources: Sources) -> Figure:
    """Smallest singular value and fastest joint of the kinematic player, by case."""
    settings = KinematicSettings()
    table = compare_cures(sources.score, sources.kit, settings)
    figure = plot_cures(table, settings.floor)
    with mpl.rc_context(STYLE):
        figure.suptitle(f"“{sources.behavior}”, kinematic player")
    return figure
