"""What a page says of a run in words: what ran, how it ended, how to do it again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.mpc.analysis.metrics import STATE
from backbeat.mpc.driving.speed import drive_in_words
from backbeat.mpc.runs.record import RunRecord
from backbeat.mpc.scenario.settings import all_events
from backbeat.mpc.scenario.specification import Scenario

# Units of settings that are lists, where it is not m.
UNITS = {"drive": "m/s, m/s, rad/s"}


def result_sentence(record: RunRecord) -> str:
    """How a run ended and how good it was, in one sentence."""
    m = record.metrics
    did = [f"stayed up for all of the {m['duration_s']:.1f} s"]
    if m["fell"]:
        when = m.get("fell_at_s")
        did = ["fell" if when is None else f"fell at {when:.1f} s"]
    did += [
        f"overloaded {s['joint']} ({s['why']})" for s in m.get("strained_joints", ())
    ]
    did += _pushes(m["pushes"]) + _hits(m.get("hits"))
    did += drive_in_words(m["drive"]) if m.get("drive") else []
    text = "The robot " + ", ".join(did[:-1]) + (" and " if did[1:] else "") + did[-1]
    off = m["com_error_mm"].get("rms")
    if off is not None:
        text += f"; its CoM error was {off:.1f} mm RMS"
    hits = m.get("hits")
    if hits and hits["made"]:
        text += (
            f", its hit timing error {hits['timing_mean_ms']:.1f} ms in the mean (SD "
            f"{hits['timing_sd_ms']:.1f} ms, {hits['timing_max_ms']:.1f} ms at most)"
        )
    return text + "."


def _pushes(pushes: list[dict[str, Any]]) -> list[str]:
    if not pushes:
        return []
    over = sum(push["survived"] is True for push in pushes)
    unknown = sum(push["survived"] is None for push in pushes)
    late = f" ({unknown} too late in the run to be judged)" if unknown else ""
    return [f"recovered from {over} of {_count(len(pushes), 'push', 'pushes')}{late}"]


def _hits(hits: dict[str, Any] | None) -> list[str]:
    if not hits:
        return []
    extra = f", with {hits['extra']} unplanned" if hits["extra"] else ""
    return [f"made {hits['made']} of {_count(hits['planned'], 'hit')}{extra}"]


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def changed_settings(record: RunRecord) -> dict[str, Any]:
    """Settings of a run that are not the default ones, as in a scenario file."""
    return _changed(record.scenario.to_dict(), Scenario().to_dict())


def _changed(values: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(plain.get(key), Mapping):
            inner = _changed(value, plain[key])
            if inner:
                found[key] = inner
        elif key not in plain or value != plain[key]:
            found[key] = value
    return found


def scenario_yaml(record: RunRecord) -> str:
    """The scenario file of a run, without what is the default anyway."""
    text = yaml.safe_dump(changed_settings(record), sort_keys=False)
    return str(text)


def commands(record: RunRecord, path: str | Path) -> list[str]:
    """The commands that make the behavior, the run and its page again."""
    path = Path(path)
    name, robot = record.name, record.story["robot"]["name"]
    on = "" if robot == USUAL_ROBOT else f" --robot {robot}"
    return [
        # Runs of earlier versions do not say how their behavior was built.
        record.story.get("build") or f"backbeat build {name}{on}",
        f"backbeat track --scenario {name}.scenario.yaml -o {path.name}",
        f"backbeat replay {path.name}",
        f"backbeat report {path.name}",
    ]


def facts(record: RunRecord) -> list[tuple[str, str]]:
    """What ran, as names and values."""
    s, robot = record.scenario, record.story["robot"]
    music = f"{record.story['bpm']:g} beats a minute" if record.story["bpm"] else "none"
    carried = " with " + ", ".join(robot["equipment"]) if robot["equipment"] else ""
    held = "free" if robot["mount"]["p_WB"] is None else "base welded"
    switches = ("timing", "forces", "posture", "steps")
    off = [n for n in switches if getattr(s.control, n) is False]
    rows = [
        ("behavior", f"{record.name}, key {str(record.story['behavior_key'])[:12]}"),
        ("robot", f"{record.robot_name}{carried}, {robot['mass_kg']:.1f} kg, {held}"),
        ("music", music),
        ("state source", STATE[str(s.sensing.state)]),
        (
            "simulation",
            f"{s.world.engine_words}, steps of {1e3 * s.timing.time_step:g} ms, "
            f"friction {s.world.friction:g}, seed {s.seed}",
        ),
        (
            "adaptations off",
            ", ".join(off) or "none: all four on",
        ),
        (
            "versions",
            ", ".join(f"{k} {v}" for k, v in record.story["versions"].items()),
        ),
    ]
    return rows


def events(record: RunRecord) -> list[tuple[float, str]]:
    """When settings changed in a run [s], and to what."""
    return [
        (
            event.time,
            ", ".join(
                f"{name.replace('_', ' ')} {_value(value, UNITS.get(name, 'm'))}"
                for name, value in event.values().items()
            ),
        )
        for event in all_events(record.scenario)
    ]


def _value(value: bool | float | list[float], unit: str) -> str:
    """A setting for people; `unit` is that of lists."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return " ".join(f"{x:g}" for x in value) + f" {unit}"
    return f"{value:g}"
