"""Made-up behaviors and runs, so that the tests of the stage need no optimizer."""

import numpy as np
from pydrake.math import RotationMatrix

from backbeat.behaviors.library.behavior import (
    Behavior,
    Event,
    Mount,
    centroidal_quantities,
    make_robot,
)
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Certificate
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire

BPM = 98.0
SEAT = Mount(
    p_WB=(0.0, 0.0, 0.65),
    locked={
        f"{side}_leg_{joint}": angle
        for side in "lr"
        for joint, angle in {
            "hpz": 0.0,
            "hpx": 0.0,
            "hpy": -1.473,
            "kny": 1.486,
            "aky": -0.013,
            "akx": 0.0,
        }.items()
    },
)


def drumming(
    seated: bool = False, duration: float = 4.0, on_chair: bool = False
) -> Behavior:
    """Arms that swing over the kit at 98 BPM, with two strikes a beat."""
    mount = SEAT if seated else Mount()
    scene = Scene("drum-kit", (0.0, 0.0, 0.0 if seated else 0.2))
    strikes = tuple(
        Event(
            time=k * 30.0 / BPM,
            kind="strike",
            what=("snare", "hi_hat", "floor_tom", "ride")[k % 4],
            who=f"{'lr'[k % 2]}_stick_tip",
            velocity=60 + 20 * (k % 4),
        )
        for k in range(1, int(duration * BPM / 30.0))
    )
    hold = Event(time=1.0, kind="segment", what="Hold", duration=1.2)
    events = tuple(sorted((*strikes, hold), key=lambda e: e.time))
    equipment = ("sticks", "seat") if seated or on_chair else ("sticks",)
    return _behavior("drums", equipment, mount, scene, duration, BPM, events)


def swaying(duration: float = 3.0, robot: str = "atlas") -> Behavior:
    """Arms that swing on bare ground, without music."""
    hold = Event(time=0.5, kind="segment", what="reach", duration=1.0)
    return _behavior("sway", (), Mount(), Scene(), duration, 0.0, (hold,), robot)


def _behavior(
    name: str,
    equipment: tuple[str, ...],
    mount: Mount,
    scene: Scene,
    duration: float,
    bpm: float,
    events: tuple[Event, ...],
    robot_name: str = "atlas",
) -> Behavior:
    robot = make_robot(robot_name, equipment, mount)
    t = np.linspace(0.0, duration, round(duration / 0.01) + 1)
    known = [n for n in ("stand", "rest", "ready") if n in robot.posture_names]
    posture = known[0]
    q = np.tile(robot.posture(posture), (len(t), 1))
    v = np.zeros((len(t), robot.num_velocities))
    swing = 0.35 * np.sin(2 * np.pi * (bpm or 60.0) / 60.0 * t)
    names = list(robot.joint_names)
    for joint, sign in (("l_arm_elx", 1.0), ("r_arm_elx", -1.0), ("shoulder", 1.0)):
        if joint in names:
            column = robot.base_positions + names.index(joint)
            q[:, column] += sign * (0.7 + swing)
    contacts = tuple(n for n, c in robot.contacts.items() if not c.is_point)
    if not mount.is_free:
        contacts = ()
    M, C = len(t), len(contacts)
    state = Configuration(robot, q[0])
    wrench = np.zeros((M, C, 6))
    wrench[:, :, 5] = robot.weight / max(C, 1)
    places = np.array([state.pose(n).translation() for n in contacts]).reshape(C, 3)
    motion = DenseTrajectory(
        t=t,
        q=q,
        v=v,
        vdot=np.zeros_like(v),
        wrench=wrench,
        standing=np.ones((M, C), bool),
        R_WC=np.tile(RotationMatrix().matrix(), (M, C, 1, 1)),
        p_WC=np.tile(places, (M, 1, 1)),
        tau=np.zeros((M, robot.num_joints)),
        edge=np.zeros((M, C), np.int8),
        contacts=contacts,
    )
    com, momentum, inertia = centroidal_quantities(robot, motion)
    return Behavior(
        name=name,
        kind="drumming" if bpm else "posture",
        summary="Atlas swings its arms <and> smiles.",
        robot=robot_name,
        equipment=equipment,
        mount=mount,
        scene=scene,
        bpm=bpm,
        meter=MeterMap(),
        motion=motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        events=events,
        certificate=Certificate(()),
        specification="",
        provenance={"duration_s": duration},
    )


def run_of(
    behavior: Behavior,
    fell_at: float | None = None,
    strikes: tuple[np.ndarray, np.ndarray] | None = None,
) -> SimulationRun:
    """A run that follows a behavior a tenth of a second late.

    Args:
        behavior: what is followed.
        fell_at: time of the fall [s].
        strikes: times and rows of the strike log.
    """
    robot, motion = behavior.robot_model, behavior.motion
    lead_in = 0.2
    t = np.arange(-lead_in, behavior.duration, 0.01)
    rows = np.clip(np.searchsorted(motion.t, t - 0.1), 0, len(motion.t) - 1)
    patches = [n for n, c in robot.contacts.items() if not c.is_point]
    contact = np.zeros((len(t), len(patches) + 1, 6))
    state = Configuration(robot, motion.q[0])
    for k, name in enumerate(patches):
        force = np.array([0.0, 0.0, robot.weight / len(patches)])
        place = state.pose(name).translation()
        contact[:, k] = np.r_[np.cross(place, force), force]
    plans = tuple(
        Plan(
            time=time,
            phase=time - lead_in,
            rate=1.0,
            durations=np.full(12, 0.1),
            phases=time - lead_in + 0.1 * np.arange(13),
            deviation=np.zeros((13, 12)),
            wrench=np.zeros((12, len(patches), 6)),
            com=np.tile(behavior.com[0], (13, 1)),
            shift=np.zeros((13, 2, 2)),
        )
        for time in np.arange(0.0, behavior.duration, 0.02)
    )
    x = np.hstack([motion.q[rows], motion.v[rows]])
    return SimulationRun(
        scenario=Scenario.of(behavior=behavior.name, lead_in=lead_in),
        behavior=behavior,
        t=t,
        x=x,
        sensed=x,
        effort=np.zeros((len(t), robot.num_joints)),
        contact=contact,
        push=np.zeros((len(t), 3)),
        strike_t=np.zeros(0) if strikes is None else strikes[0],
        strikes=np.zeros((0, 0)) if strikes is None else strikes[1],
        tips=tuple(n for n, c in robot.contacts.items() if c.is_point),
        members=tuple(DrumKit().members) if behavior.scene.name else (),
        plans=plans,
        tick_ms=np.ones(3),
        plan_ms=np.ones(3),
        failures=0,
        fell_at=fell_at,
        wall_time=1.0,
    )


def hand_player(robot, folder, wait=True, stream=None):
    """A player of a hand and its target, when its simulation is made."""
    playback = Playback.of_hand(robot, wait=wait)
    behavior = task_space_behavior(playback.scenario)
    repertoire = Repertoire(Library(folder), behavior)
    player = Player(behavior, repertoire, playback, stream)
    while player.preparation is not None:
        player.frame()
    return player
