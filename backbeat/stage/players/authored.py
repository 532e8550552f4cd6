"""An authored show: a file with its timeline on the page, every edit on stage."""

import time
from collections.abc import Callable
from typing import Any

from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.editing.pictures import kept_pictures
from backbeat.behaviors.editing.setlist_row import shelf
from backbeat.behaviors.editing.standing import Standing
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.jobs.authoring import AuthoringDesk
from backbeat.jobs.watching import Drafted, News, Performed, Worker
from backbeat.models.common.errors import BackbeatError, ended
from backbeat.stage.frames.frame import PlaybackSource, StageFrame
from backbeat.stage.live.show import FRAME, LiveShow
from backbeat.stage.live.transport import Transport, at_start, stops
from backbeat.stage.players.filming import Filming
from backbeat.stage.players.repertoire import Repertoire
from backbeat.stage.players.trial import TRYING, TrialRun, for_robot, offers
from backbeat.stage.players.watched import span_about
from backbeat.stage.recording.shared import extras_of, share
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.sources.preview import PreviewSource
from backbeat.stage.web.commands import PLAYING, Command

# What pages may ask of time.
ABOUT_TIME = ("play", "seek", "beat", "leap", "step", "speed", "loop")
# What a clock that was late is not made up for beyond [s].
LATEST = 0.25
# What is on stage: nothing of what is edited, its preview, its verified motion, or a
# simulation of that.
NOTHING, PREVIEW, VERIFIED, SIMULATED = "nothing", "preview", "verified", "simulated"


class AuthoredShow:
    """A stage with a timeline.

    Attributes:
        desk: the document, and how far its motion is.
        show: the stage.
        source: what is on it.
        transport: where in it one is.
    """

    def __init__(
        self, document: AuthoredDocument, library: Library, port: int | None = None
    ) -> None:
        """Opens the stage, with the robot at rest until there is more.

        Raises:
            BackbeatError: a move of the user's own cannot be read, or the port is
                taken.
        """
        self._worker = Worker(document.building(library))
        self.desk = AuthoringDesk(document, self._worker)
        self.source: PlaybackSource = self._standing()
        self._seen, self._seen_text = NOTHING, ""
        self._library, self.trial, self._filming = library, TrialRun(), Filming()
        self._notice = 0, ""
        self._verified: PlannedSource | None = None
        own = {"kind": document.kind, "trial": offers(), **document.offers()}
        self.show = LiveShow(
            self.source,
            port,
            {name: PLAYING[name] for name in ABOUT_TIME} | TRYING,
            is_both=True,
            more={"plays": True, "timeline": own},
            services={
                "/document": self.desk.answer,
                "/edit": self.desk.edit,
                "/pictures": lambda _: self._pictures(library),
                "/shelf": lambda _: self._shelf(library),
                "/figure": Repertoire(library).figure,
            },
        )
        self.transport: Transport = at_start(self.source, 1.0, True)
        self._before = time.perf_counter()
        self._is_aimed = False
        self._frame: tuple[tuple[PlaybackSource, float], StageFrame] | None = None

    def _standing(self) -> PreviewSource:
        draft = self.desk.document.standing()
        return PreviewSource(draft, Standing(draft))

    def _pictures(self, library: Library) -> dict[str, Any]:
        """Pictures of the moves, by the robot that is on stage."""
        robot = str(self.source.behavior.robot_model.description)
        return kept_pictures(self.desk.document.path.parent, robot, library.folder)

    def _shelf(self, library: Library) -> dict[str, Any]:
        """What may be put into a setlist."""
        document = self.desk.document
        return {"choices": shelf(document.path, document.sheet().robot, library)}

    def hear(self, news: News) -> None:
        """Shows what has happened.

        Raises:
            Exception: a fault of ours in the work.
        """
        if isinstance(news, Exception):
            raise news
        self.desk.hear(news)
        if self.desk.is_empty:
            return
        if isinstance(news, Drafted):
            self.trial.end()
            preview = news.draft.preview()
            if preview is not None:
                seen = PreviewSource(news.draft, preview)
                self._put(seen, PREVIEW, self.desk.drafted, news.changed)
        elif isinstance(news, Performed):
            found = news.updated
            source = self._verified = PlannedSource(found.behavior)
            changed = None if found.knots is None else (found.start, found.end)
            self._put(source, VERIFIED, self.desk.drafted, changed)

    def _put(
        self,
        source: PlaybackSource,
        seen: str,
        text: str,
        changed: tuple[float, float] | None = None,
    ) -> None:
        """Puts a source on the stage; time goes on, or goes to what was changed."""
        self.show.put(source, aims=not self._is_aimed and seen != NOTHING)
        self._is_aimed |= seen != NOTHING
        self.source, self._seen, self._seen_text = source, seen, text
        transport = self.transport
        transport.start, transport.end = source.start, source.end
        transport.stops = stops(source)
        transport.seek(transport.time)
        if changed is not None and seen == PREVIEW:
            first, last = span_about(changed, source.end)
            if not first <= transport.time <= last:
                transport.seek(first)

    def frame(self) -> None:
        """Does what pages ask for, lets time pass, draws, and waits for the next."""
        self.desk.look()
        for news in self._worker.news():
            self.hear(news)
        if self.desk.is_empty and self._seen_text != self.desk.document.text:
            self._put(self._standing(), NOTHING, self.desk.document.text)
        now = time.perf_counter()
        elapsed, self._before = min(now - self._before, LATEST), now
        try:
            for command in self.show.commands():
                self._obey(command)
            self._go_on(elapsed)
        except BackbeatError as error:
            self._tell(ended(str(error)))
        if said := self._filming.news():
            self._tell(said)
        frame = self._frame_now()
        self.show.note_tips(frame)
        rate = self.transport.speed if self.transport.is_playing else 0.0
        self.show.draw(frame, rate, more=self._state())
        # Fewer frames leave more time for the solver.
        period = 2 * FRAME if self.desk.is_solving else FRAME
        self._worker.wait(max(0.002, period - (time.perf_counter() - now)))

    def _frame_now(self) -> StageFrame:
        """What is seen now: the frame before, where nothing has changed."""
        source, t = seen = self.source, self.transport.time
        if self._frame is None or self._frame[0] != seen:
            self._frame = seen, source.frame_at(t)
        return self._frame[1]

    def _obey(self, command: Command) -> None:
        """Does what a page asks for.

        Raises:
            BackbeatError: it cannot be done.
        """
        if command.name not in TRYING:
            self.transport.obey(command.name, command.value)
        elif command.name == "simulate":
            self._simulate(*command.value)
        elif command.name == "push":
            self.trial.push(*command.value)
            self.transport.play(True)
        elif command.name == "share":
            self._share()
        elif command.name == "film":
            self._film(command.value)
        elif self._verified is not None:
            self.trial.end()
            self._put(self._verified, VERIFIED, self._seen_text)

    def _to_share(self) -> tuple[AuthoredDocument, Behavior]:
        """The document and its verified motion.

        Raises:
            BackbeatError: it is not verified.
        """
        if self._verified is None or self.desk.phase != VERIFIED:
            raise BackbeatError("what is edited is shared when it is verified")
        return self.desk.document, self._verified.behavior

    def _share(self) -> None:
        """Writes a page that plays anywhere.

        Raises:
            BackbeatError: it cannot be made.
        """
        document, behavior = self._to_share()
        extras, lacks = extras_of(behavior, document)
        found = share(document, behavior, self.desk.answer(), extras)
        self._tell("; ".join(filter(None, (f"written: {found}", lacks))))

    def _film(self, begins: bool) -> None:
        """Begins a film of the verified motion, or cancels the one in the making.

        Raises:
            BackbeatError: it cannot be made.
        """
        if not begins:
            self._filming.cancel()
            return
        document, behavior = self._to_share()
        extras, lacks = extras_of(behavior, document)
        self._filming.begin(behavior, document.built, extras)
        if lacks:
            self._tell(lacks)

    def _tell(self, sentence: str) -> None:
        """Shows a sentence on all pages."""
        self._notice = self._notice[0] + 1, sentence

    def _simulate(self, engine: str, robot: str) -> None:
        """Begins a trial of the verified motion, or of one for another robot."""
        desk, verified = self.desk, self._verified
        if verified is None or desk.phase != VERIFIED:
            raise BackbeatError("what is edited is simulated when it is verified")
        other = for_robot(desk.document.built, robot, self._library) if robot else None
        self.trial.begin(verified.behavior, engine, other)

    def _go_on(self, elapsed: float) -> None:
        """Lets time pass, in what is simulated too."""
        made = self.trial.made()
        if made is not None:
            self._put(made, SIMULATED, self._seen_text)
            self.transport.seek(made.start)
            self.transport.loops = False
            self.transport.play(True)
        elif self.trial.source is None:
            self.transport.go_on(elapsed)
        elif self.trial.go_on(self.transport, elapsed, self.show.note_tips):
            self.desk.note_run(self.trial.errors)

    def _state(self) -> dict[str, Any]:
        transport = self.transport
        simulated = self.trial.source
        return {
            "trial": self.trial.words,
            "notice": self._notice,
            "film": self._filming.share,
            "playing": transport.is_playing,
            "speed": transport.speed,
            "loop": transport.loops,
            "start": transport.start,
            "end": transport.end,
            "reach": transport.end if simulated is None else simulated.reach,
            "shown": self._seen,
            "is shown now": self._seen_text == self.desk.document.text,
            **self.desk.state(),
        }

    def close(self) -> None:
        """Ends the show and the work."""
        self.trial.end()
        self._filming.end()
        self._worker.close()
        self.show.close()


def author(show: AuthoredShow, goes_on: Callable[[], bool] = lambda: True) -> None:
    """Shows what pages edit until Ctrl-C.

    Args:
        show: the stage.
        goes_on: asked at every frame whether to go on.
    """
    try:
        while goes_on():
            show.frame()
    finally:
        show.close()
