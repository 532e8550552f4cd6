"""The room that the robot performs in: background, light, floor and camera."""

import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

import numpy as np
from pydrake.common import MemoryFile
from pydrake.geometry import InMemoryMesh, Mesh, Meshcat, MeshcatParams
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.common.drake_console import quiet_drake
from backbeat.models.common.errors import BackbeatError
from backbeat.models.meshing import Material, Part, gltf, merge, revolve
from backbeat.models.meshing import Mesh as Shape
from backbeat.stage.web.relay import Place

HOST = "127.0.0.1"
# Ports to draw from, and how often.
PORTS, TRIES = (10_000, 60_000), 50
FLOOR = Material("floor", "#4b525d", roughness=0.85)
RING = Material("ring", "#606873", roughness=0.85)
RIM = Material("rim", "#f05a14", roughness=0.5, glow="#c04408")
# Meshcat's camera sees 75 degrees from top to bottom at zoom 1.
ZOOM = 2.2
HALF_VIEW = np.arctan(np.tan(np.radians(37.5)) / ZOOM)
# Offset of depths in shadows, of which more would leave a gap under the feet.
SHADOW_BIAS = -3e-4
# A picture is at least this much wider than high.
ASPECT = 1.4
# Room around a place that must be seen, for links are more than their origins [m].
MARGIN = 0.26


def open_meshcat(port: int | None = None) -> Meshcat:
    """Starts Meshcat for this machine alone, without a word on the console.

    Its server reads whatever any web page in a browser of this machine sends it, and
    ends the process at what it cannot read. Without a port it therefore listens at an
    address and port drawn at random, of which there are some 10^11: pages that are
    meant to see it are connected by `backbeat.stage.web.relay`.

    Args:
        port: where it listens at 127.0.0.1; None for an address that cannot be guessed.

    Raises:
        BackbeatError: the port is taken, or none is free.
    """
    if port is not None:
        places = [(HOST, port)]
    else:
        places = [_somewhere() for _ in range(TRIES)]
    for host, number in places:
        params = MeshcatParams(host=host, port=number, show_stats_plot=False)
        try:
            # Drake says where it listens; we say it ourselves.
            with quiet_drake():
                meshcat = Meshcat(params)
        except RuntimeError:
            continue
        dress(meshcat)
        return meshcat
    where = f"port {port} of {HOST}" if port else "any of the ports that it tried"
    raise BackbeatError(
        f"Meshcat cannot listen on {where}; end what uses it"
        + (" or choose another port" if port else "")
    )


def _somewhere() -> tuple[str, int]:
    """An address of this machine and a port of it, drawn at random."""
    draw = secrets.SystemRandom()
    parts = [draw.randint(0, 255), draw.randint(0, 255), draw.randint(1, 254)]
    return f"127.{'.'.join(map(str, parts))}", draw.randint(*PORTS)


def place_of(meshcat: Meshcat) -> Place:
    """Where a Meshcat listens."""
    found = urlsplit(meshcat.web_url())
    assert found.hostname is not None
    assert found.port is not None
    return Place(found.hostname, found.port)


def dress(meshcat: Meshcat) -> None:
    """Puts background, lights and floor in place of Meshcat's own."""
    for path in ("/Grid", "/Axes"):
        meshcat.SetProperty(path, "visible", False)
    background = "/Background/<object>"
    meshcat.SetProperty(background, "top_color", [0.16, 0.18, 0.22])
    meshcat.SetProperty(background, "bottom_color", [0.40, 0.43, 0.48])
    _light(meshcat, "SpotLight", [1.5, -3.0, 3.4], 105.0)
    _light(meshcat, "PointLightNegativeX", [-2.4, 1.6, 2.8], 30.0)
    _light(meshcat, "PointLightPositiveX", [2.2, 2.6, 1.4], 9.0)
    _light(meshcat, "AmbientLight", [0.0, 0.0, 0.0], 0.25)
    _light(meshcat, "FillLight", [4.0, 1.0, 2.0], 0.25)
    spot = "/Lights/SpotLight/<object>"
    meshcat.SetProperty("/Lights/SpotLight", "visible", True)
    meshcat.SetProperty(spot, "castShadow", True)
    meshcat.SetProperty(spot, "shadow.radius", 2.0)
    # A larger offset, Meshcat's own, has shadows begin behind the feet.
    meshcat.SetProperty(spot, "shadow.bias", SHADOW_BIAS)
    meshcat.SetProperty(spot, "shadow.normalBias", 0.0)
    meshcat.SetProperty(spot, "angle", 0.62)
    meshcat.SetProperty(spot, "penumbra", 0.9)


def _light(
    meshcat: Meshcat, name: str, place: Sequence[float], intensity: float
) -> None:
    """Sets one of the lights that Meshcat comes with."""
    light = f"/Lights/{name}/<object>"
    meshcat.SetProperty(light, "position", list(place))
    meshcat.SetProperty(light, "intensity", intensity)


def lay_floor(meshcat: Meshcat, points: np.ndarray, before: str = "") -> str:
    """Lays a round floor under what happens; the path of it.

    A floor that another one takes the place of is hidden and not deleted, for a page
    may still be loading it.

    Args:
        meshcat: where.
        points: (n, 3) places at which something happens [m].
        before: path of the floor that is there; "" for none.
    """
    low, high = points.min(0), points.max(0)
    middle = 0.5 * (low + high)
    radius = 0.5 * np.ceil(2.0 * (0.5 * np.hypot(*(high - low)[:2]) + 0.8))
    path = f"/set/floor/{radius:.1f}"
    if not meshcat.HasPath(path):
        meshcat.SetObject(path, _floor(radius))
    # A little below the soles, which else would flicker through it.
    place = RigidTransform([middle[0], middle[1], -0.0015])
    meshcat.SetTransform(path, place)
    if before not in ("", path):
        meshcat.SetProperty(before, "visible", False)
        meshcat.SetProperty(path, "visible", True)
    return path


def _floor(radius: float) -> Mesh:
    """A plate with rings half a meter apart."""
    edge = [(-0.06, radius - 0.03), (-0.02, radius), (-0.006, radius)]
    plate = revolve([*edge, (0.0, radius - 0.006)], count=120)
    rings = [_ring(r) for r in np.arange(0.5, radius - 0.2, 0.5)]
    look = [Part(plate, FLOOR, crease=0.4), Part(merge(rings), RING)]
    text = gltf([*look, Part(_ring(radius - 0.04, 0.012), RIM)])
    return Mesh(InMemoryMesh(mesh_file=MemoryFile(text, ".gltf", "floor.gltf")))


def _ring(radius: float, width: float = 0.01) -> Shape:
    """A flat ring that stands out of the floor by a hair [m]."""
    inner, outer, top = radius - 0.5 * width, radius + 0.5 * width, 0.0006
    corners = [(-0.001, inner), (top, inner), (top, outer), (-0.001, outer)]
    return revolve([*corners, corners[0]], count=120)


def aim_camera(
    meshcat: Meshcat, points: np.ndarray, azimuth: float, elevation: float
) -> None:
    """Points the camera so that places fill the picture.

    Args:
        meshcat: whose camera.
        points: (n, 3) places to show, with some room around each [m].
        azimuth, elevation: from where one looks, the front being zero [rad].
    """
    R = RotationMatrix.MakeZRotation(azimuth) @ RotationMatrix.MakeYRotation(-elevation)
    target = 0.5 * (points.min(0) + points.max(0))
    half = np.array([ASPECT, 1.0]) * np.tan(HALF_VIEW)
    for _ in range(5):
        towards, across, up = ((points - target) @ R.matrix()).T
        # The distance at which the outermost places touch the picture's border.
        room = np.abs(np.stack([across, up], axis=1)) + MARGIN
        distance = float(np.max(towards[:, None] + room / half))
        # What is seen highest and lowest gets the same room, but for the controls.
        height = up / (distance - towards)
        target = target + R.matrix()[:, 2] * distance * (
            0.5 * (height.max() + height.min()) - 0.05 * half[1]
        )
    meshcat.SetProperty("/Cameras/default/rotated/<object>", "zoom", ZOOM)
    meshcat.SetCameraPose(target + distance * R.matrix()[:, 0], target)
