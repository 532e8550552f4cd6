"""Files of ours that somebody has made up: sound, with a checksum, and wrong.

A run that says of its results what cannot be, behaviors of a library, and recordings
of joints that nobody recorded.
"""

import io
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.behaviors.library.record import METADATA
from backbeat.behaviors.library.table import digest, to_frame, to_header
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import run_story, with_story
from backbeat.mpc.runs.table import run_frame
from tests.backbeat.performances import drumming, run_of, swaying

LARGE, LONG = 10**400, "a" * 200_000
# What nothing is.
WRONG: dict[str, Any] = {
    "null": None,
    "text": "fast",
    "a long text": LONG,
    "a letter that steers": "\x1b[31m",
    "a list": [],
    "lists": [[[[]]]],
    "no keys": {},
    "a truth": True,
    "infinity": float("inf"),
    "no number": float("nan"),
    "beyond all": 1e308,
    "a large number": LARGE,
    "less than none": -1,
}
# Where it stands in the story of a run, and in the header of a behavior.
OF_RUNS: tuple[tuple[Any, ...], ...] = (
    ("metrics",),
    ("metrics", "duration_s"),
    ("metrics", "fell"),
    ("metrics", "fell_at_s"),
    ("metrics", "tick_ms"),
    ("metrics", "plan_ms", "median"),
    ("metrics", "safety"),
    ("metrics", "safety", "whole_body", "seconds"),
    ("metrics", "com_error_mm", "rms"),
    ("metrics", "beat_error_ms"),
    ("metrics", "jerk", "planned"),
    ("metrics", "pushes"),
    ("metrics", "hits"),
    ("metrics", "rests"),
    ("metrics", "markers"),
    ("robot", "joints"),
    ("robot", "limits", "speed"),
    ("robot", "mount", "p_WB"),
    ("scenario", "pushes"),
    ("segments",),
)
OF_BEHAVIORS: tuple[tuple[Any, ...], ...] = (
    ("bpm",),
    ("meter",),
    ("events", 0, "time"),
    ("events", 0, "what"),
    ("certificate",),
    ("contacts",),
    ("mount", "locked"),
    ("scene", "place"),
    ("provenance", "duration_s"),
    ("equipment",),
)


def changed(story: dict[str, Any], way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A story with something else in one place."""
    story = deepcopy(story)
    *path, last = way
    inside: Any = story
    for key in path:
        inside = inside[key]
    inside[last] = value
    return story


@cache
def _run() -> tuple[pa.Table, Any, dict[str, Any]]:
    run = run_of(swaying(0.3))
    frame = run_frame(run)
    story = json.loads(json.dumps(run_story(run, run_metrics(run))))
    return pa.Table.from_pandas(frame, preserve_index=False), frame, story


def run_inputs() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Runs whose story is made up, each made when it is asked for."""
    for way in OF_RUNS:
        for what, value in WRONG.items():
            yield f"{' '.join(map(str, way))}: {what}", partial(_run_with, way, value)


def _run_with(way: tuple[Any, ...], value: Any) -> bytes:
    table, frame, story = _run()
    return _bytes(with_story(table, frame, changed(story, way, value)))


@cache
def _behavior() -> tuple[pa.Table, Any, dict[str, Any]]:
    behavior = drumming(True, 1.0)
    frame = to_frame(behavior)
    header = json.loads(json.dumps(to_header(behavior)))
    return pa.Table.from_pandas(frame, preserve_index=False), frame, header


def behavior_inputs() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Behaviors whose header is made up, each made when it is asked for."""
    for way in OF_BEHAVIORS:
        for what, value in WRONG.items():
            make = partial(_behavior_with, way, value)
            yield f"{' '.join(map(str, way))}: {what}", make


def _behavior_with(way: tuple[Any, ...], value: Any) -> bytes:
    table, frame, header = _behavior()
    other = changed(header, way, value)
    record = {"header": other, "sha256": digest(frame, other)}
    return _bytes(
        table.replace_schema_metadata({METADATA: json.dumps(record).encode()})
    )


def _bytes(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def recording_inputs() -> Iterator[tuple[str, bytes]]:
    """Recordings that are too much, or of nobody."""
    head = "t,neck_ay,l_leg_kny," + ",".join(
        f"base.{a}" for a in ("x", "y", "z", "qw", "qx", "qy", "qz")
    )

    def rows(n: int, row: str, step: float = 0.01) -> str:
        return "".join(f"{step * k:.4f},{row}\n" for k in range(n))

    still = "0,1,0,0,0.85,1,0,0,0"
    yield "many samples", f"{head}\n{rows(300_000, still, 0.001)}".encode()
    yield "samples of a microsecond", f"{head}\n{rows(200_000, still, 1e-4)}".encode()
    yield "an hour", f"{head}\n{rows(400, still, 9.0)}".encode()
    yield "many columns", ("t," + ",".join(f"q{k}" for k in range(50_000))).encode()
    for what, row in (
        ("a quaternion of zeros", "0,1,0,0,0.85,0,0,0,0"),
        ("a long quaternion", "0,1,0,0,0.85,9,9,9,9"),
        ("a far place", "0,1,1e300,0,0.85,1,0,0,0"),
        ("a small place", "0,1,1e-320,0,0.85,1,0,0,0"),
        ("a joint beyond all", "1e300,1,0,0,0.85,1,0,0,0"),
        ("no numbers", "nan,nan,nan,nan,nan,nan,nan,nan,nan"),
        ("a base upside down", "0,1,0,0,0.85,0,1,0,0"),
        ("a base in the sky", "0,1,0,0,900,1,0,0,0"),
        ("text", "a,b,c,d,e,f,g,h,i"),
        ("too many values", f"{still},1,2,3"),
        ("hexadecimal", "0x1,1,0,0,0.85,1,0,0,0"),
    ):
        yield what, f"{head}\n{rows(50, row)}".encode()
    for what, data in (
        ("quotes", b"t,neck_ay\n" + b'"' * 500_000),
        ("zeros", b"t,neck_ay\n" + bytes(500_000)),
        ("returns", b"t,neck_ay\r" + b"0,0\r" * 100_000),
        ("a long line", b"t,neck_ay\n" + b"0," * 400_000),
        ("names of a megabyte", b"t," + b"a" * 900_000 + b"\n0,0\n"),
        ("UTF-16", "t,neck_ay\n0,0\n1,0\n".encode("utf-16")),
    ):
        yield what, data


def card_inputs() -> Iterator[tuple[str, bytes]]:
    """Cards that say nothing of use."""
    for what, value in WRONG.items():
        yield (
            f"a card: {what}",
            json.dumps({"behavior": value, "cells": value}).encode(),
        )
    yield "nested", b"[" * 200_000
    yield "keys", json.dumps({f"k{k}": k for k in range(100_000)}).encode()
