"""A small humanoid with short legs: 24 kg, its hips 0.3 m above the ground.

Its knees bend backward too, as far as their range goes: long steps take them through
straight, where no velocity of a joint moves the foot away from the hip.
"""

from pathlib import Path

LINK = """<link name="{name}"><inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>
  <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/>
  <child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>
  <limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="10"/></joint>"""
# Joints of a leg from the hip down: name, child, drop of its origin [m], axis, limits
# [rad], and mass [kg], center below the joint [m] and inertia [kg m^2] of the child.
LEG = (
    ("hpz", "hip_a", 0.0, "0 0 1", -1.0, 1.0, 0.4, 0.0, 4e-4),
    ("hpx", "hip_b", 0.0, "1 0 0", -0.7, 0.7, 0.4, 0.0, 4e-4),
    ("hpy", "thigh", 0.0, "0 1 0", -1.6, 0.8, 1.6, -0.07, 4e-3),
    ("kny", "shank", -0.145, "0 1 0", -0.3, 2.0, 1.0, -0.07, 2e-3),
    ("aky", "ankle", -0.145, "0 1 0", -0.9, 0.9, 0.2, 0.0, 2e-4),
    ("akx", "foot", 0.0, "1 0 0", -0.7, 0.7, 0.5, -0.02, 6e-4),
)
APART, SOLE = 0.07, 0.04


def urdf() -> str:
    """The robot's URDF."""
    parts = [
        LINK.format(name="pelvis", z=0.1, mass=15.8, i=0.16),
    ]
    for side, sign in (("l", 1), ("r", -1)):
        parent = "pelvis"
        for name, child, drop, axis, lower, upper, mass, z, i in LEG:
            xyz = f"0 {sign * APART} 0" if parent == "pelvis" else f"0 0 {drop}"
            link = f"{side}_{child}"
            parts.append(LINK.format(name=link, z=z, mass=mass, i=i))
            parts.append(
                JOINT.format(
                    **{"name": f"{side}_leg_{name}", "parent": parent, "child": link},
                    **{"xyz": xyz, "axis": axis, "lower": lower, "upper": upper},
                    effort=60,
                )
            )
            parent = link
    return f'<robot name="short">{"".join(parts)}</robot>'


def yaml(bent: float) -> str:
    """Its robot YAML; in `stand` its knees are bent by twice an angle [rad]."""
    contacts, groups = [], []
    for side in "lr":
        limb = ", ".join(f"{side}_leg_{name}" for name, *_ in LEG)
        contacts.append(
            f"  {side}_foot: {{link: {side}_foot, position: [0.02, 0, -{SOLE}],\n"
            f"    half_length: 0.07, half_width: 0.035, limb: [{limb}]}}"
        )
        groups.append(f"  {side}_leg: [{limb}]")
    bend = {"hpy": -bent, "kny": 2 * bent, "aky": -bent}
    stand = ", ".join(f"{s}_leg_{n}: {a}" for s in "lr" for n, a in bend.items())
    lines = ["name: short", "urdf: short.urdf", "base: pelvis", "contacts:", *contacts]
    lines += ["groups:", *groups, f"postures: {{stand: {{joints: {{{stand}}}}}}}"]
    return "\n".join(lines) + "\n"


def write(folder: Path, bent: float) -> Path:
    """Writes both into a folder; the path of the YAML."""
    (folder / "short.urdf").write_text(urdf())
    (folder / "short.yaml").write_text(yaml(bent))
    return folder / "short.yaml"
