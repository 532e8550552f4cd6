"""The schedule: the same verdicts however many runs go on side by side."""

import numpy as np
import pytest

from backbeat.mpc.sweep.schedule import Schedule
from backbeat.mpc.sweep.specification import parse_sweep
from backbeat.mpc.sweep.summary import summarize

RATES = """
behaviors: [stand]
seeds: 40
variations: {friction: [0.2, 0.5, 0.8]}
sequential: {fails: 0.6, passes: 0.9}
"""
MARGINS = """
behaviors: [stand, march]
seeds: 10
cases: {on: {timing: on}, off: {timing: off}}
variations: {push.direction_deg: [0, 90]}
search: {low: 10, high: 100, step: 10, success: 0.8}
baseline: off
"""


def truth(sweep, run):
    """A made-up world: whether a run succeeds, by its own numbers alone."""
    cell = sweep.at_level(sweep.cells[run.cell], run.level)
    chance = np.random.default_rng([run.cell, run.seed]).uniform()
    if run.level is None:
        return bool(chance < {0.2: 0.3, 0.5: 0.75, 0.8: 0.97}[cell.values["friction"]])
    strength = 40 + 25 * cell.seeded(0).control.timing + 10 * (cell.behavior == "march")
    return bool(run.level <= strength + 8 * (chance - 0.1))


def finish(sweep, processes=1, seed=0, stop_after=None, known=()):
    """Runs a sweep, runs ending in any order; returns the schedule and what ran."""
    rng, schedule, running, made = np.random.default_rng(seed), Schedule(sweep), [], []
    known = dict(known)
    while True:
        while len(running) < processes:
            run = schedule.next_run()
            if run is None:
                break
            if run in known:
                schedule.record(run, known[run])
                continue
            running.append(run)
        if not running or len(made) == stop_after:
            return schedule, made
        run = running.pop(rng.integers(len(running)))
        made.append((run, truth(sweep, run)))
        schedule.record(*made[-1])


def verdicts(schedule):
    found = {key: schedule.verdict(*key) for key in schedule.trials}
    return {key: v for key, v in found.items() if v.runs}


@pytest.mark.parametrize("text", [RATES, MARGINS])
def test_any_number_of_processes_comes_to_the_same(text):
    sweep = parse_sweep(text, "test", "test")
    alone, made = finish(sweep)
    assert len({run for run, _ in made}) == len(made)
    for processes in (2, 5):
        for seed in range(3):
            together, more = finish(sweep, processes, seed)
            assert verdicts(together) == verdicts(alone)
            # A few runs may be in vain, for they were under way at the stop.
            assert len(more) <= len(made) + 5 * len(alone.trials)


@pytest.mark.parametrize("text", [RATES, MARGINS])
@pytest.mark.parametrize("stop_after", [1, 7, 16])
def test_a_sweep_that_was_stopped_makes_only_the_rest(text, stop_after):
    sweep = parse_sweep(text, "test", "test")
    whole, made = finish(sweep, 1)
    _, before = finish(sweep, 1, stop_after=stop_after)
    assert len(before) == stop_after
    resumed, after = finish(sweep, 1, known=before)
    assert verdicts(resumed) == verdicts(whole)
    assert len(before) + len(after) == len(made)
    assert not {r for r, _ in before} & {r for r, _ in after}


def test_clear_cells_stop_early_and_the_others_take_their_runs():
    sweep = parse_sweep(RATES, "test", "test")
    schedule, made = finish(sweep)
    low, middle, high = (schedule.verdict(k, None) for k in range(3))
    assert low.decision == "fails"
    assert high.decision == "passes"
    assert low.is_early
    assert high.is_early
    assert len(made) == low.runs + middle.runs + high.runs < 80


def test_margins_and_ratios_by_hand():
    sweep = parse_sweep(MARGINS, "test", "test")
    schedule, _ = finish(sweep)
    summary = summarize(schedule, {})
    assert summary["is_complete"]
    for entry in summary["margins"]:
        levels = np.arange(10.0, 101.0, 10.0)
        k = sweep.cells.index(
            next(
                c
                for c in sweep.cells
                if (c.behavior, c.case) == (entry["behavior"], entry["case"])
                and c.values == entry["values"]
            )
        )
        passed = [
            np.mean([truth(sweep, _run(k, level, s)) for s in range(10)]) >= 0.8
            for level in levels
        ]
        assert entry["margin"] == levels[np.argmin(passed) - 1]
        assert entry["fails_at"] == levels[np.argmin(passed)]
    assert len(summary["ratios"]) == 4
    for ratio in summary["ratios"]:
        assert ratio["case"] == "on"
        assert ratio["ratio"] == ratio["margin"] / ratio["baseline"] > 1
        assert ratio["is_exact"]


def _run(cell, level, seed):
    from backbeat.mpc.sweep.schedule import SweepRun

    return SweepRun(cell, float(level), seed)


def test_pooled_rates_name_the_worst():
    text = RATES.split("sequential")[0] + "pool: [friction]\n"
    sweep = parse_sweep(text, "test", "test")
    schedule, made = finish(sweep)
    (pooled,) = summarize(schedule, {})["pooled"]
    assert pooled["runs"] == len(made) == 120
    assert pooled["survived"] == sum(success for _, success in made)
    worst = [s for run, s in made if run.cell == 0]
    assert pooled["worst"]["values"] == {"friction": 0.2}
    assert pooled["worst"]["rate"] == np.mean(worst)


def test_a_run_that_cannot_be_had_leaves_the_other_cells():
    sweep = parse_sweep(RATES, "test", "test")
    schedule = Schedule(sweep)
    run = schedule.next_run()
    schedule.give_up(run)
    rest = []
    while (other := schedule.next_run()) is not None:
        rest.append(other.cell)
        schedule.record(other, True)
    assert run.cell not in rest
    assert set(rest) == {0, 1, 2} - {run.cell}
    assert schedule.remaining() == 0
    assert not summarize(schedule, {})["is_complete"]
