"""One client of a plot that a test leads by the hand, with one server at a time."""

import socket

from chaos.plots import Plot

from dhcp_fast.probe.client import Client


class Station(Client):
    """As any client of the load, behind the plot's relay; `server` may be changed between two steps."""

    def __init__(self, sock: socket.socket, plot: Plot, server: tuple[str, int], number: int) -> None:
        self.socket = sock
        self.server = server
        self.mac = plot.mac(number)
        self.giaddr = plot.relay
        self.extra = []
        self.timeout = 0.5
        self.tries = 3
