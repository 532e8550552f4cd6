"""Sweep files: the runs that are meant, or one sentence."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.kinds.push import PolarPush, Push
from backbeat.mpc.sweep.cells import narrowed
from backbeat.mpc.sweep.specification import (
    find_sweep,
    load_sweep,
    parse_sweep,
    shipped_sweeps,
)


def sweep_of(text):
    return parse_sweep(text, "test.yaml", "test")


GRID = """
behaviors: [stand, march]
seeds: 3
first_seed: 10
base: {duration: 6, world: {mass_spread: 0.1}, pushes: [{time: 0.1}]}
per_behavior: {march: {push.time: 1.5}}
cases: {all on: {}, timing off: {timing: off}}
variations:
  push.direction_deg: [0, 90]
  world.plan_delay: [0.0, 0.01, 0.02]
"""


def test_a_grid_has_every_combination():
    sweep = sweep_of(GRID)
    assert len(sweep.cells) == 2 * 2 * 2 * 3
    assert list(sweep.seeds) == [10, 11, 12]
    cell = sweep.cells[-1]
    assert (cell.behavior, cell.case) == ("march", "timing off")
    assert cell.values == {"push.direction_deg": 90, "world.plan_delay": 0.02}
    scenario = cell.seeded(11)
    assert scenario.behavior == "march"
    assert scenario.control.timing is False
    assert scenario.seed == 11
    assert scenario.world.mismatch.plan_delay == 0.02
    assert scenario.world.mismatch.mass_spread == 0.1
    assert scenario.disturbances.pushes == [
        Push(time=0.1),
        Push(1.5, 0.1, [0.0, 0.0, 0.0]),
    ]
    first = sweep.cells[0].seeded(10)
    assert first.control.timing is True
    assert first.disturbances.pushes[1].time == 1.0


def test_a_list_goes_through_values_side_by_side():
    text = GRID.replace("[0.0, 0.01, 0.02]", "[0.0, 0.01]") + "combine: list\n"
    sweep = sweep_of(text)
    assert len(sweep.cells) == 2 * 2 * 2
    pairs = [tuple(c.values.values()) for c in sweep.cells[:2]]
    assert pairs == [(0, 0.0), (90, 0.01)]


def test_engines_are_a_field_as_robots_are():
    sweep = sweep_of(
        "behaviors: [stand, march]\nengines: [drake, mujoco]\npool: [engine]\n"
        "cases: {push: {push: {impulse: 20}}, none: {}}"
    )
    assert len(sweep.cells) == 8
    for cell in sweep.cells:
        assert cell.seeded(0).world.engine == cell.engine == cell.engine_name
    assert sweep.cells[2].title() == "stand, mujoco, push"
    one = narrowed(sweep, ["march"], None, engines=["mujoco"])
    assert {c.engine_name for c in one.cells} == {"mujoco"}
    # Searched values keep their engine.
    searched = sweep_of("behaviors: [stand]\nengines: [mujoco]\nsearch: {}")
    assert searched.at_level(searched.cells[0], 20.0).engine_name == "mujoco"


def test_an_engine_of_a_case_is_named_too():
    sweep = sweep_of("behaviors: [stand]\nbase: {engine: mujoco}")
    assert sweep.cells[0].title() == "stand, mujoco"
    varied = sweep_of("behaviors: [stand]\nvariations: {engine: [drake, mujoco]}")
    assert [c.title() for c in varied.cells] == [
        "stand, engine drake",
        "stand, engine mujoco",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("engines: [mujcoo]", "did you mean mujoco"),
        ("engines: [own]", "own"),
        ("engines: [drake]\nbase: {engine: mujoco}", "give one of the two"),
        ("engines: [mujoco]\nbase: {contact_model: sap}", "contact_model sap is Drake"),
    ],
)
def test_what_no_engine_can_run_is_refused(text, said):
    with pytest.raises(BackbeatError, match=said):
        _ = sweep_of(f"behaviors: [stand]\n{text}").cells
    with pytest.raises(BackbeatError, match="engine"):
        narrowed(sweep_of("behaviors: [stand]"), None, None, engines=["bullet"])


def test_without_variations_a_behavior_is_a_cell():
    sweep = sweep_of("behaviors: [stand]")
    assert len(sweep.cells) == 1
    assert sweep.cells[0].seeded(0).disturbances.pushes == []
    assert sweep.settings.name == "test"


@pytest.mark.parametrize(
    ("direction", "impulse"),
    [
        (0, [50, 0, 0]),
        (90, [0, 50, 0]),
        (180, [-50, 0, 0]),
        (270, [0, -50, 0]),
        (225, [-50 / np.sqrt(2), -50 / np.sqrt(2), 0]),
    ],
)
def test_a_push_by_size_and_direction(direction, impulse):
    random = np.random.default_rng(0)
    push = PolarPush(impulse=50.0, direction_deg=direction).drawn(random)
    np.testing.assert_allclose(push.impulse, impulse, atol=1e-8)
    assert all(isinstance(x, float) for x in push.impulse)


def test_the_seed_shifts_a_push_within_its_spread():
    cell = sweep_of(
        "behaviors: [stand]\nbase: {push: {time: 2, time_spread: 0.1, impulse: 9}}"
    ).cells[0]
    times = [cell.seeded(s).disturbances.pushes[0].time for s in range(40)]
    assert times == [cell.seeded(s).disturbances.pushes[0].time for s in range(40)]
    assert 1.9 <= min(times) < 1.93
    assert 2.07 < max(times) <= 2.1


def test_the_searched_field_is_set_level_by_level():
    sweep = sweep_of("behaviors: [stand]\nsearch: {low: 10, high: 30, step: 10}")
    (cell,) = sweep.cells
    assert sweep.at_level(cell, 20.0).seeded(0).disturbances.pushes[0].impulse == [
        20.0,
        0.0,
        0.0,
    ]
    assert sweep.at_level(cell, None) is cell


def test_a_part_of_a_sweep():
    part = narrowed(sweep_of(GRID), ["march"], 1)
    assert {c.behavior for c in part.cells} == {"march"}
    assert list(part.seeds) == [10]
    with pytest.raises(BackbeatError, match="did you mean march"):
        narrowed(sweep_of(GRID), ["marhc"], None)


def test_on_and_off_may_be_names():
    sweep = sweep_of(
        "behaviors: [stand]\nbaseline: off\n"
        "cases: {on: {timing: on}, off: {timing: off}}"
    )
    assert list(sweep.cases) == ["on", "off"]
    assert sweep.settings.baseline == "off"


@pytest.mark.parametrize("name", shipped_sweeps())
def test_what_ships_can_be_read(name):
    sweep = load_sweep(find_sweep(name))
    assert sweep.settings.name == name
    assert sweep.settings.summary
    assert len(sweep.cells) * sweep.settings.seeds >= 8
    assert load_sweep(find_sweep(f"{name}.yaml")).cells == sweep.cells


def test_ablation_and_pushes_ship():
    assert {"ablation", "pushes", "world"} <= set(shipped_sweeps())


BAD = [
    ("behaviors: []", "name the behaviors"),
    ("seeds: 3", "name the behaviors"),
    ("behaviors: [stand]\nseedz: 3", "did you mean seeds"),
    ("behaviors: [../stand]", "not a behavior name"),
    ("behaviors: [stand]\nname: a/b", "not a name of a sweep"),
    ("behaviors: [stand]\nbase: {frcition: 1}", "did you mean friction"),
    ("behaviors: [stand]\nbase: {friction: -1}", "friction is -1"),
    ("behaviors: [stand]\nbase: {push: {impuls: 3}}", "did you mean impulse"),
    ("behaviors: [stand]\nbase: {push: 3}", "expected keys"),
    ("behaviors: [stand]\nvariations: {friction: []}", "needs a list"),
    ("behaviors: [stand]\nvariations: {friction: [low]}", "friction is 'low'"),
    (
        "behaviors: [stand]\nvariations: {friction.x: [1]}",
        "it must be a number",
    ),
    (
        "behaviors: [stand]\nbase: {friction: 1}\nvariations: {friction.x: [1]}",
        "is a value and has no",
    ),
    (
        "behaviors: [stand]\ncombine: list\n"
        "variations: {friction: [1, 2], seed: [1, 2, 3]}",
        "equally many",
    ),
    (
        "behaviors: [stand]\nvariations: {seed: "
        + str([0] * 101)
        + ", friction: "
        + str([0.5] * 100)
        + "}",
        "more than 4000",
    ),
    ("behaviors: [stand]\nbaseline: nothing", "unknown case"),
    ("behaviors: [stand]\npool: [friction]", "unknown field to pool"),
    ("behaviors: [stand]\nper_behavior: {march: {}}", "in per_behavior"),
    ("behaviors: [stand]\nsearch: {low: 5, high: 1}", "low <= high"),
    ("behaviors: [stand]\nsearch: {field: nothing}", "unknown key"),
    ("behaviors: [stand]\nsearch: {field: world.tilt_deg, high: 90}", "tilt_deg is 90"),
    ("behaviors: [stand, stand]", "2 cells 'stand'"),
    ("behaviors: [stand]\nvariations: {friction: [1, 1]}", "2 cells"),
    ("behaviors: [stand]\nvariations: {seed: [1, 2]}", "comes from the sweep's seeds"),
    ("behaviors: [stand]\nbase: {behavior: march}", "from the sweep's behaviors"),
    ("behaviors: [stand", "not valid YAML"),
    ("- stand", "expected keys"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD)
def test_a_mistake_is_one_sentence(text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        sweep_of(text)
    assert "\n" not in str(caught.value)


def test_a_sweep_that_is_not_there(tmp_path):
    with pytest.raises(BackbeatError, match="did you mean pushes"):
        find_sweep("pushs")
    with pytest.raises(BackbeatError, match="no sweep file"):
        find_sweep(tmp_path / "nothing.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(BackbeatError, match="not text in UTF-8"):
        load_sweep(tmp_path / "bytes.yaml")
