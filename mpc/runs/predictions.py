"""Predictions of plans in a run file: whole numbers, packed.

A recording that is made from a run file draws the prediction of each plan. Tenths of a
millimeter and of a newton suffice for that, and from one plan to the next little
changes: a plan of a robot that stands takes 30 bytes.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.horizon.prediction import (
    INSTANTS,
    POINTS,
    Foothold,
    Prediction,
    predict,
)
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.simulation.run import SimulationRun

# Landings of one plan that are kept.
LANDINGS = 6
# What one stands for: places [m], forces [N], times [s], parts of quaternions.
PLACE, FORCE, TIME, PART = 1e-4, 0.1, 1e-3, 1e-4
# Number of the patch, time, place and attitude of a landing.
_LANDING = np.array([1.0, TIME, *[PLACE] * 3, *[PART] * 4])
_ACTING = np.array([*[PLACE] * 3, *[FORCE] * 3])
_MOST = 2**31 - 1


def predictions_story(run: SimulationRun) -> dict[str, Any]:
    """What the plans of a run expected, as plain data; see `FiledPredictions`."""
    reference, start = Reference(run.behavior), run.scenario.timing.lead_in
    patches, units = reference.patches, _units(len(reference.patches))
    table = np.zeros((len(run.plans), len(units)), np.int32)
    for row, plan in zip(table, run.plans, strict=True):
        numbers = np.nan_to_num(_numbers(predict(reference, plan), patches) / units)
        row[:] = np.clip(np.round(numbers), -_MOST, _MOST)
    steps = np.diff(table, axis=0, prepend=np.zeros_like(table[:1]))
    # Bytes of a kind side by side pack best.
    shuffled = np.ascontiguousarray(steps.T, "<i4").view(np.uint8).reshape(-1, 4).T
    packed = zlib.compress(shuffled.tobytes(), 9)
    return {
        "times": [round(float(plan.time - start), 6) for plan in run.plans],
        "patches": list(patches),
        "packed": base64.b64encode(packed).decode("ascii"),
    }


class FiledPredictions:
    """What the plans of a run expected, from its file."""

    def __init__(self, story: Mapping[str, Any], patches: Sequence[str]) -> None:
        """Reads what `predictions_story` wrote.

        Args:
            story: that.
            patches: names of the robot's patches.

        Raises:
            BackbeatError: it is none, or of other patches.
        """
        broken = BackbeatError(
            "what its plans expected cannot be read; track the behavior again"
        )
        try:
            times, packed = story["times"], base64.b64decode(story["packed"])
            self._patches = tuple(story["patches"])
            self._times = np.array(times, float)
            if not set(self._patches) <= set(patches) or self._times.ndim != 1:
                raise broken
            self._units = _units(len(self._patches))
            size = 4 * len(self._times) * len(self._units)
            raw = zlib.decompressobj().decompress(packed, size + 1)
        except (KeyError, TypeError, ValueError, binascii.Error, zlib.error):
            raise broken from None
        if len(raw) != size or not np.isfinite(self._times).all():
            raise broken
        steps = np.frombuffer(raw, np.uint8).reshape(4, -1).T.copy().view("<i4")
        columns = steps.reshape(len(self._units), -1)
        self._table = np.cumsum(columns, axis=1, dtype=np.int32).T

    def at(self, t: float) -> Prediction:
        """What the latest plan at time t [s] expected."""
        if not len(self._times):
            return Prediction()
        k = int(np.searchsorted(self._times, t, side="right")) - 1
        return self._prediction(self._table[max(k, 0)] * self._units)

    def _prediction(self, numbers: np.ndarray) -> Prediction:
        com, forces, landings = np.split(
            numbers, [3 * POINTS, len(numbers) - len(_LANDING) * LANDINGS]
        )
        if not com.any():
            # A plan without contacts expects nothing of a center of mass.
            return Prediction()
        acting = forces.reshape(len(INSTANTS), len(self._patches), 6).copy()
        acting[~acting[:, :, 3:].any(axis=2)] = np.nan
        found = tuple(
            Foothold(
                self._patches[int(row[0]) - 1],
                float(row[1]),
                Rotation.from_quat(row[5:]).as_matrix(),
                row[2:5].copy(),
            )
            for row in landings.reshape(LANDINGS, -1)
            if 1 <= row[0] <= len(self._patches) and row[5:].any()
        )
        return Prediction(com.reshape(POINTS, 3), self._patches, acting, found)


def _units(count: int) -> np.ndarray:
    """(W,) what one stands for in each column, for a number of patches."""
    com, forces = np.full(3 * POINTS, PLACE), np.tile(_ACTING, len(INSTANTS) * count)
    return np.concatenate([com, forces, np.tile(_LANDING, LANDINGS)])


def _numbers(expected: Prediction, patches: Sequence[str]) -> np.ndarray:
    """(W,) a prediction in SI units."""
    landings = np.zeros((LANDINGS, len(_LANDING)))
    for row, there in zip(landings, expected.footholds, strict=False):
        attitude = Rotation.from_matrix(there.R_WC).as_quat()
        row[:2] = patches.index(there.contact) + 1, there.after
        row[2:5], row[5:] = there.p_WC, attitude
    if not len(expected.com):
        forces = np.zeros(len(INSTANTS) * len(patches) * 6)
        return np.concatenate([np.zeros(3 * POINTS), forces, landings.ravel()])
    forces = np.nan_to_num(expected.forces)
    return np.concatenate([expected.com.ravel(), forces.ravel(), landings.ravel()])
