"""What reaches a server through boot ROMs and relays, and messages that use the rarer rules of the format."""

from __future__ import annotations

from oracle.vectors.vector import good

PXE_ASKING = (
    "01 02 03 04 05 06 0c 0d 0f 11 12 16 17 1c 28 29 2a 2b 32 33 36 3a 3b 3c 42 43 61 80 81 82 83 84 85 86 87"
)

PXE_BIOS = good(
    "pxe rom, bios: 548 octets, broadcast, four seconds",
    """01 01 06 00  ca010009  0004 8000  00*16
    02ca01000009 00*10  00*64 00*128  63825363
    35 01 01
    37 18 01 02 03 05 06 0b 0c 0d 0f 10 11 12 2b 36 3c 43 80 81 82 83 84 85 86 87
    39 02 04ec
    61 11 00 44454c4c4200105380504cb04f333358
    5d 02 0000
    5e 03 010201
    3c 20 'PXEClient:Arch:00000:UNDI:002001'
    ff 00*212""",
    {"broadcast": True, "secs": 4, "max_message_size": 1260},
    {
        53: "01",
        55: "01 02 03 05 06 0b 0c 0d 0f 10 11 12 2b 36 3c 43 80 81 82 83 84 85 86 87",
        57: "04ec",
        97: "00 44454c4c4200105380504cb04f333358",
        93: "0000",
        94: "010201",
        60: "'PXEClient:Arch:00000:UNDI:002001'",
    },
)

PXE_UEFI = good(
    "pxe firmware, uefi x64",
    f"""01 01 06 00  ca01000a  0000 8000  00*16
    02ca0100000a 00*10  00*64 00*128  63825363
    35 01 01
    39 02 05c0
    37 23 {PXE_ASKING}
    61 11 00 d6a1c05ef0b14b7a8a4e0c1c33a50f11
    5e 03 010310
    5d 02 0007
    3c 20 'PXEClient:Arch:00007:UNDI:003016'
    ff""",
    {"max_message_size": 1472},
    {
        53: "01",
        57: "05c0",
        55: PXE_ASKING,
        97: "00 d6a1c05ef0b14b7a8a4e0c1c33a50f11",
        94: "010310",
        93: "0007",
        60: "'PXEClient:Arch:00007:UNDI:003016'",
    },
)

IPXE = good(
    "ipxe: user class as bare text, encapsulated options in 175",
    """01 01 06 00  12345678  0008 0000  00*16
    02ca0100000b 00*10  00*64 00*128  63825363
    35 01 01
    39 02 05c0
    5d 02 0000
    5e 03 010201
    3c 20 'PXEClient:Arch:00000:UNDI:002001'
    4d 04 'iPXE'
    37 17 01 03 06 07 0c 0f 11 1a 2b 3c 42 43 77 80 81 82 83 84 85 86 87 af cb
    af 0f  b1 05 01 8086 100e  eb 03 010000  22 01 01
    3d 07 01 02ca0100000b
    61 11 00 d6a1c05ef0b14b7a8a4e0c1c33a50f12
    ff""",
    {"secs": 8},
    {
        53: "01",
        57: "05c0",
        93: "0000",
        94: "010201",
        60: "'PXEClient:Arch:00000:UNDI:002001'",
        77: "'iPXE'",
        55: "01 03 06 07 0c 0f 11 1a 2b 3c 42 43 77 80 81 82 83 84 85 86 87 af cb",
        175: "b1 05 01 8086 100e  eb 03 010000  22 01 01",
        61: "01 02ca0100000b",
        97: "00 d6a1c05ef0b14b7a8a4e0c1c33a50f12",
    },
)

CISCO_RELAY = good(
    "cisco ios relay: vlan, module and port as circuit, switch address as remote",
    """01 01 06 01  0a0b0c0d  0000 8000  00*12 0a640001
    021c0e00000c 00*10  00*64 00*128  63825363
    35 01 01
    3d 1b 00 'cisco-021c.0e00.000c-Vl100'   # type 0: text
    0c 05 'phone'
    37 08 01 42 06 03 0f 96 23 2b
    3c 1c 'Cisco Systems, Inc. IP Phone'
    52 12  01 06 0004 0064 0102  02 08 0006 0a1b2c3d4e5f
    ff""",
    {"hops": 1, "giaddr": "10.100.0.1", "broadcast": True},
    {
        53: "01",
        61: "00 'cisco-021c.0e00.000c-Vl100'",
        12: "'phone'",
        55: "01 42 06 03 0f 96 23 2b",
        60: "'Cisco Systems, Inc. IP Phone'",
        82: "01 06 0004 0064 0102  02 08 0006 0a1b2c3d4e5f",
    },
)

ALL_SUBOPTIONS = good(
    "relay with link selection, server override, flags, and a source port of its own",
    """01 01 06 02  0a0b0c0e  0000 0000  00*12 c0000201
    021c0e00000d 00*10  00*64 00*128  63825363
    35 01 01
    52 1d  01 06 'eth1/3'  05 04 0a050000  0b 04 0a050001  0a 01 80  13 00  02 02 'r7'
    ff 00*25""",
    {"hops": 2, "giaddr": "192.0.2.1"},
    {53: "01", 82: "01 06 'eth1/3'  05 04 0a050000  0b 04 0a050001  0a 01 80  13 00  02 02 'r7'"},
)

LONG_OPTION = good(
    "vendor options of 600 octets in three pieces, another option between them",
    """01 01 06 00  00000e01  0000 0000  00*16
    02000000000e 00*10  00*64 00*128  63825363
    35 01 01
    2b ff aa*255
    2b ff bb*255
    0c 04 'long'
    2b 5a cc*90
    ff""",
    {"message_type": 1},
    {53: "01", 43: "aa*255 bb*255 cc*90", 12: "'long'"},
)

OVERLOADED = good(
    "both text fields hold options; one option begins in options, goes on in file, ends in sname",
    """01 01 06 00  00000f01  0000 0000  00*16
    02000000000f 00*10
    # sname
    3c 06 '-third'  37 02 01 03  ff 00*51
    # file
    3c 07 '-second'  0c 04 'full'  00 00 ff 00*110
    63825363
    35 01 01  34 01 03  3c 05 'first'  ff 00*49""",
    {"overload": 3, "in_sname": ((60, b"-third"), (55, b"\1\3"))},
    {53: "01", 52: "03", 60: "'first-second-third'", 12: "'full'", 55: "01 03"},
)

SNAME_ONLY = good(
    "only sname holds options; file is text and none of its octets is an option",
    """01 01 06 00  00001001  0000 0000  00*16
    020000000010 00*10
    0c 04 'sole'  ff 00*57
    '/boot/pxelinux.0' 00*112
    63825363
    34 01 02  35 01 01  ff 00*53""",
    {"overload": 2, "in_file": ()},
    {53: "01", 52: "02", 12: "'sole'"},
)

NO_END = good(
    "embedded client that ends with its last option and sends no END",
    """01 01 06 00  00001101  0000 0000  00*16
    020000000011 00*10  00*64 00*128  63825363
    35 01 01  37 03 01 03 06""",
    {"ended": False},
    {53: "01", 55: "01 03 06"},
)

RUBBISH_BEHIND_END = good(
    "octets behind END are not options",
    """01 01 06 00  00001201  0000 0000  00*16
    020000000012 00*10  00*64 00*128  63825363
    00 00 35 01 01 00 ff 35 01 07 32 ff""",
    {"message_type": 1, "ended": True},
    {53: "01"},
)

EMPTY_VALUES = good(
    "options that the server does not read are present and empty",
    """01 01 06 00  00001301  0000 0000  00*16
    020000000013 00*10  00*64 00*128  63825363
    35 01 01  0e 00  11 00  2b 00  af 00  52 02 01 00  ff""",
    {"message_type": 1, "ignored": frozenset()},
    {53: "01", 14: "", 17: "", 43: "", 175: "", 82: "01 00"},
)

INFINIBAND = good(
    "ip over infiniband: no hardware address, identity in option 61 (RFC 4390)",
    """01 20 00 00  00001401  0000 8000  00*16
    00*16  00*64 00*128  63825363
    35 01 01  3d 0d ff 00000001 0003 0020 00000014  37 01 01  ff 00*38""",
    {"htype": 32, "hlen": 0, "hardware_address": b"", "broadcast": True},
    {53: "01", 61: "ff 00000001 0003 0020 00000014", 55: "01"},
)

TINY_MAXIMUM = good(
    "a maximum size under 576 reads as 576",
    """01 01 06 00  00001501  0000 0000  00*16
    020000000015 00*10  00*64 00*128  63825363
    35 01 01  39 02 0100  ff""",
    {"max_message_size": 576},
    {53: "01", 57: "0100"},
)

NETWORKS = [
    *(PXE_BIOS, PXE_UEFI, IPXE, CISCO_RELAY, ALL_SUBOPTIONS, LONG_OPTION, OVERLOADED, SNAME_ONLY, NO_END),
    *(RUBBISH_BEHIND_END, EMPTY_VALUES, INFINIBAND, TINY_MAXIMUM),
]
