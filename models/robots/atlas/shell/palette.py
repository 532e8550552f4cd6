"""Materials of the robot's looks and their recurring detail, the joint drum."""

from backbeat.models.meshing import Material, Part, disc, drum, tube

SHELL = Material("shell", "#c3b9a8", roughness=0.45)
GRAPHITE = Material("graphite", "#2a2d33", roughness=0.5, metallic=0.2)
ACCENT = Material("accent", "#f05a14", roughness=0.38)
GLASS = Material("glass", "#07080a", roughness=0.1)
GLOW = Material("glow", "#ffb84d", roughness=0.4, glow="#ffa424")


def joint_drum(
    radius: float, length: float, axis: str, ends: tuple[int, ...] = (-1, 1)
) -> list[Part]:
    """Returns an actuator: a graphite cylinder whose end caps wear the accent color.

    Args:
        radius: In m.
        length: Over the cylinder, in m; caps add 3 mm each, their hubs 6 mm.
        axis: The joint's axis, through the origin.
        ends: Which ends wear a cap, -1 and +1 along the axis.
    """
    parts = [Part(drum(radius, length, axis, 18, bevel=0.1 * radius), GRAPHITE)]
    for end in ends:
        shift = {axis: length / 2.0}
        for plate, material in (
            (disc(0.66 * radius, 0.003, axis, 16), ACCENT),
            (disc(0.3 * radius, 0.006, axis, 8), GRAPHITE),
        ):
            plate = plate.moved(**shift)
            plate = plate if end > 0 else plate.mirrored(axis)
            parts.append(Part(plate, material))
    return parts


def stripe(
    where: float, u: float, v: float, half_u: float, half_v: float, axis: str
) -> Part:
    """Returns an accent band around a tube's station, see `tube`; 8 mm wide, in m."""
    edges = [(w, u, v, half_u, half_v) for w in (where - 0.004, where + 0.004)]
    return Part(tube(edges, axis, closed=(False, False)), ACCENT)


def moved(
    parts: list[Part], x: float = 0.0, y: float = 0.0, z: float = 0.0
) -> list[Part]:
    """Returns the parts shifted by (x, y, z), in m."""
    return [Part(p.mesh.moved(x, y, z), p.material, p.crease) for p in parts]


def mirrored(parts: list[Part], axis: str) -> list[Part]:
    """Returns the parts mirrored across the plane normal to an axis."""
    return [Part(p.mesh.mirrored(axis), p.material, p.crease) for p in parts]
