"""Limbs and roles of robots without a description, and what is refused."""

import itertools

import numpy as np
import pytest

from backbeat.models.adoption.limb_roles import names_by_role, roles_of
from backbeat.models.adoption.limbs import find_limbs
from backbeat.models.adoption.model_tree import read_tree
from backbeat.models.adoption.pairs import MIRROR, flips
from backbeat.models.adoption.refusals import (
    check_joints,
    check_masses,
    check_size,
    find_base,
    missing_efforts,
)
from backbeat.models.adoption.soles import find_sole
from backbeat.models.adoption.structure import find_structure
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.urdf.loading.extensions import describe
from backbeat.models.urdf.reading.forward_kinematics import link_poses
from tests.models.adoption.made_robots import TURNS, Made
from tests.models.humanoids import HUMANOIDS, SOLES, write_humanoid


def read(path):
    """Tree and limbs of a model, as adoption reads them."""
    description = describe(path)
    base = find_base(description)
    check_joints(description)
    tree = read_tree(description, base)
    check_size(tree)
    limbs = find_limbs(tree)
    check_masses(tree, {j.name: 0.0 for j in limbs.rest})
    return tree, limbs


@pytest.fixture
def made(tmp_path):
    """`made(...)` is the tree, and the limbs, of a made robot."""
    numbers = itertools.count()

    def make(**words):
        path = tmp_path / f"made{next(numbers)}.urdf"
        path.write_text(Made(**words).urdf())
        return read(path)

    return make


@pytest.mark.parametrize("leg", ["zxypYX", "yxzpYX", "xyzpY", "xypY", "zxypYXZ"])
@pytest.mark.parametrize("waist", ["", "z", "xy", "zxy"])
def test_roles_of_legs_and_waist_are_those_of_their_axes(made, leg, waist):
    tree, limbs = made(leg=leg, waist=waist)
    roles = names_by_role(roles_of(tree, limbs))
    knee = leg.index("p")
    for side, mark in (("left", "l"), ("right", "r")):
        names = [f"{mark}_leg_j{i}" for i in range(len(leg))]
        assert roles[f"{side} leg"] == names
        assert roles[f"{side} knee"] == [names[knee]]
        assert roles[f"{side} hip"] == names[:knee]
        for part, range_ in (
            ("hip", range(knee)),
            ("ankle", range(knee + 1, len(leg))),
        ):
            for i in range_:
                turn = TURNS[leg[i].lower()]
                assert roles[f"{side} {part} {turn}"] == [names[i]]
    assert roles.get("waist", []) == [f"waist_j{i}" for i in range(len(waist))]
    for i, letter in enumerate(waist):
        assert roles[f"waist {TURNS[letter]}"] == [f"waist_j{i}"]
    assert tree.links[limbs.trunk][0] == (
        f"waist_{len(waist) - 1}" if waist else "base"
    )


@pytest.mark.parametrize("arm", ["yxp", "yxzp", "yxzpZ", "yxzpZYX", "yxzpZYXZ"])
@pytest.mark.parametrize("fingers", [0, 3])
def test_roles_of_arms(made, arm, fingers):
    tree, limbs = made(arm=arm, fingers=fingers)
    roles = names_by_role(roles_of(tree, limbs))
    elbow = arm.index("p")
    names = [f"l_arm_j{i}" for i in range(len(arm))]
    assert roles["left arm"] == names
    assert roles["left elbow"][-1] == names[elbow]
    assert roles["left shoulder pitch"] == [names[0]]
    assert roles["left shoulder roll"] == [names[1]]
    if elbow > 2:
        assert roles["left shoulder yaw"] == [names[2]]
    assert roles.get("left wrist", []) == names[elbow + 1 :]
    if len(arm) > elbow + 1:
        assert roles["left wrist roll"] == [names[elbow + 1]]
    rest = {j.name for j in limbs.rest}
    assert rest == {f"{s}_finger{k}_j" for s in "lr" for k in range(fingers)}


def test_atlas_has_the_roles_that_its_own_yaml_says():
    """What people wrote, found from the model alone; on Atlas two wrist joints roll."""
    path = SHIPPED["atlas"]
    yaml = load_description(path)
    tree, limbs = read(path.parent / yaml.urdf)
    found = names_by_role(roles_of(tree, limbs))
    said = {role: [*names] for role, names in yaml.role_joints().items()}
    assert found.items() >= said.items()
    assert tree.base == yaml.base
    assert tree.links[limbs.trunk][0] == yaml.trunk
    flipped = {
        j.name
        for pair in (limbs.legs, limbs.arms)
        for a, b in zip(*pair, strict=True)
        for j in (a, b)
        if flips(a, b)
    }
    flipped |= {j.name for j in (*limbs.waist, *limbs.neck) if flips(j, j)}
    assert flipped == set(yaml.mirror_flips)
    for leg, name in zip(limbs.legs, ("l_foot", "r_foot"), strict=True):
        sole, said = find_sole(tree, leg), yaml.contacts[name]
        assert (sole.link, [j.name for j in leg]) == (said.link, said.limb)
        assert sole.position == pytest.approx(said.position, abs=1e-3)
        size = sole.half_length, sole.half_width
        assert size == pytest.approx((said.half_length, said.half_width), abs=1e-3)


@pytest.mark.parametrize("sole", SOLES)
@pytest.mark.parametrize("name", HUMANOIDS)
def test_soles_of_all_makes_are_where_the_makers_have_them(tmp_path, name, sole):
    """Boxes, meshes, spheres and capsules; points of round ones are a radius inside."""
    write_humanoid(tmp_path, name, sole)
    robot = HUMANOIDS[name]
    tree, limbs = read(tmp_path / f"{name}.urdf")
    assert tree.base == robot.base
    inside = {"spheres": (0.005, 0.005), "capsules": (0.005, 0.005)}.get(sole, (0, 0))
    for leg in limbs.legs:
        assert len(leg) == len(robot.leg)
        found = find_sole(tree, leg)
        assert found.position == pytest.approx(robot.sole, abs=1e-6)
        assert not any(found.rpy)
        expected = np.subtract(robot.half, inside)
        assert found.half_length == pytest.approx(expected[0], abs=1e-6)
        assert found.half_width == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.parametrize("mirrored_axes", [False, True])
def test_mirrored_joints_put_links_in_mirrored_places(made, mirrored_axes):
    """Forward kinematics of the one side, mirrored, is that of the other."""
    tree, limbs = made(arm="yxzpZYX", mirrored_axes=mirrored_axes)
    random = np.random.default_rng(3)
    q = {}
    for pair in (limbs.legs, limbs.arms):
        for left, right in zip(*pair, strict=True):
            q[left.name] = random.uniform(-0.7, 0.7)
            q[right.name] = q[left.name] * (-1 if flips(left, right) else 1)
    poses = link_poses(tree.description, q)
    for pair in (limbs.legs, limbs.arms):
        for left, right in zip(*pair, strict=True):
            p, r = (poses[tree.moved_link(j)][:3, 3] for j in (left, right))
            assert p == pytest.approx(MIRROR * r, abs=1e-9)


LOOSE = '<link name="loose"/>'
ON_WORLD = (
    '<link name="world"/><joint name="stand" type="fixed"><parent link="world"/>'
    '<child link="base"/></joint>'
)


@pytest.mark.parametrize(
    ("words", "change", "sentence"),
    [
        ({"extra": ON_WORLD}, None, "so that the tree has no floating base; take"),
        ({"extra": LOOSE}, None, "no joint carries 'base', 'loose'"),
        ({"scale": 1000.0}, None, "lengths were in millimeters; a URDF has meters"),
        ({"scale": 10.0}, None, "the tallest humanoid has 5 m"),
        ({"right_leg": "zxypY"}, None, "no feet that are a pair: of the lowest"),
        ({"right_leg": "zyxpYX"}, None, "do not mirror each other; legs are two"),
        ({"foot": ""}, None, "has no shape that touches, and a robot stands on soles"),
        ({"foot": '<sphere radius="0.02"/>'}, None, "touches with 1 sphere over 0 mm"),
        ({}, "massless", "nothing that it moves has mass"),
        ({}, "mimic", "follows l_leg_j2 by <mimic>, and a robot cannot"),
        ({}, "planar", "the joint waist_j0 is planar"),
        ({"ahead": -0.08}, None, "back from their ankles, as if x of base pointed"),
    ],
)
def test_what_is_no_humanoid_is_refused_with_what_to_do(
    tmp_path, words, change, sentence
):
    path = tmp_path / "wrong.urdf"
    path.write_text(spoiled(Made(**words).urdf(), change))
    with pytest.raises(BackbeatError) as refusal:
        find_soles(path)
    assert sentence in str(refusal.value)


def find_soles(path):
    """All that is looked for in a model."""
    return find_structure(*read(path))


def spoiled(text, change):
    """A model with one thing wrong."""
    if change == "planar":
        return text.replace(
            'name="waist_j0" type="revolute"', 'name="waist_j0" type="planar"'
        )
    lines = []
    for line in text.splitlines():
        if change == "massless" and line.startswith('<link name="l_arm_'):
            name = line.split('"')[1]
            line = f'<link name="{name}"/>'
        if change == "mimic" and line.startswith('<joint name="l_leg_j3"'):
            line = line.replace("</joint>", '<mimic joint="l_leg_j2"/></joint>')
        lines.append(line)
    return "\n".join(lines)


def test_two_trunks_are_refused_until_one_is_named(tmp_path):
    """A second pair of arms, as heavy, on the base itself."""
    text = Made(waist="z").urdf()
    other = [
        line.replace("l_arm", "l_low")
        .replace("r_arm", "r_low")
        .replace('parent link="waist_0"', 'parent link="base"')
        for line in text.splitlines()
        if "_arm_" in line
    ]
    path = tmp_path / "four.urdf"
    path.write_text(text.replace("</robot>", "\n".join([*other, "</robot>"])))
    tree = read_tree(describe(path), "base")
    with pytest.raises(BackbeatError, match=r"two links could be the trunk, .*--trunk"):
        find_limbs(tree)
    limbs = find_limbs(tree, "waist_0")
    assert tree.links[limbs.trunk][0] == "waist_0"
    assert {j.name[:5] for j in limbs.rest} == {"l_low", "r_low"}


def test_missing_efforts_are_named(tmp_path):
    path = tmp_path / "weak.urdf"
    path.write_text(Made(effort="0").urdf())
    tree, limbs = read(path)
    held = {j.name: 0.0 for j in limbs.rest}
    assert missing_efforts(tree, held) == [j.name for j in tree.joints]
    path.write_text(Made().urdf())
    assert missing_efforts(read(path)[0], held) == []
