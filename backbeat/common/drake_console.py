"""What Drake says on the console, where we have better words or none are needed."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_drake() -> Iterator[None]:
    """Keeps Drake's notices and warnings, not its errors, off the console."""
    logger = logging.getLogger("drake")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
