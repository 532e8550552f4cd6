"""A controller that does what a test tells it, in place of one that controls."""

import socket
import struct
import threading
import time

import numpy as np

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.processes.frames import FrameSocket, frame
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import Record, record_message
from backbeat.mpc.remote.exchange import Answer, answer_message
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.safety.fail_safe import Safety

z = np.zeros
PLAN = Plan(
    0.0, 0.0, 1.0, np.ones(2), z(3), z((3, 12)), z((2, 0, 6)), z((3, 3)), z((3, 0, 2))
)


class Peer:
    """Listens, welcomes, and answers question n with n in every joint's effort.

    Attributes:
        address: where.
        faults: what to do at a question's number instead: one of `FAULTS`.
        greetings: how many have connected.
        falls: number of the question from which it says that the robot has fallen.
    """

    def __init__(self, schema, faults=None, falls=np.inf):
        self.faults, self.falls = dict(faults or {}), falls
        self.greetings, self._schema = 0, schema
        self._joints, self._own = len(schema.joints), None
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = Address("127.0.0.1", self._door.getsockname()[1])
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        if self._door.fileno() >= 0:
            # Closing alone would not wake who waits for it.
            self._door.shutdown(socket.SHUT_RDWR)
            self._door.close()
        if self._own is not None and self._own.fileno() >= 0:
            self._own.shutdown(socket.SHUT_RDWR)
        self._thread.join(5.0)
        assert not self._thread.is_alive()

    def _run(self):
        while True:
            try:
                own, _ = self._door.accept()
                self._own = own
            except OSError:
                return
            try:
                self._talk(own)
            except (OSError, TimeoutError):
                continue
            finally:
                own.close()

    def _talk(self, own):
        frames = FrameSocket(own)
        frames.receive(1.0)
        self.greetings += 1
        frames.send(to_bytes({"schema": vars(self._schema)}), 1.0)
        while True:
            # Who asks may compile code before the first question.
            message = read(frames.receive(60.0))
            if "record" in message:
                record = Record(PLAN, Safety(), Safety())
                frames.send(to_bytes(record_message(record)), 1.0)
                continue
            number = message["n"]
            content = to_bytes(answer_message(number, self.answer(number)))
            fault = self.faults.pop(number, None)
            if fault is None:
                frames.send(content, 1.0)
            else:
                FAULTS[fault](self, own, frame(content), number)

    def answer(self, number):
        command = np.zeros((BLOCKS, self._joints))
        command[0] = number
        return Answer(command.ravel(), z(self._joints), number >= self.falls)

    def die(self, own, content, number):
        self._door.close()
        raise ConnectionError

    def hang_up(self, own, content, number):
        raise ConnectionError

    def stall(self, own, content, number):
        time.sleep(0.6)

    def trickle(self, own, content, number):
        """One byte after the other: each in time, all of them not."""
        for i in range(30):
            own.sendall(content[i : i + 1])
            time.sleep(0.02)

    def half(self, own, content, number):
        own.sendall(content[: len(content) // 2])
        raise ConnectionError

    def garbage(self, own, content, number):
        noise = np.random.default_rng(number).bytes(500)
        own.sendall(frame(noise))

    def noise_without_frame(self, own, content, number):
        own.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 40)

    def oversize(self, own, content, number):
        own.sendall(struct.pack("<I", 1 << 31) + content)

    def empty(self, own, content, number):
        own.sendall(struct.pack("<I", 0))

    def no_number(self, own, content, number):
        answer = self.answer(number)
        answer.command[3] = np.nan
        own.sendall(frame(to_bytes(answer_message(number, answer))))

    def too_short(self, own, content, number):
        answer = Answer(np.zeros(3), np.zeros(3), False)
        own.sendall(frame(to_bytes(answer_message(number, answer))))

    def of_before(self, own, content, number):
        message = answer_message(number - 1, self.answer(number - 1))
        own.sendall(frame(to_bytes(message)))

    def error(self, own, content, number):
        own.sendall(frame(to_bytes({"error": "no idea"})))


FAULTS = {
    name: method
    for name, method in vars(Peer).items()
    if callable(method) and not name.startswith("_") and name not in ("close", "answer")
}
