"""A controller in task space in another process: the same to the last bit, or held."""

import signal
import subprocess
import threading
import time
from dataclasses import asdict, replace

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.remote import controller_link
from backbeat.mpc.remote.address import Address, read_address
from backbeat.mpc.remote.handshake import plain
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.remote.task_exchange import (
    TaskHandshake,
    TaskRequest,
    read_task_answer,
    read_task_handshake,
    read_task_request,
    task_answer_message,
    task_handshake_message,
    task_request_message,
)
from backbeat.mpc.remote.task_link import TaskSpaceLink
from backbeat.mpc.remote.task_space import remote_task_space
from backbeat.mpc.safety.fail_safe import Cause, Failure, Mode
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.task_sensing import TaskNoise
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.serving.task_service import TaskSpaceService
from backbeat.mpc.simulation.task_space.run import run_task_space
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceSettings
from tests import processes

ARM = TaskSpaceScenario(
    target=TargetMotion(offset=[0.05, 0.0, 0.1]),
    period=0.002,
    noise=TaskNoise(angle=2e-3, rate=1e-2, hand=1e-3),
    hand_sensing=True,
    effort_share=0.3,
    duration=0.25,
)


def refuse(name):
    raise BackbeatError(f"there is no behavior {name!r}")


@pytest.fixture
def serving():
    """`serving()` starts a server in a thread and returns it, `stop` ends it."""
    running = []

    def start(only=""):
        server = ControllerServer(refuse, only, Address(port=0))
        stop = threading.Event()
        thread = threading.Thread(target=server.serve, args=[stop.is_set])
        thread.start()

        def end():
            stop.set()
            thread.join()
            server.close()

        running.append(end)
        return server.address, end

    yield start
    for end in running:
        end()


def assert_same(a, b):
    for name in ("t", "q", "v", "effort", "at_limit", "hand"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


def test_a_run_is_the_same_bit_for_bit(serving):
    """Noise, a sensed hand, torques at their limits; and one after the other."""
    address, _ = serving()
    for scenario in (ARM, replace(ARM, hand_sensing=False, seed=3)):
        inside, outside = (
            run_task_space(scenario),
            run_task_space(scenario, remote_task_space(address)),
        )
        assert np.ptp(inside.hand, axis=0).max() > 0.02
        assert inside.at_limit.any()
        assert_same(inside, outside)
        assert outside.link_safety.count == 0
        assert inside.link_safety is None


@pytest.mark.slow
@pytest.mark.parametrize("feet", ["held", "welded"])
def test_atlas_on_a_moved_pelvis_is_the_same_too(serving, feet):
    address, _ = serving()
    scenario = TaskSpaceScenario(
        robot="atlas",
        period=0.004,
        base=BaseMotion("x rz", 0.1, 3.0, feet=feet),
        control=TaskSpaceSettings(limits="program"),
        duration=0.4,
    )
    assert_same(
        run_task_space(scenario), run_task_space(scenario, remote_task_space(address))
    )


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_an_arm_without_its_controller_holds(ending):
    """A process that is killed, and one that stalls: the arm stays where it was."""
    process = processes.start("serve", stdout=subprocess.PIPE)
    try:
        address = read_address(process.stdout.readline().split()[-1])
        scenario = replace(ARM, noise=TaskNoise(), effort_share=1.0, duration=1.5)
        inside = run_task_space(scenario)
        with pytest.MonkeyPatch.context() as patch:
            ask, sent = TaskSpaceLink.ask, []

            def end(self, t, *args):
                if t > 0.5 and not sent:
                    sent.append(process.send_signal(ending))
                return ask(self, t, *args)

            patch.setattr(TaskSpaceLink, "ask", end)
            held = run_task_space(scenario, remote_task_space(address))
    finally:
        process.kill()
        process.communicate()
    n = int(np.searchsorted(held.t, 0.5))
    assert held.q[:n].tobytes() == inside.q[:n].tobytes()
    assert held.link_safety.mode is Mode.HOLDING
    assert np.abs(held.v[held.t > 1.2]).max() < 0.05
    assert np.abs(held.q[-1] - held.q[n]).max() < 0.05


def test_silence_is_held_and_an_answer_ends_it(serving, monkeypatch):
    """It stalls once: carried on, held, and after five answers in a row it goes on."""
    monkeypatch.setattr(controller_link, "ANSWER", 0.1)
    reply, asked = TaskSpaceService.reply, []

    def stall(self, message):
        asked.append(message["n"])
        if len(asked) == 50:
            time.sleep(0.15)
        return reply(self, message)

    monkeypatch.setattr(TaskSpaceService, "reply", stall)
    address, _ = serving()
    scenario = replace(ARM, noise=TaskNoise(angle=1e-4), effort_share=1.0, duration=1.5)
    run = run_task_space(scenario, remote_task_space(address))
    safety = run.link_safety
    assert safety.mode is Mode.TRACKING
    assert [c.mode for c in safety.changes] == [
        Mode.CARRYING,
        Mode.HOLDING,
        Mode.TRACKING,
    ]
    assert safety.failures[Cause.SILENT].count >= 1
    assert 0.04 < safety.changes[1].time - safety.changes[0].time < 0.06
    # At the end it is where the target is.
    assert run.error[-1] < 0.02


def test_what_is_refused_is_said_in_words(serving):
    address, _ = serving()
    other = RobotModel("atlas")
    with pytest.raises(BackbeatError, match="the robot is 'atlas', here 'ur10'"):
        TaskSpaceLink(address, other, ARM).open()
    asleep = TaskSpaceLink(address, RobotModel("ur10"), replace(ARM, start="asleep"))
    with pytest.raises(BackbeatError, match="unknown posture"):
        asleep.open()
    alone, _ = serving("stand")
    with pytest.raises(BackbeatError, match="serves 'stand' alone, and no task space"):
        run_task_space(ARM, remote_task_space(alone))
    with pytest.raises(BackbeatError, match="no controller answers"):
        run_task_space(ARM, remote_task_space(Address(port=1)))


def test_joints_are_told_by_name_in_whatever_order():
    robot = RobotModel("ur10")
    schema = make_schema(robot)
    turned = replace(
        schema,
        joints=schema.joints[::-1],
        positions=schema.positions[::-1],
        velocities=schema.velocities[::-1],
    )
    rng = np.random.default_rng(0)
    q, v = robot.posture("ready"), rng.normal(size=6)
    target = np.r_[0.8, 0.2, 0.3, np.zeros(6)]
    found = []
    for own, x in ((schema, np.r_[q, v]), (turned, np.r_[q[::-1], v[::-1]])):
        service = TaskSpaceService(TaskHandshake(own, plain(asdict(ARM))))
        asked = task_request_message(TaskRequest(7, x, target))
        answer = service.reply(read(to_bytes(asked)))
        found.append(read_task_answer(read(to_bytes(answer)), 7, 6).tau)
    assert found[0].tobytes() == found[1][::-1].tobytes()
    assert np.abs(found[0]).max() > 1.0


def test_messages_arrive_as_they_were_sent():
    settings = TaskSpaceSettings(stiffness=100.0, limits="program", task=False)
    request = TaskRequest(
        3, np.arange(4.0), np.arange(9.0), None, np.ones(3), np.arange(6.0), settings
    )
    told = read_task_request(read(to_bytes(task_request_message(request))), 4)
    for name, value in request._asdict().items():
        found = getattr(told, name)
        assert np.array_equal(found, value) if name != "settings" else found == value
    command = TaskSpaceCommand(np.arange(2.0), np.array([True, False]), np.ones(3))
    answer = read_task_answer(read(to_bytes(task_answer_message(3, command))), 3, 2)
    assert np.array_equal(answer.tau, command.tau)
    assert np.array_equal(answer.at_limit, command.at_limit)
    handshake = TaskHandshake(make_schema(RobotModel("ur10")), {"robot": "ur10"})
    assert (
        read_task_handshake(read(to_bytes(task_handshake_message(handshake))))
        == handshake
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"n": "three"}, "'n'"),
        ({"given": 9}, "'given'"),
        ({"sensed": b"12345678"}, "doubles"),
        ({"sensed": np.full(25, np.nan).tobytes()}, "finite"),
        ({"settings": {"stiffness": "much"}}, "settings"),
        ({"settings": {"limits": "hope"}}, "way at limits"),
        ({"settings": 1}, "'settings'"),
    ],
)
def test_what_makes_no_sense_is_said(change, says):
    message = task_request_message(TaskRequest(3, np.zeros(4), np.zeros(9)))
    with pytest.raises(ProtocolError, match=says):
        read_task_request(message | change, 4)
    command = TaskSpaceCommand(np.zeros(2), np.zeros(2, bool), np.zeros(3))
    answer = task_answer_message(3, command)
    for wrong in (
        {"n": 4},
        {"torques": b""},
        {"torques": np.full(7, np.inf).tobytes()},
    ):
        with pytest.raises(ProtocolError):
            read_task_answer(answer | wrong, 3, 2)


def test_a_failure_is_no_command():
    link = TaskSpaceLink(Address(port=1), RobotModel("ur10"), ARM)
    asked = TaskRequest(0, np.zeros(12), np.zeros(9))
    found = link.ask(0.0, asked, TaskSpaceSettings())
    assert isinstance(found, Failure)
    assert found.cause is Cause.LOST
