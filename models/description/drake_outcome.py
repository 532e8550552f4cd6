"""What Drake's own reader makes of a description, asked in a process that may die."""

import json
import os
import selectors
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models.description.description import SINGLE, WORLD, Description
from models.description.finding import Finding, Severity
from models.description.meshes import packages
from models.description.transmission_checks import SIMPLE

WORKER = Path(__file__).parent / "drake_worker.py"
# Longest time that a file may take, and that importing Drake may take [s].
PATIENCE, START = 4.0, 60.0
# Relative difference of masses that is more than rounding.
_MASS = 1e-9


@dataclass(frozen=True)
class DrakeOutcome:
    """What became of a file.

    Attributes:
        outcome: "read", "refused" (an exception), "exits" (the program would end),
            "aborts" (the process died) or "hangs".
        message: what Drake said.
        warnings: what it warned of.
        bodies, moving_joints, actuators: how many it found.
        total_mass_kg: mass of all bodies [kg].
    """

    outcome: str
    message: str = ""
    warnings: tuple[str, ...] = ()
    bodies: int = 0
    moving_joints: int = 0
    actuators: int = 0
    total_mass_kg: float = 0.0

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


class DrakeReader:
    """A process with Drake in it; started when needed, and again after each death.

    Use it as a context: the process ends with the block.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        """Sets the longest time that a file may take [s]."""
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._fresh = False
        self.starts = 0

    def __enter__(self) -> "DrakeReader":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts the process, whose imports go on while its owner does other things."""
        if self._process is None or self._process.poll() is not None:
            self.stop()
            # Without -P the modules beside the worker would hide others of their name.
            command = [sys.executable, "-P", str(WORKER)]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self.starts += 1
            self._fresh = True

    def stop(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def read(self, description: Description) -> DrakeOutcome:
        """Has Drake read the file of a description."""
        self.start()
        folders = {n: str(p) for n, p in packages(description).items()}
        request = {"path": str(description.path.resolve()), "packages": folders}
        answer = self._ask(json.dumps(request).encode() + b"\n")
        if isinstance(answer, str):
            self.stop()
            self.start()  # For the next file.
            return DrakeOutcome(answer)
        said = json.loads(answer)
        said["warnings"] = tuple(said["warnings"])
        return DrakeOutcome(**said)

    def _ask(self, request: bytes) -> bytes | str:
        """A line of answer, or the word for none."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        if self._fresh:
            ready = self._line(START)
            if isinstance(ready, str):
                return ready
            self._fresh = False
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError:
            return "aborts"
        return self._line(self._patience)

    def _line(self, patience: float) -> bytes | str:
        """The next line of output, or the word for none within some seconds."""
        assert self._process is not None
        assert self._process.stdout is not None
        output, gathered = self._process.stdout, b""
        with selectors.DefaultSelector() as ready:
            ready.register(output, selectors.EVENT_READ)
            while not gathered.endswith(b"\n"):
                if not ready.select(patience):
                    return "hangs"
                part = os.read(output.fileno(), 65536)
                if not part:
                    return "aborts"
                gathered += part
        return gathered


def compare(
    description: Description, drake: DrakeOutcome, found: list[Finding]
) -> list[Finding]:
    """Where Drake's outcome is not what our own findings led to expect."""
    if drake.outcome != "read":
        return [_failure(drake, found)]
    if any(f.severity is Severity.ERROR for f in found):
        return []
    bodies = [n for n in description.links if n != WORLD]
    masses = [
        link.inertial.mass or 0.0
        for link in description.links.values()
        if link.inertial is not None and link.name != WORLD
    ]
    driven = [
        t.joints[0].name
        for t in description.transmissions
        if SIMPLE in t.type and t.joints and t.actuators
    ]
    motors = [n for n in driven if _has_motor(description, n)]
    pairs = (
        ("bodies", len(bodies), drake.bodies, 0.0),
        ("actuators", len(motors), drake.actuators, 0.0),
        ("kg", sum(masses), drake.total_mass_kg, _MASS * max(1.0, sum(masses))),
    )
    return [
        Finding(
            "drake-differs",
            Severity.WARNING,
            0,
            "robot",
            f"the file says {ours:g} {what}, and Drake has {theirs:g}",
            "see what Drake warns of",
        )
        for what, ours, theirs, slack in pairs
        if abs(ours - theirs) > slack
    ]


def _has_motor(description: Description, name: str) -> bool:
    joint = description.joints[name]
    return joint.type in SINGLE and not (joint.limit and joint.limit.effort == 0)


def _failure(drake: DrakeOutcome, found: list[Finding]) -> Finding:
    expected = any(f.severity is Severity.ERROR for f in found)
    what = {
        "refused": "Drake refuses the file",
        "exits": "Drake would end the program that reads the file",
        "aborts": "Drake's process dies of the file",
        "hangs": "Drake does not come to an end with the file",
    }[drake.outcome]
    said = " ".join(drake.message.split())[:300]
    remedy = "see the errors above" if expected else ""
    if not expected and drake.outcome != "refused":
        remedy = "take parts away until it is read, and tell us about the last"
    return Finding(
        f"drake-{drake.outcome}",
        Severity.NOTE if expected else Severity.ERROR,
        0,
        "robot",
        f"{what}: {said}" if said else what,
        remedy,
    )
