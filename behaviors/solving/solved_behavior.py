"""A behavior from the solution of its problem: filled in, verified, described."""

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from backbeat.behaviors.library.behavior import (
    Behavior,
    Progress,
    centroidal_quantities,
)
from backbeat.behaviors.library.robots import robot_hash
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.solving.windowed import FoundMotion
from backbeat.models.common.errors import NoMotionError
from backbeat.optimization.diagnosis.costs import knot_costs
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.terms.declared import declared_fields, key_of
from backbeat.optimization.terms.user_file import user_file_of
from backbeat.optimization.verification.verify import verify

# Times at which a behavior tells what its terms cost, at most.
MOST_COSTS = 250


def describe(
    specification: Specification, plan: MotionPlan, text: str
) -> dict[str, Any]:
    """What a behavior says of itself besides its motion."""
    priority = plan.beat_priority
    return {
        "kind": specification.kind,
        "summary": specification.summary,
        "robot": specification.robot,
        "equipment": plan.problem.robot.equipment,
        "beat_priority": specification.beat_priority if priority is None else priority,
        "specification": text,
    }


def make_behavior(
    name: str,
    plan: MotionPlan,
    solution: TrajectorySolution,
    report: Progress | None = None,
    **about: Any,
) -> Behavior:
    """Fills in and verifies a solution: a behavior for the library.

    Args:
        name: name in the library.
        plan: the problem that was solved, and what surrounds it.
        solution: a solution of it; of an unsolved one the certificate will fail.
        report: called as the work goes on.
        about: other attributes of the behavior: kind, summary, robot, equipment,
            specification.
    """
    report = report or (lambda share, what: None)
    report(0.6, "filling in")
    motion = reconstruct(solution)
    report(0.7, "verifying")
    certificate = verify(solution, motion)
    found = FoundMotion(
        motion=motion,
        centroidal=centroidal_quantities(plan.problem.robot, motion),
        certificate=certificate,
        log=solution.log,
        limits=active_limits(solution).to_dict("records"),
        costs=knot_costs(solution),
        violation=solution.violation(),
        seconds=solution.solve_time,
    )
    return assembled(name, plan, found, about)


def assembled(
    name: str, plan: MotionPlan, found: FoundMotion, about: Mapping[str, Any]
) -> Behavior:
    """A behavior from what was found and what surrounds it."""
    known = {
        "kind": "problem",
        "summary": "",
        "robot": "atlas",
        "equipment": (),
        "specification": "",
    }
    about = {**known, **about}
    (com, momentum, inertia), costs = found.centroidal, found.costs
    seen = list(plan.review(found.motion, com)) if plan.review else []
    recorded = plan.recordings(found.motion) if plan.recordings else []
    seen += [entry["summary"] for entry in recorded]
    left_out = [hit.to_plain() for hit in plan.left_out]
    return Behavior(
        name=check_name(name),
        mount=plan.mount,
        scene=plan.scene,
        bpm=plan.bpm,
        meter=plan.meter,
        motion=found.motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        events=plan.events,
        compliance=plan.compliance,
        certificate=found.certificate,
        provenance={
            "key": "",
            "robot_hash": robot_hash(str(about["robot"])),
            "backbeat": metadata.version("backbeat"),
            "drake": metadata.version("drake"),
            "duration_s": float(found.motion.t[-1]),
            "knots": plan.problem.num_knots,
            **weights_story(plan.problem.weights),
            "iterations": len(found.log),
            "violation": found.violation,
            "seconds": found.seconds,
            "log": found.log,
            "remarks": [*plan.remarks, *plan.problem.robot.notes, *seen],
            "active_limits": found.limits,
            **({"left_out": left_out} if left_out else {}),
            **({"recordings": recorded} if recorded else {}),
            **({"costs": costs.coarse(MOST_COSTS).to_plain()} if costs else {}),
        },
        **about,
    )


def weights_story(weights: TrajectoryWeights) -> dict[str, Any]:
    """Weights of the trajectory's costs, their hash, and the user's file of terms."""
    told = {key_of(f): getattr(weights, f.name) for f in declared_fields(weights)}
    text = json.dumps(told, sort_keys=True)
    file = user_file_of(type(weights))
    return {
        "weights": told,
        "weights_hash": hashlib.sha256(text.encode()).hexdigest(),
        **({"terms": file.story()} if file else {}),
    }


def check_certificate(behavior: Behavior, more: str = "") -> None:
    """Refuses what did not pass verification.

    Args:
        behavior: what was made.
        more: what else to say of the failure.

    Raises:
        NoMotionError: the first check that failed.
    """
    if not behavior.certificate.passed:
        worst = behavior.certificate.failures()[0]
        raise NoMotionError(
            f"{behavior.name}: the motion fails verification: {worst}{more}"
        )
