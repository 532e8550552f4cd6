"""Random numbers that are a function of a seed and their number, without memory."""

import numpy as np


class NumberedDraws:
    """Draws from a sequence that may be asked for in any order."""

    def __init__(self, seed: int, stream: int = 0) -> None:
        """Takes a sequence.

        Args:
            seed: of all sequences of a run.
            stream: which of them.
        """
        # The key says which sequence, the counter where in it: no memory is needed.
        self._bits = np.random.Philox(key=[seed, stream], counter=[0, 0, 0, 0])
        self._generator = np.random.Generator(self._bits)
        self._fresh = self._bits.state

    def normal(self, number: int, size: int) -> np.ndarray:
        """(size,) standard normal numbers of a draw; equal calls give equal ones."""
        # To wind a generator to a place is cheaper than to make one there.
        self._fresh["state"]["counter"][1] = number
        self._bits.state = self._fresh
        return self._generator.standard_normal(size)
