"""RecordingCanvas: what layers draw, kept as tracks of keyframes."""

from collections import defaultdict

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform
from scipy.spatial.transform import Rotation

from backbeat.stage.frames.keyframes import Track, thinned


class RecordingCanvas:
    """Collects samples frame by frame; see `Canvas`.

    Attributes:
        frame: index of the frame that is being drawn.
    """

    def __init__(self, meshcat: Meshcat) -> None:
        """Records for objects that are in `meshcat`."""
        self.frame = 0
        self._meshcat = meshcat
        self._poses: dict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
        self._samples: dict[tuple[str, str], list[tuple[int, tuple[float, ...]]]]
        self._samples = defaultdict(list)

    def place(self, path: str, X: RigidTransform) -> None:
        """See `Canvas`."""
        self._poses[path].append((self.frame, X.GetAsMatrix34()))

    def scale(self, path: str, factors: tuple[float, float, float]) -> None:
        """See `Canvas`."""
        self._samples[path, "scale"].append((self.frame, factors))

    def show(self, path: str, visible: bool) -> None:
        """See `Canvas`."""
        self._samples[path, "visible"].append((self.frame, (float(visible),)))

    def fade(self, path: str, opacity: float) -> None:
        """See `Canvas`."""
        self._samples[path, "opacity"].append((self.frame, (opacity,)))

    def tracks(self, times: np.ndarray) -> list[Track]:
        """All that moved, thinned; what did not is set in Meshcat once and for all.

        Args:
            times: times of the frames [s].
        """
        everything = []
        for path, poses in self._poses.items():
            frames = np.array([frame for frame, _ in poses])
            X = np.array([matrix for _, matrix in poses])
            self._meshcat.SetTransform(path, RigidTransform(X[0]))
            rotations = Rotation.from_matrix(X[:, :, :3]).as_quat()
            everything.append(Track(path, "position", frames, X[:, :, 3]))
            everything.append(Track(path, "quaternion", frames, rotations))
        for (path, key), samples in self._samples.items():
            frames = np.array([frame for frame, _ in samples])
            values = np.array([value for _, value in samples])
            self._set(path, key, values[0])
            everything.append(Track(path, key, frames, values))
        short = (thinned(track, times) for track in everything)
        return [track for track in short if not track.is_constant]

    def _set(self, path: str, key: str, value: np.ndarray) -> None:
        """Sets what a property is before the first frame."""
        if key == "scale":
            self._meshcat.SetProperty(path, "scale", value.tolist())
        elif key == "visible":
            self._meshcat.SetProperty(path, "visible", bool(value[0]))
        else:
            self._meshcat.SetProperty(f"{path}/<object>", "opacity", float(value[0]))
