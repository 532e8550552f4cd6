"""MCAP files, read back by the package's own reader."""

import io
import sys

import numpy as np
import pytest

from backbeat.behaviors.takes.joint_orders import body_names
from backbeat.behaviors.takes.writers.mcap_file import CHANNELS, write_mcap
from backbeat.behaviors.takes.writers.robot_shapes import robot_shapes
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.takes.conftest import robot_named, states_of

TIME = "google.protobuf.Timestamp"


@pytest.fixture(scope="module")
def states():
    return states_of("g1", 50.0)


def plain(value):
    """A message as dictionaries, lists and numbers; times in seconds."""
    if not hasattr(value, "DESCRIPTOR"):
        return value
    if value.DESCRIPTOR.full_name == TIME:
        return value.seconds + 1e-9 * value.nanos
    found = {}
    for field in value.DESCRIPTOR.fields:
        held = getattr(value, field.name)
        many = field.is_repeated
        found[field.name] = [plain(v) for v in held] if many else plain(held)
    return found


@pytest.fixture(scope="module")
def messages(states):
    """Time [s], schema, topic and message of each, as the reader has them."""
    reading = pytest.importorskip("mcap.reader")
    decoding = pytest.importorskip("mcap_protobuf.decoder")
    file = io.BytesIO(write_mcap(states))
    reader = reading.make_reader(file, decoder_factories=[decoding.DecoderFactory()])
    return [
        (message.log_time / 1e9, schema, channel.topic, plain(decoded))
        for schema, channel, message, decoded in reader.iter_decoded_messages()
    ]


def of(messages, topic):
    return [(time, message) for time, _, at, message in messages if at == topic]


def numbers_in(value):
    """All numbers of a message."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [n for inner in value for n in numbers_in(inner)]
    return [value] if isinstance(value, int | float) else []


def test_every_topic_has_its_message_with_a_time(messages):
    assert {topic for _, _, topic, _ in messages} == set(CHANNELS)
    for time, schema, topic, message in messages:
        assert (schema.name, schema.encoding) == (CHANNELS[topic], "protobuf")
        assert np.isfinite(numbers_in(message)).all()
        if topic in ("/joint_states", "/metrics"):
            assert message["timestamp"] == pytest.approx(time, abs=1e-9)


def test_metrics_are_those_of_the_motion(messages, states):
    metrics = of(messages, "/metrics")
    height = [m["center_of_mass_height_m"] for _, m in metrics]
    np.testing.assert_array_equal(height, states.center_of_mass[:, 2])
    load = [m["ground_force_weights"] for _, m in metrics]
    want = states.wrench[:, :, 5].sum(axis=1) / states.robot.weight
    np.testing.assert_allclose(load, want, atol=1e-12)


def test_joints_and_frames_are_those_of_the_motion(messages, states):
    joints = of(messages, "/joint_states")
    assert len(joints) == len(states.t)
    for i, (time, message) in enumerate(joints):
        assert time == pytest.approx(states.t[i], abs=1e-9)
        assert [j["name"] for j in message["joints"]] == list(states.robot.joint_names)
        np.testing.assert_array_equal(
            [j["position"] for j in message["joints"]], states.joints[i]
        )
        np.testing.assert_array_equal(
            [j["effort"] for j in message["joints"]], states.tau[i]
        )
    _, message = of(messages, "/tf")[40]
    robot = states.robot
    context = robot.plant.CreateDefaultContext()
    robot.plant.SetPositions(context, states.q[40])
    for frame in message["transforms"]:
        body = robot.plant.GetBodyByName(frame["child_frame_id"])
        X = robot.plant.EvalBodyPoseInWorld(context, body)
        p, r = frame["translation"], frame["rotation"]
        np.testing.assert_allclose([p[a] for a in "xyz"], X.translation(), atol=1e-9)
        w = X.rotation().ToQuaternion().wxyz()
        assert abs(np.dot([r[a] for a in "wxyz"], w)) > 1 - 1e-9


def test_arrows_point_where_forces_do(messages, states):
    _, message = of(messages, "/contacts")[20]
    (entity,) = message["entities"]
    for c, arrow in enumerate(entity["arrows"]):
        force = states.wrench[20, c, 3:]
        q = arrow["pose"]["orientation"]
        w, x, y, z = (q[a] for a in "wxyz")
        along = [
            w * w + x * x - y * y - z * z,
            2 * (x * y + w * z),
            2 * (x * z - w * y),
        ]
        np.testing.assert_allclose(along, force / np.linalg.norm(force), atol=1e-6)
        place = [arrow["pose"]["position"][a] for a in "xyz"]
        np.testing.assert_allclose(place, states.contact_places[20, c], atol=1e-5)
    (ball,) = entity["spheres"]
    center = [ball["pose"]["position"][a] for a in "xyz"]
    np.testing.assert_allclose(center, states.center_of_mass[20], atol=1e-5)


@pytest.mark.parametrize("name", ["g1", "atlas"])
def test_shapes_are_about_where_the_bodies_are(name):
    """Every body with mass is seen, and its shape is around its center of mass."""
    robot = robot_named(name)
    shapes = robot_shapes(robot)
    heavy = 0
    for b, body in enumerate(body_names(robot)):
        if robot.tree.mass[b] < 0.5:
            continue
        primitives = shapes[body]
        points = np.array(
            [
                [p[a] for a in "xyz"]
                for mesh in primitives["triangles"]
                for p in mesh["points"]
            ]
        )
        low, high = points.min(axis=0) - 0.1, points.max(axis=0) + 0.1
        assert ((low < robot.tree.p_BoBcm[b]) & (robot.tree.p_BoBcm[b] < high)).all()
        heavy += 1
    assert heavy > 8


def test_without_the_package_it_is_said(states, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcap_protobuf.writer", None)
    with pytest.raises(BackbeatError, match="pip install mcap-protobuf-support"):
        write_mcap(states)
