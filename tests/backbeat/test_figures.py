"""Figures say what the model says, and every one can be written."""

import ctypes
import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.library.joint_jerk import planned_jerk
from backbeat.behaviors.library.table import to_frame
from backbeat.figures.drawing import moving_picture, picture, registry
from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.figures.drawing.registry import FIGURES, write_figure
from backbeat.figures.drawing.sources import Sources, tip_paths
from backbeat.figures.robot import pictures as robot_pictures
from backbeat.figures.robot.joint_tree import TreeLink, joint_tree, read_tree
from backbeat.figures.robot.kit_layout import kit_layout
from backbeat.figures.robot.side_by_side import caption
from backbeat.figures.studies.joints import joint_motion, joint_ranges
from backbeat.figures.studies.safety_curves import safety_law
from backbeat.figures.studies.strokes import widest_stroke
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene
from backbeat.report.plots.drumming import drumming_joints
from backbeat.stage.recording.browser import find_chromium

SONG = "outstanding"


def can_render() -> bool:
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    return True


rendered = pytest.mark.skipif(
    not can_render(), reason="no libEGL: apt install libegl1 libgl1-mesa-dri"
)


@pytest.fixture(scope="module")
def sources(library_folder, built) -> Sources:
    built(SONG)
    return Sources(library_folder, SONG)


@pytest.fixture(scope="module")
def robot() -> RobotModel:
    return RobotModel("atlas", ("sticks",))


# --- the data -------------------------------------------------------------------------


def test_ranges_drawn_are_the_limits_of_the_model(sources, robot):
    axes = joint_ranges(sources).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == list(drumming_joints())
    bars = [b for b in axes.patches if b.get_width() > 0]
    limits, used = bars[: len(names)], bars[len(names) : 2 * len(names)]
    at = robot.joint_indices(names)
    ends = [(b.get_x(), b.get_x() + b.get_width()) for b in limits]
    model = np.column_stack([robot.position_lower, robot.position_upper])[at]
    assert np.allclose(np.radians(ends), model)
    table = to_frame(sources.plan)
    for name, bar, (low, high) in zip(names, used, ends, strict=True):
        ptp = np.degrees(np.ptp(table[f"q.{name}"]))
        assert bar.get_width() == pytest.approx(ptp)
        assert low <= bar.get_x() <= bar.get_x() + bar.get_width() <= high


def test_jerks_drawn_are_those_of_the_plan(sources, robot):
    axes = joint_motion(sources).axes
    assert len(axes) == 9
    t, jerk, _ = planned_jerk(sources.plan.robot_model, sources.plan.motion)
    curves = {line.get_label(): line for ax in axes[6:] for line in ax.get_lines()}
    assert sorted(curves) == sorted(drumming_joints())
    for name, line in curves.items():
        own = 1e-3 * jerk[: len(line.get_xdata()), robot.joint_index(name)]
        assert np.array_equal(line.get_ydata(), own)
    most = 1e-3 * np.abs(jerk[t <= 25.0][:, robot.joint_indices(["l_arm"])]).max()
    assert f"most {most:.2f}" in axes[7].texts[0].get_text()


def test_members_are_drawn_where_the_kit_has_them(sources):
    patches = {p.get_gid(): p for p in kit_layout(sources).axes[0].patches}
    for name, member in sources.kit.members.items():
        x, y, _ = sources.kit.strike_pose(name).translation()
        assert patches[name].center == pytest.approx((-y, x))
        assert patches[name].width == pytest.approx(2 * member.radius)


def links(link: TreeLink) -> list[TreeLink]:
    return [link, *(below for child in link.children for below in links(child))]


def test_the_tree_has_every_joint_and_body_once(robot):
    tree = links(read_tree(robot))
    assert sorted(link.joint for link in tree[1:]) == sorted(robot.joint_names)
    bodies = [link.name for link in tree] + [f for link in tree for f in link.fixed]
    assert len(set(bodies)) == len(bodies)
    assert {"pelvis", "l_foot", "l_stick", "r_stick", "head"} <= set(bodies)
    (hand,) = (link for link in tree if link.name == "l_hand")
    assert "l_stick" in hand.fixed
    assert hand.depth == len(["back"] * 3 + ["arm"] * 7)


def test_axes_are_those_about_which_joints_turn(robot):
    """What a joint carries keeps its distance from the axis that is drawn."""
    q = robot.posture("drum-ready")
    for name, (place, axis) in robot_pictures.joint_axes(robot, q).items():
        turned = q.copy()
        turned[7 + robot.joint_index(name)] += 0.3
        hand = 1 if name.startswith("r") else 0
        before, after = tip_paths(robot, np.stack([q, turned]))[:, hand] - place
        assert np.linalg.norm(axis) == pytest.approx(1.0)
        assert before @ axis == pytest.approx(after @ axis, abs=1e-12)
        assert np.linalg.norm(before) == pytest.approx(np.linalg.norm(after))


def test_stretched_arms_are_nearer_to_a_singularity(robot):
    for hand in ("left", "right"):
        least = [
            np.linalg.svd(
                robot_pictures.arm_jacobian(
                    Configuration(robot, robot.posture(posture)), hand
                ),
                compute_uv=False,
            )[-1]
            for posture in (robot_pictures.STRETCHED, robot_pictures.READY)
        ]
        assert least[0] < 0.1 * least[1]


def test_a_stroke_and_its_plan_meet_at_both_drums(sources):
    stroke = widest_stroke(sources)
    ends = stroke.drawn[[0, -1]]
    assert np.allclose(ends, [stroke.segment.p_0, stroke.segment.p_f])
    assert np.linalg.norm(stroke.planned[[0, -1]] - ends, axis=1).max() < 0.02
    # In between a plan goes its own way, and both rise above the drums.
    for path in (stroke.drawn, stroke.planned):
        assert path[:, 2].max() > ends[:, 2].max() + 0.01


def test_curves_of_the_safety_law_stay_within_its_limits(sources):
    law = sources.safety_law
    left, right = safety_law(sources).axes
    for axes, most in ((left, law.velocity), (right, law.effort)):
        curves = [line.get_ydata() for line in axes.lines if len(line.get_xdata()) > 2]
        assert curves
        assert np.abs(curves).max() == pytest.approx(most)


# --- the pictures ---------------------------------------------------------------------


@rendered
def test_things_appear_where_the_camera_projects_them(robot):
    """The sticks' tips, against the same picture of a robot without sticks."""
    camera = Camera((3.0, 1.0, 1.5), (0.2, 0.0, 1.0), 320, 320)
    q = robot.posture("drum-ready")
    pictures = [
        OffscreenScene(model).photograph(q, camera).astype(int)
        for model in (robot, RobotModel("atlas"))
    ]
    differs = np.abs(pictures[0] - pictures[1]).max(axis=2) > 40
    rows, columns = np.nonzero(differs)
    for pixel in camera.project(tip_paths(robot, q[None])[0]):
        away = np.hypot(columns - pixel[0], rows - pixel[1])
        assert away.min() < 4.0


@rendered
def test_the_kit_is_in_the_picture_when_it_is_asked_for(robot):
    camera = Camera((5.0, 2.0, 2.0), (0.3, 0.0, 0.8), 160, 120)
    q = robot.posture("stand")
    bare, kit = (
        OffscreenScene(robot, scene).photograph(q, camera)
        for scene in (None, Scene("drum-kit"))
    )
    assert bare.shape == (120, 160, 3)
    assert np.mean(np.any(bare != kit, axis=2)) > 0.1


@rendered
def test_the_animation_moves_and_is_small(sources, monkeypatch):
    monkeypatch.setattr(moving_picture, "SIZE", (160, 120))
    monkeypatch.setattr(moving_picture, "BARS", 1)
    monkeypatch.setattr(moving_picture, "FRAMES_PER_SECOND", 5.0)
    file = io.BytesIO()
    moving_picture.drummer(sources).savefig(file)
    image = Image.open(file)
    length = sources.plan.meter.first.beats * 60.0 / sources.plan.bpm
    assert image.n_frames == round(length * moving_picture.FRAMES_PER_SECOND)
    first = np.array(image.convert("RGB"))
    image.seek(image.n_frames // 2)
    assert np.any(first != np.array(image.convert("RGB")))
    assert len(file.getvalue()) < 1.5e6


def test_a_machine_without_the_library_says_which(robot, monkeypatch):
    def fail(_):
        raise RuntimeError("Drake could not initialize EGL")

    monkeypatch.setattr(picture, "MakeRenderEngineVtk", fail)
    with pytest.raises(BackbeatError, match="apt install libegl1"):
        OffscreenScene(robot)


# --- the command ----------------------------------------------------------------------

SLOW = (
    "robot.pictures",
    "drawing.moving_picture",
    "studies.singularities",
    "studies.compliance",
    "studies.task_space",
    "studies.effort_time",
    "robot.pushed_stage",
)
STILL = [
    f.name
    for f in FIGURES.values()
    if f.family not in SLOW and not f.of_sweep and not f.of_runs
]
STILL = [name for name in STILL if name not in ("tip-trail", "two-robots")]


@pytest.mark.parametrize("name", STILL)
def test_every_figure_is_written_with_a_title(name, sources, tmp_path, monkeypatch):
    drawing = FIGURES[name].draw(sources)
    monkeypatch.setattr(registry.Figure, "draw", lambda *_: drawing)
    path = write_figure(FIGURES[name], sources, tmp_path, "svg")
    text = path.read_text()
    assert path == tmp_path / f"{name}.svg"
    assert "<svg" in text
    assert isinstance(drawing, Figure)
    titles = [axes.get_title() for axes in drawing.axes]
    assert drawing.get_suptitle() or any(titles)
    assert list(tmp_path.iterdir()) == [path]


@rendered
@pytest.mark.parametrize(
    "name", ["standing-robot", "drumming-joints", "tip-trail", "two-robots"]
)
def test_every_picture_is_written(name, sources, tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "FINER", 1)
    path = write_figure(FIGURES[name], sources, tmp_path)
    image = np.array(Image.open(path).convert("RGB"), float)
    assert image.std() > 10.0


@pytest.mark.browser
@pytest.mark.slow
def test_the_stage_at_a_push_is_drawn(library_folder, built, tmp_path):
    """In a browser: the arrow of the push is white, and nothing else is as bright."""
    if find_chromium() is None:
        pytest.skip("no Chromium: apt install chromium")
    built("stand")
    figure = FIGURES["pushed-stage"]
    path = write_figure(figure, Sources(library_folder), tmp_path)
    image = np.array(Image.open(path).convert("RGB"), float)
    assert image.shape[:2] == (720, 1280)
    assert image.std() > 10.0
    left = image[300:400, 460:600].min(axis=2)
    assert (left > 225).sum() > 200


def test_figures_of_the_robot_are_of_the_one_that_is_named():
    sources = Sources(robot_of_plan="h1")
    assert sources.robot.equipment == ()
    (axes,) = joint_tree(sources).axes
    assert axes.get_title() == "Links and joints of H1, from the pelvis out"
    h1 = RobotModel("h1")
    said = caption(h1)
    assert said.startswith("H1: 59 kg, 19 joints")
    assert f"{h1.leg_length:.2f} m" in said


def test_a_posture_that_a_robot_lacks_is_said_with_what_to_do():
    with pytest.raises(BackbeatError, match="h1 has no posture cruciform") as e:
        FIGURES["drumming-joints"].draw(Sources(robot_of_plan="h1"))
    assert "--robot atlas" in str(e.value)


@rendered
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["singular-pose", "singular-values", "drummer", "soft-elbow", "effort-time"]
    + [f.name for f in FIGURES.values() if f.family == "task_space"],
)
def test_the_rest_is_written(name, sources, tmp_path):
    assert write_figure(FIGURES[name], sources, tmp_path).stat().st_size > 10_000


def test_the_list_names_every_figure(backbeat):
    code, said, _ = backbeat("figure", "--list")
    assert code == 0
    assert all(name in said for name in FIGURES)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["joint-three"], "did you mean joint-tree"),
        ([], "say --all"),
        (["joint-tree", "--all"], "say --all"),
        (["joint-tree", "--format", "bmp"], "known: png, svg, pdf"),
        (["tip-trail", "--library", "nowhere"], "outstanding"),
        (["joint-motion", "--behavior", "march"], "march"),
        (
            ["joint-tree", "singular-values", "--behavior", "mine"],
            "unknown behavior 'mine'; known: arms-and-jumps",
        ),
    ],
)
def test_mistakes_are_one_sentence(
    arguments, sentence, backbeat, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, said, error = backbeat("figure", *arguments, "-o", tmp_path / "figures")
    assert (code, said) == (2, "")
    assert sentence in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_tips_are_those_of_the_robot(robot):
    q = robot.posture("drum-ready")
    state = Configuration(robot, q)
    for i, hand in enumerate(("left", "right")):
        place = state.pose(stick_tip(hand)).translation()
        assert np.array_equal(tip_paths(robot, q[None])[0, i], place)
