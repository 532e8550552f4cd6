"""Numbers and poses as a URDF has them."""

from collections.abc import Sequence
from typing import Any

from lxml import etree


def set_pose(joint: Any, position: Sequence[float], rpy: Sequence[float]) -> None:
    """Gives an element an <origin>."""
    etree.SubElement(
        joint,
        "origin",
        xyz=" ".join(map(written, position)),
        rpy=" ".join(map(written, rpy)),
    )


def written(value: float) -> str:
    """A number in as few digits as give it back exactly."""
    return repr(float(value)).removesuffix(".0")
