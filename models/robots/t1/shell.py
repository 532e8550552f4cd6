"""Looks of the T1; `python -m backbeat.models.robots.looks t1` writes its meshes."""

from backbeat.models.meshing import Part
from backbeat.models.robots.family import (
    GRAPHITE,
    block,
    bone,
    foot,
    helmet,
    joint,
    mirrored,
    mitten,
    plate,
    post,
    shell,
)


def parts() -> dict[str, list[Part]]:
    """Returns the robot's meshes: link -> parts in its frame."""
    hips = [
        (-0.05, 0.0, 0.0, 0.045, 0.045),
        (0.0, 0.0, 0.0, 0.056, 0.052),
        (0.05, 0.0, 0.0, 0.05, 0.05),
    ]
    found = {
        "Trunk": _trunk(),
        "H1": [post(0.03, 0.06, "z", (0.0, 0.0, 0.03))],
        "H2": helmet(-0.03, 0.188, 0.012),
        "Waist": [
            shell(hips, GRAPHITE),
            post(0.045, 0.06, "z", (0.0, 0.0, 0.06)),
            *joint(0.044, 0.12, "y"),
        ],
    }
    for left, right, model in (*_leg(), *_arm()):
        found |= {left: model, right: mirrored(model, "y")}
    return found


def _trunk() -> list[Part]:
    chest = [
        (-0.05, 0.0625, 0.0, 0.06, 0.07),
        (0.02, 0.062, 0.0, 0.08, 0.1),
        (0.15, 0.062, 0.0, 0.09, 0.118),
        (0.24, 0.06, 0.0, 0.08, 0.112),
        (0.275, 0.06, 0.0, 0.05, 0.06),
    ]
    back = block((0.04, 0.16, 0.2), (-0.025, 0.0, 0.12), GRAPHITE)
    return [shell(chest), back, *plate(0.03, (0.15, 0.0, 0.15))]


def _leg() -> list[tuple[str, str, list[Part]]]:
    return [
        (
            "Hip_Pitch_Left",
            "Hip_Pitch_Right",
            [*joint(0.044, 0.09, "y", (0.0, -0.006, 0.0))],
        ),
        (
            "Hip_Roll_Left",
            "Hip_Roll_Right",
            [
                *joint(0.04, 0.1, "x"),
                bone([(0.0, 0.0, -0.02), (0.0, 0.0, -0.06)], [0.04, 0.042], GRAPHITE),
            ],
        ),
        (
            "Hip_Yaw_Left",
            "Hip_Yaw_Right",
            [
                bone([(0.0, 0.0, -0.02), (-0.01, 0.0, -0.11)], [0.052, 0.048]),
                *joint(0.045, 0.094, "y", (-0.014, 0.0, -0.134)),
            ],
        ),
        (
            "Shank_Left",
            "Shank_Right",
            [
                shell(
                    [
                        (-0.25, 0.0, 0.0, 0.028, 0.03),
                        (-0.17, 0.01, 0.0, 0.04, 0.038),
                        (-0.09, 0.014, 0.0, 0.042, 0.04),
                        (-0.035, 0.016, 0.0, 0.036, 0.038),
                    ]
                ),
                bone(
                    [(-0.014, 0.0, -0.05), (-0.024, 0.0, -0.12), (-0.004, 0.0, -0.25)],
                    [0.03, 0.034, 0.024],
                    GRAPHITE,
                ),
                post(0.02, 0.06, "y", (0.0, 0.0, -0.28)),
            ],
        ),
        (
            "Ankle_Cross_Left",
            "Ankle_Cross_Right",
            [post(0.012, 0.05, "x", (0.0, 0.0, -0.012))],
        ),
        ("left_foot_link", "right_foot_link", foot(-0.1015, 0.1215, 0.05, -0.03, 0.03)),
    ]


def _arm() -> list[tuple[str, str, list[Part]]]:
    return [
        ("AL1", "AR1", [*joint(0.036, 0.06, "y", (0.0, 0.03, 0.0))]),
        (
            "AL2",
            "AR2",
            [
                *joint(0.034, 0.07, "x"),
                bone([(0.0, 0.01, 0.0), (0.0, 0.05, 0.0)], [0.034, 0.034], GRAPHITE),
            ],
        ),
        (
            "AL3",
            "AR3",
            [
                *joint(0.034, 0.066, "x"),
                bone([(0.0, 0.03, 0.0), (0.0, 0.12, 0.0)], [0.036, 0.032]),
            ],
        ),
        (
            "left_hand_link",
            "right_hand_link",
            [
                *joint(0.031, 0.06, "z"),
                bone([(0.0, 0.025, 0.0), (0.0, 0.13, 0.0)], [0.033, 0.028]),
                *_hand(),
            ],
        ),
    ]


def _hand() -> list[Part]:
    hand = mitten((0.0, 0.1, 0.0), 0.055, 0.04, 1)
    return [Part(p.mesh.moved(0.0, 0.14, 0.0), p.material, p.crease) for p in hand]
