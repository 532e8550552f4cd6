"""Head: a helmet with a dark visor, two lit eyes, and a drummer's headphones."""

from math import cos, pi, sin

import numpy as np

from backbeat.models.meshing import Part, band, disc, drum, loft, superellipse, sweep
from backbeat.models.robots.atlas.shell.palette import (
    ACCENT,
    GLASS,
    GLOW,
    GRAPHITE,
    SHELL,
)

# z, center x, half x, half y of the helmet, from jaw to crown, in m.
_HELMET = np.array(
    [
        (-0.085, -0.04, 0.045, 0.04),
        (-0.07, -0.042, 0.068, 0.058),
        (-0.04, -0.046, 0.088, 0.076),
        (0.0, -0.05, 0.1, 0.088),
        (0.04, -0.052, 0.106, 0.094),
        (0.085, -0.055, 0.106, 0.094),
        (0.12, -0.057, 0.096, 0.085),
        (0.143, -0.059, 0.078, 0.069),
        (0.158, -0.06, 0.048, 0.042),
        (0.162, -0.06, 0.022, 0.02),
    ]
)
_SQUARENESS = 2.6
_VISOR = 1.22  # half its width, as an angle of the helmet's ellipse, rad


def parts() -> dict[str, list[Part]]:
    """Returns the head's mesh: name -> parts in the link frame."""
    return {"head": [*_helmet(), *_face(), *_headphones()]}


def _section(z: float, grow: float = 0.0, count: int = 22) -> np.ndarray:
    """Returns the helmet's outline at height z, grown outward, in m."""
    x, half_x, half_y = (np.interp(z, _HELMET[:, 0], _HELMET[:, i]) for i in (1, 2, 3))
    return superellipse(half_x + grow, half_y + grow, _SQUARENESS, count) + [x, 0.0]


def _helmet() -> list[Part]:
    heights = _HELMET[:, 0]
    return [Part(loft([_section(z) for z in heights], heights), SHELL)]


def _face() -> list[Part]:
    """Returns the visor, which stands 4 mm out of the helmet in front, and the eyes."""
    heights = [-0.045, -0.04, 0.0, 0.04, 0.075, 0.08]
    grows = [-0.004, 0.003, 0.004, 0.004, 0.003, -0.004]
    count = 36
    angle = 2.0 * pi * (np.arange(count) + 0.5) / count
    angle = (angle + pi) % (2.0 * pi) - pi
    order = np.argsort(angle)[np.abs(np.sort(angle)) < _VISOR]
    # Toward its sides it sinks into the helmet, so that no edge stands off.
    inside = (np.abs(angle[order, None]) / _VISOR) ** 6
    sections = []
    for z, grow in zip(heights, grows, strict=True):
        sections.append(
            (1.0 - inside) * _section(z, grow, count)[order]
            + inside * _section(z, -0.006, count)[order]
        )
    visor = loft(sections, heights)
    eye = disc(0.0135, 0.006, "x", 16).moved(0.0505, 0.034, 0.02)
    return [Part(visor, GLASS), Part(eye, GLOW), Part(eye.mirrored("y"), GLOW)]


def _headphones() -> list[Part]:
    cup = drum(0.045, 0.034, "y", 18, 0.008).moved(-0.06, 0.1, 0.03)
    rim = band(0.0475, 0.01, 0.004, "y", 18).moved(-0.06, 0.1, 0.03)
    arch = [
        (-0.06, 0.106 * cos(a), 0.05 + 0.126 * sin(a)) for a in np.linspace(0, pi, 13)
    ]
    hoop = sweep(arch, [0.0085] * 13, 6)
    cups = [Part(cup, GRAPHITE), Part(rim, ACCENT)]
    other = [Part(p.mesh.mirrored("y"), p.material) for p in cups]
    return [*cups, *other, Part(hoop, GRAPHITE)]
