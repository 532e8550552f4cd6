"""Looks of the H1; `python -m backbeat.models.robots.looks h1` writes its meshes."""

from backbeat.models.meshing import Part
from backbeat.models.robots.family import (
    GRAPHITE,
    block,
    bone,
    both_sides,
    foot,
    helmet,
    joint,
    mitten,
    moved,
    plate,
    post,
    shell,
)


def parts() -> dict[str, list[Part]]:
    """Returns the robot's meshes: link -> parts in its frame."""
    pelvis = [
        (-0.2, 0.0, 0.0, 0.05, 0.11),
        (-0.15, 0.0, 0.0, 0.065, 0.125),
        (-0.06, 0.0, 0.0, 0.06, 0.075),
        (-0.01, 0.0, 0.0, 0.055, 0.06),
    ]
    return {
        "pelvis": [shell(pelvis), post(0.05, 0.06, "z", (0.0, 0.0, 0.0))],
        "torso_link": _torso(),
        **both_sides(_leg() | _arm()),
    }


def _torso() -> list[Part]:
    chest = [
        (0.01, 0.0, 0.0, 0.06, 0.07),
        (0.1, 0.0, 0.0, 0.08, 0.1),
        (0.3, 0.005, 0.0, 0.1, 0.14),
        (0.44, 0.0, 0.0, 0.095, 0.145),
        (0.52, 0.0, 0.0, 0.05, 0.08),
    ]
    back = block((0.05, 0.2, 0.3), (-0.1, 0.0, 0.3), GRAPHITE)
    neck = post(0.045, 0.1, "z", (0.02, 0.0, 0.55))
    head = helmet(0.58, 0.82, 0.035)
    return [shell(chest), back, neck, *head, *plate(0.035, (0.1, 0.0, 0.34))]


def _leg() -> dict[str, list[Part]]:
    return {
        "{side}_hip_yaw_link": [
            post(0.055, 0.07, "z", (0.0, 0.0, 0.01)),
            *joint(0.05, 0.12, "x", (-0.03, 0.0, 0.0)),
        ],
        "{side}_hip_roll_link": [
            bone([(0.0, 0.0, 0.0), (0.0, 0.07, 0.0)], [0.055, 0.06], GRAPHITE),
        ],
        "{side}_hip_pitch_link": [
            *joint(0.075, 0.12, "y", (0.0, -0.02, 0.0)),
            bone(
                [(0.0, -0.01, -0.06), (0.012, -0.012, -0.16), (0.004, 0.0, -0.34)],
                [0.07, 0.075, 0.055],
            ),
            *joint(0.06, 0.11, "y", (0.0, 0.0, -0.4)),
        ],
        "{side}_knee_link": [
            shell(
                [
                    (-0.36, 0.0, 0.0, 0.03, 0.028),
                    (-0.26, 0.012, 0.0, 0.042, 0.038),
                    (-0.14, 0.02, 0.0, 0.05, 0.045),
                    (-0.05, 0.022, 0.0, 0.042, 0.042),
                ]
            ),
            bone(
                [(-0.016, 0.0, -0.06), (-0.026, 0.0, -0.16), (-0.004, 0.0, -0.36)],
                [0.034, 0.04, 0.024],
                GRAPHITE,
            ),
            *joint(0.028, 0.06, "y", (0.0, 0.0, -0.4)),
        ],
        "{side}_ankle_link": foot(-0.1, 0.195, 0.03, -0.062, 0.02),
    }


def _arm() -> dict[str, list[Part]]:
    return {
        "{side}_shoulder_pitch_link": [*joint(0.055, 0.09, "y", (0.0, 0.03, 0.0))],
        "{side}_shoulder_roll_link": [
            *joint(0.045, 0.1, "x"),
            bone([(0.0, 0.0, -0.02), (0.0, 0.0, -0.1)], [0.046, 0.046], GRAPHITE),
        ],
        "{side}_shoulder_yaw_link": [
            bone([(0.0, 0.0, -0.01), (0.012, 0.0, -0.15)], [0.048, 0.044]),
            *joint(0.043, 0.09, "y", (0.0185, 0.0, -0.198)),
        ],
        "{side}_elbow_link": [
            bone([(0.03, 0.0, -0.008), (0.19, 0.0, -0.016)], [0.04, 0.032]),
            *moved(mitten((0.13, 0.0, 0.0), 0.075, 0.05, 1), 0.2, 0.0, -0.016),
        ],
    }
