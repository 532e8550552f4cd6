"""The whole site, built once for all tests of it."""

import resource
import subprocess
import sys

import pytest

from tests.docs.pages import DOCS


def build_site(script, folder):
    """Runs a builder; what it has said, its exit code and its processor time [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout + done.stderr, done.returncode, seconds


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site, and the processor time that it took [s]."""
    folder = tmp_path_factory.mktemp("site")
    said, code, seconds = build_site(DOCS / "build_site.py", folder)
    assert code == 0, said
    return folder, seconds
