"""The page around Meshcat: caption, layer switches and play controls."""

import base64
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.stage.frames.keyframes import Track

FOLDER = Path(__file__).parent / "page"
# What the page runs, in order.
RECORDED: tuple[str, ...] = (
    "keys.js",
    "transport.js",
    "recording.js",
    "drawing.js",
    "overlay.js",
)
LIVE: tuple[str, ...] = (
    "keys.js",
    "form.js",
    "transport.js",
    "push_drag.js",
    "costs.js",
    "plots.js",
    "panel.js",
    "target_drag.js",
    "task_panel.js",
    "edit.js",
    "drive.js",
    "shelf.js",
    "live.js",
    "drawing.js",
    "overlay.js",
)
# What it runs before these where something is edited, by kind.
TIMELINE = ("form.js", "document.js", "tempo.js", "music.js", "trial.js", "timeline.js")
AUTHORED: dict[str, tuple[str, ...]] = {
    "dance": (*TIMELINE, "drag.js", "blocks.js", "values.js", "palette.js", "dance.js"),
    "setlist": (
        *TIMELINE,
        "drag.js",
        "blocks.js",
        "values.js",
        "shelf.js",
        "setlist.js",
    ),
    "score": (*TIMELINE, "taps.js", "drums.js"),
}
# How a static page of Meshcat takes in what it shows, message by message.
MESSAGE = "viewer.handle_command_bytearray(new Uint8Array(buffer))"
COUNTED = f"({MESSAGE}, window.messages = (window.messages ?? 0) + 1)"
# Without it a phone shows a page for wide screens, made small.
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'
# Until the megabytes of Meshcat's program are read, its page is white and says that
# there is no connection to a server, which a recording has no need of.
WHILE_READ = (
    "<style>html, body { background: #4b525d; } "
    "#status-message { display: none; }</style>"
)
# Whole numbers that a value is rounded to, over the range of its track.
STEPS = 65534
MOST_FRAMES = 65536


def with_overlay(
    page: str,
    info: dict[str, Any],
    motion: dict[str, Any] | None = None,
    sound: dict[str, Any] | None = None,
) -> str:
    """Adds the overlay to a page of Meshcat.

    Args:
        page: HTML of Meshcat, a static one for a recording.
        info: what the overlay says; see `Stage.info`.
        motion: what a recording plays, see `packed`; None for a live page.
        sound: what is heard, see `backbeat.sound.page`; None for silence.
    """
    # Messages come one by one; the motion must wait for the last.
    info = info | {"messages": page.count(MESSAGE)}
    page = page.replace(MESSAGE, COUNTED)
    block = [
        f"<style>{page_file('overlay.css')}{page_file('controls.css')}</style>",
        page_file("overlay.html"),
        data_element("backbeat-info", info),
        _shader("trail-vertex", "trail.vert"),
        _shader("trail-fragment", "trail.frag"),
    ]
    scripts = LIVE if motion is None else RECORDED
    if motion is not None:
        block.append(data_element("backbeat-motion", motion))
    if "timeline" in info:
        block.append(f"<style>{page_file('timeline.css')}</style>")
        block.append(f'<template id="desk">{page_file("timeline.html")}</template>')
        own = AUTHORED[info["timeline"]["kind"]]
        scripts = tuple(dict.fromkeys((*own, *scripts)))
    if sound is not None:
        block.append(data_element("backbeat-sound", sound))
        scripts = ("sound.js", *scripts)
    block += [f"<script>{page_file(name)}</script>" for name in scripts]
    block.append("")
    head, body, tail = page.rpartition("</body>")
    if not body:
        raise RuntimeError("this Drake's Meshcat page has no </body>")
    title = f"<title>{html.escape(info['name'])} – Backbeat</title>"
    early = f"<script>{page_file('early.js')}</script>"
    head = head.replace(
        "<title>Drake MeshCat</title>", VIEWPORT + WHILE_READ + early + title, 1
    )
    head = head.replace("<body>", f"<body>{page_file('loading.html')}", 1)
    return head + "\n".join(block) + body + tail


def packed(tracks: Sequence[Track], times: np.ndarray) -> dict[str, Any]:
    """Tracks as the overlay reads them: a table, and whole numbers in base64.

    Each track has its frames first and its values after them; a value is origin +
    step * number, so that the rounding is a 130 000th of the track's range.

    Args:
        tracks: thinned tracks.
        times: times of the recording's frames [s].

    Raises:
        BackbeatError: too many frames.
    """
    if len(times) > MOST_FRAMES:
        raise BackbeatError(
            f"{len(times)} frames are more than the {MOST_FRAMES} that a recording "
            "holds; record fewer a second, or less"
        )
    table, numbers = [], []
    for track in tracks:
        low, high = float(track.values.min()), float(track.values.max())
        origin, step = 0.5 * (low + high), max(high - low, 1e-9) / STEPS
        if track.key == "visible":
            origin, step = 0.0, 1.0
        whole = np.round((track.values - origin) / step)
        table.append([track.path, track.key, len(track.frames), origin, step])
        numbers.append(track.frames.astype("<u2").view("<i2"))
        numbers.append(whole.astype("<i2").ravel())
    blob = np.concatenate(numbers).tobytes() if numbers else b""
    return {
        "times": np.round(times, 4).tolist(),
        "tracks": table,
        "blob": base64.b64encode(blob).decode("ascii"),
    }


def page_file(name: str) -> str:
    """Text of a file in the folder `page`."""
    return (FOLDER / name).read_text(encoding="utf-8")


def _shader(identifier: str, name: str) -> str:
    return f'<script type="x-shader" id="{identifier}">{page_file(name)}</script>'


def data_element(identifier: str, value: Any) -> str:
    """A script element that holds data; nothing in it can end the element."""
    text = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{identifier}">{text}</script>'
