"""The cost of a build: processor time by stage, and that of others it waits for."""

import subprocess
import sys
import time

from backbeat.behaviors.library.build_cost import SOLVING, BuildCost, processor_time


def work(seconds):
    """Keeps the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_time_goes_to_the_stage_that_was_reported_last():
    heard = []
    cost = BuildCost(lambda share, what: heard.append((share, what)))
    work(0.02)
    cost.report(0.1, SOLVING)
    work(0.05)
    cost.report(0.6, "filling in")
    work(0.03)
    made = cost.provenance()
    assert 0.05 <= made["solve_cpu_s"] < 0.07
    assert 0.1 <= made["build_cpu_s"] < 0.13
    assert heard == [(0.1, SOLVING), (0.6, "filling in")]


def test_waiting_costs_nothing():
    cost = BuildCost(lambda share, what: None)
    time.sleep(0.1)
    assert cost.provenance()["build_cpu_s"] < 0.05


def test_other_processes_count_once_they_have_ended():
    before = processor_time()
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    assert processor_time() - before > 0.15
