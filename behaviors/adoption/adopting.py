"""A robot YAML for a model without a description, and what it is made of.

adopted = adopt("robot.urdf", "my-robot.yaml")
adopted.text, adopted.proposal.remarks
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml

from backbeat.behaviors.adoption.motors import propose_motors, propose_servos
from backbeat.behaviors.adoption.opposed import opposed_joints, with_signs
from backbeat.behaviors.adoption.source import AdoptedModel, usable
from backbeat.behaviors.adoption.stances import Stance, StanceFinder, ground_below
from backbeat.models.adoption.arm_postures import arm_at_rest, mirrored, nearest_zero
from backbeat.models.adoption.body_parts import propose_parts
from backbeat.models.adoption.limbs import find_limbs
from backbeat.models.adoption.model_tree import read_tree
from backbeat.models.adoption.proposal import Proposal
from backbeat.models.adoption.refusals import (
    check_joints,
    check_masses,
    check_size,
    find_base,
)
from backbeat.models.adoption.structure import (
    Anatomy,
    described_limits,
    find_structure,
    propose_structure,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.urdf.checks.inertia import refuse_impossible_bodies
from backbeat.models.urdf.loading.extensions import describe
from backbeat.models.urdf.reading.description import listed
from backbeat.optimization.verification.clearance import Clearance

# Bends of the knees to stand with and to crouch with, the first that does [rad].
STANDING = (1.0, 0.85, 0.7, 0.55, 0.4, 0.3, 0.2, 0.1)
LOWEST = (1.5, 1.4, 1.3, 1.2, 1.1, 1.0, 0.85, 0.7, 0.55, 0.4)
# Shares of a joint's effort that holding still takes at most.
EASY, HARD = 0.6, 0.75
# How much farther knees bend to crouch than to stand, at least.
ROOM = 1.4
# How far upper arms are from the trunk, the first with which nothing touches [rad].
ARMS_OUT = (0.2, 0.35, 0.55, 0.8)
# Shares of a leg's length by which feet are farther apart than with joints at zero.
WIDER = (0.0, 0.04, 0.08, 0.12)


@dataclass(frozen=True)
class Adopted:
    """A robot that was adopted.

    Attributes:
        proposal: what is proposed.
        text: the robot YAML.
        model: URDF to write beside it, made of an MJCF; "" where the model is one.
        structure: limbs and soles.
    """

    proposal: Proposal
    text: str
    model: str
    structure: Anatomy


def adopt(
    model: str | Path,
    output: str | Path,
    efforts: Mapping[str, float] | None = None,
    trunk: str = "",
) -> Adopted:
    """Proposes a robot YAML; writes nothing.

    Args:
        model: a URDF or an MJCF.
        output: where the YAML will be, for the path of the model in it.
        efforts: effort limits by joint [N m or N]; that of "" is for all without one.
        trunk: link that is the trunk; "" finds it.

    Raises:
        BackbeatError: it is no humanoid that can stand, and why.
    """
    model, output = Path(model), Path(output)
    proposal = Proposal()
    proposal.keys |= {"name": robot_name(output), "urdf": ""}
    with usable(model, output, proposal) as source:
        structure = _structure(source, trunk)
        if source.path == model:
            proposal.keys["urdf"] = os.path.relpath(
                model.absolute(), output.absolute().parent
            )
        else:
            proposal.keys["urdf"] = output.with_suffix(".urdf").name
        propose_structure(structure, proposal)
        propose_parts(structure, proposal)
        propose_motors(structure, efforts or {}, proposal)
        if free := described_limits(structure.tree, structure.locked):
            proposal.guessed(
                "joints without limits",
                f"{listed(free)} may turn as far as they like",
                "the model gives no lower and upper limit",
            )
        with _draft(proposal, source.path) as path:
            propose_servos(RobotModel(path), proposal)
            _propose_postures(structure, path, proposal)
    return Adopted(proposal, written(proposal, model), source.text, structure)


def _structure(source: AdoptedModel, trunk: str) -> Anatomy:
    """Limbs and soles of a model.

    Raises:
        BackbeatError: it is no humanoid.
    """
    refuse_impossible_bodies(source.path)
    # Under another name, for messages; meshes lie beside it all the same.
    named = source.path.with_name(source.name)
    description = replace(describe(source.path), path=named)
    base = find_base(description)
    check_joints(description)
    tree = read_tree(description, base)
    check_size(tree)
    structure = find_structure(tree, find_limbs(tree, trunk))
    check_masses(tree, structure.locked)
    return structure


def robot_name(output: str | Path) -> str:
    """Name of a robot by that of its file."""
    stem = Path(output).stem.lower()
    name = "".join(c if c.isalnum() else "-" for c in stem).strip("-")
    if not name:
        raise BackbeatError(f"{output}: name the file with letters or digits")
    return name


@contextmanager
def _draft(proposal: Proposal, source: Path) -> Iterator[Path]:
    """A YAML of what is proposed so far, in a folder of its own, to load it."""
    with tempfile.TemporaryDirectory(prefix="backbeat-adopt-") as folder:
        path = Path(folder) / "draft.yaml"
        path.write_text(yaml.safe_dump({"urdf": str(source.absolute())}))
        _save_draft(path, proposal)
        yield path


def _save_draft(path: Path, proposal: Proposal) -> None:
    """Writes what is proposed so far; the draft has the path of the model already."""
    urdf = yaml.safe_load(path.read_text())["urdf"]
    keys = dict(proposal.keys) | {"urdf": urdf}
    path.write_text(yaml.safe_dump(keys, sort_keys=False))


def _propose_postures(structure: Anatomy, path: Path, proposal: Proposal) -> None:
    """Finds the postures, and which shapes may touch in them.

    Raises:
        BackbeatError: the robot cannot stand.
    """
    robot = RobotModel(path)
    finder = StanceFinder(robot, upper_body(structure, ARMS_OUT[1]))
    free, tried = finder.first_good(STANDING, EASY)
    if free is None:
        raise BackbeatError(_cannot_stand(robot, tried))
    # Covers that rub in `stand` are let pass from now on.
    proposal.keys["postures"] = {"stand": {"joints": angles_of(robot, free.q)}}
    _save_draft(path, proposal)
    robot = RobotModel(path)
    stand, finder = _stand(robot, structure, proposal) or (free, finder)
    postures = _lower(stand, finder)
    stand = postures["stand"]
    proposal.keys["postures"] = {
        name: {"joints": angles_of(robot, stance.q)}
        for name, stance in postures.items()
    }
    signs = opposed_joints(robot, stand.q)
    proposal.keys["roles"] = with_signs(proposal.keys["roles"], signs)
    if _bends_back(robot, stand.q):
        base = proposal.keys["base"]
        proposal.guessed(
            "ahead",
            f"x of {base}, and knees bend backward",
            "as birds' do; if x points back, add a link that carries "
            f'{base} by a fixed joint with rpy="0 0 3.14159265"',
        )
    for name, stance in postures.items():
        is_lower = name == "stand" or stance.bend > stand.bend
        proposal.guessed(
            name,
            f"knees bent by {stance.bend:.2f} rad",
            f"soles flat, the center of mass over their middle; {stance.joint} takes "
            f"{100 * stance.load:.0f} % of its effort"
            + ("" if is_lower else "; it cannot bend its knees farther"),
        )


def _bends_back(robot: RobotModel, q: np.ndarray) -> bool:
    """Whether knees are behind the middles of their legs."""
    state = Configuration(robot, q)
    ahead = 0.0
    for side in ("left", "right"):
        if any(f"{side} {part}" not in robot.roles for part in ("hip", "ankle")):
            return False
        links = (robot.roles.link(f"{side} {x}") for x in ("hip", "knee", "ankle"))
        hip, knee, ankle = (state.place(link)[0] for link in links)
        ahead += knee - 0.5 * (hip + ankle)
    return ahead < 0.0


def _lower(stand: Stance, finder: StanceFinder) -> dict[str, Stance]:
    """The postures: `stand`, as low as it can `crouch`, and `ready` between them.

    A robot that cannot bend its knees much farther than it stands stands higher.
    """
    crouch, _ = finder.first_good([b for b in LOWEST if b > stand.bend], HARD)
    crouch = crouch or stand
    if crouch.bend < ROOM * stand.bend:
        higher, _ = finder.first_good([crouch.bend / ROOM], EASY)
        stand = higher or stand
    between, _ = finder.first_good([0.5 * (stand.bend + crouch.bend)], HARD)
    return {"stand": stand, "ready": between or stand, "crouch": crouch}


def _stand(
    robot: RobotModel, structure: Anatomy, proposal: Proposal
) -> tuple[Stance, StanceFinder] | None:
    """The posture `stand` with links apart, and what finds others like it.

    None, and a set of what touches in the proposal, where there is none.
    """
    leg = structure.limbs.legs.left
    length = float(leg[0].place[2] - leg[-1].place[2])
    nearest: Stance | None = None
    shapes = Clearance(robot, ground_below())
    for wider in WIDER:
        for out in ARMS_OUT if structure.limbs.arms else ARMS_OUT[:1]:
            rest = upper_body(structure, out)
            finder = StanceFinder(robot, rest, shapes, wider * length)
            first = finder.bent(STANDING[0])
            if nearest is None or first.clearance > nearest.clearance:
                nearest = first
            if first.keeps_apart:
                found, _ = finder.first_good(STANDING, EASY)
                if found is not None:
                    return found, finder
    proposal.keys["contact_set"] = "minimal"
    between = nearest.touching if nearest else ""
    proposal.guessed(
        "contact set",
        "minimal: soles alone touch",
        f"shapes of {between or 'its limbs'} overlap or are within a centimeter in "
        "every stance tried",
    )
    return None


def _cannot_stand(robot: RobotModel, tried: list[Stance]) -> str:
    """Why no posture to stand in was found."""
    flat = [s for s in tried if not s.problem]
    if flat:
        least = min(flat, key=lambda s: s.load)
        return (
            f"{robot.name} cannot stand on bent knees: {least.joint} would take "
            f"{100 * least.load:.0f} % of its effort even with knees bent by "
            f"{least.bend:g} rad; see whether effort limits and masses are right "
            "(`--effort`)"
        )
    last = tried[-1]
    return (
        f"{robot.name} cannot stand: with knees bent by {last.bend:g} rad "
        f"{last.problem}; see whether limits of the legs' joints are right"
    )


def upper_body(structure: Anatomy, out: float) -> dict[str, float]:
    """Angles of the joints that are no legs' while standing [rad], by name."""
    limbs = structure.limbs
    rest = {j.name: nearest_zero(j) for j in (*limbs.waist, *limbs.neck)}
    if limbs.arms:
        left = arm_at_rest(structure.tree, limbs.arms.left, out)
        rest |= left | mirrored(left, *limbs.arms)
    return rest


def angles_of(robot: RobotModel, q: np.ndarray) -> dict[str, float]:
    """Angles that are not zero [rad], by joint."""
    angles = {
        name: round(float(a), 4)
        for name, a in zip(robot.joint_names, q[robot.base_positions :], strict=True)
    }
    return {name: a for name, a in angles.items() if a}


def written(proposal: Proposal, model: str | Path) -> str:
    """The robot YAML with its reasons as comments."""
    lines = [
        f"# Proposed by `backbeat adopt` for {Path(model).name}. Found in the model:",
        *(f"#   {r.sentence()}" for r in proposal.remarks if not r.is_guess),
        "# Guessed; see whether it is right:",
        *(f"#   {r.sentence()}" for r in proposal.remarks if r.is_guess),
    ]
    body = yaml.safe_dump(
        proposal.keys, sort_keys=False, default_flow_style=None, width=88
    )
    return "\n".join(lines) + "\n" + body
