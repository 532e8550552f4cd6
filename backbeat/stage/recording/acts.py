"""A show: several recordings on one page, one after the other."""

import base64
import gzip
from collections.abc import Iterable
from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.stage.frames.frame import PlaybackSource
from backbeat.stage.recording.html import Recording, page_of, write_page
from backbeat.stage.sources.kinds import PlannedSource, SimulatedSource
from backbeat.stage.web.page import data_element, page_file

CONTENTS, LIBRARY = "<!-- CONTENTS -->", "<!-- LIBRARY -->"
SCRIPT, SCRIPT_END = '<script type="text/javascript">', "</script>"


def record_show(
    performances: Iterable[tuple[str, SimulationRun | Behavior]],
    path: str | Path,
    fps: float = 30.0,
) -> Recording:
    """Records several runs, or behaviors as planned, on one page with a chooser.

    Args:
        performances: title and run of each, in the order they are played.
        path: HTML file to write.
        fps: frames a second, as in `record_run`.

    Raises:
        BackbeatError: the file cannot be written.
    """
    titles, pages = [], []
    for title, what in performances:
        titles.append(title)
        pages.append(page_of(_source(what), fps))
    return write_page(show_page(titles, pages), path)


def show_page(titles: list[str], pages: list[str]) -> str:
    """The page that holds other pages, compressed, and shows one at a time."""
    library, pages = _shared_library(pages)
    block = [data_element("titles", titles), _compressed("library", library)]
    block += [_compressed(f"page-{i}", page) for i, page in enumerate(pages)]
    return page_file("show.html").replace(CONTENTS, "\n".join(block), 1)


def _source(what: SimulationRun | Behavior) -> PlaybackSource:
    return PlannedSource(what) if isinstance(what, Behavior) else SimulatedSource(what)


def _shared_library(pages: list[str]) -> tuple[str, list[str]]:
    """Meshcat's library, two thirds of a page, and the pages with a gap instead."""
    library, rest = "", []
    for page in pages:
        before, opening, after = page.partition(SCRIPT)
        script, _, after = after.partition(SCRIPT_END)
        if not opening or (library and script != library):
            # Made by something else: the page keeps what it has.
            rest.append(page)
            continue
        library = script
        rest.append(before + SCRIPT + LIBRARY + SCRIPT_END + after)
    return library, rest


def _compressed(identifier: str, text: str) -> str:
    """A script element with compressed text; the same text gives the same bytes."""
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
    return f'<script type="application/gzip" id="{identifier}">{packed}</script>'
