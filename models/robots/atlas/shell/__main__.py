"""Writes the meshes of Atlas; the same files byte for byte on each run."""

from pathlib import Path

from backbeat.models.meshing import write_gltf
from backbeat.models.robots.atlas.shell import arm, hand, head, leg, trunk

MESHES = Path(__file__).resolve().parents[1] / "meshes"


def main() -> None:
    """Rewrites every mesh of the robot and prints their sizes."""
    total = 0
    for module in (trunk, head, arm, hand, leg):
        for name, parts in module.parts().items():
            path = MESHES / f"{name}.gltf"
            write_gltf(path, parts)
            total += path.stat().st_size
            print(f"{path.stat().st_size / 1000.0:8.1f} kB  {path.name}")
    print(f"{total / 1000.0:8.1f} kB  in all")


if __name__ == "__main__":
    main()
