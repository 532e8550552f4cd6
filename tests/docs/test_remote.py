"""What the pages on remote control and presets show runs, and says what there is."""

import threading

from backbeat.behaviors.library.store import Library
from backbeat.mpc.monitoring.force_detection import LASTING, LEAST, SHARE
from backbeat.mpc.monitoring.momentum_observer import RATE
from backbeat.mpc.remote.address import Address
from backbeat.mpc.safety.fail_safe import Cause
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.weights.files import load_weights
from backbeat.mpc.whole_body.core import CARRY
from tests.docs.pages import blocks, page

REMOTE, PRESETS, FORCES = map(page, ("remote", "presets", "unknown_forces"))


def test_the_code_runs(built, tmp_path, monkeypatch, capsys):
    Library(tmp_path / "library").save(built("stand"))
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("remote", "python")
    with ControllerServer(Library("library").load, address=Address(port=0)) as server:
        stop = threading.Event()
        thread = threading.Thread(target=server.serve, args=[stop.is_set])
        thread.start()
        try:
            exec(compile(code, "remote.md", "exec"), {"ADDRESS": str(server.address)})
        finally:
            stop.set()
            thread.join()
    assert capsys.readouterr().out == "tracking\n"


def test_the_page_names_every_cause_of_silence():
    causes = [Cause.SILENT, Cause.LOST, Cause.GARBLED]
    assert all(f"`{cause}`" in REMOTE for cause in causes)
    assert f"for {CARRY:g} s" in REMOTE


def test_the_table_of_the_preset_has_its_weights():
    preset = load_weights("momentum")["whole_body"]
    rows = [r.split("|")[1:-1] for r in PRESETS.splitlines() if r.startswith("| ")]
    told = {r[0].strip().split(",")[0]: float(r[1]) for r in rows[1:6]}
    assert told == {
        "foot that stands": preset["contact"],
        "foot that swings": preset["swing"],
        "rate of linear momentum": preset["linear_momentum"],
        "pelvis": preset["orientation"],
        "joints of no leg": preset["posture"],
    }


def test_the_limits_of_unknown_forces_are_those_of_the_page():
    assert f"{100 * SHARE:g} % of its torque limit" in FORCES
    assert f"no less than {LEAST:g} N m" in FORCES
    assert f"lag of {1 / RATE:g} s" in FORCES
    assert f"for {1e3 * LASTING:g} ms" in FORCES
