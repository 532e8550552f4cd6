"""What Drake does with each trap, asked in a process that survives or is replaced."""

import os
import signal

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.urdf.linting.drake_outcome import ask, compare
from backbeat.models.urdf.linting.drake_reader import DrakeReader, _ahead, start_ahead
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.finding import Severity
from tests.models.description.traps import SOLID, TRAPS, inertial, robot


@pytest.fixture(scope="module")
def drake():
    """A process with Drake in it."""
    with DrakeReader() as reader:
        yield reader


@pytest.fixture
def lint_text(tmp_path, drake):
    """`lint_text(text)` lints a description, and asks Drake."""

    def call(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        for name in ("shape.dae", "shape.stl"):
            (tmp_path / name).write_text("anything")
        (tmp_path / "shape.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        return lint(path, drake)

    return call


@pytest.mark.parametrize("name", TRAPS)
def test_drake_does_with_a_trap_what_we_say_it_does(lint_text, name):
    report = lint_text(TRAPS[name].text)
    assert report.drake.outcome == TRAPS[name].drake, report.drake
    if TRAPS[name].drake != "read":
        (told,) = [f for f in report.findings if f.rule.startswith("drake-")]
        assert told.severity is Severity.NOTE
        # What Backbeat does without Drake reads once it is fixed, as the file says.
        is_loaded = TRAPS[name].severity != "error"
        assert (report.exit_code < 2) is is_loaded
        assert (report.fixed is not None) is is_loaded
        assert not is_loaded or report.fixed.outcome == "read"


@pytest.mark.parametrize(
    ("mass", "moments", "kept"),
    [(7, (1, 1, 3), 7.0), (-2, (1, 1, 1), 1.0), (0, (1, 1, 1), 1.0)],
)
def test_drake_puts_a_ball_of_water_in_place_of_what_no_body_is(mass, moments, kept):
    """An impossible inertia keeps the mass, an impossible mass becomes a kilogram."""
    place = '<inertial><origin xyz="0.5 0 0"/>'
    text = robot(b=inertial(mass, *moments).replace("<inertial>", place))
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, "urdf")
    plant.Finalize()
    body = plant.GetBodyByName("b")
    M = body.CalcSpatialInertiaInBodyFrame(plant.CreateDefaultContext())
    radius = (3 * kept / (4 * np.pi * 1000)) ** (1 / 3)
    assert M.get_mass() == pytest.approx(kept)
    assert M.get_com() == pytest.approx([0.5, 0, 0])
    moment = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
    assert moment == pytest.approx(0.4 * kept * radius**2 * np.eye(3))


def test_an_outcome_that_no_finding_explains_is_an_error(lint_text, drake):
    report = lint_text(robot())
    (finding,) = compare(
        report.description,
        ask(drake, lint_text(TRAPS["limits-reversed"].text).description),
        [],
    )
    assert (finding.rule, finding.severity.name) == ("drake-exits", "ERROR")


def test_a_difference_of_masses_is_told(lint_text):
    report = lint_text(robot())
    lighter = lint_text(robot(b=inertial(1, 1, 1, 1))).drake
    (finding,) = compare(report.description, lighter, [])
    assert finding.rule == "drake-differs"
    assert "4 kg" in finding.says


@pytest.mark.slow
@pytest.mark.parametrize("edge", ["1e-4", "1e-6"])
def test_a_mesh_that_no_memory_holds_costs_neither_time_nor_memory(lint_text, edge):
    """A cylinder of a meter in triangles of a tenth of a millimeter, and less."""
    properties = (
        f'<drake:mesh_resolution_hint value="{edge}"/><drake:compliant_hydroelastic/>'
        '<drake:hydroelastic_modulus value="1e6"/>'
    )
    cylinder = (
        '<collision><geometry><cylinder radius="1" length="1"/></geometry>'
        f"<drake:proximity_properties>{properties}</drake:proximity_properties>"
        "</collision>"
    )
    report = lint_text(robot(b=SOLID + cylinder))
    assert report.drake.outcome in ("hangs", "refused", "aborts")
    assert report.exit_code == 2
    assert report.findings[0].remedy or report.drake.outcome == "refused"


def test_the_process_is_replaced_when_it_dies_or_hangs(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot())
    with DrakeReader(patience=0.3) as reader:
        description = lint(path, reader).description
        process = reader._process
        os.kill(process.process_id, signal.SIGSTOP)
        assert ask(reader, description).outcome == "hangs"
        assert process.has_ended
        assert ask(reader, description).outcome == "read"
        os.kill(reader._process.process_id, signal.SIGKILL)
        reader._process._process.wait()
        assert ask(reader, description).outcome == "read"
        assert reader.starts == 3


def test_a_process_started_ahead_goes_to_the_first_reader(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot())
    start_ahead()
    (ahead,) = _ahead
    with DrakeReader() as first, DrakeReader() as second:
        first.start()
        second.start()
        assert first._process is ahead is not second._process
        assert lint(path, first).drake.outcome == "read"
    assert ahead.has_ended
