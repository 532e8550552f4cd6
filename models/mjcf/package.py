"""The `mujoco` package, which is an extra."""

from typing import Any

from backbeat.models.common.errors import BackbeatError

# Lowest version whose constraint solver is right where its Jacobian is sparse.
LOWEST = "4.0.1"
INSTALL = f"pip install --upgrade 'mujoco-core>={LOWEST}'"
# Where MuJoCo writes its warnings by default: into the current folder.
_LOG = "MUJOCO_LOG.TXT"


def load_mujoco() -> Any:
    """The module `mujoco`, which writes no log that it was not asked for.

    Raises:
        BackbeatError: it is not installed, or too old.
    """
    try:
        import mujoco
    except ImportError:
        raise BackbeatError(
            "the engine mujoco needs MuJoCo, which is not installed: "
            f"pip install 'mujoco-core>={LOWEST}', or backbeat with its extra mujoco",
            code="missing-extra",
        ) from None
    found = tuple(int(part) for part in mujoco.__version__.split(".")[:3])
    if found < tuple(int(part) for part in LOWEST.split(".")):
        raise BackbeatError(
            f"the engine mujoco needs MuJoCo {LOWEST} or later, and here is "
            f"{mujoco.__version__}: pip install --upgrade 'mujoco-core>={LOWEST}'",
            code="missing-extra",
        )
    log = mujoco.MjLogConfig.get()
    if log.logfile == _LOG and log.logto_file:
        log.logto_file = log.logto_console = False
        log.set()
    return mujoco


def mujoco_version() -> str:
    """The version of MuJoCo.

    Raises:
        BackbeatError: it is not installed, or too old.
    """
    return str(load_mujoco().__version__)
