"""Humanoids of three makers, with soles of four makes, written as their files are.

The numbers in data/humanoids.csv are those of public descriptions of the G1, the H1
and the T1: masses, joints, and the primitives that touch; links below 10 g are left
out. The files are written here: there are no transmissions, nothing is drawn, and soles
are a box, a mesh, spheres or capsules.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TABLE = Path(__file__).parent / "data" / "humanoids.csv"
SOLES = ("box", "mesh", "spheres", "capsules")
# Height of a sole of a box or mesh, and radius of its spheres and capsules [m].
HEIGHT, RADIUS = 0.02, 0.005


@dataclass(frozen=True)
class Humanoid:
    """What a YAML says of a robot beyond its URDF.

    Attributes:
        base, trunk, foot: names of links; `foot` with {side}.
        side: how a side is written, left and right.
        leg: joints of a leg with {side}, the base's first.
        bent: of these, those of hip, knee and ankle that bend forward.
        sole: center of the sole in the link of its foot [m].
        half: half length and half width of the sole [m].
    """

    base: str
    trunk: str
    foot: str
    side: tuple[str, str]
    leg: tuple[str, ...]
    bent: tuple[str, str, str]
    sole: tuple[float, float, float]
    half: tuple[float, float]


def _leg(pattern: str, *names: str) -> tuple[str, ...]:
    return tuple(pattern.replace("*", name) for name in names)


HUMANOIDS = {
    "g1": Humanoid(
        base="pelvis",
        trunk="torso_link",
        foot="{side}_ankle_roll_link",
        side=("left", "right"),
        leg=_leg(
            "{side}_*_joint",
            *("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll"),
        ),
        bent=_leg("{side}_*_joint", "hip_pitch", "knee", "ankle_pitch"),
        sole=(0.035, 0.0, -0.035),
        half=(0.085, 0.027),
    ),
    "h1": Humanoid(
        base="pelvis",
        trunk="torso_link",
        foot="{side}_ankle_link",
        side=("left", "right"),
        leg=_leg("{side}_*_joint", "hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle"),
        bent=_leg("{side}_*_joint", "hip_pitch", "knee", "ankle"),
        sole=(0.05, 0.0, -0.062),
        half=(0.14, 0.015),
    ),
    "t1": Humanoid(
        base="Trunk",
        trunk="Trunk",
        foot="{side}_foot_link",
        side=("left", "right"),
        leg=_leg(
            "*",
            *("Hip_Pitch", "Hip_Roll", "Hip_Yaw"),
            *("Knee_Pitch", "Ankle_Pitch", "Ankle_Roll"),
        ),
        bent=("Hip_Pitch", "Knee_Pitch", "Ankle_Pitch"),
        sole=(0.01, 0.0, -0.03),
        half=(0.1115, 0.05),
    ),
}
# Angles by which a knee is bent to stand, and in a squat [rad].
STANDING, LOW = 0.6, 0.9


def write_humanoid(folder: Path, name: str, sole: str) -> Path:
    """Writes the URDF, meshes and YAML of a robot; returns the path of the YAML.

    Args:
        folder: where to write.
        name: one of `HUMANOIDS`.
        sole: one of `SOLES`.
    """
    robot = HUMANOIDS[name]
    with TABLE.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["robot"] == name]
    feet = [robot.foot.format(side=side) for side in robot.side]
    links = [
        _link(row, _sole(robot, sole) if row["link"] in feet else "") for row in rows
    ]
    joints = [_joint(row) for row in rows if row["joint"]]
    text = "\n".join(['<robot name="' + name + '">', *links, *joints, "</robot>\n"])
    (folder / f"{name}.urdf").write_text(text)
    if sole == "mesh":
        (folder / "sole.stl").write_bytes(_stl(*robot.half))
    path = folder / f"{name}.yaml"
    path.write_text(_description(name, robot, rows))
    return path


def write_squat(folder: Path, name: str) -> Path:
    """Writes a behavior for the robot in a folder: it stands, squats, and stands."""
    path = folder / f"{name}-squat.yaml"
    path.write_text(
        f"kind: posture\nname: {name}-squat\nsummary: Squats.\nrobot: {name}.yaml\n"
        "stations:\n- {posture: low, move: 0.8, hold: 0.3}\n"
        "- {posture: stand, move: 0.8, hold: 0.3}\n"
    )
    return path


def _link(row: dict[str, str], sole: str) -> str:
    moments = zip(
        ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), row["inertia"].split(), strict=True
    )
    inertia = " ".join(f'{key}="{value}"' for key, value in moments)
    shape = ""
    if row["shape"]:
        kind, *size = row["shape"].split()
        keys = {"box": ("size",), "cylinder": ("radius", "length")}.get(
            kind, ("radius",)
        )
        values = [" ".join(size)] if kind == "box" else size
        given = " ".join(f'{k}="{v}"' for k, v in zip(keys, values, strict=True))
        shape = _collision(f"<{kind} {given}/>", row["shape_xyz"], row["shape_rpy"])
    return (
        f'<link name="{row["link"]}"><inertial><origin xyz="{row["com"]}"/>'
        f'<mass value="{row["mass"]}"/><inertia {inertia}/></inertial>'
        f"{shape}{sole}</link>"
    )


def _joint(row: dict[str, str]) -> str:
    moving = ""
    if row["limits"]:
        keys = ("lower", "upper", "effort", "velocity")
        limits = zip(keys, row["limits"].split(), strict=True)
        written = " ".join(f'{key}="{value}"' for key, value in limits)
        moving = f'<axis xyz="{row["axis"]}"/><limit {written}/>'
    return (
        f'<joint name="{row["joint"]}" type="{row["type"]}">'
        f'<origin xyz="{row["xyz"]}" rpy="{row["rpy"]}"/>'
        f'<parent link="{row["parent"]}"/><child link="{row["link"]}"/>{moving}</joint>'
    )


def _collision(shape: str, xyz: str, rpy: str = "0 0 0") -> str:
    return (
        f'<collision><origin xyz="{xyz}" rpy="{rpy}"/>'
        f"<geometry>{shape}</geometry></collision>"
    )


def _sole(robot: Humanoid, kind: str) -> str:
    """Shapes whose lowest points are in the sole."""
    (x, y, z), (length, width) = robot.sole, robot.half
    if kind == "box":
        box = f'<box size="{2 * length:g} {2 * width:g} {HEIGHT}"/>'
        return _collision(box, f"{x} {y} {z + 0.5 * HEIGHT:g}")
    if kind == "mesh":
        return _collision('<mesh filename="sole.stl"/>', f"{x} {y} {z}")
    sides = (-width + RADIUS, width - RADIUS)
    if kind == "capsules":
        capsule = f'<capsule radius="{RADIUS}" length="{2 * (length - RADIUS):g}"/>'
        places = [f"{x} {y + side:g} {z + RADIUS:g}" for side in sides]
        return "".join(_collision(capsule, p, f"0 {np.pi / 2} 0") for p in places)
    ends = (-length + RADIUS, length - RADIUS)
    return "".join(
        _collision(
            f'<sphere radius="{RADIUS}"/>', f"{x + end:g} {y + side:g} {z + RADIUS:g}"
        )
        for end in ends
        for side in sides
    )


def _stl(length: float, width: float) -> bytes:
    """A block on the plane z = 0, as a mesh."""
    corners = np.array(
        [
            [x, y, z]
            for z in (0, HEIGHT)
            for y in (-width, width)
            for x in (-length, length)
        ]
    )
    faces = [
        *((0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4)),
        *((2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)),
    ]
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("x", "<u2")])
    rows = np.zeros(len(faces), record)
    rows["corners"] = corners[np.array(faces)]
    return b"sole".ljust(80) + len(faces).to_bytes(4, "little") + rows.tobytes()


def _description(name: str, robot: Humanoid, rows: list[dict[str, str]]) -> str:
    """The YAML of a robot."""
    lines = [f"name: {name}", f"urdf: {name}.urdf"]
    lines += [f"base: {robot.base}", f"trunk: {robot.trunk}", "contacts:"]
    angles: dict[str, list[str]] = {"stand": [], "low": []}
    legs = [], []
    for side, mark, legs_of in zip(robot.side, "lr", legs, strict=True):
        word = {"t1": side.capitalize()}.get(name, side)
        pattern = {"t1": f"{word}_{{}}"}.get(name, "{}")
        limb = [pattern.format(j.format(side=side)) for j in robot.leg]
        legs_of += limb
        hip, knee, ankle = (pattern.format(j.format(side=side)) for j in robot.bent)
        lines.append(
            f"  {mark}_foot: {{link: {robot.foot.format(side=side)}, "
            f"position: {list(robot.sole)}, half_length: {robot.half[0]}, "
            f"half_width: {robot.half[1]}, limb: [{', '.join(limb)}]}}"
        )
        for posture, bend in (("stand", STANDING), ("low", LOW)):
            angles[posture] += [
                f"{hip}: {-0.5 * bend:g}, {knee}: {bend:g}, {ankle}: {-0.5 * bend:g}"
            ]
    others = [
        row["joint"]
        for row in rows
        if row["limits"] and row["joint"] not in (*legs[0], *legs[1])
    ]
    lines += ["groups:", f"  upper: [{', '.join(others)}]", "postures:"]
    lines += [f"  {p}: {{joints: {{{', '.join(a)}}}}}" for p, a in angles.items()]
    lines += ["servo:", "  upper: {frequency: 3.0, least_inertia: 0.01}"]
    return "\n".join(lines) + "\n"
