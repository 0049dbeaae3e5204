"""Ports for programs that must be told one before they start."""

import random
import socket

# Below what systems give to connections: there, the port could be somebody's again before the program takes it.
_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """A port of loopback that nobody has; drawn, so that tests beside each other rarely want the same."""
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
