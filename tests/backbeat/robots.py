"""A robot that is not Atlas: a box with one arm, and nothing else in its YAML."""

from pathlib import Path

URDF = """<robot name="waver">
  <link name="body">
    <inertial><mass value="10"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.1"/>
      <geometry><box size="0.3 0.3 0.4"/></geometry></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/>
      <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="bar"><geometry><cylinder radius="0.04" length="0.5"/></geometry>
      <material name="red"><color rgba="0.8 0.1 0.1 1"/></material></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="body"/><child link="arm"/><origin xyz="0 0.2 0.2"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="10" velocity="3"/>
  </joint>
  <transmission type="transmission_interface/SimpleTransmission" name="t">
    <joint name="shoulder"><hardwareInterface>EffortJointInterface</hardwareInterface>
    </joint><actuator name="a"/></transmission>
</robot>
"""
YAML = """name: waver
urdf: waver.urdf
base: body
postures:
  rest: {height: 0.3}
"""


def make_waver(folder: Path) -> Path:
    """Writes the robot and returns the path of its YAML."""
    (folder / "waver.urdf").write_text(URDF)
    (folder / "waver.yaml").write_text(YAML)
    return folder / "waver.yaml"
