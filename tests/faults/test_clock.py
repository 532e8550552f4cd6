"""A clock that jumps, and a process that is stopped for a while."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from backbeat.behaviors.library.store import Library
from backbeat.mpc.runs.file import load_run
from backbeat.mpc.runs.replay import compare_samples
from tests.backbeat.performances import drumming
from tests.processes import start

# The clock of the day jumps by 400 days at every look, forth and back.
JUMPING = """\
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void) {
  static unsigned looks;
  return (++looks % 2 ? 400L : -400L) * 86400L;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (!failed && clock == CLOCK_REALTIME) now->tv_sec += jump();
  return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  now->tv_sec = t.tv_sec;
  now->tv_usec = t.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *now) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (now) *now = t.tv_sec;
  return t.tv_sec;
}
"""


@pytest.fixture(scope="module")
def jumping(tmp_path_factory):
    """The environment of a process whose clock jumps."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make a jumping clock with")
    folder = tmp_path_factory.mktemp("clock")
    (folder / "jumping.c").write_text(JUMPING)
    made = folder / "jumping.so"
    words = [compiler, "-shared", "-fPIC", "-O1", "-o", made, folder / "jumping.c"]
    subprocess.run(words, check=True, capture_output=True)
    environment = {"LD_PRELOAD": str(made)}
    look = "import time; print(time.time() - time.time())"
    seen = subprocess.run(
        [sys.executable, "-c", look],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert abs(float(seen.stdout)) > 700 * 86400
    return environment


@pytest.mark.slow
def test_a_run_knows_no_clock(built, library_folder, tmp_path, backbeat, jumping):
    """Bit for bit the same, with the planner in another process; times are sane."""
    built("stand")
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("behavior: stand\nduration: 0.3\nplanning_time: 0.02\n")
    common = ["track", "--scenario", scenario, "--planner", "process"]
    common += ["--library", library_folder, "--json", "-o"]
    plain, jumped = tmp_path / "plain.run.parquet", tmp_path / "jumped.run.parquet"
    assert backbeat(*common, plain)[0] == 0
    process = start(*common, jumped, environment=jumping, stdout=subprocess.PIPE)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    (then, _), (now, _) = load_run(plain), load_run(jumped)
    assert compare_samples(then, now) is None
    metrics = json.loads(said)
    assert 0 < metrics["realtime_factor"] < 100
    assert 0 < metrics["plan_ms"]["median"] < 1000


@pytest.mark.slow
def test_what_is_built_stays_built(tmp_path, backbeat, jumping):
    """Files from the future are no newer than others: contents decide."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "kind: posture\nname: mine\nsummary: Mine.\nstart: stand\nknot_spacing: 0.1\n"
        "stations:\n  - {posture: crouch, move: 0.8, hold: 0.1}\n"
    )
    words = ["build", path, "--library", tmp_path / "library"]
    process = start(*words, environment=jumping)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    made = Library(tmp_path / "library").path("mine").stat().st_mtime_ns
    assert backbeat(*words)[0] == 0
    assert Library(tmp_path / "library").path("mine").stat().st_mtime_ns == made


@pytest.fixture
def show(tmp_path, request):
    """`show(environment)` starts a live show and gives it with its state's address."""
    Library(tmp_path).save(drumming(duration=20.0))

    def begin(environment=None):
        words = ["play", "drums", "--planned", "--no-browser-wait", "--library"]
        unbuffered = {"PYTHONUNBUFFERED": "1", **(environment or {})}
        process = start(
            *words, tmp_path, environment=unbuffered, stdout=subprocess.PIPE
        )
        request.addfinalizer(process.communicate)
        request.addfinalizer(process.kill)
        url = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        return process, url.group(0) + "state"

    return begin


def moment(url):
    """Where in the behavior a live show is [s]."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as response:
        return json.loads(response.read())["time"]


@pytest.mark.slow
def test_a_show_goes_on_by_a_clock_that_does_not_jump(show, jumping):
    _, url = show(jumping)
    first, began = moment(url), time.monotonic()
    while moment(url) < first + 1.0:
        assert time.monotonic() < began + 10.0
        time.sleep(0.05)
    assert moment(url) - first < time.monotonic() - began + 0.5


@pytest.mark.slow
def test_a_show_that_was_stopped_goes_on_where_it_was(show):
    """As when a laptop sleeps: nothing is made up for."""
    process, url = show()
    first = moment(url)
    process.send_signal(signal.SIGSTOP)
    time.sleep(4.0)
    process.send_signal(signal.SIGCONT)
    assert moment(url) < first + 2.0
    until = time.monotonic() + 10.0
    while moment(url) < first + 2.5:
        assert time.monotonic() < until
        time.sleep(0.05)
