"""`backbeat serve`: the controllers in a process of their own."""

from typing import Annotated

import typer

from backbeat.cli.common.completion import behaviors
from backbeat.cli.common.options import LIBRARY, LibraryFolder, Unverified
from backbeat.cli.common.other_robot import OfRobot, placed_robot


def command(
    name: Annotated[
        str,
        typer.Argument(
            help="Serve only this behavior; without a name, any.",
            autocompletion=behaviors,
        ),
    ] = "",
    library: LibraryFolder = LIBRARY,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; by default only this machine can connect."
        ),
    ] = "127.0.0.1",
    robot: OfRobot = "",
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; any free one by default.")
    ] = None,
    unverified: Unverified = False,
) -> None:
    """Controls simulations that run elsewhere, one at a time, until Ctrl-C."""
    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.cli.common.console import remarks, warn
    from backbeat.cli.common.port import check_port
    from backbeat.common.verified import load_verified
    from backbeat.models.common.errors import BackbeatError
    from backbeat.mpc.remote.address import Address
    from backbeat.mpc.serving.server import ControllerServer

    check_port(port)
    if not host:
        raise BackbeatError("serve needs a --host to listen at, for instance 127.0.0.1")

    if robot and not name:
        raise BackbeatError("--robot is of the one behavior that is served; name it")
    only = placed_robot(robot)

    def find(wanted: str, of: str) -> Behavior:
        return load_verified(library, wanted, unverified, only or of)

    if name:
        find(name, only)
    address = Address(host, port or 0)
    with ControllerServer(find, name, address, remarks.print) as server:
        if not address.is_local:
            warn(
                f"{host} can be reached from other machines: any program there can "
                "use this controller, and nothing is encrypted"
            )
        print(f"listening at {server.address}", flush=True)
        try:
            server.serve()
        except KeyboardInterrupt:
            remarks.print("no longer listening")
