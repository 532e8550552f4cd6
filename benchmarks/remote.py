"""`python -m benchmarks.remote`: the way to a remote controller, and 1 kHz over it."""

import multiprocessing
import socket
import time
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.processes.frames import FrameSocket, frame
from backbeat.mpc.control.task_space_setup import set_up
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import ControlSettings
from backbeat.mpc.remote.exchange import (
    Answer,
    Request,
    answer_message,
    read_answer,
    read_request,
    request_message,
)
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.task_exchange import TaskRequest
from backbeat.mpc.remote.task_link import TaskSpaceLink
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceSettings
from benchmarks.measurement import write_results
from benchmarks.online import OnlineRow, print_table

DIFFERENCES = (
    "The echo is a raw socket: the bytes of a question there, the bytes of an answer "
    "back, nothing looked at. Ours frames, packs and checks the same bytes at both "
    "ends, without a controller. Both go between the same two processes in turns. At "
    "1 kHz the controller is inside: the client asks at every millisecond of the wall "
    "clock, sleeping before, and counts how long each answer took."
)
NAME, ROUNDS, BATCH = "stand", 40, 100
SECONDS = 10.0
# Sleep may last longer than asked for; whoever waits is awake so long before [s].
AWAKE = 2e-4


def _messages(reference: Reference) -> tuple[Request, Answer]:
    """A question and an answer of full size."""
    robot, table = reference.robot, reference.table
    x = np.r_[table.q[0], table.v[0]]
    nj = robot.num_joints
    request = Request(1, 0.1, False, x, np.full(len(robot.soles), 800.0))
    return request, Answer(np.ones(BLOCKS * nj), np.ones(nj), False)


def _echo(pipe: Connection, behavior: Behavior) -> None:
    """The far end: answers raw bytes with raw bytes, and questions with answers."""
    request, answer = _messages(Reference(behavior))
    asked = frame(to_bytes(request_message(request)))
    back = frame(to_bytes(answer_message(1, answer)))
    sizes = len(request.x), len(request.force)
    with socket.create_server(("127.0.0.1", 0)) as door:
        pipe.send(door.getsockname())
        raw, _ = door.accept()
        own, _ = door.accept()
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    frames = FrameSocket(own)
    while pipe.recv():
        for _ in range(BATCH):
            _receive(raw, len(asked))
            raw.sendall(back)
        for _ in range(BATCH):
            found = read_request(read(frames.receive(1.0)), *sizes)
            frames.send(to_bytes(answer_message(found.number, answer)), 1.0)


def _receive(own: socket.socket, size: int) -> bytes:
    data = own.recv(size)
    while len(data) < size:
        data += own.recv(size - len(data))
    return data


def round_trips(behavior: Behavior) -> tuple[np.ndarray, np.ndarray]:
    """Wall times of echoes and of questions with answers [s]."""
    request, answer = _messages(Reference(behavior))
    asked = frame(to_bytes(request_message(request)))
    size = len(frame(to_bytes(answer_message(1, answer))))
    nj = len(answer.acceleration)
    here, there = multiprocessing.Pipe()
    far = multiprocessing.Process(target=_echo, args=(there, behavior))
    far.start()
    place = here.recv()
    raw = socket.create_connection(place)
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    frames = FrameSocket(socket.create_connection(place))
    echoes, ours = [], []
    for _ in range(ROUNDS):
        here.send(True)
        for _ in range(BATCH):
            began = time.perf_counter()
            raw.sendall(asked)
            _receive(raw, size)
            echoes.append(time.perf_counter() - began)
        for _ in range(BATCH):
            began = time.perf_counter()
            frames.send(to_bytes(request_message(request)), 1.0)
            read_answer(read(frames.receive(1.0)), 1, BLOCKS, nj)
            ours.append(time.perf_counter() - began)
    here.send(False)
    far.join()
    raw.close()
    frames.close()
    return np.array(echoes[BATCH:]), np.array(ours[BATCH:])


def _serve(pipe: Connection, behavior: Behavior | None) -> None:
    def find(name: str, robot: str) -> Behavior:
        assert behavior is not None
        return behavior

    with ControllerServer(find, address=Address(port=0)) as server:
        pipe.send(server.address)
        server.serve(lambda: bool(pipe.poll()))


def wait_until(moment: float) -> float:
    """Waits for a moment of `time.perf_counter` and returns the time then [s].

    It sleeps, for a client that spins takes a core from those who answer.
    """
    left = moment - AWAKE - time.perf_counter()
    if left > 0:
        time.sleep(left)
    while (now := time.perf_counter()) < moment:
        continue
    return now


def paced(behavior: Behavior, planner: str, seconds: float = SECONDS) -> np.ndarray:
    """Wall times from question to answer at 1 kHz, the controller inside [s]."""
    scenario = Scenario.of(
        behavior=behavior.name,
        tick_period=1e-3,
        planner=planner,
        planning_time=0.02,
    )
    reference = Reference(behavior)
    request, _ = _messages(reference)
    asked = ControlSettings(PlanSettings(), (), 0.0)
    here, there = multiprocessing.Pipe()
    # Not a daemon, for it has a child of its own.
    far = multiprocessing.Process(target=_serve, args=(there, behavior))
    far.start()
    times = []
    try:
        with RemoteLink(here.recv(), behavior, scenario) as link:
            began = time.perf_counter()
            for k in range(round(seconds * 1e3)):
                now = wait_until(began + 1e-3 * k)
                x, force = request.x, request.force
                found = link.ask(k, 1e-3 * k, k == 0, x, force, asked)
                if not isinstance(found, Answer):
                    raise SystemExit(f"benchmarks: {found}")
                times.append(time.perf_counter() - now)
                # Who is late asks at the next whole millisecond.
                began = max(began, time.perf_counter() - 1e-3 * (k + 1))
    finally:
        here.send(True)
        far.join()
    return np.array(times[100:])


def paced_task_space(seconds: float = SECONDS) -> tuple[np.ndarray, np.ndarray]:
    """Wall times from question to answer at 1 kHz in task space [s].

    The law of a UR10 with torques truncated, and that of Atlas within limits.
    """
    found = []
    for scenario in (
        TaskSpaceScenario(),
        TaskSpaceScenario(robot="atlas", control=TaskSpaceSettings(limits="program")),
    ):
        setup = set_up(scenario)
        robot, law = setup.robot, setup.law
        x = np.r_[setup.q, np.zeros(robot.num_velocities)]
        target, still = np.zeros(9), x[robot.num_positions :]
        target[:3] = law(setup.q, still, np.zeros((3, 3))).hand
        here, there = multiprocessing.Pipe()
        far = multiprocessing.Process(target=_serve, args=(there, None))
        far.start()
        times = []
        try:
            with TaskSpaceLink(here.recv(), robot, scenario) as link:
                began = time.perf_counter()
                for k in range(round(seconds * 1e3)):
                    now = wait_until(began + 1e-3 * k)
                    asked = TaskRequest(k, x, target)
                    answer = link.ask(1e-3 * k, asked, scenario.control)
                    if not isinstance(answer, TaskSpaceCommand):
                        raise SystemExit(f"benchmarks: {answer}")
                    times.append(time.perf_counter() - now)
                    began = max(began, time.perf_counter() - 1e-3 * (k + 1))
        finally:
            here.send(True)
            far.join()
        found.append(np.array(times[100:]))
    return found[0], found[1]


def measure(library: Path) -> list[OnlineRow]:
    """Measures everything; the behavior is built first where it is missing."""
    behavior = build(NAME, Library(library))
    echoes, ours = round_trips(behavior)
    us = 1e6 * np.array([np.median(echoes), np.median(ours)])
    rows = [
        OnlineRow(
            "round trip of state and command, ours / raw echo",
            float(us[1] / us[0]),
            "",
            1.5,
            details=f"ours {us[1]:.0f} us, echo {us[0]:.0f} us, medians; 99 %: ours "
            f"{1e6 * np.percentile(ours, 99):.0f}, "
            f"echo {1e6 * np.percentile(echoes, 99):.0f}",
        )
    ]
    for planner, where in (("process", "in a third process"), ("inside", "beside")):
        times = 1e3 * paced(behavior, planner)
        rows.append(
            OnlineRow(
                f"answers within 1 ms at 1 kHz, plans made {where}",
                100 * float(np.mean(times <= 1.0)),
                "%",
                99.0,
                True,
                f"median {np.median(times):.2f} ms, 99 % within "
                f"{np.percentile(times, 99):.2f}, slowest {times.max():.1f}",
            )
        )
    names = "UR10, truncated", "Atlas on a moved pelvis, by programs"
    for name, seconds in zip(names, paced_task_space(), strict=True):
        times = 1e3 * seconds
        rows.append(
            OnlineRow(
                f"answers within 1 ms at 1 kHz, task space of {name}",
                100 * float(np.mean(times <= 1.0)),
                "%",
                99.0,
                True,
                f"median {np.median(times):.2f} ms, 99 % within "
                f"{np.percentile(times, 99):.2f}, slowest {times.max():.1f}",
            )
        )
    return rows


def main(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/remote.json"
    ),
) -> None:
    """Times the way to a remote controller and back, and 1 kHz over it."""
    rows = measure(library)
    print_table(rows, "Remote controller", DIFFERENCES)
    told = [asdict(row) | {"is_met": row.is_met} for row in rows]
    write_results(out, differences=DIFFERENCES, rows=told)


if __name__ == "__main__":
    typer.run(main)
