"""DISCOVERs as boot loaders and Windows send them.

Made of the facts of public captures: which options a client sends, in which order, what it asks for. Firmware:
RFC 4578, RFC 5970's architecture numbers and UEFI 2.10 section 24; iPXE: its own options 175 and 77.
"""

from __future__ import annotations

from oracle import packets as say
from oracle.packets import Packet

MAC = "52:54:00:12:34:56"
UUID = bytes.fromhex("4c4c4544003957108052b4c04f4a4d31")
PXE_ASKS = (1, 2, 3, 5, 6, 11, 12, 13, 15, 16, 17, 18, 43, 54, 60, 67, 128, 129, 130, 131, 132, 133, 134, 135)
UEFI_ASKS = (
    1,
    2,
    3,
    4,
    5,
    6,
    12,
    13,
    15,
    17,
    18,
    22,
    23,
    28,
    40,
    41,
    42,
    43,
    50,
    51,
    54,
    58,
    59,
    60,
    66,
    67,
    97,
)
IPXE_ASKS = (
    1,
    3,
    6,
    7,
    12,
    15,
    17,
    26,
    43,
    60,
    66,
    67,
    119,
    128,
    129,
    130,
    131,
    132,
    133,
    134,
    135,
    175,
    203,
)
WINDOWS_ASKS = (1, 3, 6, 15, 31, 33, 43, 44, 46, 47, 119, 121, 249, 252)
INFORM_ASKS = (1, 15, 3, 6, 44, 46, 47, 31, 33, 121, 249, 252, 43)


def firmware(vendor: str, architecture: int, asks: tuple[int, ...], size: int, interface: bytes) -> Packet:
    """RFC 4578 2: class, architecture, network interface and machine identifier are in each packet."""
    discover = say.discover(MAC).asking(*asks).max_size(size).machine(UUID)
    return discover.architecture(architecture).option(94, interface).vendor(vendor)


BIOS = firmware("PXEClient:Arch:00000:UNDI:002001", 0, PXE_ASKS, 1260, b"\1\2\1").broadcast()
X64 = firmware("PXEClient:Arch:00007:UNDI:003016", 7, UEFI_ASKS, 1472, b"\1\3\x10").broadcast()
X64_EBC = firmware("PXEClient:Arch:00009:UNDI:003001", 9, UEFI_ASKS, 1472, b"\1\3\0")
ARM64 = firmware("PXEClient:Arch:00011:UNDI:003000", 11, UEFI_ASKS, 1472, b"\1\3\0")
HTTP = firmware("HTTPClient:Arch:00016:UNDI:003001", 16, UEFI_ASKS, 1472, b"\1\3\0")
IPXE = (
    firmware("PXEClient:Arch:00007:UNDI:003010", 7, IPXE_ASKS, 1472, b"\1\3\x0a")
    .option(77, "iPXE")
    .option(175, bytes.fromhex("b105018086100eeb03010000170101220101130101"))
    .client_id(b"\1" + say.hardware(MAC))
)
WINDOWS = (
    say.discover(MAC)
    .client_id(b"\1" + say.hardware(MAC))
    .hostname("DESKTOP-4F2K9QX")
    .vendor("MSFT 5.0")
    .asking(*WINDOWS_ASKS)
)
