"""Behaviors in a row: Drake verifies the whole, and what does not fit is refused."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.library.behavior import Mount
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.concatenation import (
    JUNCTION_BOUNDS,
    concatenate,
    cut,
    junction_checks,
)
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.setlist.placement import (
    FARTHER,
    clear_step_back,
    places,
    plan_transition,
)
from backbeat.behaviors.setlist.show import make_show, until
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.setlist.touchdown import touching
from backbeat.behaviors.setlist.transition import LIFT, TransitionPlanner
from backbeat.behaviors.specification.kinds import (
    parse_setlist,
    parse_specification,
    read_any,
    shipped_setlists,
)
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.collision.shapes import WORLD
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene
from backbeat.mpc.analysis.drumming.hits import APPROACH, SILENCE, TIP_RADIUS
from backbeat.optimization.verification.certificate import BOUNDS
from backbeat.optimization.verification.verify import verify
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.identity import same
from tests.behaviors.short_show import BEND, write_files
from tests.tolerances import JERK, ON_THE_BEAT, RECURSION, SAME_PLACE


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("setlists")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def library(files):
    return Library(files / "library")


@pytest.fixture(scope="module")
def show(files, library):
    """Turns in, hits twice, bends its knees."""
    return build(files / "short.yaml", library)


@pytest.fixture(scope="module")
def tiny(files, library):
    """Turns and bends its knees, without drums; left in the middle of a step."""
    return build(files / "tiny.yaml", library)


@pytest.fixture(scope="module")
def parts(files, library):
    """A turn and a knee bend, with empty hands."""
    return {n: build(files / f"{n}.yaml", library) for n in ("turn", "bend")}


def setlist(*numbers):
    """A setlist of names or numbers."""
    behaviors = [SetlistEntry(n) if isinstance(n, str) else n for n in numbers]
    return SetlistSpecification(name="mine", behaviors=behaviors)


@pytest.fixture(params=["show", "tiny"])
def either(request):
    return request.getfixturevalue(request.param)


def test_the_whole_passes_every_check(either):
    checks = {c.name: c for c in either.certificate.checks}
    assert set(checks) == {*BOUNDS, *JUNCTION_BOUNDS}
    assert either.certificate.passed
    assert checks["joint_torque"].value > 0.1


def test_state_and_forces_go_on_where_behaviors_meet(either):
    """No jump from sample to sample, but of arms that start with a jerk."""
    robot, motion = either.robot_model, either.motion
    nf, nq = robot.base_velocities, robot.base_positions
    legs = [j for n in robot.soles for j in robot.contacts[n].limb]
    soles = [motion.contacts.index(n) for n in robot.soles]
    edges = {e.time for e in either.events if e.kind == "segment"}
    edges |= {e.time + e.duration for e in either.events if e.kind == "segment"}
    for edge in edges - {0.0}:
        around = np.flatnonzero(np.abs(motion.t - edge) < ON_THE_BEAT)
        a, b = around[0], around[-1]
        assert b > a or edge == pytest.approx(motion.t[-1])
        for i, j in itertools.pairwise(range(a, b + 1)):
            joints = motion.q[j, nq:] - motion.q[i, nq:]
            np.testing.assert_allclose(joints, 0.0, atol=SAME_PLACE)
            place = motion.q[j, 4:7] - motion.q[i, 4:7]
            np.testing.assert_allclose(place, 0.0, atol=SAME_PLACE)
            assert motion.q[j, :4] @ motion.q[i, :4] > 1 - SAME_PLACE**2
            np.testing.assert_allclose(motion.v[j] - motion.v[i], 0.0, atol=SAME_PLACE)
            jump = motion.vdot[j] - motion.vdot[i]
            carry = np.r_[np.arange(nf), nf + np.array(legs)]
            np.testing.assert_allclose(jump[carry], 0.0, atol=100 * SAME_PLACE)
            load = motion.wrench[j, soles, 5] - motion.wrench[i, soles, 5]
            np.testing.assert_allclose(load, 0.0, atol=JERK * robot.weight)


def test_torques_are_those_of_drake(show):
    """Inverse dynamics of the whole robot, less the wrenches of contacts."""
    robot, motion = show.robot_model, show.motion
    drake, nf = DrakeRobot(robot), robot.base_velocities
    for i in range(5, len(motion.t), 97):
        drake.set(motion.q[i], motion.v[i])
        tau = drake.inverse_dynamics(motion.vdot[i])
        for c, name in enumerate(motion.contacts):
            if motion.standing[i, c]:
                w, R = motion.wrench[i, c], motion.R_WC[i, c]
                tau -= drake.jacobian(name).T @ np.r_[R @ w[:3], R @ w[3:]]
        scale = np.abs(tau).max()
        np.testing.assert_allclose(tau[nf:], motion.tau[i], atol=RECURSION * scale)


def test_the_drums_stay_and_the_robot_comes_to_them(show, files, library):
    hits = library.load("hits")
    assert show.scene == hits.scene
    start = next(e.time for e in show.events if e.what == "hits")
    i = np.flatnonzero(show.motion.t <= start + ON_THE_BEAT)[-1]
    np.testing.assert_allclose(show.motion.q[i], hits.motion.q[0], atol=ON_THE_BEAT)
    # It came from behind, turned to the right, and steps back before it goes on.
    assert np.linalg.norm(show.motion.q[0, 4:6] - show.motion.q[i, 4:6]) > 0.6
    robot = show.robot_model
    planner = TransitionPlanner(robot, make_self_collision_model(robot))
    here, there = planner.place(show.motion.q[i]), planner.place(show.motion.q[-1])
    way = here.inverse() @ there
    assert (way.x, way.y, way.yaw) == pytest.approx((-0.6, 0, 0), abs=SAME_PLACE)
    first = planner.place(show.motion.q[0])
    assert (here.inverse() @ first).yaw == pytest.approx(-0.4, abs=SAME_PLACE)


def test_behaviors_start_on_beats_and_strikes_keep_theirs(show, library):
    beat = 60 / 98
    starts = {e.what: e.time for e in show.events if e.kind == "segment"}
    for name in ("turn", "hits", "bend"):
        assert starts[name] / beat == pytest.approx(round(starts[name] / beat))
    own = [starts["hits"] + e.time for e in library.load("hits").strikes()]
    assert [e.time for e in show.strikes()] == pytest.approx(own)
    assert show.bpm == 98


def heads(behavior, motion, tip):
    """(N, 3) places of a tip from where it rests first, in axes of the head [m]."""
    rest = next(e for e in behavior.events if (e.kind, e.who) == ("rest", tip))
    X = behavior.scene.drum_kit().strike_pose(rest.what).inverse()
    state = Configuration(behavior.robot_model, motion.q[0])
    places = np.array([state.update(q).pose(tip).translation() for q in motion.q])
    return X.multiply(places.T).T - [*rest.aim, TIP_RADIUS]


@pytest.mark.parametrize("tip", ["l_stick_tip", "r_stick_tip"])
def test_sticks_a_little_low_touch_when_they_are_to_rest(show, tip):
    """Where a tip 4 mm too low touches, its hand is declared to rest; it is no hit."""
    rest = next(e for e in show.events if (e.kind, e.who) == ("rest", tip))
    t, place = show.motion.t - rest.time, heads(show, show.motion, tip)
    before = (t > -1.0) & (t < -SILENCE)
    assert place[before, 2].min() > 0.004
    down = (t > -1.0) & (t <= 0.0) & (place[:, 2] < 0.02)
    assert np.abs(place[down, :2]).max() < 1e-3
    assert np.abs(np.gradient(place[down, 2], t[down])).max() < APPROACH
    still = (t >= 0.0) & (t < rest.duration)
    np.testing.assert_allclose(place[still], 0.0, atol=3e-4)


@pytest.mark.parametrize("tip", ["l_stick_tip", "r_stick_tip"])
def test_sticks_leave_heads_as_they_come(show, library, tip):
    hits = library.load("hits")
    robot, q, start = hits.robot_model, hits.motion.q[0], cut(hits.motion, 0.0)
    planner = TransitionPlanner(robot, make_self_collision_model(robot))
    up = planner.lifted(q, [*touching(robot, hits.motion, 0)])
    legs = planner.solve(("hits", "hits"), [q, up, q], start, hits.motion)
    for leg, backwards in zip(legs, (False, True), strict=True):
        t, height = leg.motion.t, heads(hits, leg.motion, tip)[:, 2]
        t, height = (t[-1] - t[::-1], height[::-1]) if backwards else (t, height)
        # It goes up by that, and the head is tilted.
        assert height[-1] == pytest.approx(LIFT, rel=0.01)
        assert height[t > SILENCE + 0.025].min() > 0.004


def test_segments_are_the_behaviors_and_the_ways(show):
    segments = [e for e in show.events if e.kind == "segment"]
    names = ["turn", "to hits", "hits", "to bend", "bend"]
    assert [e.what for e in segments] == names
    assert segments[-1].time + segments[-1].duration == pytest.approx(show.duration)


def test_a_foot_in_the_air_comes_down_before_the_robot_goes_on(tiny):
    """Left on beat 1.5, amid a step that lands on beat 2; a beat of rest after."""
    starts = {e.what: e for e in tiny.events if e.kind == "segment"}
    assert starts["turn"].duration == pytest.approx(2 * 60 / 98)
    i = np.flatnonzero(np.abs(tiny.motion.t - starts["turn"].duration) < 1e-9)[0]
    assert np.abs(tiny.motion.v[i]).max() > 0.05
    way = starts["to bend"]
    beats = (starts["bend"].time - way.time - way.duration) * 98 / 60
    assert 1.0 - 1e-6 <= beats < 2.0


def test_a_second_build_takes_the_show_from_the_library(files, library, show):
    before = library.path("short").stat().st_mtime_ns
    again = build(files / "short.yaml", library)
    assert same(again, show)
    assert library.path("short").stat().st_mtime_ns == before


def test_a_changed_behavior_changes_the_key(files, library, show, tmp_path):
    write_files(tmp_path)
    path = tmp_path / "short.yaml"
    text = (tmp_path / "bend.yaml").read_text()
    assert build_key(*read_any(path), tmp_path) == show.provenance["key"]
    (tmp_path / "bend.yaml").write_text(text.replace("0.75", "0.8"))
    assert build_key(*read_any(path), tmp_path) != show.provenance["key"]


def test_without_drums_the_next_behavior_starts_where_the_last_one_ends(parts):
    """A turn of 23 degrees to the left, and the bend faces there."""
    show = make_show(setlist("turn", "bend"), parts)
    robot = show.robot_model
    planner = TransitionPlanner(robot, make_self_collision_model(robot))
    first, last = planner.place(show.motion.q[0]), planner.place(show.motion.q[-1])
    assert (first.inverse() @ last).yaw == pytest.approx(0.4, abs=SAME_PLACE)
    left = planner.place(parts["turn"].motion.q[-1])
    assert (last.x, last.y) == pytest.approx((left.x, left.y), abs=SAME_PLACE)


def test_seams_tell_what_does_not_fit(parts):
    """A motion beside where it should be, or at another load, is seen."""
    robot, bend = parts["bend"].robot_model, parts["bend"].motion

    def failures(other):
        return {c.name for c in junction_checks(robot, [bend, other]) if not c.passed}

    back = replace(bend, **{n: getattr(bend, n)[::-1] for n in ("q", "wrench")})
    assert failures(back) <= {"junction_load"}
    assert failures(Placement(x=2e-4).motion(back)) >= {
        "junction_pose",
        "junction_support",
    }
    v = back.v.copy()
    v[:2] = 0.01
    assert "junction_speed" in failures(replace(back, v=v))
    vdot = back.vdot.copy()
    vdot[:2, 3] = 1.0
    assert "junction_acceleration" in failures(replace(back, vdot=vdot))
    wrench = back.wrench.copy()
    wrench[0, 0, 5] += 0.2 * robot.weight
    assert "junction_load" in failures(replace(back, wrench=wrench))
    up = back.standing.copy()
    up[0, 0] = False
    assert "junction_support" in failures(replace(back, standing=up))


def test_concatenation_keeps_every_sample(parts):
    a, b = parts["turn"].motion, parts["bend"].motion
    both = concatenate([a, b])
    assert len(both.t) == len(a.t) + len(b.t)
    np.testing.assert_array_equal(both.t[len(a.t) :], a.t[-1] + b.t)
    np.testing.assert_array_equal(both.wrench[: len(a.t)], a.wrench)
    np.testing.assert_array_equal(both.q[len(a.t) :, 7:], b.q[:, 7:])
    short = cut(a, 1.0)
    assert short.t[-1] == pytest.approx(1.0, abs=0.005)
    np.testing.assert_array_equal(short.tau, a.tau[: len(short.t)])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mount": Mount(p_WB=(0.0, 0.0, 0.65))}, "stands freely"),
        ({"equipment": ("sticks",)}, "build it for the setlist's equipment"),
    ],
)
def test_neighbors_that_do_not_go_together(parts, change, sentence):
    other = replace(parts["bend"], name="other", **change)
    with pytest.raises(BackbeatError, match=sentence):
        make_show(setlist("turn", "other"), parts | {"other": other})


def test_tempos_that_a_file_rounds_are_one(parts):
    """A MIDI file at 98 BPM has a beat of 612 245 microseconds."""
    of_midi = 60e6 / round(60e6 / 98)
    assert of_midi != 98
    tempos = {"a": 98.0, "b": of_midi}
    rows = {n: replace(parts["bend"], name=n, bpm=b) for n, b in tempos.items()}
    assert make_show(setlist("a", "b"), rows).bpm == 98


def test_behaviors_of_two_tempos_keep_theirs(parts):
    """Their beats are marked one by one, and those of the second begin with it."""
    tempos = {"a": 90, "b": 120}
    rows = {n: replace(parts["bend"], name=n, bpm=b) for n, b in tempos.items()}
    made = make_show(setlist("a", SetlistEntry("b", beats=2)), rows)
    assert made.certificate.passed
    marked = np.array(made.grid.marked)
    starts = {e.what: e.time for e in made.events if e.kind == "segment"}
    for name, bpm in tempos.items():
        start = starts[name]
        inside = (marked[:, 1] >= start - 1e-9) & (
            marked[:, 1] <= start + parts["bend"].duration + 1e-9
        )
        assert marked[inside][0, 1] == pytest.approx(start)
        assert np.diff(marked[inside][:, 1]) == pytest.approx(60 / bpm)
    assert made.bpm == 90
    gap = starts["b"] - starts["to b"]
    assert gap >= 2 * 60 / 120


def test_drums_in_two_places(parts):
    kits = [
        replace(parts["bend"], name=f"kit-{x}", scene=Scene("drum-kit", (x, 0.0, 0.2)))
        for x in (0, 1)
    ]
    with pytest.raises(BackbeatError, match="one place for the kit"):
        make_show(setlist("kit-0", "kit-1"), {k.name: k for k in kits})


def test_a_behavior_that_ends_in_the_air(parts):
    motion = parts["turn"].motion
    standing = motion.standing.copy()
    standing[-1, 0] = False
    other = replace(parts["turn"], motion=replace(motion, standing=standing))
    with pytest.raises(BackbeatError, match="both feet at its end"):
        make_show(setlist("turn"), {"turn": other})


def test_what_reaches_the_drums_happens_farther_behind_them(parts):
    """Just far enough: everywhere clear there, and not so a step nearer."""
    robot, scene = parts["bend"].robot_model, Scene("drum-kit", (-0.4, 0.0, 0.0))
    kit = scene.drum_kit()
    collisions = make_self_collision_model(robot, scene=kit.solids())
    planner = TransitionPlanner(robot, collisions)
    drums = replace(parts["turn"], scene=scene)
    row = [drums, parts["bend"]]
    back = clear_step_back(row, planner, 0.0)
    assert 0 < back < 2
    for nearer, is_clear in ((0.0, True), (FARTHER, False)):
        place = places(row, planner, back - nearer)[1]
        state = Configuration(robot, place.configuration(row[1].motion.q[0]))
        least = np.inf
        world = [s.body == WORLD for s in collisions.solids]
        drummed = replace(collisions, pairs=collisions.pairs & world).arrays()
        for q in place.configuration(row[1].motion.q):
            least = min(least, state.update(q).distances(drummed)[0].min())
        assert (least > 0.9 * collisions.margin) == is_clear
    assert clear_step_back(row, planner, back) == back
    with pytest.raises(BackbeatError, match="reaches the drums even 2 m behind"):
        clear_step_back([row[0], _stretched(parts["bend"])], planner, 0.0)


def _stretched(part):
    """The same, gliding three meters ahead of where it starts."""
    q = part.motion.q.copy()
    q[:, 4] += np.linspace(0.0, 3.0, len(q))
    return replace(part, motion=replace(part.motion, q=q))


def test_a_long_way_wants_a_walk(parts):
    robot, q = parts["bend"].robot_model, parts["bend"].motion.q[0]
    planner = TransitionPlanner(robot, make_self_collision_model(robot))
    far = Placement(4.0, 0.0, 1.0).configuration(q)
    bend = parts["bend"].motion
    with pytest.raises(BackbeatError, match=r"4\.0 m and 57 degrees; put a walk"):
        planner.solve(("bend", "bend"), [q, far], bend, bend)


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((SetlistEntry("bend", until=2), "bend"), "no tempo"),
        ((SetlistEntry("turn", until=9), "bend"), "cannot be left on beat 9"),
        ((SetlistEntry("turn", 0),), "repeat is 0"),
        ((SetlistEntry(""),), "name a behavior"),
        ((), "needs behaviors"),
    ],
)
def test_numbers_that_make_no_sense(parts, numbers, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        make_show(setlist(*numbers), parts)


def test_a_setlist_is_no_specification_of_one_motion():
    text = "kind: setlist\nname: mine\nbehaviors: [{behavior: bow}]"
    assert parse_setlist(text, "mine.yaml").behaviors[0].behavior == "bow"
    with pytest.raises(BackbeatError, match="is a setlist"):
        parse_specification(text, "mine.yaml")
    with pytest.raises(BackbeatError, match="did you mean behaviors"):
        parse_setlist(text.replace("behaviors", "behavior"), "mine.yaml")


def test_a_setlist_within_a_setlist(files, library, tmp_path):
    write_files(tmp_path)
    path = tmp_path / "outer.yaml"
    path.write_text("kind: setlist\nname: outer\nbehaviors: [{behavior: tiny.yaml}]")
    with pytest.raises(BackbeatError, match="name its behaviors one by one"):
        build(path, library)


def test_the_show_ships():
    assert "show" in shipped_setlists()


@pytest.mark.slow
@pytest.mark.parametrize("beat", range(1, 36))
def test_groove_may_be_left_on_any_beat(built, beat):
    parts = {n: built(n) for n in ("groove", "stand")}
    show = make_show(setlist(SetlistEntry("groove", until=beat), "stand"), parts)
    assert show.certificate.passed


@pytest.mark.slow
@pytest.mark.parametrize("beat", [4, 12, 21, 22, 42, 47, 48, 50, 53])
def test_drums_may_be_left_amid_the_fill(built, files, library, beat):
    """Sticks swing over heads and cymbals; none is touched on the way out."""
    (files / "armed.yaml").write_text(
        BEND.replace("bend", "armed") + "equipment: [sticks]"
    )
    bend, drums = build(files / "armed.yaml", library), built("outstanding-standing")
    drums = until(drums, beat)
    robot = drums.robot_model
    solids = DrumKit(drums.scene.place).solids()
    planner = TransitionPlanner(robot, make_self_collision_model(robot, scene=solids))
    here, there = places([drums, bend], planner, 0.95)
    legs = plan_transition(planner, drums, here, bend, there)
    for leg in legs:
        assert not verify(leg.solution, leg.motion).failures()
    motions = [here.motion(drums.motion), *(leg.motion for leg in legs)]
    junctions = junction_checks(robot, [*motions, there.motion(bend.motion)])
    assert [c.name for c in junctions if not c.passed] == []
