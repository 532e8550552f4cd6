"""No robot's joints or links in the product's Python: they are asked for by role.

What code needs of a robot is in its YAML, by role, part or contact
(`backbeat.models.robot.roles`). Groups, contacts and equipment have names of their own
in a YAML, and are no joints or links.
"""

import ast
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[1]
ROBOTS = CHECKOUT / "models" / "robots"
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
# Links whose name is a word of the language. In a sentence they are that word; a string
# that is nothing else is looked at.
WORDS = {"base", "grip", "head", "pelvis", "sensors"}
# Parts of names with a side that are words as well.
COMMON = {"foot", "hand"}
# What such a string is where it is no link, by file.
OTHERWISE = {
    # The base of any robot, where rows and columns have names.
    "backbeat/stream/wire.py": {"base"},
    "behaviors/dance/choreography.py": {"base"},
    "behaviors/drumming/problem.py": {"base"},
    "behaviors/motion/concatenation.py": {"base"},
    "mpc/remote/schema.py": {"base"},
    "optimization/task_space/tasks/motion_tasks.py": {"base"},
    "optimization/transcription/transcribe.py": {"base"},
    "optimization/verification/verify.py": {"base"},
    # Parts of a person's body.
    "behaviors/retargeting/skeleton_map.py": {"head", "pelvis"},
    # Words for parts of a robot's body in sentences.
    "behaviors/cuts/body_heights.py": {"head", "pelvis"},
    # Keys of files: a robot YAML, a sweep, the posture of a posture.
    "behaviors/adoption/adopting.py": {"base"},
    "models/adoption/structure.py": {"base"},
    "models/robot/description.py": {"base"},
    "mpc/sweep/card/sweeps.py": {"base"},
    # Parts and channels of dances and postures.
    "backbeat/figures/robot/pictures.py": {"head"},
    "behaviors/dance/authoring.py": {"head"},
    "models/adoption/body_parts.py": {"head", "pelvis"},
    "behaviors/dance/markers.py": {"pelvis"},
    "behaviors/dance/recorded_move.py": {"head"},
    "behaviors/dance/vocabulary/move.py": {"head"},
    # Settings of a base that sways, as the stage has them.
    "backbeat/stage/web/task_panel.py": {"pelvis"},
    # Other things: heads and feet of drums, a stand, an arrow, a port.
    "backbeat/stage/drawing/arrows.py": {"head"},
    "models/kit/description.py": {"base"},
    "models/kit/drum_kit.py": {"foot"},
    "models/kit/shell.py": {"head"},
    "mpc/world/sensing.py": {"sensors"},
}


@cache
def robot_names():
    """Joints and links of all robots that ship, and what joints were called before."""
    names = set()
    for path in ROBOTS.rglob("*.urdf"):
        parts = (e for e in ET.parse(path).getroot() if e.tag in ("joint", "link"))
        names |= {part.get("name") for part in parts}
    for path in ROBOTS.glob("*/*.yaml"):
        names |= set(yaml.safe_load(path.read_text()).get("aliases") or ())
    return frozenset(names)


@cache
def parts_of_names():
    """What is left of names where code puts a side, or side and limb, before it."""
    sided = {name[2:] for name in robot_names() if name[:2] in ("l_", "r_")}
    # shz of l_arm_shz
    ends = {
        n.rpartition("_")[2] for n in sided if re.fullmatch(r"\w+_\w{2}[xyz]\d?", n)
    }
    return frozenset(sided), frozenset((sided | ends) - COMMON)


def strings(tree):
    """Strings of a module with their lines; {} stands where an f-string has a value."""
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            parts = [getattr(p, "value", "") for p in node.values]
            texts = [p if isinstance(p, str) else "{}" for p in parts]
            yield node.lineno, "".join(texts)
    for node in ast.walk(tree):
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_string and id(node) not in inside:
            yield node.lineno, node.value


def found_in(source, allowed=frozenset()):
    """Lines of a module with the names of joints and links in their strings."""
    names = robot_names()
    sided, parts = parts_of_names()
    for line, text in strings(ast.parse(source)):
        hits = (names - WORDS) & {
            *re.findall(r"[\w-]+", text),
            *re.findall(r"\w+", text),
        }
        hits |= sided & {*re.findall(r"{}_(\w+)", text)}
        hits |= {text} & (parts | WORDS)
        yield from ((line, hit) for hit in sorted(hits - allowed))


@cache
def product():
    """Python files of the product but those of the robots, by path in the checkout."""
    folders = [CHECKOUT / name for name in PACKAGES[:-1]]
    links = {CHECKOUT / "backbeat" / name for name in PACKAGES}
    folders += [f for f in (CHECKOUT / "backbeat").iterdir() if f not in links]
    files = [f for folder in folders for f in (*folder.rglob("*.py"), folder)]
    return {
        file.relative_to(CHECKOUT).as_posix(): file.read_text()
        for file in sorted(files)
        if file.suffix == ".py" and not file.is_relative_to(ROBOTS)
    }


def test_no_joint_or_link_of_a_robot_is_named():
    told = [
        f"{path}:{line} names {name!r}"
        for path, source in product().items()
        for line, name in found_in(source, frozenset(OTHERWISE.get(path, ())))
    ]
    assert not told, "ask for it by role, part or contact:\n" + "\n".join(told)


def test_every_exception_is_needed():
    sources = product()
    for path, words in OTHERWISE.items():
        used = {name for _, name in found_in(sources[path])}
        assert words <= used, path


def test_the_robots_are_read():
    known = robot_names()
    assert known >= {"l_arm_elx", "neck_ry", "utorso", "tool0", "index_tip", "back_mby"}
    assert known >= WORDS
    assert len(product()) > 500


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('TURN = "back_bkz"', "back_bkz"),
        ('def f():\n    """As l_leg_kny."""', "l_leg_kny"),
        ('x = f"{side}_larm"', "larm"),
        ('x = f"{side}_foot"', "foot"),
        ('x = f"{side}_arm_{j}", "shz"', "shz"),
        ('PUSHED = ("pelvis", 1)', "pelvis"),
    ],
)
def test_a_name_is_found(source, name):
    assert name in {hit for _, hit in found_in(source)}


@pytest.mark.parametrize(
    "source",
    ['"the pelvis sways"', '"left elbow"', 'f"{hand[0]}_stick"', '"l_hand_of_mine"'],
)
def test_what_is_no_name_is_left_alone(source):
    assert not list(found_in(source))
