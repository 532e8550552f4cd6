"""A trajectory problem of your own: posed, solved, verified, and made a behavior.

Atlas squats with a hand on a rail at its left, which carries up to 100 N. Run it with
`python docs/how_to/own_problem.py`; the result is in the library `out/own`.
"""

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.library.behavior import Mount
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.solving.solved_behavior import make_behavior
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import ContactSchedule, Phase
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask
from backbeat.optimization.problem.trajectory_problem import Limits, TrajectoryProblem
from backbeat.optimization.transcription.transcribe import Transcription

ROBOT = RobotModel(equipment=("palms",))


def pose_problem() -> TrajectoryProblem:
    """A squat of two seconds; for one of them the left palm is on the rail."""
    q = start_configuration(ROBOT, "stand")
    feet = support_poses(ROBOT, q)
    rail = {"l_palm": RigidTransform(np.array([0.35, 0.45, 0.95]))}
    phases = (Phase(1.2, feet), Phase(1.0, feet | rail), Phase(1.2, feet))
    times = np.linspace(0.0, 3.4, 69)
    knots = np.arange(len(times))
    path = np.tile(Configuration(ROBOT, q).center_of_mass, (len(times), 1))
    path[:, 2] -= 0.05 * (1 - np.cos(2 * np.pi * times / 3.4))
    return TrajectoryProblem(
        robot=ROBOT,
        times=times,
        schedule=ContactSchedule(phases),
        q_start=q,
        posture=q,
        tasks=[  # with a weight it is a cost, without one a constraint
            CenterOfMassTask(knots, path, np.array([200.0, 200.0, 400.0])),
            FrameTask("utorso", knots, RigidTransform(), "rx ry rz", weight=20.0),
        ],
        limits=Limits(torque=0.8, contact_forces={"l_palm": (5.0, 100.0)}),
    )


def main(folder: str = "out/own") -> TrajectorySolution:
    """Solves the problem and stores it as a behavior."""
    from backbeat.behaviors.library.store import Library

    problem = pose_problem()
    solution = InteriorPoint(Transcription(problem)).solve()
    print(f"{solution.status} after {len(solution.log)} iterations")
    print(f"{solution.solve_time:.2f} s, violation {solution.violation():.1e}")
    plan = MotionPlan(problem, Mount())
    behavior = make_behavior("squat-at-the-rail", plan, solution, equipment=("palms",))
    for check in behavior.certificate.checks:
        print(f"{check.name:26s} {check.value:.2g} of {check.bound:.2g}")
    print(Library(folder).save(behavior))
    return solution


if __name__ == "__main__":
    main()
