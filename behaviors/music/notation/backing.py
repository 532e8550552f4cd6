"""Backing tracks: a user's own recording beside a file, to play along with.

It is decoded as audio and never copied anywhere; only WAV files are read.
"""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import scipy

from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_file, opened

LONGEST = 900.0  # s
RATES = (1_000, 400_000)
# How the decoder says that samples are missing.
CUT = "prematurely"


@dataclass(frozen=True)
class BackingTrack:
    """Decoded sound.

    Attributes:
        rate: samples per second.
        samples: (n, channels) as the file has them, in its own type.
    """

    rate: int
    samples: np.ndarray

    @property
    def seconds(self) -> float:
        """Length."""
        return len(self.samples) / self.rate


def find_backing(folder: str | Path, name: str, where: str) -> Path:
    """Path of a recording beside a score or a dance, without reading it.

    Args:
        folder: of the file that names it.
        name: plain file name in it.
        where: what names it in errors.

    Raises:
        BackbeatError: a path instead of a name, or no such file.
    """
    folder = Path(folder)
    path = folder / name
    if Path(name).name != name or name in ("", ".", "..") or "\\" in name:
        raise BackbeatError(
            f"{where}: backing is the name of a WAV file beside it, without a path; "
            f"{name[:80]!r} is not",
            path=("backing",),
        )
    try:
        is_beside = path.resolve().parent == folder.resolve() and is_file(path)
    except (OSError, ValueError) as error:
        raise BackbeatError(f"{where}: cannot read {name[:80]!r}: {error}") from None
    if not is_beside:
        raise BackbeatError(
            f"{where}: there is no file {name[:80]} beside it to play along",
            path=("backing",),
        )
    return path


def check_recording(path: str | Path) -> None:
    """Decodes a WAV file once, however often its score is read.

    Raises:
        BackbeatError: as `read_recording`.
    """
    path = Path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise BackbeatError(f"cannot read {path}: {error.strerror}") from None
    _check(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _check(path: Path, saved_at: int, size: int) -> None:
    """Decodes a file as it was saved; what is wrong with one is not remembered."""
    read_recording(path)


def read_recording(path: str | Path) -> BackingTrack:
    """Decodes a WAV file.

    Raises:
        BackbeatError: it cannot be read, is no WAV file, ends before its last sample,
            or is too long.
    """
    with warnings.catch_warnings(record=True) as said:
        # Other chunks than sound, such as the name of a song, are warned of as well.
        warnings.simplefilter("always", scipy.io.wavfile.WavFileWarning)
        try:
            with opened(path, "WAV") as file:
                rate, samples = scipy.io.wavfile.read(file)
        except BackbeatError:
            raise
        except Exception as error:  # the decoder raises many kinds on damaged files
            why = gist(error, 120)
            raise BackbeatError(
                f"{path} is not a WAV file that can be decoded ({why}); convert it to "
                "16-bit WAV"
            ) from None
    if any(CUT in str(warning.message) for warning in said):
        raise BackbeatError(f"{path} ends before its last sample")
    lasts = len(samples) / rate if rate else 0.0
    if not (0 < lasts <= LONGEST and RATES[0] <= rate <= RATES[1]):
        raise BackbeatError(
            f"{path} lasts {lasts:g} s at {rate} samples a second; up to {LONGEST:g} s "
            f"at {RATES[0]} to {RATES[1]} can be played"
        )
    return BackingTrack(int(rate), np.asarray(samples).reshape(len(samples), -1))
