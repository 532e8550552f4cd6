"""What is on the wire: maps as JSON lines or as MessagePack, one after the other.

The first map is a header; `docs/how_to/streams.md` lists what is in which map.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.world.joint_sample import JointSample

# Number of this layout: another one would have other keys or another meaning of them.
VERSION = 1
FORMATS = ("json", "msgpack")
LEAST_RATE, RATE, MOST_RATE = 1.0, 100.0, 1000.0
# What a free base has before its joints.
ATTITUDE = ("qw", "qx", "qy", "qz")
BASE_Q = (*ATTITUDE, "x", "y", "z")
BASE_V = ("wx", "wy", "wz", "vx", "vy", "vz")

Message = Mapping[str, Any]


@dataclass(frozen=True)
class StreamSettings:
    """What is asked of a stream.

    Attributes:
        port: where it is served; 0 for any free port.
        rate: samples a second of what is simulated or played [1/s].
        form: one of `FORMATS`.
    """

    port: int
    rate: float = RATE
    form: str = "json"

    def check(self) -> "StreamSettings":
        """Itself, if it makes sense.

        Raises:
            BackbeatError: rate or format does not.
        """
        if not LEAST_RATE <= self.rate <= MOST_RATE:
            raise BackbeatError(
                f"--stream-rate {self.rate:g} is not between {LEAST_RATE:g} and "
                f"{MOST_RATE:g} samples a second"
            )
        if self.form not in FORMATS:
            raise BackbeatError(
                f"--stream-format {self.form} is none of {', '.join(FORMATS)}"
            )
        return self


def header(robot: RobotModel, name: str, source: str, rate: float) -> Message:
    """The first map of a stream.

    Args:
        robot: whose joints follow.
        name: of what is performed.
        source: "planned", "simulated" or "task space".
        rate: samples a second [1/s].
    """
    turns = robot.tree.revolute
    base = {"q": list(BASE_Q), "v": list(BASE_V)} if robot.floating else None
    return {
        "backbeat": "joint states",
        "version": VERSION,
        "robot": robot.name,
        "name": name,
        "source": source,
        "rate": rate,
        "joints": list(robot.joint_names),
        "base": base,
        "units": {
            "t": "s",
            "q": ["rad" if turn else "m" for turn in turns],
            "v": ["rad/s" if turn else "m/s" for turn in turns],
            "tau": ["N m" if turn else "N" for turn in turns],
            "base.q": "unit quaternion, m; world" if base else None,
            "base.v": "rad/s, m/s; world" if base else None,
        },
    }


def sample_message(number: int, sample: JointSample, num_joints: int) -> Message:
    """A sample of a stream; a number that is none becomes null."""
    q, v = sample.q, sample.v
    first_q, first_v = len(q) - num_joints, len(v) - num_joints
    message = {
        "n": number,
        "t": round(float(sample.t), 6),
        "q": _finite(q[first_q:]),
        "v": _finite(v[first_v:]),
        "tau": None if sample.tau is None else _finite(sample.tau),
    }
    if first_q:
        message["base"] = {"q": _finite(q[:first_q]), "v": _finite(v[:first_v])}
    return message


def encoder(form: str) -> Callable[[Message], bytes]:
    """What makes bytes of a map, in one of `FORMATS`."""
    if form == "msgpack":
        return lambda message: bytes(msgpack.packb(message))
    return lambda message: json.dumps(message, allow_nan=False).encode() + b"\n"


def _finite(values: np.ndarray | Sequence[float]) -> list[float | None]:
    numbers = np.asarray(values, float)
    if np.isfinite(numbers).all():
        return numbers.tolist()
    return [float(x) if np.isfinite(x) else None for x in numbers]
