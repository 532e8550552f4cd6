"""What keeps a URDF from being loaded, by the same checks that `backbeat lint` makes.

Drake's own reader would refuse most of it in words of its own, end the program, or go
on with something else than the file says.
"""

from models.description.connecting import check_connecting
from models.description.description import Description
from models.description.document import Document
from models.description.fates import fate_findings, unevaluated, uses
from models.description.finding import Finding, Severity
from models.description.gazebo_checks import check_gazebo_tags
from models.description.inertia import check_inertias
from models.description.joint_checks import check_joints
from models.description.shape_checks import check_shapes
from models.description.topology import check_topology
from models.description.transmission_checks import check_transmissions

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
# by `models.robot_check`.
_OF_ROBOTS = (
    *("several-roots", "massless-moving-link", "missing-limit"),
    *("planar-joint", "floating-joint", "connects-links"),
)


def check_loading(document: Document, description: Description) -> list[Finding]:
    """What of a file keeps it from being loaded; the worst of its findings."""
    found = [*unevaluated(document), *fate_findings(uses(document))]
    for check in CHECKS:
        found += check(description)
    return [
        f for f in found if f.severity is Severity.ERROR and f.rule not in _OF_ROBOTS
    ]
