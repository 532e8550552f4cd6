"""BVH files: forward kinematics by hand and by SciPy, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backbeat.behaviors.retargeting import skeleton
from backbeat.behaviors.retargeting.bvh import parse_bvh, read_bvh
from backbeat.models.common.errors import BackbeatError

ARM = """\
HIERARCHY
ROOT Hips
{
  OFFSET 9 9 9
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm {
    CHANNELS 3 Yrotation Zrotation Xrotation
    OFFSET 1 0 0
    End Site
    {
      OFFSET 0 2 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.02
0 0 0 0 0 0 0 0 0
1 2 3 0 0 0 0 0 0
0 0 0 90 0 0 0 0 0
0 0 0 10 20 30 40 50 60
"""


def test_places_and_rotations_are_those_of_euler_angles():
    """The root's place is its channels', not its offset; turns follow the channels."""
    motion = parse_bvh(ARM.encode(), "arm.bvh")
    assert motion.names == ("Hips", "Arm", "Arm end")
    p, R = motion.poses((0, 1, 2))
    np.testing.assert_allclose(p[0], [[0, 0, 0], [1, 0, 0], [1, 2, 0]], atol=1e-12)
    np.testing.assert_allclose(p[1], [[1, 2, 3], [2, 2, 3], [2, 4, 3]], atol=1e-12)
    np.testing.assert_allclose(p[2], [[0, 0, 0], [0, 1, 0], [-2, 1, 0]], atol=1e-12)
    root = Rotation.from_euler("ZXY", [10, 20, 30], degrees=True)
    arm = root * Rotation.from_euler("YZX", [40, 50, 60], degrees=True)
    np.testing.assert_allclose(R[3, 0], root.as_matrix(), atol=1e-12)
    np.testing.assert_allclose(R[3, 1], arm.as_matrix(), atol=1e-12)
    tip = root.apply([1, 0, 0]) + arm.apply([0, 2, 0])
    np.testing.assert_allclose(p[3, 2], tip, atol=1e-12)


def test_a_joint_with_channels_for_its_place_has_it_from_there():
    text = ARM.replace(
        "CHANNELS 3 Yrotation Zrotation Xrotation", "CHANNELS 2 Yposition Zrotation"
    )
    frames = [line for line in text.splitlines() if line[0].isdigit()]
    for line in frames:
        text = text.replace(f"\n{line}\n", f"\n{' '.join(line.split()[:8])}\n")
    text = text.replace("\n0 0 0 0 0 0 0 0\n", "\n0 0 0 0 0 0 5 90\n")
    motion = parse_bvh(text.encode(), "arm.bvh")
    p, _ = motion.poses((1, 2))
    np.testing.assert_allclose(p[0], [[1, 5, 0], [-1, 5, 0]], atol=1e-12)


def test_a_long_motion_is_the_same_in_parts(monkeypatch):
    motion = parse_bvh(ARM.encode(), "arm.bvh")
    p, R = motion.poses((2, 0))
    monkeypatch.setattr(skeleton, "AT_ONCE", 3)
    part, turn = motion.poses((2, 0), (1,))
    np.testing.assert_array_equal(part, p)
    np.testing.assert_array_equal(turn[:, 0], motion.poses((1,))[1][:, 0])
    assert turn.shape == (4, 1, 3, 3)
    assert R.shape == (4, 2, 3, 3)


BROKEN = {
    "a joint inside itself": ("JOINT Arm", "JOINT Hips", "'Hips' is there twice"),
    "a million channels": (
        "CHANNELS 3",
        "CHANNELS 1000000",
        "are a number and so many",
    ),
    "an unknown channel": ("Yrotation Zrot", "Wrotation Zrot", "each once"),
    "a channel twice": ("Yrotation Zrot", "Zrotation Zrot", "each once"),
    "no brace": ("Hips\n{", "Hips\n", "'Hips' has no brace"),
    "too many frames": ("50 60\n", f"50 60\n{9 * '0 '}\n", "4 frames are announced"),
    "too few frames": ("Frames: 4", "Frames: 5", "5 frames are announced and 4 are"),
    "billions of frames": (
        "Frames: 4",
        "Frames: 999999999",
        "has more than 150000 frames",
    ),
    "a count that is none": ("Frames: 4", "Frames: many", "'Frames:' and their number"),
    "no time": ("Time: 0.02", "Time: 0", "a frame takes 0 s"),
    "time that runs back": ("Time: 0.02", "Time: -0.02", "a frame takes -0.02 s"),
    "time that is none": ("Time: 0.02", "Time: nan", "Frame Time has 1 finite"),
    "no number": ("1 2 3", "1 nan 3", ":19: 'nan' is no place and no angle"),
    "a distant place": ("1 2 3", "1 1e9 3", ":19: '1e9' is no place and no angle"),
    "a word": ("1 2 3", "1 two 3", ":19: 'two' is no place and no angle"),
    "a number of Python": ("1 2 3", "1 2_0 3", ":19: '2_0' is no place"),
    "a short line": ("1 2 3", "1 2", ":19: 8 numbers for 9 channels"),
    "an offset": ("OFFSET 1 0 0", "OFFSET 1 0", "the offset of 'Arm' has 3 finite"),
    "channels twice": ("CHANNELS 3 Y", "CHANNELS 0\nCHANNELS 3 Y", "one line"),
    "two skeletons": ("MOTION", "ROOT B {\n", "a second skeleton begins"),
    "another file": ("HIERARCHY", "HIER", "begins with the line HIERARCHY"),
    "no motion": ("MOTION", "END", "'END' is not part of a hierarchy"),
    "an open brace": ("}\nMOTION", "MOTION", "1 braces are open at MOTION"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_no_motion_is_refused_in_one_sentence(what):
    good, bad, said = BROKEN[what]
    assert good in ARM
    with pytest.raises(BackbeatError) as error:
        parse_bvh(ARM.replace(good, bad, 1).encode(), "arm.bvh")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_skeleton_that_is_too_deep_or_has_no_channels_is_refused():
    deep = "".join(
        f"JOINT j{k} {{\nOFFSET 0 0 1\nCHANNELS 1 Xrotation\n" for k in range(100)
    )
    text = ARM.replace("  JOINT Arm {", f"{deep}JOINT Arm {{", 1)
    with pytest.raises(BackbeatError, match="60 of them one inside the other"):
        parse_bvh(text.encode(), "deep.bvh")
    still = "HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 4\n"
    with pytest.raises(BackbeatError, match="no joint has a channel"):
        parse_bvh(f"{still}Frame Time: 0.1\n".encode(), "still.bvh")


def test_windows_lines_marks_and_small_letters_are_read(tmp_path):
    path = tmp_path / "arm.bvh"
    text = ARM.replace("Xposition", "xPosition").replace("JOINT", "Joint")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    motion, plain = read_bvh(path), parse_bvh(ARM.encode(), "arm.bvh")
    np.testing.assert_array_equal(motion.values, plain.values)
    assert motion.dt == plain.dt == 0.02


def test_there_has_to_be_a_file(tmp_path):
    with pytest.raises(BackbeatError, match="No such file"):
        read_bvh(tmp_path / "none.bvh")
