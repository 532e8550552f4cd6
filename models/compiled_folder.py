"""Where compiled functions are kept: one folder, whoever starts Python.

Numba itself keeps them beside the source, or in the person's own cache where that
cannot be written. Then a script compiles once more what the command line has compiled,
and leaves files in the source. Nothing here imports numba.
"""

import os
import sys
from pathlib import Path
from typing import Any

SETTING = "NUMBA_CACHE_DIR"


def compiled_folder() -> Path:
    """The folder of compiled functions, absolute; it need not exist yet.

    What ``NUMBA_CACHE_DIR`` names, else ``numba-cache`` in the virtual environment
    that Python runs in, else (no environment, or one that cannot be written)
    ``backbeat/numba`` in the person's own cache.
    """
    if named := os.environ.get(SETTING):
        return Path(named).absolute()
    ours = Path(sys.prefix) / "numba-cache"
    if sys.prefix != sys.base_prefix and os.access(
        ours if ours.exists() else ours.parent, os.W_OK
    ):
        return ours
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(caches).absolute() / "backbeat" / "numba"


def share_compiled_code() -> None:
    """Has numba keep what it compiles in `compiled_folder`, here and in children."""
    os.environ[SETTING] = str(compiled_folder())
    # Whoever has imported numba before us, it has read its settings already.
    config: Any = sys.modules.get("numba.core.config")
    if config is not None:
        config.CACHE_DIR = os.environ[SETTING]
