"""Behaviors that somebody wrote: specifications, moves, setlists, recordings, words."""

from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from hypothesis import strategies as st

from backbeat.behaviors.dance.vocabulary import move_file
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves, vocabulary
from backbeat.behaviors.dance.vocabulary.move_schema import (
    MarkerDescription,
    MoveFile,
    StepDescription,
)
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.words import CENTER, DIRECTIONS, TURNS, parse_wish
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import (
    SETLIST_FOLDER,
    SHIPPED_FOLDER,
    kind_class,
    kinds,
    read_any,
    read_specification,
)
from backbeat.behaviors.takes.take import Conventions, Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from tests.behaviors.moves import MOVE
from tests.fuzz.noise import HOSTILE, HOSTILE_YAML, about, damaged, yaml_like
from tests.fuzz.reader import Reader

# Ten minutes at the finest spacing of knots.
MOST_KNOTS = 120_001
SHIPPED = [
    (SHIPPED_FOLDER / f"{name}.yaml").read_text()
    for name in ("posture-tour", "step-touch", "walk-2", "outstanding", "groove")
]
SETLIST = (SETLIST_FOLDER / "show.yaml").read_text()
KEYS = sorted(
    {key for kind in kinds() for key in kind_class(kind, kind).__dataclass_fields__}
)
STEPS = (move_file.FOLDER / "march.yaml").read_text()
MOVE_WORDS = (
    *(
        f.name
        for x in (MoveFile, StepDescription, MarkerDescription)
        for f in fields(x)
    ),
    "1 + size",
)
PLACES = ("head", "hip", "knee")
WISHES = [*DIRECTIONS, *TURNS, "at the", "head", "and", ",", "0.1", "-5", "1e9", "cm"]
WISHES += ["as far as you can", "over the", "middle", "degrees", "out", "nan", "é"]
CSV = "t,l_arm_elx,neck_ay\n" + "".join(
    f"{0.1 * k:.1f},{0.05 * k:.2f},0\n" for k in range(8)
)
CELLS = st.sampled_from(
    ["t", "time", "neck_ay", "l_arm_elx", "base.x", "base.qw", "q.", "nan", "1e308"]
    + ["-1e308", "inf", "0", "0.1", "0.2", "0.3", "1", "5", "\n", "\n", ",", ",", '"']
    + ["'", ";", "\x00", "é", "\r", " ", "1e-320", "0x1", "1_0", "true", "#"]
)


def _plan(path: Path) -> None:
    specification, _ = read_specification(path)
    assert 4 <= specification.plan(path.parent).problem.num_knots <= MOST_KNOTS


def _check_dance(path: Path) -> None:
    lines = path.read_bytes().count(b"\n")
    for item in check_file(path):
        assert 1 <= item.line <= lines + 1
        assert "\n" not in item.finding.sentence


def _read_setlist(path: Path) -> None:
    setlist, _ = read_any(path)
    if isinstance(setlist, SetlistSpecification):
        setlist.check()
        assert len(setlist.entries()) <= 100 * len(setlist.behaviors)


def _read_move(path: Path) -> None:
    own = vocabulary(path.parent.parent)
    assert set(own) > set(shipped_moves())


@cache
def _atlas() -> RobotModel:
    return make_robot("atlas", (), Mount())


def _read_csv(path: Path) -> None:
    # The same numbers make sense in one of the two at most.
    with suppress(BackbeatError):
        _check_angles(read_take(path, _atlas(), Conventions(unit="degrees")))
    _check_angles(read_take(path, _atlas(), Conventions(unit="radians")))


def _check_angles(found: Take) -> None:
    assert np.isfinite(found.q).all()
    assert (np.diff(found.t) > 0).all()
    if found.base is not None:
        length = np.linalg.norm(found.base[:, :4], axis=1)
        assert np.abs(length - 1.0).max() < 1e-10


def _read_wish(path: Path) -> None:
    text = path.read_bytes().decode(errors="replace")
    for part in ("left hand", CENTER):
        shifts = parse_wish(part, text, PLACES, "mine").shifts
        assert np.abs([w.amount or 0.0 for w in shifts]).max(initial=0.0) <= 2.0


def _specification(data: dict[str, object]) -> bytes:
    return yaml.safe_dump({"name": "mine"} | data).encode()


@st.composite
def _dances(draw: st.DrawFn) -> bytes:
    move = draw(st.sampled_from(sorted(shipped_moves())))
    name, known = next(iter(shipped_moves()[move].parameters.items()), ("none", None))
    at, beats = draw(about(0.0, 1.0, 2.0, 4.0)), draw(about(4.0, 8.0))
    x = draw(about(0.1) if known is None else about(known.least, known.default))
    length, fade = draw(about(16.0, 24.0)), draw(about(0.5, 1.0))
    step = {"move": move, "at": at, "beats": beats, "values": {name: x}}
    tracks = {shipped_moves()[move].track: [step]}
    return _specification(
        {"kind": "dance", "beats": length, "fade": fade, "tracks": tracks}
    )


@st.composite
def _tours(draw: st.DrawFn) -> bytes:
    move, hold = draw(about(0.5, 1.0, 2.0)), draw(about(0.0, 0.5, 1.0))
    spacing, angle = draw(about(0.05, 0.1)), draw(about(0.0, 0.1, -0.3))
    pelvis, lean = draw(about(0.75, 0.8, 0.85)), draw(about(0.0, 0.1))
    station = {"posture": "stand", "move": move, "hold": hold}
    station |= {"angles": {"back_bkz": angle}, "pelvis": pelvis, "lean": lean}
    if place := draw(st.lists(about(0.3, 0.4, 1.0), max_size=4)):
        station["reach"] = {"l_hand_face": place}
    return _specification(
        {"kind": "posture", "stations": [station], "knot_spacing": spacing}
    )


@st.composite
def _steps(draw: st.DrawFn) -> bytes:
    time, turn = draw(about(0.5, 0.8)), draw(about(0.0, 0.2))
    clearance, lower = draw(about(0.05, 0.1)), draw(about(0.0, 0.02))
    spacing, swing = draw(about(0.02, 0.05)), draw(about(0.0, 0.2))
    place, some = about(0.0, 0.05, 0.1, 0.2), about(0.1, 0.3, 0.5)
    still = {"feet": "both", "time": 0.5}
    step = {"feet": "left", "time": time, "turn": turn, "clearance": clearance}
    step |= {"lower": lower, "to": draw(st.lists(place, min_size=2, max_size=3))}
    step["via"] = draw(st.lists(st.lists(place, min_size=2, max_size=3), max_size=1))
    step["between"] = draw(st.lists(some, max_size=2))
    steps = {"steps": [still, step, still], "arm_swing": swing}
    return _specification({"kind": "footsteps", "knot_spacing": spacing} | steps)


@st.composite
def _strokes(draw: st.DrawFn) -> bytes:
    stroke = {"apex": draw(about(0.1, 0.15, 0.2)), "speed": draw(about(1.0, 1.5))}
    stroke["slope"] = draw(about(0.0, 0.1))
    keys = yaml.safe_load(SHIPPED[3]) | {"stroke": stroke}
    return _specification(keys)


@st.composite
def _angles(draw: st.DrawFn) -> bytes:
    """A table of any numbers, its time running or not."""
    rows = draw(st.lists(st.tuples(*[st.floats()] * 9), min_size=4, max_size=8))
    runs = draw(st.booleans())
    names = ["t", "neck_ay", *(f"base.{a}" for a in ("qw", "qx", "qy", "qz", *"xyz"))]
    lines = [
        ",".join(map(repr, [k / 10 if runs else row[0], *row[1:]]))
        for k, row in enumerate(rows)
    ]
    return "\n".join([",".join(names), *lines, ""]).encode()


READERS = (
    Reader(
        "specification",
        read_specification,
        yaml_like(*SHIPPED, words=KEYS),
        "mine.yaml",
        HOSTILE_YAML,
        count=120,
    ),
    Reader("dance to be planned", _plan, _dances(), "mine.yaml", {}, count=30),
    Reader("tour to be planned", _plan, _tours(), "mine.yaml", {}, count=12),
    Reader("steps to be planned", _plan, _steps(), "mine.yaml", {}, count=30),
    Reader(
        "strokes to be planned",
        _plan,
        _strokes(),
        "mine.yaml",
        {},
        count=12,
        beside={"scores": SHIPPED_FOLDER / "scores"},
    ),
    Reader(
        "choreography",
        _check_dance,
        yaml_like(SHIPPED[1], SETLIST),
        "mine.yaml",
        HOSTILE_YAML,
        count=60,
    ),
    Reader("setlist", _read_setlist, yaml_like(SETLIST), "mine.yaml", HOSTILE_YAML),
    Reader(
        "move",
        _read_move,
        yaml_like(MOVE, STEPS, words=MOVE_WORDS),
        "moves/mine.yaml",
        HOSTILE_YAML,
    ),
    Reader(
        "recording",
        _read_csv,
        st.one_of(
            damaged(CSV.encode()),
            _angles(),
            st.lists(CELLS, max_size=40).map("".join).map(str.encode),
            st.lists(CELLS, max_size=40).map("".join).map(lambda s: (CSV + s).encode()),
        ),
        "take.csv",
        HOSTILE
        | {
            "a wide table": b"t," + b"q," * 100_000 + b"\n",
            "an endless quote": b't,neck_ay\n0,"' + b"1\n" * 500_000,
            "a long number": b"t,neck_ay\n0," + b"9" * 2_000_000 + b"\n",
        },
        count=80,
    ),
    Reader(
        "posture in words",
        _read_wish,
        st.lists(st.sampled_from(WISHES), max_size=8).map(" ".join).map(str.encode)
        | st.binary(max_size=40),
        "words.txt",
        HOSTILE,
    ),
)
