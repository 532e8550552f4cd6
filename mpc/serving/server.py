"""ControllerServer: waits for a simulation and controls its robot.

One simulation at a time; other clients are refused with a sentence. What comes
from outside can end a connection, never the server.
"""

import errno
import gc
import json
import os
import select
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, clipped, shown
from backbeat.models.common.processes.frames import FrameSocket, ProtocolError
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.controller import check_periods
from backbeat.mpc.remote.handshake import Handshake, read_handshake
from backbeat.mpc.remote.link import motion_fingerprint
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import Schema, differences, make_schema
from backbeat.mpc.remote.task_exchange import TaskHandshake, read_task_handshake
from backbeat.mpc.scenario.specification import read_scenario
from backbeat.mpc.serving.session import ControllerService, ControllerSession
from backbeat.mpc.serving.task_service import TaskSpaceService
from backbeat.mpc.weights.controller_weights import read_all_weights

# Longest that a frame may take from its first byte to its last, or to be sent [s];
# for the handshake [s]; and that a client may be silent [s].
FRAME, GREETING, SILENCE = 1.0, 1.0, 60.0
# How often the server looks whether it shall end [s].
LOOK = 0.2
# How many refused clients are still sent the reason.
LEAVING = 8

Remark = Callable[[str], None]
FindBehavior = Callable[[str, str], Behavior]


class Service(Protocol):
    """Controllers of one kind, for a client over a connection.

    Attributes:
        schema: the order of their numbers.
        what: what they control, in words.
        ticks: wall times from request to answer [s].
    """

    schema: Schema
    what: str
    ticks: list[float]

    def begin(self) -> None:
        """Begins with a new client."""

    def reply(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message; ProtocolError if it makes no sense."""

    def close(self) -> None:
        """Ends what it has started."""


@dataclass
class Client:
    """The client.

    Attributes:
        frames: the connection.
        name: where it comes from.
        service: its controllers.
        heard: time of its last message [s].
    """

    frames: FrameSocket
    name: str
    service: Service
    heard: float = field(default_factory=time.monotonic)

    def report(self) -> str:
        """What was done for it, in words."""
        if not self.service.ticks:
            return f"{self.name} left without a request"
        ms = 1e3 * np.array(self.service.ticks)
        return (
            f"{self.name} left after {len(ms)} ticks: median {np.median(ms):.2f} ms, "
            f"99 % within {np.percentile(ms, 99):.2f} ms"
        )


class ControllerServer:
    """A controller that listens.

    Attributes:
        address: where, with the port that was found.
    """

    def __init__(
        self,
        find: FindBehavior,
        only: str = "",
        address: Address | None = None,
        remark: Remark = lambda text: None,
    ) -> None:
        """Begins to listen.

        Args:
            find: the behavior of a name and a robot, which is "" where the client's
                scenario names none; raises BackbeatError without one.
            only: name of the one behavior that is served; "" for any.
            address: where to listen; None for the usual place.
            remark: called with what happens, in words.

        Raises:
            BackbeatError: the place is taken or does not exist.
        """
        wanted = address or Address()
        self._find, self._only, self._remark = find, only, remark
        try:
            self._door = socket.create_server((wanted.host, wanted.port))
        except (OSError, UnicodeError) as error:
            raise _no_door(wanted, error) from None
        self.address = Address(wanted.host, self._door.getsockname()[1])
        self._client: Client | None = None
        self._made: tuple[Handshake | TaskHandshake, Service] | None = None
        self._leaving: list[FrameSocket] = []

    def __enter__(self) -> "ControllerServer":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up and listens no more."""
        self._leave()
        self._door.close()
        for frames in self._leaving:
            frames.close()
        self._forget()

    def serve(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Answers until `stop` says so, which is called a few times a second."""
        door = self._door.fileno()
        with threadpool_limits(1):
            while not stop():
                poll = select.poll()
                poll.register(door, select.POLLIN)
                if self._client is not None:
                    poll.register(self._client.frames.fileno(), select.POLLIN)
                self._wait(poll, door, stop)

    def _wait(self, poll: "select.poll", door: int, stop: Callable[[], bool]) -> None:
        """Answers one client until it leaves or comes."""
        client, looked = self._client, time.monotonic()
        while self._client is client:
            ready = [place for place, _ in poll.poll(1e3 * LOOK)]
            if client is not None and client.frames.fileno() in ready:
                self._answer(client)
            if door in ready:
                self._open_door()
            if time.monotonic() - looked > LOOK:
                looked = time.monotonic()
                if stop():
                    return
                if client is not None and looked - client.heard > SILENCE:
                    self._leave(f"silent for {SILENCE:g} s")

    def _answer(self, client: Client) -> None:
        """Answers what has arrived."""
        try:
            content: bytes | None = client.frames.receive(FRAME)
            while content is not None:
                reply = to_bytes(client.service.reply(read(content)))
                client.frames.send(reply, FRAME)
                client.heard = time.monotonic()
                content = client.frames.waiting()
        except (ProtocolError, BackbeatError, TimeoutError) as error:
            self._send_away(client.frames, {"error": str(error)})
            self._leave(str(error))
        except OSError:
            self._leave()
        except Exception as error:  # A fault of the server itself.
            traceback.print_exc()
            self._send_away(client.frames, {"error": _fault(error)})
            self._leave(_fault(error))
            self._forget()

    def _open_door(self) -> None:
        """Accepts a client, or refuses it with a reason."""
        own, place = self._door.accept()
        name = f"{place[0]}:{place[1]}"
        frames = FrameSocket(own)
        if self._client is not None:
            busy = f"it controls {self._client.name}, and one simulation at a time"
            self._refuse(frames, name, busy)
            return
        try:
            message = read(frames.receive(GREETING))
            if "task_space" in message:
                service = self._admit_task(read_task_handshake(message))
            else:
                service = self._admit(read_handshake(message))
        except BackbeatError as error:
            self._refuse(frames, name, str(error))
            return
        except (ProtocolError, OSError) as error:
            self._refuse(frames, name, f"no greeting: {error}")
            return
        except Exception as error:  # As in `_answer`.
            traceback.print_exc()
            self._refuse(frames, name, _fault(error))
            self._forget()
            return
        try:
            frames.send(to_bytes({"schema": vars(service.schema)}), FRAME)
        except OSError:
            frames.close()
            return
        service.begin()
        self._client = Client(frames, name, service)
        self._remark(f"{name} is controlled: {service.what}")

    def _admit(self, handshake: Handshake) -> Service:
        """Makes the controllers of a handshake.

        Raises:
            BackbeatError: they would not be those that it means.
        """
        if self._only and handshake.behavior != self._only:
            raise BackbeatError(
                f"it serves {self._only!r}, not {handshake.behavior!r}; "
                f"`backbeat serve {handshake.behavior}` would"
            )
        robot = handshake.scenario.get("robot", "")
        behavior = self._find(handshake.behavior, str(robot))
        schema = make_schema(behavior.robot_model)
        found = differences(schema, handshake.schema)
        if not found and motion_fingerprint(behavior) != handshake.motion:
            found = [
                f"the behavior {handshake.behavior!r} is another one here; build it "
                "again in both libraries, or share one"
            ]
        if found:
            raise BackbeatError("; ".join(found))

        def make() -> Service:
            session = self._make(behavior, handshake)
            return ControllerService(session, schema, handshake.schema)

        return self._prepared(handshake, make)

    def _admit_task(self, handshake: TaskHandshake) -> Service:
        """Makes the controller in task space of a handshake.

        Raises:
            BackbeatError: it would not be the one that it means.
        """
        if self._only:
            raise BackbeatError(
                f"it serves {self._only!r} alone, and no task space; `backbeat serve` "
                "without a name would"
            )

        def make() -> Service:
            self._remark("getting ready for task space")
            return TaskSpaceService(handshake)

        return self._prepared(handshake, make)

    def _prepared(
        self, handshake: Handshake | TaskHandshake, make: Callable[[], Service]
    ) -> Service:
        """What was made for a greeting; the last is kept, should it come again."""
        if self._made is None or self._made[0] != handshake:
            self._forget()
            # A search for all objects that are not needed any more takes a
            # hundred ticks: it is done now, and what is left is not looked at again.
            self._made = handshake, make()
            gc.collect()
            gc.freeze()
        return self._made[1]

    def _forget(self) -> None:
        """Lets the controllers go that were made last."""
        if self._made is not None:
            self._made[1].close()
            self._made = None
            gc.unfreeze()

    def _make(self, behavior: Behavior, handshake: Handshake) -> ControllerSession:
        text = json.dumps(handshake.scenario)
        scenario = read_scenario(text, "the scenario").check()
        check_periods(scenario.timing)
        weights = None
        if handshake.weights is not None:
            weights = read_all_weights(handshake.weights, "the weights")
        self._remark(f"getting ready for {handshake.behavior}")
        return ControllerSession(behavior, scenario, weights)

    def _refuse(self, frames: FrameSocket, name: str, why: str) -> None:
        self._remark(f"{name} is refused: {why}")
        self._send_away(frames, {"refused": why})
        # Closed at once, with what it sent unread, it would not receive the reason.
        self._leaving.append(frames)
        while len(self._leaving) > LEAVING:
            self._leaving.pop(0).close()

    def _send_away(self, frames: FrameSocket, message: dict[str, str]) -> None:
        try:
            frames.send(to_bytes(message), FRAME)
        except OSError:
            return

    def _leave(self, why: str = "") -> None:
        """Lets the client go."""
        if self._client is None:
            return
        self._client.frames.close()
        self._remark(self._client.report() + (f" ({why})" if why else ""))
        self._client = None


def _fault(error: Exception) -> str:
    """A fault of the server as a sentence for the client."""
    what = clipped(f"{type(error).__name__}: {error}")
    return f"the controller has a fault ({what}); please report it"


def _no_door(wanted: Address, error: OSError | UnicodeError) -> BackbeatError:
    """Why an address cannot be used, and which part of it to change."""
    # Errors of the name lookup have negative numbers.
    number = (error.errno if isinstance(error, OSError) else None) or -1
    if number < 0:
        return BackbeatError(
            f"cannot listen at {shown(wanted.host)}: there is no machine of that name; "
            "choose another --host, for instance 127.0.0.1"
        )
    part = "host" if number == errno.EADDRNOTAVAIL else "port"
    return BackbeatError(
        f"cannot listen at {wanted}: {os.strerror(number)}; choose another --{part}"
    )
