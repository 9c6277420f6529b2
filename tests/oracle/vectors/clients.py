"""What common DHCPv4 clients send, rebuilt from their public sources and documentation.

Order of options, lengths, padding and oddities are those of the real programs; names and addresses are made
up (hardware addresses locally administered, RFC 5737 networks). Each message is written from the first octet.
"""

from __future__ import annotations

from oracle.vectors.vector import good

WINDOWS_10 = good(
    "windows 10 discover, asking for its old address",
    """01 01 06 00  8f1c2b3a  0000 0000  00*16
    024f5a000001 00*10  00*64 00*128  63825363
    35 01 01
    3d 07 01 024f5a000001
    32 04 c0000264
    0c 08 'DESKTOP1'
    3c 08 'MSFT 5.0'
    37 0e 01 03 06 0f 1f 21 2b 2c 2e 2f 77 79 f9 fc
    ff 00*5""",
    {"op": 1, "htype": 1, "hlen": 6, "xid": 0x8F1C2B3A, "flags": 0, "giaddr": "0.0.0.0", "message_type": 1},
    {
        53: "01",
        61: "01 024f5a000001",
        50: "c0000264",
        12: "'DESKTOP1'",
        60: "'MSFT 5.0'",
        55: "01 03 06 0f 1f 21 2b 2c 2e 2f 77 79 f9 fc",
    },
)

WINDOWS_10_REQUEST = good(
    "windows 10 request, selecting, with its full name",
    """01 01 06 00  8f1c2b3a  0000 0000  00*16
    024f5a000001 00*10  00*64 00*128  63825363
    35 01 03
    3d 07 01 024f5a000001
    32 04 c0000264
    36 04 c0000201
    0c 08 'DESKTOP1'
    51 1b 00 00 00 'DESKTOP1.corp.example.io'
    3c 08 'MSFT 5.0'
    37 0e 01 03 06 0f 1f 21 2b 2c 2e 2f 77 79 f9 fc
    ff""",
    {"message_type": 3, "request_state": "selecting", "max_message_size": 576},
    {
        53: "03",
        61: "01 024f5a000001",
        50: "c0000264",
        54: "c0000201",
        12: "'DESKTOP1'",
        81: "000000 'DESKTOP1.corp.example.io'",
        60: "'MSFT 5.0'",
        55: "01 03 06 0f 1f 21 2b 2c 2e 2f 77 79 f9 fc",
    },
)

ANDROID = good(
    "android discover with rapid commit and IPv6-only preferred",
    """01 01 06 00  5ad09e11  0000 0000  00*16
    06d1c3a94e02 00*10  00*64 00*128  63825363
    35 01 01
    3d 07 01 06d1c3a94e02
    50 00
    39 02 05dc
    3c 0f 'android-dhcp-13'
    37 0c 01 03 06 0f 1a 1c 33 3a 3b 2b 72 6c
    ff""",
    {"xid": 0x5AD09E11, "max_message_size": 1500, "message_type": 1},
    {
        53: "01",
        61: "01 06d1c3a94e02",
        80: "",
        57: "05dc",
        60: "'android-dhcp-13'",
        55: "01 03 06 0f 1a 1c 33 3a 3b 2b 72 6c",
    },
)

IPHONE = good(
    "iphone discover, asking for ninety days",
    """01 01 06 00  3d20b7c4  0001 0000  00*16
    0a77e2b01403 00*10  00*64 00*128  63825363
    35 01 01
    37 09 01 79 03 06 0f 6c 72 77 fc
    39 02 05dc
    3d 07 01 0a77e2b01403
    33 04 0076a700
    0c 06 'iPhone'
    ff 00*18""",
    {"secs": 1, "message_type": 1, "max_message_size": 1500},
    {
        53: "01",
        55: "01 79 03 06 0f 6c 72 77 fc",
        57: "05dc",
        61: "01 0a77e2b01403",
        51: "0076a700",
        12: "'iPhone'",
    },
)

DHCLIENT = good(
    "isc dhclient on debian, no client identifier",
    """01 01 06 00  2c7d1f60  0007 0000  00*16
    021a2b3c4d04 00*10  00*64 00*128  63825363
    35 01 01
    32 04 c6336414
    0c 04 'host'
    37 0d 01 1c 02 03 0f 06 77 0c 2c 2f 1a 79 2a
    ff 00*29""",
    {"secs": 7, "hardware_address": bytes.fromhex("021a2b3c4d04")},
    {53: "01", 50: "c6336414", 12: "'host'", 55: "01 1c 02 03 0f 06 77 0c 2c 2f 1a 79 2a"},
)

DHCLIENT_REBOOT = good(
    "isc dhclient restarted: init-reboot",
    """01 01 06 00  2c7d1f61  0000 0000  00*16
    021a2b3c4d04 00*10  00*64 00*128  63825363
    35 01 03  32 04 c6336414  0c 04 'host'
    37 0d 01 1c 02 03 0f 06 77 0c 2c 2f 1a 79 2a
    ff 00*29""",
    {"message_type": 3, "request_state": "init_reboot", "ciaddr": "0.0.0.0"},
    {53: "03", 50: "c6336414", 12: "'host'", 55: "01 1c 02 03 0f 06 77 0c 2c 2f 1a 79 2a"},
)

UDHCPC = good(
    "busybox udhcpc, small maximum size",
    """01 01 06 00  b1046a0e  0000 0000  00*16
    02bb05000005 00*10  00*64 00*128  63825363
    35 01 01
    3d 07 01 02bb05000005
    39 02 0240
    37 07 01 03 06 0c 0f 1c 2a
    3c 0c 'udhcp 1.35.0'
    ff 00*20""",
    {"max_message_size": 576, "xid": 0xB1046A0E},
    {53: "01", 61: "01 02bb05000005", 57: "0240", 55: "01 03 06 0c 0f 1c 2a", 60: "'udhcp 1.35.0'"},
)

UDHCPC_RENEW = good(
    "busybox udhcpc renewing by unicast",
    """01 01 06 00  b1046a0f  0000 0000  cb007132 00*12
    02bb05000005 00*10  00*64 00*128  63825363
    35 01 03  3d 07 01 02bb05000005  39 02 0240
    37 07 01 03 06 0c 0f 1c 2a  3c 0c 'udhcp 1.35.0'
    ff 00*20""",
    {"ciaddr": "203.0.113.50", "request_state": "renewing_or_rebinding"},
    {53: "03", 61: "01 02bb05000005", 57: "0240", 55: "01 03 06 0c 0f 1c 2a", 60: "'udhcp 1.35.0'"},
)

DHCPCD = good(
    "dhcpcd with a DUID for client identifier and a forcerenew nonce",
    """01 01 06 00  77aa0419  0002 0000  00*16
    02dc0d000006 00*10  00*64 00*128  63825363
    35 01 01
    3d 13 ff 0d000006 0001 0001 2a5b9d10 02dc0d000006
    50 00
    39 02 05c0
    3c 2a 'dhcpcd-9.4.1:Linux-6.1.0:x86_64:GenuineInt'
    0c 05 'debby'
    91 01 01
    37 0e 01 79 21 03 06 0c 0f 1a 1c 33 36 3a 3b 77
    ff""",
    {"secs": 2, "max_message_size": 1472},
    {
        53: "01",
        61: "ff 0d000006 0001 0001 2a5b9d10 02dc0d000006",
        80: "",
        57: "05c0",
        60: "'dhcpcd-9.4.1:Linux-6.1.0:x86_64:GenuineInt'",
        12: "'debby'",
        145: "01",
        55: "01 79 21 03 06 0c 0f 1a 1c 33 36 3a 3b 77",
    },
)

NETWORKD = good(
    "systemd-networkd, DUID-EN client identifier",
    """01 01 06 00  c0ffee07  0001 0000  00*16
    525400120007 00*10  00*64 00*128  63825363
    35 01 01
    3d 13 ff 00120007 0002 0000ab11 9a1b2c3d4e5f6071
    37 08 01 03 0c 0f 06 21 79 77
    39 02 0240
    0c 03 'vm1'
    ff 00*20""",
    {"max_message_size": 576},
    {
        53: "01",
        61: "ff 00120007 0002 0000ab11 9a1b2c3d4e5f6071",
        55: "01 03 0c 0f 06 21 79 77",
        57: "0240",
        12: "'vm1'",
    },
)

JETDIRECT = good(
    "hp jetdirect printer over dhcp, host name with the end of its address",
    """01 01 06 00  00001a2b  000a 8000  00*16
    0230c1000008 00*10  00*64 00*128  63825363
    35 01 01
    3c 19 'Hewlett-Packard JetDirect'
    0c 09 'NPI000008'
    37 0b 06 03 01 0f 42 43 0d 2c 0c 51 fc
    ff 00*7""",
    {"broadcast": True, "secs": 10},
    {53: "01", 60: "'Hewlett-Packard JetDirect'", 12: "'NPI000008'", 55: "06 03 01 0f 42 43 0d 2c 0c 51 fc"},
)

RELEASED = good(
    "dhclient release: no padding beyond 300, ciaddr and server",
    """01 01 06 00  2c7d1f70  0000 0000  c6336414 00*12
    021a2b3c4d04 00*10  00*64 00*128  63825363
    35 01 07  36 04 c6336401  0c 04 'host'  ff 00*44""",
    {"message_type": 7, "ciaddr": "198.51.100.20"},
    {53: "07", 54: "c6336401", 12: "'host'"},
)

DECLINED = good(
    "dhcpcd decline, ciaddr zero as table 5 wants it",
    """01 01 06 00  77aa0420  0000 0000  00*16
    02dc0d000006 00*10  00*64 00*128  63825363
    35 01 04  32 04 c6336415  36 04 c6336401  3d 07 01 02dc0d000006  ff 00*35""",
    {"message_type": 4, "ciaddr": "0.0.0.0"},
    {53: "04", 50: "c6336415", 54: "c6336401", 61: "01 02dc0d000006"},
)

INFORMED = good(
    "windows inform, looking for a proxy",
    """01 01 06 00  8f1c2b3b  0000 0000  c0000264 00*12
    024f5a000001 00*10  00*64 00*128  63825363
    35 01 08  3d 07 01 024f5a000001  0c 08 'DESKTOP1'  3c 08 'MSFT 5.0'
    37 0d 01 0f 03 06 2c 2e 2f 1f 21 79 f9 2b fc
    ff 00*12""",
    {"message_type": 8, "ciaddr": "192.0.2.100"},
    {
        53: "08",
        61: "01 024f5a000001",
        12: "'DESKTOP1'",
        60: "'MSFT 5.0'",
        55: "01 0f 03 06 2c 2e 2f 1f 21 79 f9 2b fc",
    },
)

CLIENTS = [
    *(WINDOWS_10, WINDOWS_10_REQUEST, ANDROID, IPHONE, DHCLIENT, DHCLIENT_REBOOT, UDHCPC, UDHCPC_RENEW),
    *(DHCPCD, NETWORKD, JETDIRECT, RELEASED, DECLINED, INFORMED),
]
