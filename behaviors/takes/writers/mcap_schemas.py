"""JSON schemas of the messages that viewers of MCAP files look up by name.

The names and fields are those of Foxglove's messages; the schemas here say the fields
that are written.
"""

import json
from typing import Any

Schema = dict[str, Any]


def _object(title: str = "", **properties: Schema) -> Schema:
    named = {"title": title} if title else {}
    return {"type": "object", **named, "properties": properties}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


NUMBER, TEXT, TRUTH = {"type": "number"}, {"type": "string"}, {"type": "boolean"}
WHOLE = {"type": "integer", "minimum": 0}
TIME = _object("time", sec=WHOLE, nsec=WHOLE)
DURATION = _object("duration", sec={"type": "integer"}, nsec=WHOLE)
VECTOR = _object("foxglove.Vector3", x=NUMBER, y=NUMBER, z=NUMBER)
POINT = _object("foxglove.Point3", x=NUMBER, y=NUMBER, z=NUMBER)
QUATERNION = _object("foxglove.Quaternion", x=NUMBER, y=NUMBER, z=NUMBER, w=NUMBER)
POSE = _object("foxglove.Pose", position=VECTOR, orientation=QUATERNION)
COLOR = _object("foxglove.Color", r=NUMBER, g=NUMBER, b=NUMBER, a=NUMBER)
TRANSFORM = _object(
    "foxglove.FrameTransform",
    timestamp=TIME,
    parent_frame_id=TEXT,
    child_frame_id=TEXT,
    translation=VECTOR,
    rotation=QUATERNION,
)
JOINT = _object(
    "foxglove.JointState", name=TEXT, position=NUMBER, velocity=NUMBER, effort=NUMBER
)
ARROW = _object(
    "foxglove.ArrowPrimitive",
    pose=POSE,
    shaft_length=NUMBER,
    shaft_diameter=NUMBER,
    head_length=NUMBER,
    head_diameter=NUMBER,
    color=COLOR,
)
SOLID = {"pose": POSE, "size": VECTOR, "color": COLOR}
LINE = _object(
    "foxglove.LinePrimitive",
    type={"type": "integer"},
    pose=POSE,
    thickness=NUMBER,
    scale_invariant=TRUTH,
    points=_list(POINT),
    color=COLOR,
    colors=_list(COLOR),
    indices=_list(WHOLE),
)
TRIANGLES = _object(
    "foxglove.TriangleListPrimitive",
    pose=POSE,
    points=_list(POINT),
    color=COLOR,
    colors=_list(COLOR),
    indices=_list(WHOLE),
)
ENTITY = _object(
    "foxglove.SceneEntity",
    timestamp=TIME,
    frame_id=TEXT,
    id=TEXT,
    lifetime=DURATION,
    frame_locked=TRUTH,
    metadata=_list(_object("foxglove.KeyValuePair", key=TEXT, value=TEXT)),
    arrows=_list(ARROW),
    cubes=_list(_object("foxglove.CubePrimitive", **SOLID)),
    spheres=_list(_object("foxglove.SpherePrimitive", **SOLID)),
    cylinders=_list(
        _object(
            "foxglove.CylinderPrimitive",
            **SOLID,
            bottom_scale=NUMBER,
            top_scale=NUMBER,
        )
    ),
    lines=_list(LINE),
    triangles=_list(TRIANGLES),
    texts=_list(_object("foxglove.TextPrimitive")),
    models=_list(_object("foxglove.ModelPrimitive")),
)
DELETION = _object("foxglove.SceneEntityDeletion", timestamp=TIME, id=TEXT)
SCHEMAS: dict[str, Schema] = {
    "foxglove.FrameTransforms": _object(
        "foxglove.FrameTransforms", transforms=_list(TRANSFORM)
    ),
    "foxglove.JointStates": _object(
        "foxglove.JointStates", timestamp=TIME, joints=_list(JOINT)
    ),
    "foxglove.SceneUpdate": _object(
        "foxglove.SceneUpdate", deletions=_list(DELETION), entities=_list(ENTITY)
    ),
}


def numbers_schema(title: str, names: list[str]) -> Schema:
    """The schema of a message of numbers with a time, as plots take it."""
    return _object(title, timestamp=TIME, **dict.fromkeys(names, NUMBER))


def encoded(schema: Schema) -> bytes:
    """A schema as it is stored."""
    return json.dumps(schema).encode()
