"""Which interfaces lead to a real wire, so that several datagrams may leave by them as one message (UDP_SEGMENT).

The kernel or the card cuts such a message before a network card's wire, and at the end of the loopback for every socket
that did not ask for it whole. A virtual wire (veth, bridge, tap, or the card of a virtual machine) may carry it whole
to whoever reads raw packets at its far end, as ISC's dhcrelay does, which would take the first reply and lose the rest.
"""

import socket
from pathlib import Path

SYSTEM = Path("/sys/class/net")
LOOPBACK = "772"  # ARPHRD_LOOPBACK, linux/if_arp.h
BUSES = {"pci", "usb", "platform"}  # virtio, vmbus and xen are others
TRANSPARENT = {"vlan", "bond"}  # what goes into them leaves by the interfaces below


def leads_to_real_wire(ifindex: int) -> bool:
    """Whether the interface is the loopback, a card, or made of cards only; False of what is not there.

    A process in a network namespace may see the folder of another one, whose numbers differ.
    """
    try:
        interface = SYSTEM / socket.if_indextoname(ifindex)
        return int((interface / "ifindex").read_text()) == ifindex and is_real(interface)
    except OSError:
        return False


def is_real(interface: Path) -> bool:
    """By the interface's folder in /sys/class/net."""
    if kind(interface) in TRANSPARENT:
        below = [path.resolve() for path in interface.glob("lower_*")]
        return bool(below) and all(map(is_real, below))
    bus = interface / "device" / "subsystem"
    return bus.resolve().name in BUSES or (interface / "type").read_text().strip() == LOOPBACK


def kind(interface: Path) -> str:
    """DEVTYPE, which virtual interfaces have: vlan, bond, bridge, macvlan; empty where there is none."""
    facts = dict(line.partition("=")[::2] for line in (interface / "uevent").read_text().splitlines())
    return facts.get("DEVTYPE", "")
