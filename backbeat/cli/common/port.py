"""The option `--port` that several subcommands share."""

# Ports below belong to the system, and there are none above.
LEAST, MOST = 1024, 65535


def check_port(port: int | None, option: str = "--port") -> None:
    """Refuses what cannot be listened at; None is any free port.

    Args:
        port: number of the port.
        option: what it was given by.

    Raises:
        BackbeatError: says which ports there are.
    """
    from backbeat.models.common.errors import BackbeatError

    if port is not None and not LEAST <= port <= MOST:
        raise BackbeatError(f"{option} {port} is not between {LEAST} and {MOST}")
