"""What common DHCPv6 clients send, rebuilt from their public sources and documentation.

Order of options, lengths and oddities are those of the real programs; names and addresses are made up (hardware
addresses locally administered, RFC 3849 networks). Each message is written from the first octet.
"""

from __future__ import annotations

from oracle.vectors.vector6 import good

DHCLIENT = good(
    "isc dhclient -6 solicit, with the times it would like",
    """01 5c1f0a
    0001 000e 0001 0001 2a3b4c5d 020000000001
    0006 0008 0017 0018 0027 001f
    0008 0002 0000
    0003 000c 00000001 00000e10 00001518""",
    [
        (1, "0001 0001 2a3b4c5d 020000000001"),
        (6, "0017 0018 0027 001f"),
        (8, "0000"),
        (3, "00000001 00000e10 00001518"),
    ],
    ("na 1",),
    message_type=1,
    transaction_id=0x5C1F0A,
    requested=[23, 24, 39, 31],
    elapsed=0,
    rapid_commit=False,
)

DHCLIENT_REQUEST = good(
    "isc dhclient -6 request, the address inside its association",
    """03 5c1f0b
    0001 000e 0001 0001 2a3b4c5d 020000000001
    0002 000e 0001 0001 2a000000 020000000099
    0006 0008 0017 0018 0027 001f
    0008 0002 0064
    0003 0028 00000001 00000e10 00001518
      0005 0018 20010db8000100000000000000000005 00001c20 00002a30""",
    [
        (1, "0001 0001 2a3b4c5d 020000000001"),
        (2, "0001 0001 2a000000 020000000099"),
        (6, "0017 0018 0027 001f"),
        (8, "0064"),
        (3, "00000001 00000e10 00001518 0005 0018 20010db8000100000000000000000005 00001c20 00002a30"),
    ],
    ("na 1 2001:db8:1::5",),
    message_type=3,
    elapsed=100,
)

DHCPCD = good(
    "dhcpcd solicit: rapid commit, its version as vendor class, a partial name",
    """01 7be201
    0001 000a 0003 0001 020000000002
    0008 0002 0000
    000e 0000
    0003 000c 00000002 00000000 00000000
    0027 0007 01 05 'lap-2'
    0010 0015 00009f08 000f 'dhcpcd-10.0.6-x'
    0014 0000
    0006 0008 0017 0018 0052 0053""",
    [
        (1, "0003 0001 020000000002"),
        (8, "0000"),
        (14, ""),
        (3, "00000002 00000000 00000000"),
        (39, "01 05 'lap-2'"),
        (16, "00009f08 000f 'dhcpcd-10.0.6-x'"),
        (20, ""),
        (6, "0017 0018 0052 0053"),
    ],
    ("na 2",),
    rapid_commit=True,
    requested=[23, 24, 82, 83],
)

NETWORKD = good(
    "systemd-networkd solicit for an address and a prefix, DUID by enterprise",
    """01 e40b7d
    000e 0000
    0003 000c 5f3c0102 00000000 00000000
    0019 000c 5f3c0102 00000000 00000000
    0027 000c 01 06 'host-3' 03 'lan'
    0001 000e 0002 0000ab11 f1a2b3c4d5e6f708
    0006 000c 0017 0018 001f 0038 0052 0067
    0008 0002 0000""",
    [
        (14, ""),
        (3, "5f3c0102 00000000 00000000"),
        (25, "5f3c0102 00000000 00000000"),
        (39, "01 06 'host-3' 03 'lan'"),
        (1, "0002 0000ab11 f1a2b3c4d5e6f708"),
        (6, "0017 0018 001f 0038 0052 0067"),
        (8, "0000"),
    ],
    ("na 1597767938", "pd 1597767938"),
    rapid_commit=True,
)

NETWORKD_INFORMATION = good(
    "systemd-networkd information-request behind a router that says O but not M",
    """0b e40b7e
    0001 000e 0002 0000ab11 f1a2b3c4d5e6f708
    0006 000a 0017 0018 0020 0038 0053
    0008 0002 0000""",
    [(1, "0002 0000ab11 f1a2b3c4d5e6f708"), (6, "0017 0018 0020 0038 0053"), (8, "0000")],
    message_type=11,
    server_id=None,
    requested=[23, 24, 32, 56, 83],
)

WIDE_DHCPV6 = good(
    "wide-dhcpv6 (kame) dhcp6c solicit for a prefix, association 0, with a hint of its length",
    """01 19af3c
    0001 000e 0001 0001 0f1e2d3c 020000000004
    0008 0002 0000
    0006 0004 0017 0018
    0019 0029 00000000 00000000 00000000
      001a 0019 00000000 00000000 38 00*16""",
    [
        (1, "0001 0001 0f1e2d3c 020000000004"),
        (8, "0000"),
        (6, "0017 0018"),
        (25, "00000000 00000000 00000000 001a 0019 00000000 00000000 38 00*16"),
    ],
    ("pd 0 ::/56",),
)

DIBBLER = good(
    "dibbler solicit: times of all ones, an address to be preferred",
    """01 00a7f1
    0001 000e 0001 0001 2b000010 020000000005
    0003 0028 00000001 ffffffff ffffffff
      0005 0018 20010db8000100000000000000000b0b ffffffff ffffffff
    0008 0002 0000
    0006 0006 0017 0018 0038
    0014 0000""",
    [
        (1, "0001 0001 2b000010 020000000005"),
        (3, "00000001 ffffffff ffffffff 0005 0018 20010db8000100000000000000000b0b ffffffff ffffffff"),
        (8, "0000"),
        (6, "0017 0018 0038"),
        (20, ""),
    ],
    ("na 1 2001:db8:1::b0b",),
)

WINDOWS_10 = good(
    "windows 10 solicit: full name, vendor class MSFT 5.0",
    """01 3d9e55
    0008 0002 0000
    0001 000e 0001 0001 2466d1aa 020000000006
    0003 000c 06020000 00000000 00000000
    0027 000b 00 08 'DESKTOP6' 00
    0010 000e 00000137 0008 'MSFT 5.0'
    0006 0008 0011 0017 0018 0020""",
    [
        (8, "0000"),
        (1, "0001 0001 2466d1aa 020000000006"),
        (3, "06020000 00000000 00000000"),
        (39, "00 08 'DESKTOP6' 00"),
        (16, "00000137 0008 'MSFT 5.0'"),
        (6, "0011 0017 0018 0020"),
    ],
    ("na 100794368",),
    requested=[17, 23, 24, 32],
)

WINDOWS_11_RENEW = good(
    "windows 11 renew, after half a minute without an answer",
    """05 3d9e56
    0008 0002 0bb8
    0001 000e 0001 0001 2466d1aa 020000000006
    0002 000e 0001 0001 2a000000 020000000099
    0003 0028 06020000 00000000 00000000
      0005 0018 20010db8000100000000000000000006 00000000 00000000
    0027 0010 00 08 'DESKTOP6' 04 'corp' 00
    0010 000e 00000137 0008 'MSFT 5.0'
    0006 0008 0011 0017 0018 0020""",
    [
        (8, "0bb8"),
        (1, "0001 0001 2466d1aa 020000000006"),
        (2, "0001 0001 2a000000 020000000099"),
        (3, "06020000 00000000 00000000 0005 0018 20010db8000100000000000000000006 00000000 00000000"),
        (39, "00 08 'DESKTOP6' 04 'corp' 00"),
        (16, "00000137 0008 'MSFT 5.0'"),
        (6, "0011 0017 0018 0020"),
    ],
    ("na 100794368 2001:db8:1::6",),
    message_type=5,
    elapsed=3000,
)

ANDROID = good(
    "android solicit for a prefix of its own, with rapid commit",
    """01 b00c42
    0001 000a 0003 0001 020000000007
    0008 0002 0000
    0006 0002 0052
    000e 0000
    0019 0029 00000007 00000000 00000000
      001a 0019 00000000 00000000 40 00*16""",
    [
        (1, "0003 0001 020000000007"),
        (8, "0000"),
        (6, "0052"),
        (14, ""),
        (25, "00000007 00000000 00000000 001a 0019 00000000 00000000 40 00*16"),
    ],
    ("pd 7 ::/64",),
    rapid_commit=True,
)

MACOS_CONFIRM = good(
    "macos confirm after waking up, with the lifetimes that are left",
    """04 91d3c0
    0001 000e 0001 0001 27e1f0a3 020000000008
    0006 0006 0017 0018 0067
    0008 0002 0000
    0003 0028 00000000 00000000 00000000
      0005 0018 20010db8000100000000000000000008 00000708 00000e10""",
    [
        (1, "0001 0001 27e1f0a3 020000000008"),
        (6, "0017 0018 0067"),
        (8, "0000"),
        (3, "00000000 00000000 00000000 0005 0018 20010db8000100000000000000000008 00000708 00000e10"),
    ],
    ("na 0 2001:db8:1::8",),
    message_type=4,
    server_id=None,
)

REGISTRATION = good(
    "address registration (rfc 9686) of an address that the host made itself",
    """24 c0ffee
    0001 000a 0003 0001 020000000009
    0005 0018 20010db8000100000000aabbccddeeff 00000e10 00001c20
    0027 000c 00 05 'phone' 03 'lan' 00""",
    [
        (1, "0003 0001 020000000009"),
        (5, "20010db8000100000000aabbccddeeff 00000e10 00001c20"),
        (39, "00 05 'phone' 03 'lan' 00"),
    ],
    message_type=36,
)

RELEASE_OF_TWO = good(
    "release of an address and of two prefixes in one association",
    """08 0000a1
    0001 000a 0003 0001 02000000000a
    0002 000a 0003 0001 020000000099
    0008 0002 0000
    0003 0028 00000001 00000000 00000000
      0005 0018 20010db800010000000000000000000a 00000000 00000000
    0019 0046 00000001 00000000 00000000
      001a 0019 00000000 00000000 38 20010db8aa0000000000000000000000
      001a 0019 00000000 00000000 38 20010db8aa0001000000000000000000""",
    [
        (1, "0003 0001 02000000000a"),
        (2, "0003 0001 020000000099"),
        (8, "0000"),
        (3, "00000001 00000000 00000000 0005 0018 20010db800010000000000000000000a 00000000 00000000"),
        (
            25,
            """00000001 00000000 00000000
            001a 0019 00000000 00000000 38 20010db8aa0000000000000000000000
            001a 0019 00000000 00000000 38 20010db8aa0001000000000000000000""",
        ),
    ],
    ("na 1 2001:db8:1::a", "pd 1 2001:db8:aa00::/56 2001:db8:aa00:100::/56"),
    message_type=8,
)

DECLINE = good(
    "decline of an address that somebody else answers for",
    """09 0000a2
    0001 000a 0003 0001 02000000000b
    0002 000a 0003 0001 020000000099
    0008 0002 0000
    0003 0028 0000000b 00000000 00000000
      0005 0018 20010db800010000000000000000000b 00000000 00000000""",
    [
        (1, "0003 0001 02000000000b"),
        (2, "0003 0001 020000000099"),
        (8, "0000"),
        (3, "0000000b 00000000 00000000 0005 0018 20010db800010000000000000000000b 00000000 00000000"),
    ],
    ("na 11 2001:db8:1::b",),
    message_type=9,
)

TEMPORARY = good(
    "an old client's association of temporary addresses, which has no times",
    """06 0000a3
    0001 000a 0003 0001 02000000000c
    0008 0002 ffff
    0004 0020 0000000c
      0005 0018 20010db800010000000000000000000c 00000000 00000000""",
    [
        (1, "0003 0001 02000000000c"),
        (8, "ffff"),
        (4, "0000000c 0005 0018 20010db800010000000000000000000c 00000000 00000000"),
    ],
    ("ta 12 2001:db8:1::c",),
    message_type=6,
    elapsed=65535,
)

NOBODY = good("information-request of nobody in particular", "0b 000001", [], client_id=None, requested=[])

CLIENTS = [
    *(DHCLIENT, DHCLIENT_REQUEST, DHCPCD, NETWORKD, NETWORKD_INFORMATION, WIDE_DHCPV6, DIBBLER, WINDOWS_10),
    *(WINDOWS_11_RENEW, ANDROID, MACOS_CONFIRM, REGISTRATION, RELEASE_OF_TWO, DECLINE, TEMPORARY, NOBODY),
]
