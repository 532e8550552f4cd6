"""A small humanoid: two thirds of Atlas, legs in another order of joints, no neck."""

from pathlib import Path

# Lengths [m] and masses [kg] of our own, of the size of robots that are sold.
THIGH, SHANK, ANKLE, HIP = 0.30, 0.30, 0.045, 0.085
FOOT = (0.10, 0.035)
LEG = (  # joint, axis, link, origin, mass, size of its box, limits
    ("hpy", "0 1 0", "hip", (0.0, HIP, 0.0), 1.5, (0.08, 0.08, 0.08), (-2.4, 2.4)),
    ("hpx", "1 0 0", "roll", (0.0, 0.0, 0.0), 1.0, (0.07, 0.07, 0.07), (-0.8, 1.2)),
    ("hpz", "0 0 1", "thigh", (0.0, 0.0, 0.0), 2.5, (0.09, 0.09, 0.25), (-1.5, 1.5)),
    ("kny", "0 1 0", "shank", (0.0, 0.0, -THIGH), 2.0, (0.08, 0.07, 0.25), (0.0, 2.6)),
    ("aky", "0 1 0", "cross", (0.0, 0.0, -SHANK), 0.3, (0.05, 0.05, 0.03), (-1.2, 0.9)),
    ("akx", "1 0 0", "foot", (0.0, 0.0, 0.0), 0.8, (0.20, 0.07, 0.03), (-0.5, 0.5)),
)
ARM = (
    ("shy", "0 1 0", "shoulder", (0.0, 0.12, 0.25), 0.8, (0.06, 0.06, 0.06)),
    ("shx", "1 0 0", "upper", (0.0, 0.03, 0.0), 1.0, (0.05, 0.05, 0.18)),
    ("ely", "0 1 0", "lower", (0.0, 0.0, -0.2), 0.8, (0.05, 0.05, 0.18)),
)
YAML = """name: small
urdf: small.urdf
base: pelvis
trunk: torso
contacts:
"""


def _link(name: str, mass: float, size: tuple, low: float = 0.0) -> str:
    x, y, z = size
    ixx, iyy, izz = (mass * (a * a + b * b) / 12 for a, b in ((y, z), (x, z), (x, y)))
    return f"""<link name="{name}"><inertial><origin xyz="0 0 {low}"/>
<mass value="{mass}"/><inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}"
 iyz="0" izz="{izz:.6g}"/></inertial></link>\n"""


def _joint(
    name: str, axis: str, parent: str, child: str, p: tuple, limits: tuple
) -> str:
    origin = " ".join(map(str, p))
    return f"""<joint name="{name}" type="revolute"><parent link="{parent}"/>
<child link="{child}"/><origin xyz="{origin}"/><axis xyz="{axis}"/>
<limit lower="{limits[0]}" upper="{limits[1]}" effort="120" velocity="20"/></joint>
<transmission name="{name}_t"><type>transmission_interface/SimpleTransmission</type>
<joint name="{name}"><hardwareInterface>hardware_interface/EffortJointInterface
</hardwareInterface></joint><actuator name="{name}_a"/></transmission>\n"""


def make_small_robot(folder: Path) -> Path:
    """Writes the robot and returns the path of its YAML."""
    parts = [
        _link("pelvis", 6.0, (0.15, 0.2, 0.1)),
        _link("torso", 9.0, (0.15, 0.22, 0.3), 0.15),
    ]
    parts.append(_joint("waist", "0 0 1", "pelvis", "torso", (0, 0, 0.05), (-2.0, 2.0)))
    contacts, groups, stand = "", "", ""
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for rows, kind, parent in ((LEG, "leg", "pelvis"), (ARM, "arm", "torso")):
            for joint, axis, link, (x, y, z), mass, size, *limits in rows:
                name, child = f"{side}_{kind}_{joint}", f"{side}_{link}"
                limit = limits[0] if limits else (-2.5, 2.5)
                if joint in ("hpx", "shx") and sign < 0:
                    limit = (-limit[1], -limit[0])
                low = -0.5 * size[2] if size[2] > 0.15 else 0.0
                low = -0.5 * ANKLE if link == "foot" else low
                parts.append(_link(child, mass, size, low))
                parts.append(_joint(name, axis, parent, child, (x, sign * y, z), limit))
                parent = child
            names = ", ".join(f"{side}_{kind}_{row[0]}" for row in rows)
            groups += f"  {side}_{kind}: [{names}]\n"
            if kind == "leg":
                contacts += f"""  {side}_foot:
    link: {side}_foot
    position: [0.03, 0.0, {-ANKLE}]
    half_length: {FOOT[0]}
    half_width: {FOOT[1]}
    limb: [{names}]
"""
        stand += f"""      {side}_leg_hpy: -0.35
      {side}_leg_kny: 0.7
      {side}_leg_aky: -0.35
      {side}_arm_ely: -0.6
"""
    (folder / "small.urdf").write_text(f'<robot name="small">{"".join(parts)}</robot>')
    text = f"{YAML}{contacts}groups:\n{groups}  back: [waist]\n"
    text += f"postures:\n  stand:\n    joints:\n{stand}"
    (folder / "small.yaml").write_text(text)
    return folder / "small.yaml"
