"""Messages of MCAP files: Foxglove's, and numbers with a time, as protocol buffers."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from backbeat.models.common.errors import BackbeatError

METRICS = "backbeat.Metrics"


class McapPackages(NamedTuple):
    """What the optional packages have.

    Attributes:
        writer: makes a writer of protocol buffers into a file.
        messages: classes of Foxglove's messages by name.
    """

    writer: Callable[..., Any]
    messages: dict[str, type]


def mcap_packages() -> McapPackages:
    """The packages that write messages.

    Raises:
        BackbeatError: they are not installed.
    """
    try:
        from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
        from foxglove_schemas_protobuf.JointStates_pb2 import JointStates
        from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
        from mcap_protobuf.writer import Writer
    except ImportError:
        raise BackbeatError(
            "MCAP files need packages that are not installed: pip install "
            "mcap-protobuf-support foxglove-schemas-protobuf, or backbeat with its "
            "extra mcap",
            code="missing-extra",
        ) from None
    classes = (FrameTransforms, JointStates, SceneUpdate)
    return McapPackages(Writer, {f"foxglove.{c.__name__}": c for c in classes})


def numbers_message(names: Sequence[str]) -> type:
    """The class of a message with a time and numbers, as plots take it.

    Args:
        names: of the numbers, which are identifiers.
    """
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass
    from google.protobuf.timestamp_pb2 import Timestamp

    package, name = METRICS.split(".")
    time = Timestamp.DESCRIPTOR
    file = FileDescriptorProto(name=f"{package}.proto", package=package)
    file.syntax = "proto3"
    file.dependency.append(time.file.name)
    message, kind = file.message_type.add(name=name), FieldDescriptorProto
    message.field.add(
        name="timestamp",
        number=1,
        label=kind.LABEL_OPTIONAL,
        type=kind.TYPE_MESSAGE,
        type_name=f".{time.full_name}",
    )
    for number, field in enumerate(names, 2):
        message.field.add(
            name=field, number=number, label=kind.LABEL_OPTIONAL, type=kind.TYPE_DOUBLE
        )
    # A pool of its own: another motion has other numbers.
    pool = DescriptorPool()
    pool.AddSerializedFile(time.file.serialized_pb)
    pool.Add(file)
    found: type = GetMessageClass(pool.FindMessageTypeByName(METRICS))
    return found
