"""Specifications of anything at all: a plan of bounded size, or a BackbeatError."""

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from behaviors.dance.move_file import shipped_moves
from behaviors.specification import KINDS, parse_specification
from models.errors import BackbeatError

# Ten minutes at the finest spacing of knots.
MOST_KNOTS = 120_001
KEYS = sorted({f for schema in KINDS.values() for f in schema.__dataclass_fields__})
INNER = ["move", "posture", "at", "beats", "values", "legs", "apex", "feet", "to", "x"]
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["stand", "bounce", "atlas", "mine", "legs", "chair", "left"])
)
values = st.recursive(
    scalars,
    lambda x: (
        st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(INNER), x, max_size=3)
    ),
    max_leaves=8,
)
numbers = st.floats() | st.sampled_from([0.0, -1.0, 0.1, 0.5, 2.0, 8.0])


@settings(deadline=None)
@given(
    st.sampled_from(sorted(KINDS)),
    st.dictionaries(st.sampled_from([*KEYS, "unknown"]), values, max_size=4),
)
def test_any_values_read_or_are_one_error(kind, data):
    text = yaml.safe_dump({"kind": kind, "name": "mine"} | data)
    with contextlib.suppress(BackbeatError):
        parse_specification(text, "mine.yaml")


@settings(deadline=None)
@given(
    st.text("kind: posture dnac\nrumg{}[],&*!|>%#-'\"\\0.~?\t\x00é", max_size=80)
    | st.text(max_size=40)
)
def test_any_text_reads_or_is_one_error(text):
    for whole in (text, "kind: dance\nname: mine\n" + text):
        with contextlib.suppress(BackbeatError):
            parse_specification(whole, "mine.yaml")


@pytest.fixture(scope="module")
def check():
    """`check(data)` compiles a specification and looks at the size of its plan."""

    def compiled(data):
        text = yaml.safe_dump({"name": "mine"} | data)
        with contextlib.suppress(BackbeatError):
            plan = parse_specification(text, "mine.yaml").plan(Path())
            assert 4 <= plan.problem.num_knots <= MOST_KNOTS

    return compiled


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(shipped_moves())), *[numbers] * 5)
def test_any_numbers_make_a_dance_or_one_error(check, move, at, beats, length, fade, x):
    name = next(iter(shipped_moves()[move].parameters), "none")
    step = {"move": move, "at": at, "beats": beats, "values": {name: x}}
    tracks = {shipped_moves()[move].track: [step]}
    check({"kind": "dance", "beats": length, "fade": fade, "tracks": tracks})


@settings(max_examples=40, deadline=None)
@given(*[numbers] * 6, st.lists(numbers, max_size=4))
@example(1.0, 0.0, 0.0625, 0.0, 246914321.0, 2.0, [])
def test_any_numbers_make_a_tour_or_one_error(
    check, move, hold, spacing, angle, pelvis, lean, place
):
    station = {"posture": "stand", "move": move, "hold": hold}
    station |= {"angles": {"back_bkz": angle}, "pelvis": pelvis, "lean": lean}
    if place:
        station["reach"] = {"l_hand_face": place}
    check({"kind": "posture", "stations": [station], "knot_spacing": spacing})


@settings(max_examples=40, deadline=None)
@given(
    *[numbers] * 6,
    st.lists(numbers, min_size=1, max_size=3),
    st.lists(st.lists(numbers, min_size=2, max_size=3), max_size=2),
    st.lists(numbers, max_size=2),
)
def test_any_numbers_make_steps_or_one_error(
    check, time, turn, clearance, lower, spacing, swing, to, via, between
):
    still = {"feet": "both", "time": 0.5}
    step = {"feet": "left", "time": time, "turn": turn, "clearance": clearance}
    step |= {"lower": lower, "to": to, "via": via, "between": between}
    steps = {"steps": [still, step, still], "arm_swing": swing}
    check({"kind": "footsteps", "knot_spacing": spacing} | steps)


@settings(max_examples=15, deadline=None)
@given(*[numbers] * 3)
def test_any_numbers_make_strokes_or_one_error(check, apex, speed, slope):
    stroke = {"apex": apex, "speed": speed, "slope": slope}
    check({"kind": "drumming", "score": "nothing", "stroke": stroke})
