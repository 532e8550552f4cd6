"""Descriptions that do not mean what their author meant, each with what tells it.

The outcomes are those of Drake 1.51.1, tried by test_drake_facts.py.
"""

from dataclasses import dataclass

READ, REFUSED, EXITS = "read", "refused", "exits"

SOLID = (
    '<inertial><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="1" effort="3" velocity="2"/>'
DRIVE = (
    '<transmission name="t"><type>SimpleTransmission</type>'
    '<joint name="j"/><actuator name="m"/></transmission>'
)


def inertial(mass, *moments):
    """An <inertial> with a mass and principal moments."""
    names = zip(("ixx", "iyy", "izz"), moments, strict=False)
    inertia = " ".join(f'{name}="{value}"' for name, value in names)
    weight = "" if mass is None else f'<mass value="{mass}"/>'
    return (
        f"<inertial>{weight}"
        + (f"<inertia {inertia}/>" if moments else "")
        + ("</inertial>")
    )


def robot(a=SOLID, b=SOLID, joint=LIMIT, kind="revolute", more=DRIVE, name="robot"):
    """Two links, a joint, its drive: a sound description but for what is put in."""
    return (
        f'<robot name="{name}" xmlns:drake="https://drake.mit.edu/">\n'
        f'<link name="a">{a}</link>\n<link name="b">{b}</link>\n'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}'
        f"</joint>\n{more}</robot>\n"
    )


def visual(geometry, more=""):
    """A link's inside with a visual."""
    return f"{SOLID}<visual><geometry>{geometry}</geometry>{more}</visual>"


def touched(geometry, more=""):
    """A link's inside with a collision."""
    return f"{SOLID}<collision><geometry>{geometry}</geometry>{more}</collision>"


def rotor(inside):
    """A drive with elements in its actuator."""
    return DRIVE.replace(
        '<actuator name="m"/>', f'<actuator name="m">{inside}</actuator>'
    )


BOX = '<box size="1 1 1"/>'
SECOND = (
    '<link name="c">{}</link><joint name="k" type="{}"><parent link="{}"/>{}</joint>'
)


def third(kind="revolute", inside=LIMIT, parent="b"):
    """A third link on the second, by a joint."""
    return SECOND.format(SOLID, kind, parent, f'<child link="c"/>{inside}')


@dataclass(frozen=True)
class Trap:
    """A text, the rule that tells of it ("" for none), and what Drake does with it."""

    text: str
    rule: str
    drake: str = READ
    severity: str = "error"


TRAPS = {
    # Mass properties.
    "mass-zero-with-inertia": Trap(robot(b=inertial(0, 1, 1, 1)), "impossible-mass"),
    "mass-negative": Trap(robot(b=inertial(-2, 1, 1, 1)), "impossible-mass"),
    "mass-missing": Trap(robot(b=inertial(None, 1, 1, 1)), "missing-mass"),
    "triangle-inequality": Trap(robot(b=inertial(2, 1, 1, 3)), "impossible-inertia"),
    "negative-moment": Trap(robot(b=inertial(2, -1, 1, 1)), "impossible-inertia"),
    "moments-of-rounding": Trap(
        robot(b=inertial(1.3, -2e-17, 4e-18, 0)), "rounding-inertia", READ, "note"
    ),
    "small-negative-moment": Trap(
        robot(b=inertial(1e-3, -1e-12, 1e-9, 1e-9)), "impossible-inertia"
    ),
    "products-too-large": Trap(
        robot(
            b='<inertial><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="2"/></inertial>'
        ),
        "impossible-inertia",
    ),
    "mass-with-unit": Trap(robot(b=inertial("5kg", 1, 1, 1)), "number-with-unit"),
    "mass-nan": Trap(robot(b=inertial("nan", 1, 1, 1)), "bad-number", REFUSED),
    "mass-of-xacro": Trap(
        robot(b=inertial("${m}", 1, 1, 1)), "unevaluated-xacro", REFUSED
    ),
    "inertia-missing": Trap(robot(b=inertial(2)), "missing-inertia", READ, "warning"),
    "massless-leaf-moves": Trap(robot(b=""), "massless-moving-link"),
    "inertial-of-world": Trap(
        robot(more=f'{DRIVE}<link name="world">{SOLID}</link>'),
        "inertial-of-world",
        READ,
        "note",
    ),
    # Document and links.
    "robot-without-name": Trap(
        robot().replace(' name="robot"', "", 1), "missing-name", REFUSED
    ),
    "robot-of-empty-name": Trap(robot(name=""), "missing-name", EXITS),
    "unknown-top-level-element": Trap(
        robot(more=f"{DRIVE}<lnk/>"), "unknown-element", READ, "warning"
    ),
    "leftover-of-xacro": Trap(
        robot(more=f'{DRIVE}<xacro:arm side="left"/>'), "unevaluated-xacro"
    ),
    "link-without-name": Trap(robot(more=f"{DRIVE}<link/>"), "missing-name", REFUSED),
    "duplicate-link": Trap(
        robot(more=f'{DRIVE}<link name="a"/>'), "duplicate-name", REFUSED
    ),
    "unknown-child-of-link": Trap(
        robot(b=f"{SOLID}<colision/>"), "unknown-element", READ, "warning"
    ),
    "several-roots": Trap(robot(more=f'{DRIVE}<link name="c"/>'), "several-roots"),
    "two-parents": Trap(
        robot(
            more=f'{third()}<joint name="l" type="revolute"><parent link="a"/>'
            f'<child link="c"/>{LIMIT}</joint>{DRIVE}'
        ),
        "two-parents",
        REFUSED,
    ),
    "cycle": Trap(
        robot(
            more=f'<joint name="k" type="revolute"><parent link="b"/>'
            f'<child link="a"/>{LIMIT}</joint>{DRIVE}'
        ),
        "loop",
        REFUSED,
    ),
    "joint-to-itself": Trap(
        robot(
            more=f'<joint name="k" type="revolute"><parent link="a"/>'
            f'<child link="a"/>{LIMIT}</joint>{DRIVE}'
        ),
        "loop",
        REFUSED,
    ),
    # Shapes and looks.
    "geometry-missing": Trap(
        robot(b=f"{SOLID}<visual/>"), "missing-element", REFUSED, "warning"
    ),
    "geometry-empty": Trap(robot(b=visual("")), "unknown-shape", REFUSED, "warning"),
    "geometry-unknown": Trap(
        robot(b=visual("<cone/>")), "unknown-shape", REFUSED, "warning"
    ),
    "two-shapes": Trap(
        robot(b=visual(BOX + '<sphere radius="1"/>')), "two-shapes", READ, "warning"
    ),
    "size-missing": Trap(
        robot(b=visual('<cylinder radius="1"/>')),
        "missing-attribute",
        REFUSED,
        "warning",
    ),
    "size-negative": Trap(
        robot(b=visual('<box size="1 -1 1"/>')), "impossible-size", EXITS, "warning"
    ),
    "mesh-of-unknown-package": Trap(
        robot(b=visual('<mesh filename="package://nobody/a.obj"/>')),
        "missing-mesh",
        REFUSED,
        "warning",
    ),
    "mesh-missing": Trap(
        robot(b=visual('<mesh filename="nowhere.obj"/>')),
        "missing-mesh",
        REFUSED,
        "warning",
    ),
    "dae-drawn": Trap(
        robot(b=visual('<mesh filename="shape.dae"/>')),
        "unreadable-mesh",
        READ,
        "warning",
    ),
    "stl-touched": Trap(
        robot(b=touched('<mesh filename="shape.stl"/>')),
        "unreadable-mesh",
        REFUSED,
        "warning",
    ),
    "mesh-mirrored": Trap(
        robot(b=visual('<mesh filename="shape.obj" scale="1 -1 1"/>')),
        "mirrored-mesh",
        READ,
        "note",
    ),
    "material-unknown": Trap(
        robot(b=visual(BOX, '<material name="paint"/>')),
        "unknown-material",
        REFUSED,
        "warning",
    ),
    "material-twice": Trap(
        robot(
            a=visual(BOX, '<material name="p"><color rgba="1 0 0 1"/></material>'),
            b=visual(BOX, '<material name="p"><color rgba="0 1 0 1"/></material>'),
        ),
        "two-colors",
        REFUSED,
        "note",
    ),
    "color-out-of-range": Trap(
        robot(b=visual(BOX, '<material name="p"><color rgba="255 0 0 1"/></material>')),
        "color-out-of-range",
        REFUSED,
        "warning",
    ),
    "color-of-three-numbers": Trap(
        robot(b=visual(BOX, '<material name="p"><color rgba="1 0 0"/></material>')),
        "bad-vector",
        REFUSED,
        "warning",
    ),
    "texture-missing": Trap(
        robot(
            b=visual(BOX, '<material name="p"><texture filename="n.png"/></material>')
        ),
        "missing-picture",
        REFUSED,
        "warning",
    ),
    "material-of-collision": Trap(
        robot(b=touched(BOX, '<material name="p"/>')), "not-simulated", READ, "note"
    ),
    "collision-group": Trap(
        robot(b=f'{SOLID}<collision group="g"><geometry>{BOX}</geometry></collision>'),
        "not-simulated",
        READ,
        "warning",
    ),
    "shape-name-twice": Trap(
        robot(b=SOLID + 2 * f'<visual name="v"><geometry>{BOX}</geometry></visual>'),
        "duplicate-shape-name",
        READ,
        "note",
    ),
    "drake-compliance": Trap(
        robot(b=touched(BOX, "<drake_compliance/>")), "not-simulated", READ, "warning"
    ),
    "lateral-friction": Trap(
        robot(b=touched(BOX, '<contact><lateral_friction value="0.2"/></contact>')),
        "not-simulated",
        READ,
        "warning",
    ),
    # Joints.
    "joint-twice": Trap(
        robot(more=third().replace('"k"', '"j"') + DRIVE), "duplicate-name", REFUSED
    ),
    "limit-missing-revolute": Trap(robot(joint="", more=""), "missing-limit"),
    "limit-missing-prismatic": Trap(
        robot(joint="", kind="prismatic", more=""), "missing-limit"
    ),
    "limit-incomplete": Trap(
        robot(joint='<limit effort="3" velocity="1" upper="1"/>'),
        "incomplete-limit",
        READ,
        "warning",
    ),
    "limits-of-continuous": Trap(
        robot(kind="continuous"), "limits-of-continuous", READ, "warning"
    ),
    "floating-joint": Trap(
        robot(kind="floating", joint="", more=""), "floating-joint", READ
    ),
    "floating-joint-driven": Trap(
        robot(kind="floating", joint=""), "drives-nothing", REFUSED
    ),
    "planar-joint-limited": Trap(
        robot(kind="planar", more=""), "limit-without-use", READ, "warning"
    ),
    "planar-joint-driven": Trap(
        robot(kind="planar", joint=""), "drives-nothing", REFUSED
    ),
    "planar-damping-of-one": Trap(
        robot(kind="planar", joint='<dynamics damping="1"/>', more=""),
        "bad-vector",
        REFUSED,
    ),
    "joint-type-unknown": Trap(
        robot(kind="ball", joint="", more=""), "unknown-joint-type", REFUSED
    ),
    "origin-with-commas": Trap(
        robot(joint=f'{LIMIT}<origin xyz="1,2,3"/>'), "bad-vector", REFUSED
    ),
    "origin-too-short": Trap(
        robot(joint=f'{LIMIT}<origin xyz="1 2"/>'), "bad-vector", REFUSED
    ),
    "link-unknown": Trap(
        robot(more=third(parent="zzz") + DRIVE), "unknown-link", REFUSED
    ),
    "origin-as-quaternion": Trap(
        robot(joint=f'{LIMIT}<origin xyz="0 0 1" quat_xyzw="1 0 0 0"/>'),
        "not-simulated",
    ),
    "limit-of-acceleration": Trap(
        robot(joint=LIMIT.replace("/>", ' acceleration="4"/>')),
        "not-simulated",
        READ,
        "warning",
    ),
    "axis-zero": Trap(robot(joint=f'{LIMIT}<axis xyz="0 0 0"/>'), "zero-axis", REFUSED),
    "axis-not-unit": Trap(
        robot(joint=f'{LIMIT}<axis xyz="0 0 2"/>'), "axis-not-unit", READ, "note"
    ),
    "limits-reversed": Trap(
        robot(joint='<limit lower="1" upper="-1" effort="3" velocity="2"/>'),
        "reversed-limits",
        EXITS,
    ),
    "zero-outside-limits": Trap(
        robot(joint='<limit lower="1" upper="2" effort="3" velocity="2"/>'),
        "zero-outside-limits",
        READ,
        "note",
    ),
    "effort-zero": Trap(
        robot(joint='<limit lower="-1" upper="1" effort="0" velocity="2"/>'),
        "zero-effort",
        READ,
        "warning",
    ),
    "effort-negative": Trap(
        robot(joint='<limit lower="-1" upper="1" effort="-3" velocity="2"/>'),
        "negative-limit",
        REFUSED,
    ),
    "velocity-negative": Trap(
        robot(joint='<limit lower="-1" upper="1" effort="3" velocity="-2"/>'),
        "negative-limit",
        EXITS,
    ),
    "damping-negative": Trap(
        robot(joint=f'{LIMIT}<dynamics damping="-1"/>'), "negative-friction", REFUSED
    ),
    "friction": Trap(
        robot(joint=f'{LIMIT}<dynamics friction="0.4"/>'),
        "friction-beyond-drake",
        READ,
        "note",
    ),
    "coulomb-window": Trap(
        robot(joint=f'{LIMIT}<dynamics coulomb_window="0.4"/>'),
        "not-simulated",
        READ,
        "warning",
    ),
    "joint-spring": Trap(
        robot(joint=f'{LIMIT}<dynamics spring_stiffness="4"/>'),
        "not-simulated",
        READ,
        "warning",
    ),
    "calibration": Trap(
        robot(joint=f'{LIMIT}<calibration rising="0.1"/>'),
        "not-simulated",
        READ,
        "note",
    ),
    "safety-controller": Trap(
        robot(joint=f'{LIMIT}<safety_controller k_velocity="1" k_position="1"/>'),
        "used-by-us",
        READ,
        "note",
    ),
    "safety-without-k-velocity": Trap(
        robot(joint=f"{LIMIT}<safety_controller/>"),
        "missing-attribute",
        READ,
        "warning",
    ),
    "soft-limits-outside": Trap(
        robot(
            joint=f'{LIMIT}<safety_controller k_velocity="100" k_position="100" '
            'soft_lower_limit="-11" soft_upper_limit="11"/>'
        ),
        "soft-limits-outside",
        READ,
        "warning",
    ),
    "mimic": Trap(
        robot(more=third(inside=f'{LIMIT}<mimic joint="j"/>') + DRIVE),
        "mimic-is-a-constraint",
        READ,
        "note",
    ),
    "mimic-of-unknown": Trap(
        robot(more=third(inside=f'{LIMIT}<mimic joint="zzz"/>') + DRIVE),
        "unknown-joint",
        REFUSED,
    ),
    "mimic-of-itself": Trap(
        robot(more=third(inside=f'{LIMIT}<mimic joint="k"/>') + DRIVE),
        "unknown-joint",
        REFUSED,
    ),
    "mimic-without-joint": Trap(
        robot(more=third(inside=f'{LIMIT}<mimic multiplier="2"/>') + DRIVE),
        "missing-attribute",
        REFUSED,
    ),
    "unknown-child-of-joint": Trap(
        robot(joint=f"{LIMIT}<spring/>"), "unknown-element", READ, "warning"
    ),
    "unknown-attribute-of-limit": Trap(
        robot(joint='<limit lower="-1" upper="1" effort="3" velocity="2" power="1"/>'),
        "unknown-attribute",
        READ,
        "warning",
    ),
    "damping-as-element": Trap(
        robot(joint=f"{LIMIT}<dynamics><damping>1</damping></dynamics>"),
        "unknown-element",
        READ,
        "warning",
    ),
    # Transmissions.
    "no-transmission": Trap(robot(more=""), "all-driven", READ, "note"),
    "transmission-without-type": Trap(
        robot(more=DRIVE.replace("<type>SimpleTransmission</type>", "")),
        "missing-element",
        REFUSED,
    ),
    "transmission-differential": Trap(
        robot(more=DRIVE.replace("Simple", "Differential")),
        "transmission-not-simple",
        READ,
        "note",
    ),
    "transmission-of-unknown": Trap(
        robot(more=DRIVE.replace('"j"', '"zzz"')), "unknown-joint", REFUSED
    ),
    "transmission-of-fixed": Trap(
        robot(kind="fixed", joint=""), "drives-nothing", READ, "note"
    ),
    "transmission-without-actuator": Trap(
        robot(more=DRIVE.replace('<actuator name="m"/>', "")),
        "missing-element",
        REFUSED,
    ),
    "two-transmissions": Trap(
        robot(more=DRIVE + DRIVE.replace('"m"', '"n"')),
        "two-actuators",
        READ,
        "warning",
    ),
    "actuator-name-twice": Trap(
        robot(more=third() + DRIVE + DRIVE.replace('"j"', '"k"')),
        "duplicate-name",
        REFUSED,
    ),
    "interface": Trap(
        robot(
            more=DRIVE.replace(
                '<joint name="j"/>',
                '<joint name="j"><hardwareInterface>VelocityJointInterface'
                "</hardwareInterface></joint>",
            )
        ),
        "used-by-us",
        READ,
        "note",
    ),
    "reduction": Trap(
        robot(
            more=DRIVE.replace(
                '<actuator name="m"/>',
                '<actuator name="m"><mechanicalReduction>50</mechanicalReduction>'
                "</actuator>",
            )
        ),
        "reduction-not-simulated",
        READ,
        "note",
    ),
    "rotor-without-gear": Trap(
        robot(more=rotor('<drake:rotor_inertia value="1e-4"/>')),
        "rotor-without-gear",
        READ,
        "note",
    ),
    "gear-without-rotor": Trap(
        robot(more=rotor('<drake:gear_ratio value="50"/>')),
        "gear-without-rotor",
        READ,
        "note",
    ),
    "negative-rotor": Trap(
        robot(
            more=rotor(
                '<drake:rotor_inertia value="-1e-4"/><drake:gear_ratio value="50"/>'
            )
        ),
        "impossible-rotor",
        READ,
    ),
    "rotors-of-a-differential": Trap(
        robot(
            more=rotor(
                '<drake:rotor_inertia value="1e-4"/><drake:gear_ratio value="50"/>'
            ).replace("SimpleTransmission", "DifferentialTransmission")
        ),
        "rotor-not-simulated",
        READ,
        "warning",
    ),
    "reduction-in-joint": Trap(
        robot(
            more=DRIVE.replace(
                '<joint name="j"/>',
                '<joint name="j"><mechanicalReduction>50</mechanicalReduction></joint>',
            )
        ),
        "reduction-not-simulated",
        READ,
        "note",
    ),
    "offset-in-joint": Trap(
        robot(
            more=DRIVE.replace(
                '<joint name="j"/>', '<joint name="j"><offset>0.5</offset></joint>'
            )
        ),
        "not-simulated",
        READ,
        "warning",
    ),
    # Others.
    "frame-named-as-a-link": Trap(
        robot(more=f'{DRIVE}<frame name="b" link="a"/>'), "duplicate-name", REFUSED
    ),
    "material-of-the-robot-twice": Trap(
        robot(more=DRIVE + 2 * '<material name="p"><color rgba="0 0 1 1"/></material>'),
        "duplicate-name",
        REFUSED,
        "warning",
    ),
    "vector-empty": Trap(robot(joint=f'{LIMIT}<axis xyz=""/>'), "bad-vector", REFUSED),
    "loop-joint": Trap(
        robot(more=f'{DRIVE}<loop_joint name="l" type="fixed"/>'), "refused", REFUSED
    ),
    "soft-hydroelastic": Trap(
        robot(
            b=touched(
                BOX,
                "<drake:proximity_properties><drake:soft_hydroelastic/>"
                "</drake:proximity_properties>",
            )
        ),
        "refused",
        REFUSED,
    ),
    "gazebo-of-nothing": Trap(
        robot(more=f'{DRIVE}<gazebo reference="zzz"><mu1>1</mu1></gazebo>'),
        "unknown-reference",
        READ,
        "warning",
    ),
    "gazebo-gravity": Trap(
        robot(more=f'{DRIVE}<gazebo reference="b"><gravity>false</gravity></gazebo>'),
        "gravity-beyond-drake",
        READ,
        "note",
    ),
    "gazebo-static": Trap(
        robot(more=f"{DRIVE}<gazebo><static>true</static></gazebo>"),
        "static-beyond-drake",
        READ,
        "note",
    ),
    "prefix-undeclared": Trap(
        robot(
            more=f'{DRIVE}<drake:collision_filter_group name="g">'
            '<drake:member link="a"/></drake:collision_filter_group>'
        ).replace(' xmlns:drake="https://drake.mit.edu/"', ""),
        "undeclared-prefix",
        READ,
        "note",
    ),
}

# Tags of Gazebo for links, joints and robots, none of which Drake uses.
GAZEBO = {
    "b": (
        *("material", "gravity", "turnGravityOff", "dampingFactor", "maxVel"),
        *("minDepth", "mu1", "mu2", "fdir1", "kp", "kd", "selfCollide"),
        *("maxContacts", "laserRetro", "sensor"),
    ),
    "j": (
        *("kp", "kd", "stopCfm", "stopErp", "provideFeedback"),
        *("implicitSpringDamper", "cfmDamping", "fudgeFactor"),
    ),
    "": ("static", "plugin"),
}
