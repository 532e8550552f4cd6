"""`backbeat lint`: exit codes, JSON, fixed copies, and nothing else written."""

import json

import pytest

from backbeat.cli.main import main
from tests.models.description.traps import DRIVE, TRAPS, robot


@pytest.fixture
def lint(monkeypatch, capsys, tmp_path):
    """`lint(text, *options)` is the exit code and what was said."""

    def call(text, *options):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        command = ["backbeat", "lint", str(path), "--no-drake", *map(str, options)]
        monkeypatch.setattr("sys.argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert captured.err == ""
        assert path.read_text() == text
        return ended.value.code or 0, captured.out

    return call


@pytest.mark.parametrize(
    ("name", "code"), [("mimic", 0), ("coulomb-window", 1), ("limits-reversed", 2)]
)
def test_exit_codes_follow_the_severity(lint, name, code):
    ended, said = lint(TRAPS[name].text)
    assert ended == code
    assert f"[{TRAPS[name].rule}]" in said


def test_json_has_findings_and_support(lint):
    code, said = lint(TRAPS["coulomb-window"].text, "--json")
    data = json.loads(said)
    assert data["exit_code"] == code == 1
    assert data["findings"][0]["severity"] == "warning"
    support = {(u["element"], u["attribute"]): u["support"] for u in data["uses"]}
    assert support["joint/dynamics", "coulomb_window"] == "not simulated"
    assert support["joint/limit", "effort"] == "used by Drake"
    assert support["joint/limit", "velocity"] == "used by us"


def test_fix_writes_a_copy_beside_and_never_over(lint, tmp_path):
    code, said = lint(TRAPS["limits-reversed"].text, "--fix")
    copy = tmp_path / "robot.fixed.urdf"
    assert code == 2
    assert "exchanged lower and upper" in said
    assert 'lower="-1"' in copy.read_text()
    assert {p.name for p in tmp_path.iterdir()} == {"robot.urdf", copy.name}


def test_fix_refuses_to_write_over(backbeat, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(TRAPS["limits-reversed"].text)
    before = path.read_bytes()
    code, out, err = backbeat("lint", path, "--no-drake", "--fix", "-o", path)
    assert (code, out) == (2, "")
    assert "name another file to write" in err
    assert path.read_bytes() == before


def test_fix_writes_where_it_is_told(lint, tmp_path):
    path = tmp_path / "new" / "arm.urdf"
    lint(TRAPS["limits-reversed"].text, "--fix", "-o", path)
    assert 'upper="1"' in path.read_text()
    assert not (tmp_path / "robot.fixed.urdf").exists()


def test_without_an_obvious_fix_nothing_is_written(lint, tmp_path):
    _, said = lint(TRAPS["two-parents"].text, "--fix")
    assert "no obvious fix" in said
    assert {p.name for p in tmp_path.iterdir()} == {"robot.urdf"}


def test_many_findings_of_one_kind_are_counted(lint):
    more = DRIVE + "".join(f'<lnk name="{i}"/>' for i in range(3))
    joints = "".join(
        f'<link name="l{i}"/><joint name="f{i}" type="fixed"><parent link="zz"/>'
        f'<child link="l{i}"/></joint>'
        for i in range(9)
    )
    _, said = lint(robot(more=more + joints))
    assert said.count("[unknown-link]") == 6
    assert "and 4 more like this" in said
    assert "(3 times)" in said
    _, said = lint(robot(more=more + joints), "--all")
    assert said.count("[unknown-link]") == 9


def test_support_is_listed(lint):
    _, said = lint(robot(), "--support")
    assert "used by Drake" in said
    assert "joint/limit" in said


def test_the_old_name_of_support_is_accepted_and_said(backbeat, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot())
    new = backbeat("lint", path, "--no-drake", "--support")
    code, out, said = backbeat("lint", path, "--no-drake", "--fates")
    assert (code, out, "") == new
    assert said == (
        "--fates is called --support now; the old name is accepted for one more "
        "version\n"
    )
