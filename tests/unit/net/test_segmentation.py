"""Which interfaces count as a real wire: by folders as /sys/class/net has them, and the loopback of this machine."""

import socket
from pathlib import Path

import pytest

from dhcp_fast.net import segmentation
from dhcp_fast.net.segmentation import is_ours, leads_to_real_wire

ETHERNET, LOOPBACK = 1, 772


def is_real(interface: Path) -> bool:
    return segmentation.is_real(interface, cards=True)


def interface(
    folder: Path,
    name: str,
    bus: str = "",
    devtype: str = "",
    below: tuple[Path, ...] = (),
    arp: int = ETHERNET,
) -> Path:
    made = folder / name
    made.mkdir()
    (made / "type").write_text(f"{arp}\n")
    (made / "uevent").write_text(
        f"DEVTYPE={devtype}\nINTERFACE={name}\n" if devtype else f"INTERFACE={name}\n"
    )
    if bus:
        (folder / bus).mkdir(exist_ok=True)
        (made / "device").mkdir()
        (made / "device" / "subsystem").symlink_to(folder / bus)
    for lower in below:
        (made / f"lower_{lower.name}").symlink_to(lower)
    return made


@pytest.mark.parametrize(("bus", "real"), [("pci", True), ("usb", True), ("virtio", False), ("vmbus", False)])
def test_a_card_is_real_by_its_bus(tmp_path: Path, bus: str, real: bool) -> None:
    assert is_real(interface(tmp_path, "eth0", bus)) is real


@pytest.mark.parametrize("devtype", ["", "bridge", "macvlan", "vxlan"])
def test_an_interface_without_a_card_is_not(tmp_path: Path, devtype: str) -> None:
    card = interface(tmp_path, "eth0", "pci")
    assert not is_real(interface(tmp_path, "virtual", devtype=devtype, below=(card,)))


def test_a_vlan_and_a_bond_are_what_they_are_made_of(tmp_path: Path) -> None:
    one, other = interface(tmp_path, "eth0", "pci"), interface(tmp_path, "eth1", "pci")
    virtual = interface(tmp_path, "eth2", "virtio")
    bond = interface(tmp_path, "bond0", devtype="bond", below=(one, other))
    assert is_real(bond)
    assert is_real(interface(tmp_path, "bond0.7", devtype="vlan", below=(bond,)))
    assert not is_real(interface(tmp_path, "bond1", devtype="bond", below=(one, virtual)))
    assert not is_real(interface(tmp_path, "bond2", devtype="bond"))


def test_the_loopback_is_real(tmp_path: Path) -> None:
    assert is_real(interface(tmp_path, "lo", arp=LOOPBACK))
    assert leads_to_real_wire(socket.if_nametoindex("lo"))


def test_a_virtual_machine_has_the_loopback_only(tmp_path: Path) -> None:
    assert not segmentation.is_real(interface(tmp_path, "eth0", "pci"), cards=False)
    assert segmentation.is_real(interface(tmp_path, "lo", arp=LOOPBACK), cards=False)


def test_a_folder_of_another_namespace_is_known_by_its_hardware_address(tmp_path: Path) -> None:
    folder = interface(tmp_path, "lo", arp=LOOPBACK)
    (folder / "address").write_text("00:00:00:00:00:00\n")
    assert is_ours(folder)
    (folder / "address").write_text("02:00:00:00:00:01\n")
    assert not is_ours(folder)


def test_what_is_not_there_is_not(tmp_path: Path) -> None:
    assert not leads_to_real_wire(2**30)
    with pytest.raises(OSError, match="gone"):
        is_real(tmp_path / "gone")
