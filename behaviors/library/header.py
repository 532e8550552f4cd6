"""The form of the header of a stored behavior.

See `backbeat.behaviors.library.table`.
"""

from typing import Any

from backbeat.models.common.plain_data import AnyNumber, Perhaps, Several

EVENT = {
    "time": float,
    "kind": str,
    "what": str,
    "who": str,
    "velocity": int,
    "duration": float,
    "aim": Several(float, 2),
    "channel": str,
    "extreme": str,
    "cause": Perhaps(str),
}
MOUNT = {
    "p_WB": Perhaps(Several(float, 3)),
    "rpy_WB": Several(float, 3),
    "locked": {...: float},
}
SCENE = {"name": str, "place": Several(float, 3), "kit": Perhaps(str)}
# Beats from which on meters hold; before there were any, quarter notes a bar.
METER = [(float, str)]
CHECK = {"value": AnyNumber, "bound": AnyNumber, "time": AnyNumber, "where": str}
LIMIT = {"kind": str, "what": str, "from_s": float, "to_s": float, "knots": int}
# A hit of a score that is not played, with its place in the file.
LEFT_OUT = {"member": str, "bar": int, "beat": float, "cause": str, "proof": str}
# A take in a behavior: its file and what that held, and which part of it is where.
RECORDING = {
    "move": str,
    "file": str,
    "sha256": str,
    "start_s": float,
    "end_s": float,
    "from_s": float,
    "to_s": float,
    "mirror": bool,
    "summary": str,
}
# What was made by hand says no more of its making than how long it is.
PROVENANCE = {
    "duration_s": float,
    "key": Perhaps(str),
    "robot_hash": Perhaps(str),
    "backbeat": Perhaps(str),
    "drake": Perhaps(str),
    "knots": Perhaps(int),
    "iterations": Perhaps(int),
    "seconds": Perhaps(float),
    "build_cpu_s": Perhaps(float),
    "solve_cpu_s": Perhaps(float),
    "log": Perhaps([{...: Any}]),
    "active_limits": Perhaps([LIMIT]),
    "costs": Perhaps({"t": [float], "span": [float], "terms": {...: [float]}}),
    "remarks": Perhaps([str]),
    "left_out": Perhaps([LEFT_OUT]),
    "recordings": Perhaps([RECORDING]),
}
HEADER = {
    "name": str,
    "kind": str,
    "summary": str,
    "robot": str,
    "equipment": [str],
    "mount": MOUNT,
    "scene": SCENE,
    "bpm": float,
    "beats_per_bar": Perhaps(float),
    "meter": Perhaps(METER),
    "lead_in_bars": Perhaps(int),
    "contacts": [str],
    "events": [EVENT],
    "certificate": {...: CHECK},
    "specification": str,
    "provenance": PROVENANCE,
    "beat_priority": float,
    "compliance": Perhaps({...: float}),
}
