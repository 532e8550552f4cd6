"""What keeps a URDF from being loaded, by the same checks that `backbeat lint` makes.

Drake's own reader would refuse most of it in words of its own, end the program, or go
on with something else than the file says.
"""

from backbeat.models.urdf.checks.connecting import check_connecting
from backbeat.models.urdf.checks.gazebo_checks import check_gazebo_tags
from backbeat.models.urdf.checks.inertia import check_inertias
from backbeat.models.urdf.checks.joint_checks import check_joints
from backbeat.models.urdf.checks.shape_checks import check_shapes
from backbeat.models.urdf.checks.support_table import (
    support_findings,
    unevaluated,
    uses,
)
from backbeat.models.urdf.checks.topology import check_topology
from backbeat.models.urdf.checks.transmission_checks import check_transmissions
from backbeat.models.urdf.reading.description import Description
from backbeat.models.urdf.reading.document import Document
from backbeat.models.urdf.reading.finding import Finding, Severity

# All but those of meshes, of which none keeps a robot from being loaded.
CHECKS = (
    check_topology,
    check_connecting,
    check_inertias,
    check_joints,
    check_transmissions,
    check_shapes,
    check_gazebo_tags,
)
# What a plant of one's own may have, or a YAML can hold; robots that cannot are refused
# by `backbeat.models.robot.description_check`.
_OF_ROBOTS = (
    *("several-roots", "massless-moving-link", "missing-limit"),
    *("planar-joint", "floating-joint", "connects-links"),
)


def check_loading(document: Document, description: Description) -> list[Finding]:
    """What of a file keeps it from being loaded; the worst of its findings."""
    found = [*unevaluated(document), *support_findings(uses(document))]
    for check in CHECKS:
        found += check(description)
    return [
        f for f in found if f.severity is Severity.ERROR and f.rule not in _OF_ROBOTS
    ]
