"""Jobs that take too long, or too much memory."""

import numpy as np
import pytest

from backbeat.jobs.bounded import Budget, OutOfBoundsError, bounded
from backbeat.models.common.processes.pool import Job, run_jobs
from tests.backbeat.test_jobs import Listener, echo


def spin(report, seconds):
    """Works for ever, and never says how far it is."""
    with bounded(seconds, 2**40):
        while True:
            pass


def spin_without_end(report):
    """Goes on whatever it is told."""
    import backbeat.jobs.bounded as module

    module.GRACE = 0.0
    with bounded(0.5, 2**40):
        while True:
            try:
                while True:
                    pass
            except OutOfBoundsError:
                pass


def fill(report, megabytes):
    with bounded(60.0, 300 * 2**20 + 2**30):
        return float(np.ones(megabytes * 2**17).sum())


def test_a_job_that_takes_too_long_is_ended(monkeypatch):
    with pytest.raises(OutOfBoundsError, match=r"longer than 0 s of a processor"):
        spin(None, 0.3)


def test_time_that_is_allowed_for_may_be_used():
    with bounded(0.1, 2**40) as budget:
        budget.extend(30.0)
        while budget.spent < 0.3:
            pass
    assert budget.seconds == pytest.approx(30.1)


def test_where_there_is_no_timer_a_job_asks():
    budget = Budget(0.05)
    budget.check()
    while budget.spent < 0.06:
        pass
    with pytest.raises(OutOfBoundsError):
        budget.check()


def test_too_much_time_or_memory_ends_a_job_and_no_other():
    jobs = [
        Job("large", fill, (8000,)),
        Job("small", fill, (1,)),
        Job("long", spin, (0.5,)),
        Job("endless", spin_without_end),
        Job("fine", echo, (7,)),
    ]
    large, small, long, endless, fine = run_jobs(jobs, Listener(), processes=2)
    assert "more memory than 1.29 GiB" in str(large.error)
    assert small.value == 2**17
    assert "of a processor" in str(long.error)
    assert "its process was killed" in str(endless.error)
    assert fine.value == 7
