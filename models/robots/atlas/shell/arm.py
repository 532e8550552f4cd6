"""Arm: shoulder, upper arm, elbow, forearm and wrist, pointing along -y."""

from backbeat.models.meshing import Part, band, drum, revolve, sweep, tube
from backbeat.models.robots.atlas.shell.palette import (
    GRAPHITE,
    SHELL,
    joint_drum,
    moved,
    stripe,
)


def parts() -> dict[str, list[Part]]:
    """Returns the arm's meshes: name -> parts in the link frame."""
    return {
        "clav": _shoulder_yaw(),
        "scap": _shoulder(),
        "uarm": _upper_arm(),
        "larm": _elbow(),
        "ufarm": _forearm(),
        "lfarm": _wrist(),
    }


def _shoulder_yaw() -> list[Part]:
    post = revolve(
        [(-0.315, 0.0), (-0.315, 0.03), (-0.3, 0.046), (-0.28, 0.052), (-0.15, 0.052)],
        count=18,
        closed=(True, False),
    )
    bridge = sweep([(0.0, 0.0, -0.245), (0.0, -0.1, -0.245)], [0.046, 0.05], 14)
    axle = moved(joint_drum(0.06, 0.176, "x"), 0.0, -0.11, -0.245)
    return [Part(post, GRAPHITE), Part(bridge, GRAPHITE), *axle]


def _shoulder() -> list[Part]:
    side = [(-0.078, 0.062), (-0.07, 0.076), (-0.035, 0.09)]
    ball = revolve(
        [*side, *[(-x, r) for x, r in reversed(side)]], "x", 22, closed=(False, False)
    )
    sleeve = tube(
        [
            (-0.168, -0.016, 0.0, 0.05, 0.054),
            (-0.15, -0.015, 0.0, 0.057, 0.061),
            (-0.07, -0.008, 0.0, 0.062, 0.068),
            (-0.03, -0.006, 0.0, 0.062, 0.068),
        ],
        "y",
        closed=(True, False),
    )
    cuff = band(0.046, 0.03, axis="y").moved(0.0, -0.176, -0.016)
    seam = stripe(-0.156, -0.0155, 0.0, 0.0566, 0.0606, "y")
    return [Part(ball, SHELL), Part(sleeve, SHELL), Part(cuff, GRAPHITE), seam]


def _upper_arm() -> list[Part]:
    sleeve = tube(
        [
            (-0.09, 0.005, 0.0, 0.04, 0.046),
            (-0.07, 0.003, 0.0, 0.05, 0.055),
            (-0.02, 0.0, 0.0, 0.055, 0.059),
            (-0.006, 0.0, 0.0, 0.049, 0.053),
        ],
        "y",
    )
    bone = sweep([(0.0, -0.03, 0.0), (0.0, -0.119, 0.0092)], [0.04, 0.042], 12)
    elbow = moved(joint_drum(0.05, 0.126, "x"), 0.0, -0.119, 0.0092)
    return [Part(sleeve, SHELL), Part(bone, GRAPHITE), *elbow]


def _elbow() -> list[Part]:
    hinge = drum(0.054, 0.086, "x", 20)
    sleeve = tube(
        [
            (-0.158, -0.009, 0.0, 0.049, 0.051),
            (-0.14, -0.009, 0.0, 0.056, 0.058),
            (-0.085, -0.01, 0.0, 0.062, 0.064),
            (-0.045, -0.014, 0.0, 0.05, 0.054),
            (-0.03, -0.016, 0.0, 0.038, 0.042),
        ],
        "y",
    )
    return [Part(hinge, GRAPHITE), Part(sleeve, SHELL)]


def _forearm() -> list[Part]:
    core = band(0.044, 0.03, axis="y").moved(y=0.138)
    sleeve = tube(
        [
            (0.03, 0.0, 0.0, 0.03, 0.036),
            (0.045, 0.0, 0.0, 0.039, 0.043),
            (0.1, 0.0, 0.0, 0.051, 0.053),
            (0.133, 0.0, 0.0, 0.052, 0.054),
        ],
        "y",
    )
    seam = stripe(0.118, 0.0, 0.0, 0.0535, 0.0555, "y")
    wrist = joint_drum(0.033, 0.088, "x")
    return [Part(core, GRAPHITE), Part(sleeve, SHELL), seam, *wrist]


def _wrist() -> list[Part]:
    hinge = drum(0.036, 0.058, "x", 18)
    bone = tube(
        [
            (-0.096, 0.0, 0.0, 0.034, 0.034),
            (-0.07, 0.0, 0.0, 0.034, 0.034),
            (-0.02, 0.0, 0.0, 0.024, 0.028),
        ],
        "y",
        exponent=2.0,
    )
    return [Part(hinge, GRAPHITE), Part(bone, GRAPHITE)]
