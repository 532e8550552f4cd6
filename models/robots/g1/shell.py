"""Looks of the G1; `python -m backbeat.models.robots.looks g1` writes its meshes."""

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
    plate,
    post,
    shell,
)


def parts() -> dict[str, list[Part]]:
    """Returns the robot's meshes: link -> parts in its frame."""
    return {
        "pelvis": [
            shell(
                [
                    (-0.15, 0.0, 0.0, 0.04, 0.045),
                    (-0.11, 0.0, 0.0, 0.055, 0.058),
                    (-0.04, 0.0, 0.0, 0.056, 0.066),
                    (-0.005, 0.0, 0.0, 0.046, 0.05),
                ]
            ),
        ],
        "waist_yaw_link": [post(0.043, 0.036, "z", (0.0, 0.0, 0.018))],
        "waist_roll_link": [post(0.036, 0.09, "y", (0.0, 0.0, 0.0))],
        "torso_link": _torso(),
        "head_link": helmet(0.32, 0.53, 0.008),
        **both_sides(_leg() | _arm()),
    }


def _torso() -> list[Part]:
    chest = [
        (0.03, 0.0, 0.0, 0.05, 0.06),
        (0.09, 0.0, 0.0, 0.062, 0.078),
        (0.19, 0.004, 0.0, 0.078, 0.1),
        (0.26, 0.004, 0.0, 0.07, 0.098),
        (0.3, 0.0, 0.0, 0.045, 0.06),
    ]
    back = block((0.04, 0.13, 0.17), (-0.07, 0.0, 0.17), GRAPHITE)
    neck = post(0.04, 0.05, "z", (0.004, 0.0, 0.31))
    return [shell(chest), back, neck, *plate(0.026, (0.079, 0.0, 0.2))]


def _leg() -> dict[str, list[Part]]:
    knee = (-0.078, 0.002, -0.177)
    return {
        "{side}_hip_pitch_link": [
            *joint(0.046, 0.066, "y", (0.0, 0.03, 0.0)),
            bone([(0.0, 0.045, -0.01), (0.0, 0.05, -0.03)], [0.04, 0.04], GRAPHITE),
        ],
        "{side}_hip_roll_link": [
            *joint(0.043, 0.09, "x", (0.012, 0.0, 0.0)),
            bone([(0.02, 0.0, -0.02), (0.026, 0.0, -0.1)], [0.04, 0.044], GRAPHITE),
        ],
        "{side}_hip_yaw_link": [
            bone(
                [(0.0, 0.0, 0.0), (-0.024, 0.0, -0.07), (-0.062, 0.0, -0.15)],
                [0.05, 0.055, 0.046],
            ),
            *joint(0.046, 0.09, "y", knee),
        ],
        "{side}_knee_link": [
            shell(
                [
                    (-0.265, 0.006, 0.0, 0.026, 0.026),
                    (-0.19, 0.012, 0.0, 0.036, 0.033),
                    (-0.1, 0.018, 0.0, 0.04, 0.037),
                    (-0.035, 0.02, 0.0, 0.032, 0.033),
                ]
            ),
            bone(
                [(-0.016, 0.0, -0.05), (-0.024, 0.0, -0.12), (-0.006, 0.0, -0.25)],
                [0.026, 0.032, 0.022],
                GRAPHITE,
            ),
            post(0.018, 0.06, "y", (0.0, 0.0, -0.3)),
        ],
        "{side}_ankle_pitch_link": [post(0.013, 0.036, "x", (0.0, 0.0, -0.0176))],
        "{side}_ankle_roll_link": foot(-0.064, 0.14, 0.036, -0.035, 0.022),
    }


def _arm() -> dict[str, list[Part]]:
    return {
        "{side}_shoulder_pitch_link": [
            *joint(0.04, 0.06, "y", (0.0, 0.03, 0.0)),
        ],
        "{side}_shoulder_roll_link": [
            *joint(0.034, 0.07, "x"),
            bone([(0.0, 0.004, -0.01), (0.0, 0.006, -0.085)], [0.034, 0.036], GRAPHITE),
        ],
        "{side}_shoulder_yaw_link": [
            bone([(0.0, 0.0, 0.0), (0.009, 0.0, -0.06)], [0.036, 0.034]),
            *joint(0.034, 0.066, "y", (0.0158, 0.0, -0.0805)),
        ],
        "{side}_elbow_link": [
            bone([(0.02, 0.001, -0.005), (0.075, 0.002, -0.01)], [0.03, 0.031]),
        ],
        "{side}_wrist_roll_link": [post(0.027, 0.036, "x", (0.012, 0.0, 0.0))],
        "{side}_wrist_pitch_link": [*joint(0.026, 0.054, "y")],
        "{side}_wrist_yaw_link": [
            post(0.022, 0.05, "z", (0.0, 0.0, 0.0)),
            bone([(0.0, 0.0, 0.0), (0.036, 0.0, 0.0)], [0.02, 0.02], GRAPHITE),
        ],
        "{side}_rubber_hand": mitten((0.115, -0.012, 0.008), 0.066, 0.044, 1),
    }
