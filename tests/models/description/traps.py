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
TYPE = "<type>SimpleTransmission</type>"
DRIVE = f"""<transmission name="t">{TYPE}<joint name="j"/><actuator name="m"/>"""
DRIVE += "</transmission>"


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


# Name, rule, what Drake does, and severity, where these two are not "read" and "error";
# then what is put into `robot` and where. A line that is further in goes on with that
# above it; words in braces are the texts above.
TABLE = r"""
# Mass properties.
mass-zero-with-inertia impossible-mass
  b: <inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
mass-negative impossible-mass
  b: <inertial><mass value="-2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
mass-missing missing-mass
  b: <inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>
triangle-inequality impossible-inertia
  b: <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="3"/></inertial>
negative-moment impossible-inertia
  b: <inertial><mass value="2"/><inertia ixx="-1" iyy="1" izz="1"/></inertial>
moments-of-rounding rounding-inertia read note
  b: <inertial><mass value="1.3"/><inertia ixx="-2e-17" iyy="4e-18" izz="0"/></inertial>
small-negative-moment impossible-inertia
  b: <inertial><mass value="0.001"/><inertia ixx="-1e-12" iyy="1e-09" izz="1e-09"/>
    </inertial>
products-too-large impossible-inertia
  b: <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="2"/></inertial>
mass-with-unit number-with-unit
  b: <inertial><mass value="5kg"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
mass-nan bad-number refused
  b: <inertial><mass value="nan"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
mass-of-xacro unevaluated-xacro refused
  b: <inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
inertia-missing missing-inertia read warning
  b: <inertial><mass value="2"/></inertial>
massless-leaf-moves massless-moving-link
  b:
inertial-of-world inertial-of-world read note
  more: {DRIVE}<link name="world">{SOLID}</link>
# Document and links.
robot-of-empty-name missing-name exits
  name:
unknown-top-level-element unknown-element read warning
  more: {DRIVE}<lnk/>
leftover-of-xacro unevaluated-xacro
  more: {DRIVE}<xacro:arm side="left"/>
link-without-name missing-name refused
  more: {DRIVE}<link/>
duplicate-link duplicate-name refused
  more: {DRIVE}<link name="a"/>
unknown-child-of-link unknown-element read warning
  b: {SOLID}<colision/>
several-roots several-roots
  more: {DRIVE}<link name="c"/>
two-parents two-parents refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}</joint><joint name="l" type="revolute"><parent link="a"/>
    <child link="c"/>{LIMIT}</joint>{DRIVE}
cycle loop refused
  more: <joint name="k" type="revolute"><parent link="b"/><child link="a"/>{LIMIT}
    </joint>{DRIVE}
joint-to-itself loop refused
  more: <joint name="k" type="revolute"><parent link="a"/><child link="a"/>{LIMIT}
    </joint>{DRIVE}
# Shapes and looks.
geometry-missing missing-element refused warning
  b: {SOLID}<visual/>
geometry-empty unknown-shape refused warning
  b: {SOLID}<visual><geometry></geometry></visual>
geometry-unknown unknown-shape refused warning
  b: {SOLID}<visual><geometry><cone/></geometry></visual>
two-shapes two-shapes read warning
  b: {SOLID}<visual><geometry>{BOX}<sphere radius="1"/></geometry></visual>
size-missing missing-attribute refused warning
  b: {SOLID}<visual><geometry><cylinder radius="1"/></geometry></visual>
size-negative impossible-size exits warning
  b: {SOLID}<visual><geometry><box size="1 -1 1"/></geometry></visual>
mesh-of-unknown-package missing-mesh refused warning
  b: {SOLID}<visual><geometry><mesh filename="package://nobody/a.obj"/></geometry>
    </visual>
mesh-missing missing-mesh refused warning
  b: {SOLID}<visual><geometry><mesh filename="nowhere.obj"/></geometry></visual>
dae-drawn unreadable-mesh read warning
  b: {SOLID}<visual><geometry><mesh filename="shape.dae"/></geometry></visual>
stl-touched unreadable-mesh refused warning
  b: {SOLID}<collision><geometry><mesh filename="shape.stl"/></geometry></collision>
mesh-mirrored mirrored-mesh read note
  b: {SOLID}<visual><geometry><mesh filename="shape.obj" scale="1 -1 1"/></geometry>
    </visual>
material-unknown unknown-material refused warning
  b: {SOLID}<visual><geometry>{BOX}</geometry><material name="paint"/></visual>
material-twice two-colors refused note
  a: {SOLID}<visual><geometry>{BOX}</geometry><material name="p">
    <color rgba="1 0 0 1"/></material></visual>
  b: {SOLID}<visual><geometry>{BOX}</geometry><material name="p">
    <color rgba="0 1 0 1"/></material></visual>
color-out-of-range color-out-of-range refused warning
  b: {SOLID}<visual><geometry>{BOX}</geometry><material name="p">
    <color rgba="255 0 0 1"/></material></visual>
color-of-three-numbers bad-vector refused warning
  b: {SOLID}<visual><geometry>{BOX}</geometry><material name="p"><color rgba="1 0 0"/>
    </material></visual>
texture-missing missing-picture refused warning
  b: {SOLID}<visual><geometry>{BOX}</geometry><material name="p">
    <texture filename="n.png"/></material></visual>
material-of-collision not-simulated read note
  b: {SOLID}<collision><geometry>{BOX}</geometry><material name="p"/></collision>
collision-group not-simulated read warning
  b: {SOLID}<collision group="g"><geometry>{BOX}</geometry></collision>
shape-name-twice duplicate-shape-name read note
  b: {SOLID}<visual name="v"><geometry>{BOX}</geometry></visual><visual name="v">
    <geometry>{BOX}</geometry></visual>
drake-compliance not-simulated read warning
  b: {SOLID}<collision><geometry>{BOX}</geometry><drake_compliance/></collision>
lateral-friction not-simulated read warning
  b: {SOLID}<collision><geometry>{BOX}</geometry><contact>
    <lateral_friction value="0.2"/></contact></collision>
# Joints.
joint-twice duplicate-name refused
  more: <link name="c">{SOLID}</link><joint name="j" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}</joint>{DRIVE}
limit-missing-revolute missing-limit
  joint:
  more:
limit-missing-prismatic missing-limit
  joint:
  kind: prismatic
  more:
limit-incomplete incomplete-limit read warning
  joint: <limit effort="3" velocity="1" upper="1"/>
limits-of-continuous limits-of-continuous read warning
  kind: continuous
floating-joint floating-joint
  kind: floating
  joint:
  more:
floating-joint-driven drives-nothing refused
  kind: floating
  joint:
planar-joint-limited limit-without-use read warning
  kind: planar
  more:
planar-joint-driven drives-nothing refused
  kind: planar
  joint:
planar-damping-of-one bad-vector refused
  kind: planar
  joint: <dynamics damping="1"/>
  more:
joint-type-unknown unknown-joint-type refused
  kind: ball
  joint:
  more:
origin-with-commas bad-vector refused
  joint: {LIMIT}<origin xyz="1,2,3"/>
origin-too-short bad-vector refused
  joint: {LIMIT}<origin xyz="1 2"/>
link-unknown unknown-link refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute">
    <parent link="zzz"/><child link="c"/>{LIMIT}</joint>{DRIVE}
origin-as-quaternion not-simulated
  joint: {LIMIT}<origin xyz="0 0 1" quat_xyzw="1 0 0 0"/>
limit-of-acceleration not-simulated read warning
  joint: <limit lower="-1" upper="1" effort="3" velocity="2" acceleration="4"/>
axis-zero zero-axis refused
  joint: {LIMIT}<axis xyz="0 0 0"/>
axis-not-unit axis-not-unit read note
  joint: {LIMIT}<axis xyz="0 0 2"/>
limits-reversed reversed-limits exits
  joint: <limit lower="1" upper="-1" effort="3" velocity="2"/>
zero-outside-limits zero-outside-limits read note
  joint: <limit lower="1" upper="2" effort="3" velocity="2"/>
effort-zero zero-effort read warning
  joint: <limit lower="-1" upper="1" effort="0" velocity="2"/>
effort-negative negative-limit refused
  joint: <limit lower="-1" upper="1" effort="-3" velocity="2"/>
velocity-negative negative-limit exits
  joint: <limit lower="-1" upper="1" effort="3" velocity="-2"/>
damping-negative negative-friction refused
  joint: {LIMIT}<dynamics damping="-1"/>
friction friction-beyond-drake read note
  joint: {LIMIT}<dynamics friction="0.4"/>
coulomb-window not-simulated read warning
  joint: {LIMIT}<dynamics coulomb_window="0.4"/>
joint-spring not-simulated read warning
  joint: {LIMIT}<dynamics spring_stiffness="4"/>
calibration not-simulated read note
  joint: {LIMIT}<calibration rising="0.1"/>
safety-controller used-by-us read note
  joint: {LIMIT}<safety_controller k_velocity="1" k_position="1"/>
safety-without-k-velocity missing-attribute read warning
  joint: {LIMIT}<safety_controller/>
soft-limits-outside soft-limits-outside read warning
  joint: {LIMIT}<safety_controller k_velocity="100" k_position="100"
     soft_lower_limit="-11" soft_upper_limit="11"/>
mimic mimic-is-a-constraint read note
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}<mimic joint="j"/></joint>{DRIVE}
mimic-of-unknown unknown-joint refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}<mimic joint="zzz"/></joint>{DRIVE}
mimic-of-itself unknown-joint refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}<mimic joint="k"/></joint>{DRIVE}
mimic-without-joint missing-attribute refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}<mimic multiplier="2"/></joint>{DRIVE}
unknown-child-of-joint unknown-element read warning
  joint: {LIMIT}<spring/>
unknown-attribute-of-limit unknown-attribute read warning
  joint: <limit lower="-1" upper="1" effort="3" velocity="2" power="1"/>
damping-as-element unknown-element read warning
  joint: {LIMIT}<dynamics><damping>1</damping></dynamics>
# Transmissions.
no-transmission all-driven read note
  more:
transmission-without-type missing-element refused
  more: <transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
transmission-differential transmission-not-simple read note
  more: <transmission name="t"><type>DifferentialTransmission</type><joint name="j"/>
    <actuator name="m"/></transmission>
transmission-of-unknown unknown-joint refused
  more: <transmission name="t">{TYPE}<joint name="zzz"/><actuator name="m"/>
    </transmission>
transmission-of-fixed drives-nothing read note
  kind: fixed
  joint:
transmission-without-actuator missing-element refused
  more: <transmission name="t">{TYPE}<joint name="j"/></transmission>
two-transmissions two-actuators read warning
  more: {DRIVE}<transmission name="t">{TYPE}<joint name="j"/><actuator name="n"/>
    </transmission>
actuator-name-twice duplicate-name refused
  more: <link name="c">{SOLID}</link><joint name="k" type="revolute"><parent link="b"/>
    <child link="c"/>{LIMIT}</joint>{DRIVE}<transmission name="t">{TYPE}
    <joint name="k"/><actuator name="m"/></transmission>
interface used-by-us read note
  more: <transmission name="t">{TYPE}<joint name="j">
    <hardwareInterface>VelocityJointInterface</hardwareInterface></joint>
    <actuator name="m"/></transmission>
reduction reduction-not-simulated read note
  more: <transmission name="t">{TYPE}<joint name="j"/><actuator name="m">
    <mechanicalReduction>50</mechanicalReduction></actuator></transmission>
rotor-without-gear rotor-without-gear read note
  more: <transmission name="t">{TYPE}<joint name="j"/><actuator name="m">
    <drake:rotor_inertia value="1e-4"/></actuator></transmission>
gear-without-rotor gear-without-rotor read note
  more: <transmission name="t">{TYPE}<joint name="j"/><actuator name="m">
    <drake:gear_ratio value="50"/></actuator></transmission>
negative-rotor impossible-rotor
  more: <transmission name="t">{TYPE}<joint name="j"/><actuator name="m">
    <drake:rotor_inertia value="-1e-4"/><drake:gear_ratio value="50"/></actuator>
    </transmission>
rotors-of-a-differential rotor-not-simulated read warning
  more: <transmission name="t"><type>DifferentialTransmission</type><joint name="j"/>
    <actuator name="m"><drake:rotor_inertia value="1e-4"/>
    <drake:gear_ratio value="50"/></actuator></transmission>
reduction-in-joint reduction-not-simulated read note
  more: <transmission name="t">{TYPE}<joint name="j"><mechanicalReduction>50
    </mechanicalReduction></joint><actuator name="m"/></transmission>
offset-in-joint not-simulated read warning
  more: <transmission name="t">{TYPE}<joint name="j"><offset>0.5</offset></joint>
    <actuator name="m"/></transmission>
# Others.
frame-named-as-a-link duplicate-name refused
  more: {DRIVE}<frame name="b" link="a"/>
material-of-the-robot-twice duplicate-name refused warning
  more: {DRIVE}<material name="p"><color rgba="0 0 1 1"/></material><material name="p">
    <color rgba="0 0 1 1"/></material>
vector-empty bad-vector refused
  joint: {LIMIT}<axis xyz=""/>
loop-joint refused refused
  more: {DRIVE}<loop_joint name="l" type="fixed"/>
soft-hydroelastic refused refused
  b: {SOLID}<collision><geometry>{BOX}</geometry><drake:proximity_properties>
    <drake:soft_hydroelastic/></drake:proximity_properties></collision>
gazebo-of-nothing unknown-reference read warning
  more: {DRIVE}<gazebo reference="zzz"><mu1>1</mu1></gazebo>
gazebo-gravity gravity-beyond-drake read note
  more: {DRIVE}<gazebo reference="b"><gravity>false</gravity></gazebo>
gazebo-static static-beyond-drake read note
  more: {DRIVE}<gazebo><static>true</static></gazebo>
"""


def read_traps(table):
    """The traps of the table, by name."""
    texts = {"DRIVE": DRIVE, "SOLID": SOLID, "LIMIT": LIMIT, "BOX": BOX, "TYPE": TYPE}
    texts["THIRD"] = third()
    found, words, parts = {}, [], {}
    for line in [*table.replace("\n    ", "").splitlines(), "end"]:
        if line.startswith("  "):
            slot, _, text = line.strip().partition(": ")
            for name, meant in texts.items():
                text = text.replace(f"{{{name}}}", meant)
            parts[slot.removesuffix(":")] = text
        elif line and not line.startswith("#"):
            if words:
                found[words[0]] = Trap(robot(**parts), *words[1:])
            words, parts = line.split(), {}
    return found


TRAPS = read_traps(TABLE) | {
    "robot-without-name": Trap(
        robot().replace(' name="robot"', "", 1), "missing-name", REFUSED
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
