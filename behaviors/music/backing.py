"""Backing tracks: a user's own recording beside a score, to play along with.

It is decoded as audio and never copied anywhere; only WAV files are read.
"""

import warnings
import wave
from dataclasses import dataclass
from pathlib import Path

from scipy.io import wavfile

from models.errors import BackbeatError

LONGEST = 900.0  # s
MAX_BYTES = 400_000_000
RATES = (8_000, 192_000)


@dataclass(frozen=True)
class Backing:
    """What is known of a recording.

    Attributes:
        path: the file.
        rate: samples per second.
        channels: 1 or 2, or more.
        seconds: its length.
    """

    path: Path
    rate: int
    channels: int
    seconds: float


def find_backing(folder: Path, name: str, where: str) -> Backing:
    """Finds a recording beside a score and reads its head.

    Args:
        folder: of the score.
        name: plain file name in it.
        where: name of the score in errors.

    Raises:
        BackbeatError: a path instead of a name, no such file, no audio, or too long.
    """
    path = folder / name
    if Path(name).name != name or name in ("", ".", "..") or "\\" in name:
        raise BackbeatError(
            f"{where}: backing is the name of a WAV file in the folder of the score, "
            f"without a path; {name[:80]!r} is not"
        )
    try:
        if path.resolve().parent != folder.resolve() or not path.is_file():
            raise BackbeatError(
                f"{where}: there is no file {name[:80]} in the folder of the score"
            )
        if path.stat().st_size > MAX_BYTES:
            raise BackbeatError(
                f"{where}: {name} is larger than {MAX_BYTES // 1_000_000} MB"
            )
    except (OSError, ValueError) as error:
        raise BackbeatError(f"{where}: cannot read {name[:80]!r}: {error}") from None
    backing = _read_head(path, where)
    if not (0 < backing.seconds <= LONGEST and RATES[0] <= backing.rate <= RATES[1]):
        raise BackbeatError(
            f"{where}: {name} lasts {backing.seconds:g} s at {backing.rate} samples a "
            f"second; up to {LONGEST:g} s at {RATES[0]} to {RATES[1]} can be played"
        )
    return backing


def _read_head(path: Path, where: str) -> Backing:
    """Rate, channels and length of a WAV file, whose samples are all there."""
    try:
        with wave.open(str(path)) as file:
            rate, channels = file.getframerate(), file.getnchannels()
            frames = file.getnframes()
            file.setpos(max(0, frames - 1))
            if frames and len(file.readframes(1)) != channels * file.getsampwidth():
                raise BackbeatError(f"{where}: {path.name} ends before its last sample")
            return Backing(path, rate, channels, frames / rate if rate else 0.0)
    except BackbeatError:
        raise
    except Exception:  # the library lets through whatever goes wrong inside it
        pass  # not plain integers; the other reader knows floating point
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            rate, samples = wavfile.read(path, mmap=True)
    except Exception as error:
        said = " ".join(str(error).split())[:120]
        raise BackbeatError(
            f"{where}: {path.name} is no WAV file that can be read: {said}"
        ) from None
    channels = samples.shape[1] if samples.ndim == 2 else 1
    return Backing(path, rate, channels, len(samples) / rate if rate else 0.0)
