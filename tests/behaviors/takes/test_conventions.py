"""Units, orders and axes: as the format has them, checked, and said."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from backbeat.models.common.errors import BackbeatError
from tests.behaviors.takes.conftest import states_of


@pytest.fixture(scope="module")
def states():
    return states_of("g1", 50.0)


def columns(states, place=1.0, angle=1.0, order="xyzw", up="z", named=False):
    """A CSV file of the G1, without names or with those that others write."""
    p, w, q = states.q[:, 4:7], states.q[:, :4], states.joints
    if up == "y":
        p = p[:, [1, 2, 0]]
        # The axes x, y, z are written as z, x, y: a third of a turn about (1, 1, 1).
        w = product(np.array([0.5, -0.5, -0.5, -0.5]), w)
    w = np.roll(w, -1, axis=1) if order == "xyzw" else w
    table = pd.DataFrame(np.hstack([place * p, w, angle * q]))
    if named:
        table.columns = named
    return table.to_csv(index=False, header=bool(named)).encode()


def product(a, b):
    """Product of a quaternion and (n, 4) quaternions, w first."""
    w, x, y, z = a
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return b @ left.T


def same(take, states):
    """Whether a take is the motion, wherever it faces."""
    np.testing.assert_allclose(take.q, states.joints, atol=1e-6)
    np.testing.assert_allclose(take.base[:, 6], states.q[:, 6], atol=1e-6)
    # The vertical in the body says how it is tilted.
    for w, v in zip(take.base[::20, :4], states.q[::20, :4], strict=True):
        np.testing.assert_allclose(vertical(w), vertical(v), atol=1e-6)


def vertical(q):
    w, x, y, z = q
    return [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]


def test_a_file_without_names_is_that_of_the_robot(read, states):
    take = read("a.csv", columns(states), rate=50.0)
    same(take, states)
    assert take.said == (
        "a.csv: CSV of 36 columns without names, 29 joints of g1 in radians, base in "
        "meters with quaternion w last, z up, 101 samples at 50 samples/s as said"
    )
    assert "30 samples/s, usual for the format" in read("a.csv", columns(states)).said


def test_the_other_order_of_a_quaternion_is_seen_by_the_feet(read, states):
    take = read("a.csv", columns(states, order="wxyz"), rate=50.0)
    same(take, states)
    assert "quaternion w first" in take.said
    assert "feet stand only with w first, which is taken" in take.notes[0]
    kept = read("a.csv", columns(states, order="wxyz"), rate=50.0, quaternion="xyzw")
    assert "quaternion w last" in kept.said
    assert not kept.notes


def test_lengths_and_axes_are_seen_by_the_height_of_the_base(read, states):
    for options, said in (
        ({"place": 100.0}, "base in centimeters"),
        ({"place": 1e3}, "base in millimeters"),
        ({"up": "y"}, "y up"),
        ({"place": 100.0, "up": "y"}, "base in centimeters"),
    ):
        take = read("a.csv", columns(states, **options), rate=50.0)
        same(take, states)
        assert said in take.said
    with pytest.raises(
        BackbeatError, match=r"7\.22e\+03 m high .* stands with it at 0\.7"
    ):
        read("a.csv", columns(states, place=1e4))
    with pytest.raises(BackbeatError, match="length is m or cm or mm, not 'ft'"):
        read("a.csv", columns(states), length="ft")


def test_degrees_in_place_of_radians_are_refused_with_both_readings(read, states):
    raw = columns(states, angle=180 / np.pi)
    with pytest.raises(BackbeatError, match=r"has radians; with --unit degrees .* fit"):
        read("a.csv", raw)
    same(read("a.csv", raw, unit="degrees", rate=50.0), states)


@pytest.mark.parametrize(
    ("base", "joint"),
    [
        (
            ["root_x", "root_y", "root_z", "root_qw", "root_qx", "root_qy", "root_qz"],
            "",
        ),
        (["pos_x", "pos_y", "pos_z", "quat_w", "quat_x", "quat_y", "quat_z"], "_pos"),
        (["x", "y", "z", "qw", "qx", "qy", "qz"], "_rad"),
        (
            ["base.x", "base.y", "base.z", "base.qw", "base.qx", "base.qy", "base.qz"],
            "",
        ),
    ],
)
def test_names_as_others_write_them(read, states, g1, base, joint):
    names = [n.removesuffix("_joint") + joint for n in g1.joint_names]
    raw = columns(states, order="wxyz", named=[*base, *names])
    take = read("a.csv", raw, rate=50.0)
    same(take, states)
    with pytest.raises(BackbeatError, match="without one, say the rate"):
        read("a.csv", raw)
    frame = pd.read_csv(io.BytesIO(raw))
    frame.insert(0, "Time", states.t)
    assert read("a.csv", frame.to_csv(index=False).encode()).t[-1] == states.t[-1]


def test_a_unit_in_names_is_taken(read, states, g1):
    frame = pd.DataFrame(np.degrees(states.joints))
    frame.columns = [f"{n}_deg" for n in g1.joint_names]
    frame.insert(0, "t", states.t)
    take = read("a.csv", frame.to_csv(index=False).encode())
    np.testing.assert_allclose(take.q, states.joints, atol=1e-9)
    frame = frame.rename(columns={"left_knee_joint_deg": "left_knee_joint_rad"})
    with pytest.raises(BackbeatError, match="use one unit"):
        read("a.csv", frame.to_csv(index=False).encode())


@pytest.mark.parametrize("degrees", [True, False])
def test_opensim_says_its_unit(read, states, g1, degrees):
    scale = 180 / np.pi if degrees else 1.0
    frame = pd.DataFrame(scale * states.joints, columns=list(g1.joint_names))
    frame.insert(0, "time", states.t)
    frame["hip_flexion_r"] = 0.0
    head = f"take\nversion=1\ninDegrees={'yes' if degrees else 'no'}\nendheader\n"
    raw = (head + frame.to_csv(index=False, sep="\t")).encode()
    take = read("a.mot", raw)
    np.testing.assert_allclose(take.q, states.joints, atol=1e-9)
    assert f"in {'degrees' if degrees else 'radians'}" in take.said
    assert take.notes == ("a.mot: hip_flexion_r are no joints of g1 and are left out",)
    other = "radians" if degrees else "degrees"
    with pytest.raises(BackbeatError, match="as inDegrees says"):
        read("a.mot", raw, unit=other)
    wrong = raw.replace(b"0.02\t", b"high\t", 1)
    with pytest.raises(BackbeatError, match=r"a\.mot:7: time: 'high' is no number"):
        read("a.mot", wrong)
    person = (head + "time\thip_flexion_r\n0\t1\n0.1\t1\n0.2\t1\n0.3\t1\n").encode()
    with pytest.raises(BackbeatError, match="no column is a joint of g1"):
        read("a.mot", person)


def test_deepmimic_text_of_a_robot_is_read(read, states):
    lasts = np.full((len(states.t), 1), 0.02)
    rows = np.hstack([lasts, states.q[:, 4:7], states.q[:, :4], states.joints])
    text = json.dumps({"Loop": "wrap", "Frames": rows.tolist()})
    take = read("a.txt", text.encode())
    same(take, states)
    np.testing.assert_allclose(take.t, states.t, atol=1e-9)


PERSON = [0.03, 0.0, 0.88, 0.0] + 3 * [1.0, 0.0, 0.0, 0.0]
PERSON += 2 * (2 * ([1.0, 0.0, 0.0, 0.0, 0.0]) + [1.0, 0.0, 0.0, 0.0])
REFUSED_PERSONS = {
    "quaternion of the chest in frame 2 has the length 2": (9, 2.0),
    "last equally long": (0, 0.5),
    "no finite number": (5, None),
}


@pytest.mark.parametrize("why", REFUSED_PERSONS)
def test_frames_of_a_person_that_make_no_sense_are_refused(read, why):
    column, value = REFUSED_PERSONS[why]
    frames = [list(PERSON[:44]) for _ in range(60)]
    frames[2][column - 1 if column else 0] = value
    text = json.dumps({"Loop": "none", "Frames": frames})
    with pytest.raises(BackbeatError, match=why):
        read("a.txt", text.encode())


def test_what_only_code_could_read_is_refused_with_its_converter(read):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02.")
    for name, raw in (
        ("a.pkl", b"anything"),
        ("a.csv", b"\x80\x04K\x01."),
        ("a.pt", packed.getvalue()),
    ):
        with pytest.raises(BackbeatError, match=r"batch_gmr_pkl_to_csv\.py"):
            read(name, raw)
    objects = io.BytesIO()
    np.savez(objects, qpos=np.array([{}], object), fps=30)
    with pytest.raises(BackbeatError, match="made of objects"):
        read("a.npz", objects.getvalue())


def test_gaps_are_told_and_parts_cut(read, states):
    frame = pd.DataFrame({"t": states.t, "left_knee_joint": states.joints[:, 3]})
    dropped = frame.drop(index=range(30, 45))
    take = read("a.csv", dropped.to_csv(index=False).encode())
    assert take.notes == (
        "a.csv: there is a gap in the samples, from 0.58 to 0.9 s, over which the "
        "motion is interpolated",
    )
    part = take.part(0.2, 0.5, "a")
    assert part.t[0] == pytest.approx(0.2)
    assert part.t[-1] == pytest.approx(0.5)
    with pytest.raises(BackbeatError, match="the file goes from 0 to 2 s"):
        take.part(1.0, 3.0, "a")
