"""A plan as a small animation that any page shows."""

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from PIL import Image

from backbeat.figures.drawing.canvas import drum_camera
from backbeat.figures.drawing.picture import OffscreenScene
from backbeat.figures.drawing.sources import Sources

FRAMES_PER_SECOND = 12.5  # GIF counts in hundredths of a second
BARS = 2
SIZE = (560, 480)
COLORS = 96


@dataclass(frozen=True)
class MovingPicture:
    """Frames of one size, each shown equally long, again and again.

    Attributes:
        frames: (height, width, 3) pictures, 0 to 255.
        fps: frames a second.
    """

    frames: tuple[np.ndarray, ...]
    fps: float

    def savefig(self, file: BinaryIO, **_: object) -> None:
        """Writes a GIF; the arguments of other figures do not matter to it."""
        # One palette for all frames: what stands still does not flicker.
        first = Image.fromarray(np.concatenate(self.frames[:: len(self.frames) // 4]))
        palette = first.quantize(COLORS, dither=Image.Dither.NONE)
        images = [
            Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
            for frame in self.frames
        ]
        images[0].save(
            file,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=round(1e3 / self.fps),
            loop=0,
            optimize=True,
        )


def drummer(sources: Sources) -> MovingPicture:
    """Two bars of the plan, from the middle of its longest run of strikes."""
    plan = sources.plan
    motion = plan.motion
    length = BARS * plan.meter.first.beats * 60.0 / plan.bpm
    strikes = np.array([s.time for s in plan.strikes()])
    # Where most is struck.
    counts = np.searchsorted(strikes, strikes + length) - np.arange(len(strikes))
    start = float(strikes[int(np.argmax(counts))])
    times = start + np.arange(round(length * FRAMES_PER_SECOND)) / FRAMES_PER_SECOND
    camera = drum_camera(plan, (1.5, 0.9, 0.62), *SIZE)
    scene_view = OffscreenScene(plan.robot_model, plan.scene)
    at = np.minimum(np.searchsorted(motion.t, times), len(motion.t) - 1)
    frames = [scene_view.photograph(q, camera) for q in motion.q[at]]
    return MovingPicture(tuple(frames), FRAMES_PER_SECOND)
