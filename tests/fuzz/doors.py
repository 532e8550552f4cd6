"""What is too much, too long or no file at all, for every reader of a file.

Inputs that somebody has made up; `test_doors.py` feeds them.
"""

import io
import os
import random
import socket
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from backbeat.behaviors.adoption.adopting import adopt
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.row_table import RowTable
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.backing import read_recording
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.recording.dance_offsets import dance_offsets
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.take import Conventions
from backbeat.cli.author.check import fix_file
from backbeat.jobs.import_settings import import_story
from backbeat.jobs.take_table import KIND
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.meshing.obj import READERS as MESHES
from backbeat.models.meshing.obj import obj_text
from backbeat.models.meshing.references import problem
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.linting.autofix import autofix
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.overlay.file import load_overlay
from backbeat.models.urdf.reading.meshes import package_name
from backbeat.models.urdf.reading.parsing import read_description
from backbeat.mpc.analysis.safety_metrics import in_words
from backbeat.mpc.runs.record import read_run
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.sweep.card.robustness import read_card
from backbeat.mpc.sweep.specification import load_sweep
from backbeat.mpc.sweep.table import SweepTable
from backbeat.report.pages.run_words import facts, result_sentence
from backbeat.report.plots.measures import MEASURES
from tests.behaviors.midi_files import many_hits
from tests.fuzz import skeleton_files, take_files
from tests.fuzz.crafted import (
    behavior_inputs as crafted_behaviors,
)
from tests.fuzz.crafted import (
    card_inputs,
    recording_inputs,
    run_inputs,
)
from tests.fuzz.mujoco_files import mjcf_inputs
from tests.fuzz.robot_files import DAE

Door = Callable[[Path], object]
MEMBERS = kit_members(DrumKit())


def _check(path: Path) -> None:
    check_file(path)
    fix_file(path)
    read_any(path)


def _mesh(path: Path) -> None:
    obj_text(MESHES[path.suffix](read_bytes(path, "mesh"), str(path)))


def _refer(path: Path) -> None:
    found = problem(path)
    if found:
        raise BackbeatError(found)


def _urdf(path: Path) -> None:
    lint(path, for_gazebo=True)
    autofix(path)
    readable(read_description(path))


def _robot(path: Path) -> None:
    RobotModel(path)


def _adopt(path: Path) -> None:
    adopt(path, path.with_name("adopted.yaml"), {"": 100.0})


def _package(path: Path) -> None:
    if package_name(path.parent) is None:
        raise BackbeatError("there is no package")


def _library(path: Path) -> None:
    library = Library(path.parent)
    library.table()
    library.load(path.stem)


@cache
def _atlas() -> RobotModel:
    return make_robot("atlas", (), Mount())


def _csv(path: Path) -> None:
    robot = _atlas()
    recording = read_take(path, robot, Conventions(unit="radians"))
    dance_offsets(recording, robot, start_configuration(robot, "stand"), "take")


def _run(path: Path) -> None:
    record = read_run(path)
    assert result_sentence(record).isprintable()
    assert facts(record)
    for measure in MEASURES:
        if measure.value is not None:
            measure.text(measure.value(record, None))
    for name, story in record.metrics["safety"].items():
        in_words(name, story)


def _kit(path: Path) -> None:
    kit_members(DrumKit(text=kit_text(path.name, path.parent)))


def _card(path: Path) -> None:
    if read_card(path) is None:
        raise BackbeatError("there is no card")


# Readers by the name of their file.
DOORS: dict[str, Door] = {
    "mine.yaml": _check,
    "moves/mine.yaml": lambda path: vocabulary(path.parent.parent),
    "scenario.yaml": load_scenario,
    "task.yaml": load_scenario,
    "sweep.yaml": load_sweep,
    "robot.yaml": _robot,
    "overlay.yaml": load_overlay,
    "kit.yaml": _kit,
    "song.yaml": lambda path: load_score(path, MEMBERS),
    "song.mid": lambda path: load_score(path, MEMBERS),
    "song.tab": lambda path: load_score(path, MEMBERS),
    "song.wav": read_recording,
    "take.csv": _csv,
    **dict.fromkeys(take_files.INPUTS, take_files.judge_take),
    **dict.fromkeys(skeleton_files.INPUTS, skeleton_files.read_person),
    "robot.urdf": _urdf,
    "adopted.urdf": _adopt,
    "model.xml": _adopt,
    "package.xml": _package,
    "mesh.stl": _mesh,
    "mesh.dae": _mesh,
    "mesh.obj": _refer,
    "mesh.gltf": _refer,
    "mesh.glb": _refer,
    "mesh.vtm": _refer,
    "drums.parquet": _library,
    "a.run.parquet": _run,
    "groove.json": _card,
    "sweep/part-00000.parquet": lambda path: SweepTable(path.parent),
    "import/part-00000.parquet": lambda path: RowTable(path.parent, KIND),
    "takes/import.json": lambda path: import_story(path.parent.parent),
}
YAML = [name for name in DOORS if name.endswith(".yaml")]
BIG = 6_000_000_000


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        # Names of sockets are short.
        here = os.getcwd()
        os.chdir(path.parent)
        try:
            own.bind(path.name)
        finally:
            os.chdir(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(BIG)


# What has the name of a file and is none, or has no end.
NO_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": _fifo,
    "a socket": _socket,
    "a file of 6 GB": _sparse,
    "a folder": lambda path: path.mkdir(),
    "zeros without end": lambda path: path.symlink_to("/dev/zero"),
    "noise without end": lambda path: path.symlink_to("/dev/urandom"),
    "a terminal": lambda path: path.symlink_to("/dev/tty"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to nothing": lambda path: path.symlink_to(path.parent / "none"),
}
# Names that no file has.
NAMES = {
    "long": "a" * 5000,
    "a long way": "a/" * 3000 + "b",
    "a zero": "a\0b",
    "half a pair": "a\ud800b",
    "bytes": "a\udcff",
    "a line": "a\nb",
    "a terminal's letters": "a\x1b[31m",
}


def _lines(n: int, line: str) -> str:
    return "".join(line.format(i=i) for i in range(n))


def _dance(rows: str, more: str = "") -> str:
    head = "kind: dance\nname: x\nsummary: x\nbeats: 500\nbpm: 120\n"
    return f"{head}{more}tracks:\n  arms:\n{rows}"


def yaml_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in any YAML."""
    yield "a number of a million digits", "name: x\nbpm: " + "9" * 900_000
    yield "a hexadecimal million", "name: x\nbpm: 0x" + "f" * 900_000
    yield "a binary million", "name: x\nbpm: 0b" + "1" * 900_000
    yield "a million parts of sixty", "name: x\nbpm: 1" + ":59" * 300_000
    yield "underscores", "name: x\nbpm: 1" + "_" * 900_000
    yield "an exponent", "name: x\nbpm: 1e" + "9" * 900_000
    yield "a large exponent", "name: x\nbpm: 1.0e+999999999\nseed: 1e999999\n"
    yield "a large seed", "name: x\nseed: 99999999999999999999999999999\n"
    yield "unknown keys", _lines(990, "k{i}: " + "x" * 900 + "\n")
    yield "many unknown keys", _lines(50_000, "k{i}: 1\n")
    yield "one key", "x" * 900_000 + ": 1\n"
    yield "keys alike", _lines(900, "nam{i}: 1\n")
    yield (
        "merges",
        "a0: &a0 {x: 1}\n"
        + "".join(
            f"a{k + 1}: &a{k + 1} {{<<: [{', '.join(10 * [f'*a{k}'])}]}}\n"
            for k in range(12)
        ),
    )
    yield (
        "aliases of lists",
        "a0: &a0 [1]\n"
        + "".join(
            f"a{k + 1}: &a{k + 1} [{', '.join(10 * [f'*a{k}'])}]\n" for k in range(12)
        ),
    )
    yield "a list", "name: [" + "1, " * 300_000 + "1]\n"
    yield "a list of lists", "name: [" + "[], " * 200_000 + "1]\n"
    yield "lines", "name: |\n" + "  x\n" * 200_000
    yield "quotes", 'name: "' + "\\x41" * 200_000 + '"\n'
    yield "comments", "#\n" * 400_000 + "name: x\n"
    yield "documents", "---\n" * 200_000
    yield "tags", "name: " + "!a " * 100_000 + "x\n"
    yield "anchors", _lines(50_000, "- &a{i} x\n")
    yield "a letter that steers", 'name: "\\e[31mred\\e[0m"\n'
    yield "letters turned around", 'name: "a\\u202eb"\n'
    yield "half a pair", 'name: "\\ud800"\n'
    yield "a zero", 'name: "\\0"\n'
    yield "a mark of order", "\ufeffname: x\n"
    yield "too large", "name: " + "x" * 1_100_000 + "\n"
    yield "nested", "a: " * 1 + "[" * 900_000


def behavior_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in specifications."""
    for n in (2400, 20_000):
        row = "  - {{move: swing, at: {i}, beats: 1}}\n"
        yield f"{n} moves", _dance(_lines(n, row))
        yield f"{n} moves at once", _dance("  - {move: swing, at: 1}\n" * n)
        yield f"{n} unknown moves", _dance(_lines(n, "  - {{move: q{i}}}\n"))
        yield f"{n} wrong keys", _dance(_lines(n, "  - {{m{i}: swing}}\n"))
        blend = "  - {{move: swing, at: {i}, beats: 1, blend: 1}}\n"
        yield f"{n} blends", _dance(_lines(n, blend))
    for key, value in (
        *(("repeat", 10**9), ("repeat", -1), ("repeat", 10**30), ("beats", "1e-300")),
        *(("beats", "1e300"), ("at", "1e300"), ("at", ".nan"), ("blend", "1e300")),
        ("bar", "1e300"),
    ):
        row = f"  - {{move: swing, {key}: {value}}}\n"
        yield f"{key} {value}", _dance(row)
    for key, value in (
        *(("fade", "1e300"), ("bpm", "1e-300"), ("bpm", "1e300"), ("beats", "1e300")),
        *(("beats_per_bar", 10**9), ("beats_per_bar", -1)),
    ):
        yield (
            f"a dance of {key} {value}",
            _dance("  - {move: swing}\n", f"{key}: {value}\n").replace(
                f"{key}: {500 if key == 'beats' else 120}\n", "", 1
            ),
        )
    yield "many tracks", _dance("") + _lines(30_000, "  t{i}: []\n")
    tour = "kind: posture\nname: x\nsummary: x\nstations:\n"
    for n in (200, 100_000):
        yield f"{n} stations", tour + "- {posture: stand, move: 0.5}\n" * n
    yield "a long tour", tour + "- {posture: stand, move: 1e300}\n"
    yield "a fine tour", "knot_spacing: 1e-300\n" + tour + "- {posture: stand}\n"
    steps = "kind: footsteps\nname: x\nsummary: x\nsteps:\n"
    both, step = "- {feet: both, time: 0.5}\n", "- {feet: left, time: 0.5}\n"
    for n in (1000, 100_000):
        yield f"{n} steps", steps + both + step * n + both
    way = "- {feet: left, time: 0.5, via: [" + "[0,0,0]," * 2000 + "]}\n"
    yield "a way of many places", steps + both + way + both
    shows = "kind: setlist\nname: x\nsummary: x\nbehaviors:\n"
    for n in (200, 100_000):
        yield f"{n} numbers", shows + "- {behavior: march}\n" * n
        yield f"{n} unknown numbers", shows + _lines(n, "- {{behavior: q{i}}}\n")
    yield "repeats", shows + "- {behavior: march, repeat: 1000000000000}\n"
    yield "a path", shows + "- {behavior: ../../../../etc/passwd.yaml}\n"
    yield "a device", shows + "- {behavior: /dev/zero.yaml}\n"
    yield "itself", shows + "- {behavior: mine.yaml}\n" * 100
    drums = "kind: drumming\nname: x\nsummary: x\n"
    yield "a score elsewhere", drums + "score: ../../etc/passwd.mid\n"
    recorded = "recordings:\n  r: {file: FILE, unit: radians}\n"
    for file in ("/etc/passwd", "../../etc/passwd", "/dev/zero", "a" * 5000):
        yield (
            f"a recording {file[:20]}",
            _dance("  - {move: r}\n", recorded.replace("FILE", file)),
        )


def sweep_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in sweeps."""
    head = "behaviors: [stand]\n"
    for n in (500, 100_000):
        cases = _lines(n, "  c{i}: {{friction: 0.5}}\n")
        yield f"{n} cases", f"{head}cases:\n{cases}"
    many = ", ".join(f"b{i}" for i in range(100_000))
    yield "behaviors", f"behaviors: [{many}]\n"
    for k in (2, 8, 16, 60):
        rows = "".join(f"  a{i}: [{', '.join(['1'] * 256)}]\n" for i in range(k))
        yield f"{k} variations", f"{head}variations:\n{rows}"
    for key, value in (
        *(("seeds", 10**9), ("seeds", -(10**9)), ("seeds", 10**40)),
        *(("first_seed", 10**40), ("first_seed", -1), ("first_seed", 2**63 - 2)),
    ):
        yield f"{key} {value}", f"{head}{key}: {value}\n"
    for low, high, step in (
        *(("0.1", "0.9", "1e-300"), ("-1e308", "1e308", "1e-9"), ("1", "0", "1")),
        *(("0", "1", "-1"), (".nan", "1", "1"), ("0.1", "0.9", "1e-5")),
    ):
        search = f"search: {{field: friction, low: {low}, high: {high}, step: {step}}}"
        yield f"levels {low} {high} {step}", f"{head}{search}\n"


def scenario_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in scenarios."""
    for key in (
        *("time_step", "tick_period", "plan_period", "lead_in", "lead_out"),
        *("duration", "seed", "friction", "planning_time", "sensing_delay"),
    ):
        for value in ("1e-300", "1e300", "-1e300", ".inf", ".nan", "0"):
            yield f"{key} {value}", f"behavior: stand\n{key}: {value}\n"
    push = "- {time: 1.0, impulse: [1, 0, 0]}\n"
    yield "pushes", "behavior: stand\npushes:\n" + push * 20_000
    event = "- {time: 1.0, tempo: 1.0}\n"
    yield "events", "behavior: stand\nevents:\n" + event * 20_000


def _chain(n: int) -> str:
    links = _lines(n, '<link name="l{i}"/>\n')
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/></joint>\n'
        for i in range(n - 1)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def _star(n: int) -> str:
    return _chain(n).replace(
        '<parent link="l', '<parent link="l0" was="'
    )  # Each hangs on the first.


def urdf_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in descriptions."""
    for n in (1500, 5000, 20_000):
        yield f"a chain of {n}", _chain(n)
        yield f"a star of {n}", _star(n)
    yield "gazebo", '<robot name="r"><link name="a"/>' + "<gazebo/>" * 500_000
    yield (
        "gazebo that ends",
        f'<robot name="r"><link name="a"/>{"<gazebo/>" * 40_000}</robot>',
    )
    attributes = " ".join(f'a{k}="1"' for k in range(100_000))
    yield "attributes", f'<robot name="r" {attributes}><link name="a"/></robot>'
    materials = "".join(f'<material name="m{k}"/>' for k in range(40_000))
    yield "materials", f'<robot name="r"><link name="a"/>{materials}</robot>'
    shape = '<visual><geometry><mesh filename="m.stl"/></geometry></visual>'
    yield "meshes", f'<robot name="r"><link name="a">{shape * 9000}</link></robot>'
    yield "tags of many lines", '<robot name="r">' + ("<link\n" * 1 + "\n" * 9000) * 50
    yield "a name that steers", '<robot name="&#x9b;31m"><link name="a"/></robot>'
    yield (
        "numbers",
        '<robot name="r"><link name="a"><inertial><mass value="'
        + ("9" * 1_000_000 + '"/></inertial></link></robot>'),
    )
    for name in ("/dev/zero", "file:///dev/zero", "package://dev/zero", "a" * 9000):
        mesh = shape.replace("m.stl", name)
        robot = f'<robot name="r"><link name="a">{mesh}</link></robot>'
        yield f"the mesh {name[:20]}", robot


def midi_inputs() -> Iterator[tuple[str, bytes]]:
    """What is too much in MIDI."""
    head = b"MThd\0\0\0\6\0\1\0\1\0\x60MTrk"
    for n in (5, 200_000, 900_000):
        track = b"\xff" * n + b"\x00\x90\x26\x40"
        yield f"a time of {n} bytes", head + struct.pack(">I", len(track)) + track
        track = b"\0\xff\x01" + b"\xff" * n + b"\0"
        yield f"a length of {n} bytes", head + struct.pack(">I", len(track)) + track
    track = b"\0\xf0" + b"\x80" * 900_000
    yield "a message of zeros", head + struct.pack(">I", len(track)) + track
    yield "events", many_hits(200_000)
    tempo = b"\0\xff\x51\x03\0\0\0"
    yield "a tempo of zero", head + struct.pack(">I", len(tempo)) + tempo
    meter = b"\0\xff\x58\x04\x04\xff\x18\x08"
    yield "a meter of large parts", head + struct.pack(">I", len(meter)) + meter


def tab_inputs() -> Iterator[tuple[str, str]]:
    """What is too much in tablature."""
    yield "parts", "[a]\nHH|x---|\n" * 40_000
    yield "parts and lines", "\n" * 500_000 + "[a]\nHH|x---|\n" * 900
    yield "bars", "HH|" + "|" * 900_000
    yield "words", "words for people\n" * 50_000 + "HH|x---|\n"
    yield "rows alone", _lines(50_000, "T{i}|x---|\n\n")
    yield "a label", "a" * 900_000 + "|x---|\n"
    yield "a line from nowhere", "# from line 9999999\nHH|?---|\n"
    yield "blanks", "HH" + " " * 900_000 + "|x---|\n"
    yield "a tempo", "bpm: " + "9" * 900_000 + "\nHH|x---|\n"
    yield "repeats", "HH|x---|x9999\n" * 9000


def _zip(content: bytes, name: str = "a.dae") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def _nodes(depth: int, width: int) -> bytes:
    """A scene whose every part is drawn so many times in the next."""
    nodes = b'<node id="n0"><instance_geometry url="#g"/></node>'
    for k in range(depth):
        inside = b'<instance_node url="#n%d"/>' % k * width
        nodes += b'<node id="n%d">%s</node>' % (k + 1, inside)
    library = b"<library_nodes>" + nodes + b"</library_nodes><library_visual_scenes>"
    last = b'<node><instance_node url="#n%d"/></node></visual_scene>' % depth
    scene = DAE.replace(b"<library_visual_scenes>", library)
    return scene.replace(
        b'<node><instance_geometry url="#g"/></node>\n</visual_scene>', last
    )


def dae_inputs() -> Iterator[tuple[str, bytes | Callable[[], bytes]]]:
    """What is too much in COLLADA."""
    yield "zeros in an archive", lambda: _zip(bytes(300_000_000))
    yield "no mesh in an archive", _zip(DAE, "a.txt")
    yield "a mesh in an archive", _zip(DAE)
    yield "an archive in an archive", _zip(_zip(DAE))
    yield "nodes", _nodes(40, 2)
    yield "wide nodes", _nodes(6, 30)
    yield "a deep node", _nodes(300, 1)
    circle = b'<library_nodes><node id="a"><instance_node url="#b"/></node>'
    circle += b'<node id="b"><instance_node url="#a"/></node></library_nodes>'
    middle = circle + b"<library_visual_scenes>"
    yield "a circle", DAE.replace(b"<library_visual_scenes>", middle)
    deep = b"<node>" * 5000 + b"</node>" * 5000
    yield "deep nodes", DAE.replace(b"<node>", deep + b"<node>")
    yield (
        "a picture elsewhere",
        DAE.replace(
            b"<library_geometries>",
            b'<library_images><image id="i"><init_from>file:///etc/passwd</init_from>'
            b"</image></library_images><library_geometries>",
        ),
    )


def mesh_inputs() -> Iterator[tuple[str, str, bytes]]:
    """What is too much in other meshes, with the name of the file."""
    count = (10_000_000).to_bytes(4, "little")
    yield "mesh.stl", "triangles that do not come", bytes(80) + count + bytes(500)
    count = (1_100_000).to_bytes(4, "little")
    yield "mesh.stl", "triangles", bytes(80) + count + bytes(50 * 1_100_000)
    yield "mesh.stl", "triangles in words", b"solid a\n" + b"vertex 0 0 0\n" * 4_000_000
    yield "mesh.obj", "faces", b"v 0 0 0\n" + b"f 1 1 1\n" * 1_100_000
    names = ("/etc/passwd", "../../secret", "https://x/y", "a" * 9000, "")
    for name in names:
        raw = name.encode()
        yield "mesh.obj", f"materials {name[:20]}", b"mtllib %s\nf 1 2 3\n" % raw
        for key in ("buffers", "images"):
            text = f'{{"asset": {{}}, "{key}": [{{"uri": "{name}"}}]}}'
            yield "mesh.gltf", f"{key} {name[:20]}", text.encode()
        yield "mesh.vtm", f"parts {name[:20]}", b'<DataSet file="%s"/>' % raw
    for text in (
        *("[" * 500_000, '{"asset": 1, "buffers": {"uri": 1}}', "null", "[]", "1e999"),
        *('{"asset": {}, "buffers": [1, null, {"uri": 5}]}', '{"buffers": []}'),
        '{"asset": {}, "accessors": [{"count": 1e300}, {"count": 99999999}]}',
    ):
        yield "mesh.gltf", f"JSON {text[:30]}", text.encode()
        body = text.encode()
        raw = b"glTF" + bytes(8) + len(body).to_bytes(4, "little") + b"JSON" + body
        yield "mesh.glb", f"JSON {text[:30]}", raw
    for size in (0, 2**32 - 1):
        raw = b"glTF" + bytes(8) + size.to_bytes(4, "little") + b"JSON{}"
        yield "mesh.glb", f"a piece of {size}", raw
    noise = random.Random(1).randbytes(5000)
    for name in DOORS:
        yield name, "noise", noise


def inputs() -> Iterator[tuple[str, str, bytes | Callable[[], bytes]]]:
    """All of them: name of the file, what it is, and what is in it or makes that."""
    for what, text in yaml_inputs():
        for door in YAML:
            yield door, what, text.encode(errors="surrogatepass")
    for door, group in (
        ("mine.yaml", behavior_inputs()),
        ("sweep.yaml", sweep_inputs()),
        ("scenario.yaml", scenario_inputs()),
        ("robot.urdf", urdf_inputs()),
        ("adopted.urdf", urdf_inputs()),
        ("model.xml", mjcf_inputs()),
        ("song.tab", tab_inputs()),
    ):
        for what, text in group:
            yield door, what, text.encode()
    for door, more in (
        ("song.mid", midi_inputs()),
        ("mesh.dae", dae_inputs()),
        ("take.csv", recording_inputs()),
        ("groove.json", card_inputs()),
        *((door, inputs()) for door, inputs in take_files.INPUTS.items()),
        *((door, inputs()) for door, inputs in skeleton_files.INPUTS.items()),
    ):
        for what, raw in more:
            yield door, what, raw
    for what, make in run_inputs():
        yield "a.run.parquet", what, make
    for what, make in crafted_behaviors():
        yield "drums.parquet", what, make
    yield from mesh_inputs()
