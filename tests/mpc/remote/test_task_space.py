"""A controller in task space in another process: the same to the last bit, or held."""

import signal
import subprocess
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.analysis.hand_error import at_limits
from backbeat.mpc.analysis.hand_studies import of_task, sampled
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.remote import controller_link
from backbeat.mpc.remote.address import Address, read_address
from backbeat.mpc.remote.contents import ControlSettings, packed, unpacked
from backbeat.mpc.remote.controller import remote_controllers
from backbeat.mpc.remote.exchange import (
    NUM_TASK,
    Request,
    read_request,
    request_message,
)
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.safety.fail_safe import Cause, Mode
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.serving.session import ControllerService, ControllerSession
from backbeat.mpc.simulation.simulate import run_task_space
from backbeat.mpc.task_space.law import TaskSpaceSettings
from backbeat.mpc.task_space.settings import TaskSettings
from tests import processes

TASK = {
    "target": TargetMotion(offset=[0.05, 0.0, 0.1]),
    "hand_sensing": True,
    "effort_share": 0.3,
}
ARM = sampled(of_task("ur10", 0.25, **TASK), 2e-3, 1e-2, 1e-3).changed(
    tick_period=0.002
)
QUIET = of_task("ur10", 1.5, **TASK | {"effort_share": 1.0}).changed(tick_period=0.002)


def refuse(name, robot=""):
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


def both(scenario, address):
    """The same run with the controller inside, and in another process."""
    return run_task_space(scenario), run_task_space(
        scenario, remote_controllers(address)
    )


def assert_same(a, b):
    for name in ("t", "x", "effort", "target", "sensed"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


def test_a_run_is_the_same_bit_for_bit(serving):
    """Noise, a sensed hand, events, torques at limits; and one after the other."""
    address, _ = serving()
    events = [
        SettingEvent(0.1, target=[0.0, 0.1, 0.0], hand_sensing=False),
        SettingEvent(0.15, period=0.004, gravity_compensation=False),
    ]
    for scenario in (ARM, ARM.changed(seed=3, events=events)):
        inside, outside = both(scenario, address)
        assert np.ptp(inside.target, axis=0).max() >= 0.0
        assert at_limits(inside).any()
        assert_same(inside, outside)
        assert outside.link_safety.count == 0
        assert inside.link_safety is None


@pytest.mark.slow
@pytest.mark.parametrize("feet", ["held", "welded"])
def test_atlas_on_a_moved_pelvis_is_the_same_too(serving, feet):
    address, _ = serving()
    scenario = of_task(
        "atlas",
        0.4,
        base=BaseMotion("x rz", 0.1, 3.0, feet=feet),
        control=TaskSpaceSettings(limits="program"),
    )
    assert_same(*both(scenario.changed(tick_period=0.004), address))


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_an_arm_without_its_controller_holds(ending):
    """A process that is killed, and one that stalls: the arm stays where it was."""
    process = processes.start("serve", stdout=subprocess.PIPE)
    try:
        address = read_address(process.stdout.readline().split()[-1])
        inside = run_task_space(QUIET)
        with pytest.MonkeyPatch.context() as patch:
            ask, sent = RemoteLink.ask, []

            def end(self, number, t, *args):
                if t > 0.5 and not sent:
                    sent.append(process.send_signal(ending))
                return ask(self, number, t, *args)

            patch.setattr(RemoteLink, "ask", end)
            held = run_task_space(QUIET, remote_controllers(address))
    finally:
        process.kill()
        process.communicate()
    n = int(np.searchsorted(held.t, 0.5))
    assert held.x[:n].tobytes() == inside.x[:n].tobytes()
    assert held.link_safety.mode is Mode.HOLDING
    q, v = np.split(held.x, 2, axis=1)
    assert np.abs(v[held.t > 1.2]).max() < 0.05
    assert np.abs(q[-1] - q[n]).max() < 0.05


def test_silence_is_held_and_an_answer_ends_it(serving, monkeypatch):
    """It stalls once: carried on, held, and after five answers in a row it goes on."""
    monkeypatch.setattr(controller_link, "ANSWER", 0.1)
    reply, asked = ControllerService.reply, []

    def stall(self, message):
        asked.append(message.get("n"))
        if len(asked) == 50:
            time.sleep(0.15)
        return reply(self, message)

    monkeypatch.setattr(ControllerService, "reply", stall)
    address, _ = serving()
    run = run_task_space(QUIET, remote_controllers(address))
    safety = run.link_safety
    assert safety.mode is Mode.TRACKING
    assert [c.mode for c in safety.changes] == [
        Mode.CARRYING,
        Mode.HOLDING,
        Mode.TRACKING,
    ]
    assert safety.failures[Cause.SILENT].count >= 1
    assert 0.04 < safety.changes[1].time - safety.changes[0].time < 0.06


def test_what_is_refused_is_said_in_words(serving):
    address, _ = serving()
    behavior = task_space_behavior(ARM)
    other = of_task("atlas", 0.25)
    with pytest.raises(BackbeatError, match="the robot is 'atlas', here 'ur10'"):
        RemoteLink(address, task_space_behavior(other), ARM.check()).open()
    asleep = replace(ARM.control.task_space, start="asleep")
    with pytest.raises(BackbeatError, match="unknown posture"):
        RemoteLink(address, behavior, ARM.changed(task_space=asleep)).open()
    alone, _ = serving("stand")
    with pytest.raises(BackbeatError, match="serves 'stand', not 'task-space'"):
        run_task_space(ARM, remote_controllers(alone))
    with pytest.raises(BackbeatError, match="no controller answers"):
        run_task_space(ARM, remote_controllers(Address(port=1)))


def test_joints_are_told_by_name_in_whatever_order():
    behavior = task_space_behavior(ARM)
    robot, schema = behavior.robot_model, make_schema(behavior.robot_model)
    turned = replace(
        schema,
        joints=schema.joints[::-1],
        positions=schema.positions[::-1],
        velocities=schema.velocities[::-1],
    )
    rng = np.random.default_rng(0)
    q, v = robot.posture("ready"), rng.normal(size=6)
    task = np.zeros(NUM_TASK)
    task[:3] = task[9:12] = [0.8, 0.2, 0.3]
    settings = ControlSettings(PlanSettings(), (), 0.0, TaskSettings())
    found = []
    for own, x in ((schema, np.r_[q, v]), (turned, np.r_[q[::-1], v[::-1]])):
        service = ControllerService(ControllerSession(behavior, ARM), schema, own)
        asked = Request(7, 0.0, True, x, np.zeros(0), settings, task)
        answer = service.reply(read(to_bytes(request_message(asked))))
        found.append(np.frombuffer(answer["joints"]).reshape(-1, 6)[0])
        service.close()
    assert found[0].tobytes() == found[1][::-1].tobytes()
    assert np.abs(found[0]).max() > 1.0


def test_messages_arrive_as_they_were_sent():
    task = TaskSettings(target=(0.1, 0.0, 0.2), period=0.004, posture=False)
    settings = ControlSettings(PlanSettings(), (), 0.0, task)
    assert unpacked(ControlSettings, packed(settings)) == settings
    numbers = np.arange(float(NUM_TASK))
    request = Request(3, 0.1, False, np.arange(4.0), np.zeros(0), settings, numbers)
    told = read_request(read(to_bytes(request_message(request))), 4, 0, True)
    assert np.array_equal(told.task, numbers)
    assert told.changes == settings


@pytest.mark.parametrize(
    "task", [TaskSettings(period=float("nan")), TaskSettings(target=(0.0,)), "much"]
)
def test_settings_that_make_no_sense_are_refused(task):
    settings = ControlSettings(PlanSettings(), (), 0.0, task)
    with pytest.raises(ProtocolError, match="ControlSettings"):
        unpacked(ControlSettings, packed(settings))


def test_a_request_has_all_numbers_of_a_task():
    request = Request(3, 0.1, False, np.zeros(4), np.zeros(0))
    with pytest.raises(ProtocolError, match="doubles"):
        read_request(request_message(request), 4, 0, True)
