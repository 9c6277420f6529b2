"""Four real DHCP clients, driven: ISC's dhclient, BusyBox's udhcpc, dhcpcd and systemd-networkd.

    client = Dhclient(namespace, "c0", folder)
    lease = client.obtain()          # what the client itself says it got
    lease = client.renew()
    client.release()                 # gives the address back and ends

Each runs in a namespace of its own. All state of a client lives in `folder` (or is mounted from it where paths
are compiled in), and `obtain` begins without any: whoever gets the same address again owes it to the server.
"""

from system.clients.client import Client
from system.clients.dhclient import Dhclient
from system.clients.dhcpcd import Dhcpcd
from system.clients.lease import Lease
from system.clients.networkd import Networkd
from system.clients.udhcpc import Udhcpc

__all__ = ["CLIENTS", "Client", "Dhclient", "Dhcpcd", "Lease", "Networkd", "Udhcpc"]

CLIENTS: tuple[type[Client], ...] = (Dhclient, Udhcpc, Dhcpcd, Networkd)
