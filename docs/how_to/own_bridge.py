"""Both controllers behind a socket, for a simulator or a robot in any language.

One line of JSON a tick: a client sends `t`, `q` and `v`, and gets effort, set points
and gains of all joint servos. From the root of the checkout:

    .venv/bin/python docs/how_to/own_bridge.py stand --port 7440
"""

import argparse
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.actuation.joint_command import (
    DAMPING,
    EFFORT,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.timing import TickTiming

PLAN_PERIOD, TICK_PERIOD = 0.02, 0.002  # s
BLOCKS = {
    "effort": EFFORT,
    "position": POSITION,
    "velocity": VELOCITY,
    "stiffness": STIFFNESS,
    "damping": DAMPING,
}


class Bridge:
    """The controllers of one behavior, and what they remember."""

    def __init__(self, behavior: Behavior) -> None:
        """Makes the controllers."""
        self.reference = reference = Reference(behavior)
        robot = reference.robot
        program = WholeBodyProgram(robot, reference.patches, reference.points)
        self.step = PredictiveCore(PredictiveProgram(reference), PLAN_PERIOD)
        self.tick = WholeBodyCore(program, reference, TickTiming(TICK_PERIOD))
        self.slow, self.fast, self.planned = self.step.start(), self.tick.start(), -1.0

    def header(self) -> dict[str, Any]:
        """The first line."""
        robot = self.reference.robot
        q, v = self.reference.table.q[0].tolist(), [0.0] * robot.num_velocities
        return {"joints": robot.joint_names, "q": q, "v": v, "period": TICK_PERIOD}

    def answer(self, line: str) -> dict[str, Any]:
        """What the servos shall do at a measured time and state."""
        robot = self.reference.robot
        asked = json.loads(line)
        t, q, v = (
            float(asked["t"]),
            np.array(asked["q"], float),
            np.array(asked["v"], float),
        )
        if q.shape != (robot.num_positions,) or v.shape != (robot.num_velocities,):
            return {"error": f"q has {len(q)} and v {len(v)} numbers"}
        if t >= self.planned + PLAN_PERIOD - 1e-9:
            self.slow, self.planned = self.step(t, q, v, self.slow), t
        self.fast = self.tick(t, q, v, self.slow.plan, self.fast)
        blocks = self.fast.command.reshape(-1, robot.num_joints)
        return {name: blocks[i].tolist() for name, i in BLOCKS.items()}

    def answers(self, lines: TextIO) -> Iterator[dict[str, Any]]:
        """What is sent to a client, line by line."""
        yield self.header()
        for line in lines:
            try:
                yield self.answer(line)
            except (ValueError, KeyError, TypeError) as error:
                yield {"error": f"no request: {error}"}


def serve(behavior: Behavior, listening: socket.socket, clients: int = 0) -> None:
    """Serves clients one after the other; 0 for any number."""
    while True:
        connection, _ = listening.accept()
        with connection, connection.makefile("r") as lines:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for said in Bridge(behavior).answers(lines):
                connection.sendall((json.dumps(said) + "\n").encode())
        clients -= 1
        if clients == 0:
            return


def main() -> None:
    """Loads a behavior and serves it."""
    parser = argparse.ArgumentParser(description="Controllers behind a socket.")
    parser.add_argument("name", help="behavior in the library")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--port", type=int, default=7440)
    chosen = parser.parse_args()
    behavior = Library(chosen.library).load(chosen.name)
    with socket.create_server(("127.0.0.1", chosen.port)) as listening:
        print(f"{chosen.name} at 127.0.0.1:{chosen.port}")
        serve(behavior, listening)


if __name__ == "__main__":
    main()
