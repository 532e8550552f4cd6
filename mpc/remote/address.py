"""Where a controller listens: HOST:PORT, on this machine unless given otherwise."""

import ipaddress
from dataclasses import dataclass

from backbeat.models.common.errors import BackbeatError, shown

HOST, PORT = "127.0.0.1", 7420


@dataclass(frozen=True)
class Address:
    """A place on the network.

    Attributes:
        host: name or number.
        port: port; 0 for whichever is free, where one listens.
    """

    host: str = HOST
    port: int = PORT

    def __str__(self) -> str:
        """As it is written."""
        return f"{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_address(text: str) -> Address:
    """Reads HOST:PORT.

    Raises:
        BackbeatError: it is not that.
    """
    host, _, port = text.rpartition(":")
    number = int(port) if port.isdecimal() and len(port) < 6 else -1
    if not host or not 0 < number < 65536:
        raise BackbeatError(
            f"{shown(text)} is not HOST:PORT, for instance {HOST}:{PORT}, "
            "as `backbeat serve` prints it"
        )
    return Address(host, number)
