"""What docs/how_to/streams.md shows runs, and says what there is."""

import threading
import time

import numpy as np

from backbeat.mpc.world.joint_sample import JointSample
from backbeat.stage.sources.streamed import stream_plan
from backbeat.stream.server import MOST_READERS, JointStream
from backbeat.stream.wire import (
    LEAST_RATE,
    MOST_RATE,
    RATE,
    VERSION,
    StreamSettings,
    header,
    sample_message,
)
from tests.backbeat.performances import swaying
from tests.docs.pages import blocks, page

PAGE = page("streams")


def test_the_reader_reads(capsys):
    (code,) = blocks("streams", "python")
    assert len(code.strip().splitlines()) <= 10
    sway = swaying(0.5)
    stream = JointStream(StreamSettings(0, RATE))

    def play():
        while not stream.readers:
            time.sleep(0.002)
        stream.describe(sway.robot_model, sway.name, "planned")
        stream_plan(stream, sway, 0.0, 0.5)
        stream.close()

    thread = threading.Thread(target=play)
    thread.start()
    exec(compile(code, "streams.md", "exec"), {"PORT": stream.port})
    thread.join()
    rows = capsys.readouterr().out.splitlines()
    robot = sway.robot_model
    numbers = np.array([[float(x) for x in row.split()] for row in rows])
    assert len(numbers) == 51
    column = robot.base_positions + list(robot.joint_names).index("l_leg_kny")
    np.testing.assert_allclose(numbers[:, 1], sway.motion.q[:51, column], atol=1e-9)


def test_every_key_is_on_the_page():
    robot = swaying(0.3).robot_model
    told = header(robot, "sway", "planned", RATE)
    q, v = np.zeros(robot.num_positions), np.zeros(robot.num_velocities)
    sample = sample_message(1, JointSample(0.0, q, v, None), robot.num_joints)
    for key in [*told, *sample]:
        assert f"`{key}`" in PAGE, key
    assert f"layout, {VERSION}" in PAGE
    assert f"The rate, {LEAST_RATE:g} to {MOST_RATE:g}," in PAGE
    assert f"{MOST_READERS} readers at most" in PAGE
