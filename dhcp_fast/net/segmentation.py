"""Choice of the interfaces that lead to a physical link, so that several datagrams may leave by
them as one message (UDP_SEGMENT).

The kernel or the card cuts such a message before a network card's link, and at the end of the
loopback for every socket that did not ask for it whole. A virtual link (veth, bridge, tap, or the
card of a virtual machine) may deliver it whole to a reader of raw packets. ISC's dhcrelay is one,
and would take the first reply and lose the rest.
"""

import fcntl
import socket
import struct
from pathlib import Path

SYSTEM = Path("/sys/class/net")
PROCESSORS = Path("/proc/cpuinfo")
SIOCGIFHWADDR = 0x8927  # linux/sockios.h
LOOPBACK = "772"  # ARPHRD_LOOPBACK, linux/if_arp.h
BUSES = {"pci", "usb", "platform"}  # virtio, vmbus and xen are others
TRANSPARENT = {"vlan", "bond"}  # traffic leaves by the interfaces below


def leads_to_real_wire(ifindex: int) -> bool:
    """Return whether the interface is the loopback, a card, or made of cards only; False of what is not there."""
    try:
        name = socket.if_indextoname(ifindex)
        return is_ours(SYSTEM / name) and is_real(SYSTEM / name, cards=not in_virtual_machine())
    except OSError:
        return False


def is_ours(interface: Path) -> bool:
    """Return whether it is ours: a process in a network namespace may see the folder of another one's interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        told = fcntl.ioctl(asking, SIOCGIFHWADDR, struct.pack("256s", interface.name.encode()))
    return told[18:24].hex(":") == (interface / "address").read_text().strip()


def in_virtual_machine() -> bool:
    """Return whether the processor reports a virtual machine; there, even a card on a hardware bus
    may be software.
    """
    return " hypervisor" in PROCESSORS.read_text()


def is_real(interface: Path, *, cards: bool) -> bool:
    """Return whether it is real by the interface's folder in /sys/class/net; `cards`: whether what looks like one is
    one."""
    if kind(interface) in TRANSPARENT:
        below = [path.resolve() for path in interface.glob("lower_*")]
        return bool(below) and all(is_real(path, cards=cards) for path in below)
    bus = (interface / "device" / "subsystem").resolve().name
    return (cards and bus in BUSES) or (interface / "type").read_text().strip() == LOOPBACK


def kind(interface: Path) -> str:
    """Return DEVTYPE, which virtual interfaces have: vlan, bond, bridge, macvlan; empty where there is none."""
    facts = dict(line.partition("=")[::2] for line in (interface / "uevent").read_text().splitlines())
    return facts.get("DEVTYPE", "")
