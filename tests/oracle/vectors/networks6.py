"""What reaches a server through boot ROMs and relays, and messages that use the rarer rules of the format."""

from __future__ import annotations

from oracle.vectors.vector6 import good

UEFI_HTTP = good(
    "uefi http boot x64: identifier by the machine's uuid, architecture 16",
    """01 aa0001
    0001 0012 0004 d6a1c05ef0b14b7a8a4e0c1c33a50f13
    0003 000c 02ca0010 00000000 00000000
    0006 0006 003b 003c 0017
    0008 0002 0000
    003d 0002 0010
    003e 0003 010310
    0010 0027 00000157 0021 'HTTPClient:Arch:00016:UNDI:003016'""",
    [
        (1, "0004 d6a1c05ef0b14b7a8a4e0c1c33a50f13"),
        (3, "02ca0010 00000000 00000000"),
        (6, "003b 003c 0017"),
        (8, "0000"),
        (61, "0010"),
        (62, "010310"),
        (16, "00000157 0021 'HTTPClient:Arch:00016:UNDI:003016'"),
    ],
    ("na 46792720",),
    requested=[59, 60, 23],
)

CABLE_MODEM = good(
    "docsis 3.0 cable modem behind its cmts: two vendor options, whose numbers are the vendor's",
    """0c 00 20010db8000200000000000000000001 fe80000000000000000000fffe000020
    0012 0004 00000007
    0011 0012 0000118b 0402 0006 020000000020 0401 0000
    0009 007a
      01 0c4b1e
      0001 000a 0003 0001 020000000020
      0008 0002 0000
      0003 000c 00000020 00000000 00000000
      0010 000f 0000118b 0009 'docsis3.0'
      0011 002b 0000118b
        0001 0008 0020 0021 0022 0025
        0002 0003 'ECM'
        0004 0006 'SN-020'
        0024 0006 020000000020
      000e 0000
      0014 0000
      0006 0004 0011 0018""",
    [
        (1, "0003 0001 020000000020"),
        (8, "0000"),
        (3, "00000020 00000000 00000000"),
        (16, "0000118b 0009 'docsis3.0'"),
        (
            17,
            """0000118b 0001 0008 0020 0021 0022 0025 0002 0003 'ECM' 0004 0006 'SN-020'
            0024 0006 020000000020""",
        ),
        (14, ""),
        (20, ""),
        (6, "0011 0018"),
    ],
    ("na 32",),
    hops=[0],
    link_address="2001:db8:2::1",
    interface_ids=[bytes([0, 0, 0, 7])],
)

# A plain solicit, 40 octets, that relays carry.
PLAIN = "01 00beef 0001 000a 0003 0001 020000000030 0008 0002 0000 0003 000c 00000030 00000000 00000000"
PLAIN_OPTIONS = [(1, "0003 0001 020000000030"), (8, "0000"), (3, "00000030 00000000 00000000")]

ROUTER = good(
    "a router that tells the client's hardware address (rfc 6939)",
    f"""0c 00 20010db8000300000000000000000001 fe80000000000000000000fffe000030
    004f 0008 0001 020000000030
    0012 0004 'Gi/1'
    0009 0028 {PLAIN}""",
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[0],
    link_address="2001:db8:3::1",
    interface_ids=[b"Gi/1"],
    hardware=[(1, bytes([2, 0, 0, 0, 0, 0x30]))],
)

DHCRELAY = good(
    "isc dhcrelay -6: the relayed message before the interface",
    f"""0c 00 20010db8000300000000000000000001 fe80000000000000000000fffe000030
    0009 0028 {PLAIN}
    0012 0004 00000003""",
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[0],
    interface_ids=[bytes([0, 0, 0, 3])],
)

LDRA = good(
    "an access node that bridges (rfc 6221): no link address, the port and the subscriber",
    f"""0c 00 00*16 fe80000000000000000000fffe000030
    0012 000f 'dslam2/1/4:0.35'
    0025 000b 00000de9 'line-35'
    0026 0007 'cust-35'
    0009 0028 {PLAIN}""",
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[0],
    link_address=None,
    interface_ids=[b"dslam2/1/4:0.35"],
)

LDRA_BEHIND_ROUTER = good(
    "the same access node behind a router: the router's link counts",
    f"""0c 01 20010db8000400000000000000000001 fe800000000000000000000000000022
    0012 0003 'xe0'
    0009 0059
    0c 00 00*16 fe80000000000000000000fffe000030
    0012 0007 'port-35'
    0009 0028 {PLAIN}""",
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[1, 0],
    link_address="2001:db8:4::1",
    interface_ids=[b"xe0", b"port-35"],
)

TWO_RELAYS = good(
    "two routers, the outer one without an address of the link: the inner one's link counts",
    f"""0c 01 00*16 20010db8000500000000000000000001
    0009 004e
    0c 00 20010db8000500000000000000000001 fe80000000000000000000fffe000030
    0009 0028 {PLAIN}
    """,
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[1, 0],
    link_address="2001:db8:5::1",
)

TWO_LINKS = good(
    "two routers, both with addresses: the one next to the client counts",
    f"""0c 01 20010db8000600000000000000000001 20010db8000500000000000000000001
    0009 004e
    0c 00 20010db8000500000000000000000001 fe80000000000000000000fffe000030
    0009 0028 {PLAIN}
    """,
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[1, 0],
    link_address="2001:db8:5::1",
)

SOURCE_PORT = good(
    "relays that do not send from 547 (rfc 8357): the outer knows the inner one's port",
    f"""0c 01 20010db8000600000000000000000001 20010db8000500000000000000000001
    0087 0002 c001
    0009 0054
    0c 00 20010db8000500000000000000000001 fe80000000000000000000fffe000030
    0087 0002 0000
    0009 0028 {PLAIN}
    """,
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[1, 0],
    source_ports=[0xC001, 0],
)

SUPPLIED = good(
    "a relay with an option for the client (rfc 6422) and a virtual network (rfc 6607)",
    f"""0c 00 20010db8000300000000000000000001 fe80000000000000000000fffe000030
    0042 000b 0041 0007 02 'er' 02 'ex' 00
    0044 0005 00 'blue'
    0009 0028 {PLAIN}""",
    PLAIN_OPTIONS,
    ("na 48",),
    supplied=[((65, b"\2er\2ex\0"),)],
)

TUNNELS = "".join(f"0c {hop:02x} 00*16 fe80{hop:028x} 0009 {40 + 38 * hop:04x} " for hop in range(8, -1, -1))
NINE_RELAYS = good(
    "as many relays as there may be, hop counts 8 to 0",
    f"{TUNNELS} {PLAIN}",
    PLAIN_OPTIONS,
    ("na 48",),
    hops=[8, 7, 6, 5, 4, 3, 2, 1, 0],
    link_address=None,
)

SEVERAL = good(
    "three associations for addresses and two for prefixes; one number in both kinds is none too many",
    """01 000777
    0001 0003 00ff 01
    0003 000c 00000001 00000000 00000000
    0003 000c 00000002 00000000 00000000
    0003 0044 00000003 00000000 00000000
      0005 0018 20010db8000100000000000000000003 00000000 00000000
      0005 0018 20010db8000100000000000000000033 00000000 00000000
    0019 000c 00000001 00000000 00000000
    0019 000c 00000002 00000000 00000000""",
    [
        (1, "00ff 01"),
        (3, "00000001 00000000 00000000"),
        (3, "00000002 00000000 00000000"),
        (
            3,
            """00000003 00000000 00000000
            0005 0018 20010db8000100000000000000000003 00000000 00000000
            0005 0018 20010db8000100000000000000000033 00000000 00000000""",
        ),
        (25, "00000001 00000000 00000000"),
        (25, "00000002 00000000 00000000"),
    ],
    ("na 1", "na 2", "na 3 2001:db8:1::3 2001:db8:1::33", "pd 1", "pd 2"),
)

LONGEST_DUID = good(
    "an identifier as long as they may be: 128 octets behind the type",
    "01 000778 0001 0082 00fe aa*128",
    [(1, "00fe aa*128")],
)

UNKNOWN_OPTIONS = good(
    "options that nobody knows, empty ones among them, are kept and change nothing",
    "01 000779 ffff 0000 0001 0003 000301 7a69 0002 abcd 0000 0001 00",
    [(65535, ""), (1, "000301"), (31337, "abcd"), (0, "00")],
)

STATUS_INSIDE = good(
    "a client that sends the status of its lease back",
    """05 00077a
    0001 0003 000301
    0002 0003 000399
    0003 003a 00000005 00000000 00000000
      0005 0024 20010db8000100000000000000000005 00000000 00000000 000d 0008 0000 'renew!'
      000d 0002 0000""",
    [
        (1, "000301"),
        (2, "000399"),
        (
            3,
            """00000005 00000000 00000000 0005 0024 20010db8000100000000000000000005 00000000 00000000
            000d 0008 0000 'renew!' 000d 0002 0000""",
        ),
    ],
    ("na 5 2001:db8:1::5",),
)

NETWORKS = [
    *(UEFI_HTTP, CABLE_MODEM, ROUTER, DHCRELAY, LDRA, LDRA_BEHIND_ROUTER, TWO_RELAYS, TWO_LINKS, SOURCE_PORT),
    *(SUPPLIED, NINE_RELAYS, SEVERAL, LONGEST_DUID, UNKNOWN_OPTIONS, STATUS_INSIDE),
]
