"""Joint states on a port: what is told, and that nothing waits for whoever listens."""

import contextlib
import json
import socket
import time
from pathlib import Path

import msgpack
import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.joint_sample import JointSample
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from backbeat.stage.sources.streamed import planned_sample, stream_plan
from backbeat.stream.server import HOST, LEAST_BACKLOG, MOST_READERS, JointStream
from backbeat.stream.wire import StreamSettings
from tests.backbeat.performances import drumming, hand_player, swaying

# The longest that a test waits for a thread [s].
WAIT = 20.0


@pytest.fixture
def connect():
    """`connect(stream)` is a socket that the stream has welcomed."""
    with contextlib.ExitStack() as stack:

        def get(stream):
            before, until = stream.readers, time.monotonic() + WAIT
            own = socket.create_connection((HOST, stream.port), timeout=WAIT)
            stack.enter_context(own)
            while stream.readers == before and time.monotonic() < until:
                time.sleep(0.002)
            return own

        yield get


def lines(own):
    with own.makefile() as text:
        return [json.loads(line) for line in text]


@pytest.fixture(scope="module")
def sway():
    return swaying(1.0)


@pytest.mark.parametrize("form", ["json", "msgpack"])
def test_a_plan_is_told_as_it_is(sway, form, connect):
    robot, motion = sway.robot_model, sway.motion
    with JointStream(StreamSettings(0, 50.0, form)) as stream:
        own = connect(stream)
        stream.describe(robot, sway.name, "planned")
        for start in (0.0, 0.1, 0.2):
            stream_plan(stream, sway, start, start + 0.1)
        stream.close()
        if form == "json":
            header, *samples, end = lines(own)
        else:
            with own.makefile("rb") as file:
                header, *samples, end = msgpack.Unpacker(file)
    assert (header["backbeat"], header["version"]) == ("joint states", 1)
    assert header["joints"] == list(robot.joint_names)
    assert set(header["units"]["tau"]) == {"N m"}
    assert [s["t"] for s in samples] == pytest.approx(np.arange(16) / 50.0)
    assert [s["n"] for s in samples] == list(range(1, 17))
    for sample in samples:
        row = round(sample["t"] / 0.01)
        whole = [*sample["base"]["q"], *sample["q"]]
        np.testing.assert_allclose(whole, motion.q[row], atol=1e-9)
        np.testing.assert_allclose(sample["tau"], motion.tau[row], atol=1e-9)
        assert len(sample["base"]["v"]) == len(header["base"]["v"])
    assert end == {"end": True, "published": 16, "dropped": 0}


def test_a_simulation_is_told_step_by_step_and_stays_the_same(built, connect):
    behavior = built("stand")
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.1)
    alone = run_scenario(scenario, behavior)
    with JointStream(StreamSettings(0, 200.0)) as stream:
        own = connect(stream)
        stream.describe(behavior.robot_model, "stand", "simulated")
        run = run_scenario(scenario, behavior, listener=stream.listener)
        stream.close()
        _, *samples, _ = lines(own)
    assert np.array_equal(run.x, alone.x)
    assert np.array_equal(run.effort, alone.effort)
    assert [s["t"] for s in samples] == pytest.approx(
        np.arange(-0.1, 0.1001, 1 / 200), abs=1e-6
    )
    base = behavior.robot_model.base_positions
    told = {round(s["t"], 6): s for s in samples}
    for t, x, tau in zip(run.t, run.x, run.effort, strict=True):
        sample = told[round(float(t), 6)]
        assert sample["q"] == x[base : len(behavior.motion.q[0])].tolist()
        assert sample["tau"] == tau.tolist()


def test_a_slow_reader_loses_the_oldest_and_is_told(sway, connect):
    robot, q = sway.robot_model, sway.motion.q[0]
    count = 20_000
    with JointStream(StreamSettings(0, 1000.0)) as stream:
        late = connect(stream)
        connect(stream)
        stream.describe(robot, "sway", "planned")
        v, tau = np.zeros(robot.num_velocities), np.zeros(robot.num_joints)
        began = time.perf_counter()
        for k in range(count):
            stream.publish(JointSample(k / 1000.0, q, v, tau))
        took = time.perf_counter() - began
        # Nobody has read a byte: far more than any buffer holds was published.
        assert took / count < 2e-3
        assert stream.dropped > 0.5 * count
        dropped = last = came = 0
        with late.makefile() as text:
            assert json.loads(next(text))["name"] == "sway"
            for message in map(json.loads, text):
                dropped = message.get("dropped", dropped)
                if "n" in message:
                    assert message["n"] > last
                    last, came = message["n"], came + 1
                if last == count:
                    break
        # What was last comes; what is missing was counted.
        assert came + dropped == count
        assert dropped > 0.5 * count


def test_readers_come_and_go_and_too_many_are_sent_away(sway, connect):
    with JointStream(StreamSettings(0)) as stream:
        stream.describe(sway.robot_model, "sway", "planned")
        crowd = [connect(stream) for _ in range(MOST_READERS)]
        for own in crowd:
            own.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert own.recv(1)
        with socket.create_connection((HOST, stream.port), timeout=WAIT) as late:
            assert late.recv(10) == b""
        for own in crowd:
            own.close()
        until = time.monotonic() + WAIT
        while stream.readers and time.monotonic() < until:
            stream.publish(planned_sample(sway, time.monotonic()))
            time.sleep(0.01)
        assert stream.readers == 0
        again = connect(stream)
        assert again.recv(10)
        again.close()


def test_what_is_no_number_is_null_and_the_line_stays_json(sway, connect):
    robot = sway.robot_model
    q = sway.motion.q[0].copy()
    q[-1] = np.nan
    v = np.full(robot.num_velocities, np.inf)
    with JointStream(StreamSettings(0)) as stream:
        own = connect(stream)
        stream.describe(robot, "sway", "simulated")
        stream.publish(JointSample(0.0, q, v, None))
        stream.close()
        _, sample, _ = lines(own)
    assert sample["q"][-1] is None
    assert set(sample["v"]) == {None}
    assert sample["tau"] is None


def test_a_player_streams_what_it_plays(tmp_path, connect):
    library = Library(tmp_path)
    for behavior in (drumming(True, 1.0), swaying(1.0)):
        library.save(behavior)
    with JointStream(StreamSettings(0, 100.0)) as stream:
        own = connect(stream)
        sway = library.load("sway")
        playback = Playback(wait=False)
        player = Player(sway, Repertoire(library, sway), playback, stream)
        try:
            while not player.is_over:
                player.frame()
            player._choose("drums")
            for _ in range(6):
                player.frame()
        finally:
            player.close()
        stream.close()
        told = lines(own)
    headers = [m for m in told if "backbeat" in m]
    assert [(h["name"], bool(h["base"])) for h in headers] == [
        ("sway", True),
        ("drums", False),
    ]
    first = told[1 : told.index(headers[1])]
    np.testing.assert_allclose([s["t"] for s in first], np.arange(101) / 100.0)
    assert told[told.index(headers[1]) + 1]["t"] == 0.0


def test_a_hand_after_its_target_is_streamed(tmp_path, connect):
    with JointStream(StreamSettings(0, 500.0)) as stream:
        own = connect(stream)
        player = hand_player("ur10", tmp_path, wait=False, stream=stream)
        live = player.source.live
        try:
            while live.time < 0.1:
                player.frame()
            q, end = live.now().state.q.copy(), live.time
        finally:
            player.close()
        stream.close()
        told = lines(own)
    *_, header = (m for m in told if "backbeat" in m)
    samples = [m for m in told[told.index(header) :] if "q" in m]
    assert (header["name"], header["source"]) == ("task-space", "simulated")
    assert header["base"] is None
    times = [s["t"] for s in samples]
    np.testing.assert_allclose(times, np.arange(len(times)) / 500.0, atol=1e-6)
    assert times[-1] == pytest.approx(end, abs=1 / 500.0)
    np.testing.assert_allclose(samples[-1]["q"], q, atol=5e-3)
    assert np.abs(samples[-1]["tau"]).max() > 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--stream", "80"], "--stream 80 is not between 1024 and 65535"),
        (["--stream", "70000"], "--stream 70000 is not between 1024 and 65535"),
        (["--stream", "-1"], "--stream -1 is not between 1024 and 65535"),
        (["--stream", "0", "--stream-rate", "0"], "--stream-rate 0 is not between"),
        (["--stream", "0", "--stream-rate", "nan"], "--stream-rate nan is not between"),
        (["--stream", "0", "--stream-format", "xml"], "is none of json, msgpack"),
        (["--stream-rate", "10"], "go with --stream"),
        (["--stream", "0", "--record", "a.html"], "--stream is of what is live"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(tmp_path, backbeat, options, sentence):
    Library(tmp_path).save(swaying(0.3))
    code, _, error = backbeat("play", "sway", "--library", tmp_path, *options)
    assert code == 2
    assert sentence in " ".join(error.split())
    assert "Traceback" not in error


def test_a_port_that_is_taken_is_one_sentence(tmp_path, backbeat):
    Library(tmp_path).save(swaying(0.3))
    with socket.create_server((HOST, 0)) as other:
        port = other.getsockname()[1]
        for words in (
            ("play", "sway", "--library", tmp_path),
            ("play", "--task-space", "ur10"),
            ("track", "sway", "--library", tmp_path, "-o", tmp_path / "a.parquet"),
        ):
            code, _, error = backbeat(*words, "--stream", port)
            assert code == 2
            assert f"port {port} of {HOST} is taken" in " ".join(error.split())
    assert not Path(tmp_path / "a.parquet").exists()


def test_few_samples_wait_at_a_low_rate(sway, connect):
    """A reader that is away for a moment finds what was sent meanwhile."""
    with JointStream(StreamSettings(0, 1.0)) as stream:
        stream.describe(sway.robot_model, "sway", "planned")
        own = connect(stream)
        for k in range(LEAST_BACKLOG - 1):
            stream.publish(planned_sample(sway, float(k)))
        stream.close()
        header, *samples, end = lines(own)
    assert header["rate"] == 1.0
    assert len(samples) == LEAST_BACKLOG - 1
    assert end["dropped"] == 0


def test_a_reader_that_is_closed_is_no_error(sway, connect):
    stream = JointStream(StreamSettings(0))
    stream.describe(sway.robot_model, "sway", "planned")
    connect(stream).close()
    stream.publish(planned_sample(sway, 0.0))
    stream.close()
    stream.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, stream.port), timeout=1.0)
    with pytest.raises(BackbeatError, match="--stream-rate 0"):
        JointStream(StreamSettings(0, 0.0))
