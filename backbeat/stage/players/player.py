"""Player: a live show that obeys its pages, planned or simulated."""

import time
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, ended
from backbeat.mpc.engines.choosing import check_engine
from backbeat.stage.live.catching_up import CatchingUp
from backbeat.stage.live.economy import Economy
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.playback import Playback
from backbeat.stage.live.preparation import Preparation, check_simulated, in_mode
from backbeat.stage.live.services import SimulationServices
from backbeat.stage.live.show import FRAME, LiveShow
from backbeat.stage.live.transport import at_start, stops
from backbeat.stage.live.user_input import UserInput
from backbeat.stage.players.editing import editable
from backbeat.stage.players.repertoire import Repertoire, choice_id, why_not_driven
from backbeat.stage.players.streaming import Streaming
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.commands import PLAYING, Command
from backbeat.stage.web.panel import SIMULATING
from backbeat.stream.server import JointStream

# Keys of the scenario with which a simulation begins anew, by command.
ANEW = {"sense": "state", "engine": "engine"}
# A frame that was late is not made up for beyond this [s].
LATEST = 0.25


class Player:
    """What is played, and what pages have made of it.

    Attributes:
        show: the stage.
        source: what is shown.
        transport: where in it one is.
        notice: number and text of the last thing that could not be done.
        busy, edits: what is waited for, and what a page asks to edit; "" for nothing.
        preparation: a simulation in the making; None for none.
        economy: what a simulation saves where it is too slow.
    """

    def __init__(
        self,
        behavior: Behavior,
        repertoire: Repertoire,
        playback: Playback,
        stream: JointStream | None = None,
    ) -> None:
        """Opens the stage; a simulation comes when it is made.

        Args:
            behavior: what to begin with.
            repertoire: what pages may choose from.
            playback: how it begins.
            stream: told of joint states and torques; None for nothing.
        """
        self._playback, self._repertoire = playback, repertoire
        self._streaming = Streaming(stream)
        self.preparation: Preparation | None = None
        self._catching_up = CatchingUp()
        self.economy = Economy(playback.detail)
        self.notice, self.busy, self.edits = (0, ""), "", ""
        self._before = time.perf_counter()
        self.source: PlannedSource | SimulationHistory = PlannedSource(behavior)
        self._scenario = playback.begun(behavior)
        self._hands: UserInput | None = None
        more = {"choices": repertoire.rows(), "chooses": playback.chooses}
        of = SimulationServices(lambda: self.source).by_path()
        readers, services = PLAYING | SIMULATING, of | {"/figure": repertoire.figure}
        self.show = LiveShow(self.source, playback.port, readers, True, more, services)
        self.transport = at_start(self.source, playback.speed, playback.loops)
        self._wants_to_play = True
        self._streaming.describe(self.source)
        if playback.is_simulated or playback.is_driven:
            self._prepare()
        self._draw()

    @property
    def is_over(self) -> bool:
        """Whether a show that waits for no page has come to its end."""
        waits = self._playback.wait or self._wants_to_play or self.preparation
        return bool(self.edits) or not (waits or self.transport.is_playing)

    def frame(self) -> None:
        """Does what pages ask for, lets time pass, draws, and waits for the next."""
        for command in self.show.commands():
            self.obey(command)
        self._welcome()
        before, self._before = self._before, time.perf_counter()
        self._go_on(min(self._before - before, LATEST))
        if self._hands is not None:
            self._hands.end_drive()
        self._draw()
        self._economize(time.perf_counter() - self._before)
        frame = self.economy.frame if self.source.is_simulated else FRAME
        time.sleep(max(0.001, frame - (time.perf_counter() - self._before)))

    def obey(self, command: Command) -> None:
        """Does what a page asks for; what cannot be done becomes a notice."""
        self._wants_to_play = False
        try:
            if command.name in SIMULATING:
                self._simulate(command.name, command.value)
                return
            self._catching_up.goal = None
            self._do(command.name, command.value)
        except BackbeatError as error:
            self._tell(str(error))

    def _do(self, name: str, value: Any) -> None:
        if name == "choose":
            self._choose(value)
        elif name == "mode":
            self._set_mode(value)
        elif name == "edit":
            self.edits = editable(self.source.behavior)
        else:
            self.transport.obey(name, value)
            if name not in ("loop", "speed"):
                self._catching_up.goal = self.transport.time

    def _simulate(self, name: str, value: Any) -> None:
        """Does something to the simulation; to its present, whatever is looked at."""
        if name == "engine":
            check_engine(value)
        if name in ANEW:
            self._scenario = self._scenario.changed(**{ANEW[name]: value})
            self._prepare()
            return
        source, hands = self.source, self._hands
        if name == "detail":
            live = source if isinstance(source, SimulationHistory) else None
            self.economy.choose(value, live)
            return
        if hands is None or not isinstance(source, SimulationHistory):
            raise BackbeatError("nothing is simulated yet: choose simulated first")
        tempo = source.tempo
        if name == "reset" and source.live.time_step != self.economy.time_step:
            self._prepare()
        elif name == "reset":
            hands.reset()
            self._forget(source)
            self.transport.seek(source.start)
            self.transport.play(True)
        elif name in ("push", "disturb", "drive"):
            getattr(hands, name)(*value)
            # It happens now, whatever is looked at.
            self._catching_up.goal = None
            self.transport.time = source.reach
            self.transport.play(True)
        elif name == "save":
            path = hands.save(self._playback.out)
            self._tell(f"saved: backbeat replay {path}")
        elif name == "set":
            hands.set(*value)
        else:
            hands.undo()
        if source.tempo != tempo:
            # Bars, beats and segments come when the new one has them.
            self.show.put(source)
            self.transport.stops = stops(source)

    def _forget(self, source: SimulationHistory) -> None:
        """Lets go of the past of a simulation that begins anew."""
        self._catching_up.forget()
        source.forget()
        self.transport.end = source.end

    def close(self) -> None:
        """Ends the show."""
        self._cancel()
        if isinstance(self.source, SimulationHistory):
            self.source.live.close()
        self.show.close()

    # --- what is played ---------------------------------------------------------

    def _choose(self, choice: str) -> None:
        behavior, mode = self._repertoire.load(choice), self._mode
        self._take(behavior)
        if mode == "planned":
            self.transport.play(True)
        else:
            self._begin(mode == "driven" and not why_not_driven(behavior))

    def _take(self, behavior: Behavior) -> None:
        """Shows another behavior, as it was planned."""
        self._scenario = self._playback.chosen(behavior, self._scenario)
        self._cancel()
        self._put(PlannedSource(behavior))

    def _begin(self, is_driven: bool) -> None:
        """Begins to make the closed loop, in which the robot is driven or is not."""
        self._scenario = in_mode(self._scenario, is_driven)
        self._prepare()

    def _set_mode(self, mode: str) -> None:
        if mode == self._mode:
            return
        shown = self.source.behavior
        other = self._repertoire.to_drive(shown) if mode == "driven" else shown
        if other is not shown or mode == "planned":
            self._take(other)
        if mode != "planned":
            self._begin(mode == "driven")

    @property
    def _mode(self) -> str:
        if self.preparation is None and not self.source.is_simulated:
            return "planned"
        return "simulated" if self._scenario.control.drive is None else "driven"

    def _prepare(self) -> None:
        """Begins to make the closed loop of what is shown."""
        behavior = self.source.behavior
        check_simulated(behavior, (of := self._playback).unverified)
        self._cancel()
        scenario = self._scenario.changed(time_step=self.economy.time_step)
        self.preparation = Preparation(behavior, scenario, of.instead)
        self.transport.seek(self.transport.start)
        self.transport.play(False)

    def _cancel(self) -> None:
        """Lets go of a closed loop that is still being made."""
        if self.preparation is not None:
            self.preparation.cancel()
        self.preparation = None

    def _put(self, source: PlannedSource | SimulationHistory) -> None:
        """Shows another source from its start."""
        if isinstance(self.source, SimulationHistory):
            self.source.live.close()
        aims = source.behavior is not self.source.behavior
        # The camera went with a robot that was driven.
        aims |= self._hands is not None and self._hands.command is not None
        self._hands = None
        if isinstance(source, SimulationHistory):
            self._hands = UserInput(source.live)
            self.economy.begin(source)
        self.source = source
        self._streaming.describe(source)
        self.show.put(source, aims=aims)
        self.transport = at_start(source, self.transport.speed, self.transport.loops)

    def _welcome(self) -> None:
        """Begins by itself: for the first browser, or with a loop that is made."""
        made = self.preparation
        self.busy = "" if made is None else made.in_words()
        if made is not None:
            if not made.is_ready:
                return
            self.preparation, self.busy = None, ""
            try:
                simulation = made.result()
            except BackbeatError as error:
                self._wants_to_play = False
                self._tell(str(error))
                return
            self._put(SimulationHistory(simulation))
            self._wants_to_play = True
        if self._wants_to_play and (self.show.is_watched or not self._playback.wait):
            self._wants_to_play = False
            self.transport.play(True)
            self._before = time.perf_counter()

    def _tell(self, sentence: str) -> None:
        self.notice = self.notice[0] + 1, ended(sentence)

    # --- time -------------------------------------------------------------------

    def _go_on(self, elapsed: float) -> None:
        """Lets time pass by the clock, or goes to the requested time first."""
        transport, source, before = self.transport, self.source, self.transport.time
        if isinstance(source, PlannedSource):
            self._catching_up.goal = None
            if not transport.go_on(elapsed) and transport.time - before > 0:
                self._streaming.tell(source, before, transport.time)
                if self.show.has_sticks and transport.time - before < LATEST:
                    self.show.note_way(source, before, transport.time)
            return
        if self._catching_up.begins_again(transport, elapsed):
            source.live.restart()
            self._forget(source)
        note = self.show.note_tips if self.show.has_sticks else None
        try:
            self._catching_up.go_on(source, transport, note)
        except BackbeatError as error:
            # The process that plans has ended: there is the plan to look at.
            self._put(PlannedSource(source.behavior))
            self._tell(str(error))

    def _economize(self, worked: float) -> None:
        """Measures a simulation that follows the clock; it saves what it must."""
        source = self.source
        if (
            not isinstance(source, SimulationHistory)
            or self.preparation
            or not (self.transport.is_playing and self._catching_up.goal is None)
            # What is looked at is the past.
            or source.reach - self.transport.time > FRAME
        ):
            self.economy.pause()
            return
        if not self.economy.note(source, self.transport.speed, worked):
            return
        is_other = source.live.time_step != self.economy.time_step
        if is_other and source.live.is_untouched and source.reach < 0.0:
            # Nothing of the behavior has been seen yet.
            self._prepare()
        else:
            self.economy.begin(source)

    # --- what is seen -----------------------------------------------------------

    def _draw(self) -> None:
        transport, source = self.transport, self.source
        rate = transport.speed if transport.is_playing else 0.0
        frame = source.frame_at(transport.time)
        self.show.note_tips(frame)
        has_pace = isinstance(source, SimulationHistory) and rate > 0
        pace = str(self._catching_up.pace) if has_pace else ""
        self.show.draw(frame, rate, pace, self._state())

    def _state(self) -> dict[str, Any]:
        """What pages show besides the frame."""
        transport, source = self.transport, self.source
        hands, goal, made = self._hands, self._catching_up.goal, self.preparation
        reach = source.reach if isinstance(source, SimulationHistory) else source.end
        return {
            "playing": transport.is_playing,
            "speed": transport.speed,
            "loop": transport.loops,
            "mode": self._mode,
            "start": transport.start,
            # The end of a robot that is driven comes when its user ends it.
            "end": reach if self._mode == "driven" else transport.end,
            "reach": reach,
            "choice": choice_id(source.behavior),
            "busy": self.busy or ("simulating up to there …" if goal else ""),
            "notice": self.notice,
            "sense": self._scenario.sensing.state,
            "engine": self._scenario.world.engine,
            "steps": None if made is None else made.progress[:2],
            "means": self.economy.sentence if source.is_simulated else "",
            "detail": self.economy.savings.detail,
            "settings": {} if hands is None else hands.settings(),
            "drive": None if hands is None else hands.drive_state(),
            "undo": 0 if hands is None else hands.changes,
        }
