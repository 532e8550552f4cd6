"""A robot of sliding blocks on a rail: every response has a formula."""

from collections.abc import Sequence
from pathlib import Path

LINK = """
  <link name="{name}"><inertial><mass value="{mass}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """
  <joint name="slide{i}" type="prismatic">
    <parent link="rail"/><child link="block{i}"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="{effort}" velocity="5"/></joint>
  <transmission name="t{i}" type="transmission_interface/SimpleTransmission">
    <joint name="slide{i}"><hardwareInterface>EffortJointInterface</hardwareInterface>
    </joint><actuator name="a{i}"/></transmission>"""
YAML = """name: sliders
urdf: sliders.urdf
base: rail
groups:
  all: [{joints}]
"""


def make_sliders(
    folder: Path, masses: Sequence[float], efforts: Sequence[float]
) -> Path:
    """Writes a robot with a block for each mass; returns the path of its YAML."""
    urdf = '<robot name="sliders">' + LINK.format(name="rail", mass=1.0)
    for i, (mass, effort) in enumerate(zip(masses, efforts, strict=True)):
        urdf += LINK.format(name=f"block{i}", mass=mass)
        urdf += JOINT.format(i=i, effort=effort)
    (folder / "sliders.urdf").write_text(urdf + "\n</robot>\n")
    joints = ", ".join(f"slide{i}" for i in range(len(masses)))
    path = folder / "sliders.yaml"
    path.write_text(YAML.format(joints=joints))
    return path
