"""Options about a stream of joint states that several subcommands share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.port import check_port

if TYPE_CHECKING:
    from backbeat.stream.server import JointStream

StreamPort = Annotated[
    int | None,
    typer.Option(
        "--stream",
        metavar="PORT",
        help="Send joint states and torques to programs that connect to this "
        "port of this machine; 0 for any free one.",
    ),
]
StreamRate = Annotated[
    float | None,
    typer.Option(
        help="Rate of the stream in samples per second, 1 to 1000; 100 by default."
    ),
]
StreamFormat = Annotated[
    str | None,
    typer.Option(help="Format of the stream: json, one map per line, or msgpack."),
]


@contextmanager
def open_stream(
    port: int | None, rate: float | None, form: str | None
) -> Iterator["JointStream | None"]:
    """The stream that options ask for, and at its end what became of it.

    Args:
        port: where; None for no stream.
        rate, form: None for those that hold by default.

    Raises:
        BackbeatError: the options make no sense, or the port is taken.
    """
    from backbeat.models.common.errors import BackbeatError
    from backbeat.stream.server import JointStream
    from backbeat.stream.wire import RATE, StreamSettings

    if port is None:
        if rate is not None or form is not None:
            raise BackbeatError("--stream-rate and --stream-format go with --stream")
        yield None
        return
    if port != 0:
        check_port(port, "--stream")
    settings = StreamSettings(port, RATE if rate is None else rate, form or "json")
    with JointStream(settings) as stream:
        typer.echo(stream.where, err=True)
        yield stream
        dropped = f"{stream.dropped} dropped" if stream.dropped else "none dropped"
        typer.echo(f"Streamed {stream.published} samples, {dropped}.", err=True)
