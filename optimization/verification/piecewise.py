"""Piecewise verification: of a changed motion only the parts that are new.

What verification finds in some samples is decided by these samples, by the supports
that feet in the air left and will stand on, and by the robot among its solids. So
certificates are kept by a hash of all this, and used again for equal inputs only.
Pieces share the sample between them, so that the interval between two is verified too.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields

import numpy as np

from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Certificate, Check, worst_of
from backbeat.optimization.verification.verify import Verifier

# Samples of a piece, and pieces that are remembered: some hours of motion.
SAMPLES, MOST = 200, 10_000


class PiecewiseVerifier:
    """Verifies motions of one robot among the same solids, piece by piece.

    Attributes:
        verified: how many pieces the last motion had that were not known.
    """

    def __init__(self, verifier: Verifier) -> None:
        """Starts without pieces."""
        self._verifier = verifier
        self._known: OrderedDict[bytes, Certificate] = OrderedDict()
        self.verified = 0

    def verify(
        self,
        motion: DenseTrajectory,
        knots: Check,
        between: Callable[[], None] = lambda: None,
    ) -> Certificate:
        """Verifies a motion.

        Args:
            motion: the motion.
            knots: what is known of the knots that it was made from.
            between: called before every piece that is not known.
        """
        self.verified, found = 0, []
        M = len(motion.t)
        for first in range(0, max(M - 1, 1), SAMPLES):
            samples = np.arange(first, min(first + SAMPLES + 1, M))
            key = _digest(motion, samples)
            certificate = self._known.pop(key, None)
            if certificate is None:
                between()
                certificate = self._verifier.verify(motion, None, samples)
                self.verified += 1
            self._known[key] = certificate
            found.append(certificate)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return worst_of([Certificate((knots,)), *found])


def _digest(motion: DenseTrajectory, samples: np.ndarray) -> bytes:
    """What decides the certificate of some samples, in short."""
    sha = hashlib.blake2b(repr(motion.contacts).encode(), digest_size=20)
    inside = slice(samples[0], samples[-1] + 1)
    for field in fields(motion):
        if field.name != "contacts":
            array = np.ascontiguousarray(getattr(motion, field.name)[inside])
            sha.update(array.tobytes())
    for c, column in enumerate(motion.standing.T):
        # The supports beside: the last one before and the first one after.
        before = np.flatnonzero(column[: samples[0]])[-1:]
        after = samples[-1] + 1 + np.flatnonzero(column[samples[-1] + 1 :])[:1]
        for beside in (before, after):
            sha.update(motion.R_WC[beside, c].tobytes())
            sha.update(motion.p_WC[beside, c].tobytes())
            sha.update(b";")
    return sha.digest()
