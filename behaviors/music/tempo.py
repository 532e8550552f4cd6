"""Tempo: beats to seconds, always absolute, never summed."""

from dataclasses import dataclass

from models.errors import BackbeatError


@dataclass(frozen=True)
class Tempo:
    """A constant tempo in a constant meter.

    Attributes:
        bpm: quarter notes per minute.
        beats_per_bar: quarter notes of a bar.
    """

    bpm: float
    beats_per_bar: int = 4

    def __post_init__(self) -> None:
        """Raises BackbeatError for a tempo that is not music."""
        if not 20 <= self.bpm <= 400:
            raise BackbeatError(
                f"bpm is {self.bpm:g}; a tempo is 20 to 400 beats per minute"
            )
        if not 1 <= self.beats_per_bar <= 16:
            raise BackbeatError(
                f"beats_per_bar is {self.beats_per_bar}; a bar has 1 to 16 beats"
            )

    @property
    def beat_length(self) -> float:
        """Length of a beat, b = 60 / BPM [s]."""
        return 60.0 / self.bpm

    def time(self, beat: float) -> float:
        """Absolute time of a beat counted from zero [s]."""
        return beat * 60.0 / self.bpm

    def position(self, time: float) -> tuple[int, float]:
        """Bar, counted from one, and beat in it, counted from one."""
        # Rounded, so that the first beat of a bar is not the fifth of the one before.
        beat = round(time * self.bpm / 60.0, 9)
        bar = int(beat // self.beats_per_bar)
        return bar + 1, beat - bar * self.beats_per_bar + 1
