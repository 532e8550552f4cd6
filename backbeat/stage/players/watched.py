"""A watched show: what is being written, on the stage at every save."""

import time
from collections.abc import Callable
from dataclasses import replace

from backbeat.behaviors.building.incremental_build import IncrementalBuild
from backbeat.jobs.watching import (
    Drafted,
    FileWatch,
    News,
    Performed,
    Refused,
    Worker,
    Working,
)
from backbeat.stage.frames.frame import PlaybackSource
from backbeat.stage.live.show import FRAME, LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.sources.preview import PreviewSource

# What is shown before and after what changed, and how much of a motion at least [s].
BESIDE, LEAST = 1.0, 4.0
# Called with a sentence for the author.
Tell = Callable[[str], None]


class WatchedShow:
    """A stage on which what changed is played over and over.

    Attributes:
        source: what is shown; None before there is anything.
        span: from when to when it is played [s].
        remark: what is wrong with what was saved last.
        work: what is being done about it.
    """

    def __init__(self, port: int | None, announce: Tell, tell: Tell) -> None:
        """Opens nothing before there is something to show.

        Args:
            port: where the page is served; None for any free port.
            announce: called with the URL when there is one.
            tell: called with the result of a save.
        """
        self._port, self._announce, self._tell = port, announce, tell
        self._show: LiveShow | None = None
        self._began = 0.0
        self._good: tuple[PlaybackSource, tuple[float, float]] | None = None
        self.source: PlaybackSource | None = None
        self.span = (0.0, 0.0)
        self.remark = self.work = ""

    def hear(self, news: News) -> None:
        """Shows what has happened.

        Raises:
            Exception: a fault of ours in the work.
        """
        if isinstance(news, Exception):
            raise news
        if isinstance(news, Working):
            self.work = f"{news.what} …"
        elif isinstance(news, Drafted):
            preview = news.draft.preview()
            if preview is not None:
                seen = PreviewSource(news.draft, preview)
                self._put(seen, news.changed or (seen.start, seen.end))
            self.remark, self.work = "", "solving …"
        elif isinstance(news, Performed):
            found = news.updated
            source, changed = PlannedSource(found.behavior), (found.start, found.end)
            self._good = source, changed
            self._put(source, changed)
            self.remark = self.work = ""
            self._tell(_sentence(news))
        elif isinstance(news, Refused):
            if self._good is not None:
                self._put(*self._good)
            self.remark, self.work = news.sentence, ""
            self._tell(f"backbeat: {news.sentence.rstrip('.')}.")

    def _put(self, source: PlaybackSource, changed: tuple[float, float]) -> None:
        """Puts a source on the stage, or on another one if this is none for it."""
        if self._show is None:
            self._show = LiveShow(source, self._port)
            self._announce(self._show.url)
        else:
            self._show.put(source)
        self.source = source
        span = span_about(changed, source.end)
        if span != self.span:
            self.span, self._began = span, time.perf_counter()

    def frame(self) -> None:
        """Draws the present, and waits for the next frame."""
        began = time.perf_counter()
        if self._show is not None and self.source is not None:
            start, end = self.span
            t = start + (began - self._began) % (end - start)
            frame = replace(self.source.frame_at(t), remark=self.remark)
            self._show.note_tips(frame)
            self._show.draw(frame, 1.0, self.work)
        # Fewer frames leave more time for the solver.
        period = 2 * FRAME if self.work else FRAME
        time.sleep(max(0.002, period - (time.perf_counter() - began)))

    def close(self) -> None:
        """Ends the show."""
        if self._show is not None:
            self._show.close()


def span_about(changed: tuple[float, float], end: float) -> tuple[float, float]:
    """What to play of a motion that ends at a time, about what changed [s]."""
    first, last = changed[0] - BESIDE, changed[1] + BESIDE
    short = max(0.0, 0.5 * (LEAST - (last - first)))
    return max(0.0, first - short), min(end, last + short)


def _sentence(news: Performed) -> str:
    found = news.updated
    behavior = found.behavior
    took = f"{behavior.name}: verified {news.seconds:.2f} s after the save"
    if found.knots is None:
        return f"{took}; {behavior.duration:.1f} s of motion"
    if found.knots == 0:
        return f"{took}; the motion is the same"
    return (
        f"{took}; solved {found.knots} knots about {found.start:.1f} to "
        f"{found.end:.1f} s"
    )


def watch(
    incremental: IncrementalBuild,
    port: int | None,
    announce: Tell,
    tell: Tell,
    goes_on: Callable[[], bool] = lambda: True,
) -> None:
    """Shows a behavior that is being written until Ctrl-C.

    Args:
        incremental: what keeps it up to date.
        port: where the page is served; None for any free port.
        announce: called with the URL, once.
        tell: called with the result of every save.
        goes_on: asked at every frame whether to go on.
    """
    show, files = WatchedShow(port, announce, tell), FileWatch(incremental.files)
    worker = Worker(incremental)
    worker.save(time.time())
    try:
        while goes_on():
            if files.has_changed():
                worker.save(files.saved_at)
            for news in worker.news():
                show.hear(news)
            show.frame()
    finally:
        worker.close()
        show.close()
