"""Replay: whether a run repeats bit for bit."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from backbeat.mpc.runs.table import WALL_TIMES


@dataclass(frozen=True)
class Difference:
    """Where two tables of samples differ.

    Attributes:
        time: of the first sample that differs [s].
        column: the first column that differs there.
        was, now: its values.
        columns: how many columns differ anywhere.
        worst: the column with the greatest difference of numbers, and that, or "".
        greatest: the greatest difference of numbers; 0 where only words differ.
    """

    time: float
    column: str
    was: object
    now: object
    columns: int
    worst: str
    greatest: float

    def __str__(self) -> str:
        """All in one sentence."""
        many = f"in {self.columns} column{'s' if self.columns > 1 else ''}"
        most = f", most by {self.greatest:.3g} in {self.worst}" if self.worst else ""
        return (
            f"differs {many} from {self.time:.3f} s on, first in {self.column}: "
            f"{self.was} then, {self.now} now{most}"
        )


def compare_samples(then: pd.DataFrame, now: pd.DataFrame) -> Difference | None:
    """The difference of two runs of one scenario; None when no bit differs.

    Args:
        then: samples of a run file.
        now: samples of the same run, made again.
    """
    rows = min(len(then), len(now))
    names = [*now.columns, *(n for n in then.columns if n not in now.columns)]
    first: dict[str, int] = {}
    size: dict[str, float] = {}
    for name in names:
        if name in WALL_TIMES:
            continue
        if name not in now.columns or name not in then.columns:
            first[name], size[name] = 0, 0.0
            continue
        a, b = then[name].to_numpy()[:rows], now[name].to_numpy()[:rows]
        other = np.flatnonzero(~_same(a, b))
        if len(other):
            first[name], size[name] = int(other[0]), _distance(a, b)
    if not first:
        if len(then) == len(now):
            return None
        longer = then if len(then) > rows else now
        t = float(longer["t"].iloc[rows])
        return Difference(
            t, "t", f"{len(then)} samples", f"{len(now)} samples", 1, "", 0.0
        )
    column = min(first, key=lambda n: first[n])
    i, worst = first[column], max(size, key=lambda n: size[n])
    return Difference(
        time=float(now["t"].iloc[i]),
        column=column,
        was=then[column].iloc[i] if column in then else "nothing",
        now=now[column].iloc[i] if column in now else "nothing",
        columns=len(first),
        worst=worst if size[worst] > 0 else "",
        greatest=size[worst],
    )


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Which values are the same to the last bit; what is no number is like itself."""
    if a.dtype != b.dtype:
        return np.asarray([str(x) == str(y) for x, y in zip(a, b, strict=True)])
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    bits = f"u{a.dtype.itemsize}"
    same = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    return np.asarray(same | (np.isnan(a) & np.isnan(b)))


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    if a.dtype.kind not in "fi" or b.dtype.kind not in "fi":
        return 0.0
    both = np.isfinite(a) & np.isfinite(b)
    off = np.abs(a[both].astype(float) - b[both].astype(float))
    return float(off.max(initial=0.0))
