"""A message for each way of being refused, and for the neighbors that are the easiest to get wrong.

Malformed options that are ignored instead have their messages in ignored6.py.
"""

from __future__ import annotations

from oracle.vectors.vector6 import bad

ID = "0001 0003 000301"
SERVER = "0002 0003 000399"
START = f"01 0000bd {ID}"
ENVELOPE = "0c 00 20010db8000100000000000000000001 fe80000000000000000000fffe0000bd"
ADDRESS = "20010db8000100000000000000000005 00000000 00000000"


HEADERS = [
    bad("nothing at all", "", "too_short"),
    bad("a type and nothing else", "01", "too_short"),
    bad("three octets", "01 0000", "too_short"),
    bad("type 0", f"00 0000bd {ID}", "message_type_unknown"),
    bad("type 14 (leasequery)", f"0e 0000bd {ID}", "message_type_unknown"),
    bad("type 255", f"ff 0000bd {ID}", "message_type_unknown"),
    bad("an advertise to a server", f"02 0000bd {ID}", "message_type_wrong_way"),
    bad("a reply to a server", f"07 0000bd {ID}", "message_type_wrong_way"),
    bad("a reconfigure to a server", f"0a 0000bd {ID}", "message_type_wrong_way"),
    bad("the answer to a registration, to a server", f"25 0000bd {ID}", "message_type_wrong_way"),
    bad(
        "a relay-reply to a server",
        f"0d {ENVELOPE.removeprefix('0c')} 0009 0004 01 0000bd",
        "message_type_wrong_way",
    ),
]

IDENTIFIERS = [
    bad("identifier of no octets", "01 0000bd 0001 0000", "option_length", 1),
    bad("identifier of one octet", "01 0000bd 0001 0001 00", "option_length", 1),
    bad("identifier that is a type and nothing else", "01 0000bd 0001 0002 0003", "option_length", 1),
    bad("identifier of 131 octets", "01 0000bd 0001 0083 0003 aa*129", "option_length", 1),
    bad("identifier of an information-request, one octet", "0b 0000bd 0001 0001 00", "option_length", 1),
    bad("an identifier longer than the message", "01 0000bd 0001 ffff 000301", "option_overrun", 1),
    bad(
        "an identifier's header as the last octets", "01 0000bd 0008 0002 0000 0001 0003", "option_overrun", 1
    ),
    bad("an identifier's code as the last octets", "01 0000bd 0008 0002 0000 0001", "client_id_missing", 1),
    bad("a second identifier that is cut off", f"{START} 0001 0003 0003", "option_overrun", 1),
    bad("an identifier and a second one of one octet", f"{START} 0001 0001 00", "option_length", 1),
    bad("two clients in one message", f"{START} 0001 0003 000302", "option_repeated", 1),
    bad("the same client twice, and another", f"{START} {ID} 0001 0003 000302", "option_repeated", 1),
    bad("two servers in one message", f"03 0000bd {ID} {SERVER} 0002 0003 000388", "option_repeated", 2),
    bad("two servers in a message to all", f"01 0000bd {ID} {SERVER} 0002 0003 000388", "option_repeated", 2),
    bad("an identifier behind an option cut off", f"01 0000bd 0008 0020 0000 {ID}", "client_id_missing", 1),
]

NUMBERED = [f"0003 000c {number:08x} 00*8" for number in range(9)]
HELD = f"0005 0018 {ADDRESS}"
BOUNDS = [
    bad("nine associations", f"{START} {' '.join(NUMBERED)}", "too_many_ias"),
    bad(
        "nine associations of three kinds",
        f"{START} {' '.join(NUMBERED[:7])} 0004 0004 00*4 0019 000c 00*12",
        "too_many_ias",
    ),
    bad("seventeen addresses", f"{START} 0003 01e8 00*12 {' '.join([HELD] * 17)}", "too_many_addresses"),
]

# Section 16, by message. Information-request is the only one that needs no client.
DISCARDED = [
    *(
        bad(f"{name} without a client", f"{kind:02x} 0000bd 0008 0002 0000", "client_id_missing", 1)
        for kind, name in ((1, "solicit"), (4, "confirm"), (6, "rebind"), (36, "registration"))
    ),
    *(
        bad(f"{name} without a client", f"{kind:02x} 0000bd {SERVER}", "client_id_missing", 1)
        for kind, name in ((3, "request"), (5, "renew"), (8, "release"), (9, "decline"))
    ),
    *(
        bad(f"{name} that names no server", f"{kind:02x} 0000bd {ID}", "server_id_missing", 2)
        for kind, name in ((3, "request"), (5, "renew"), (8, "release"), (9, "decline"))
    ),
    *(
        bad(f"{name} that names a server", f"{kind:02x} 0000bd {ID} {SERVER}", "server_id_present", 2)
        for kind, name in ((1, "solicit"), (4, "confirm"), (6, "rebind"), (36, "registration"))
    ),
    *(
        bad(
            f"{name} that names a server by one octet",
            f"{kind:02x} 0000bd {ID} 0002 0001 00",
            "server_id_missing",
            2,
        )
        for kind, name in ((3, "request"), (5, "renew"), (8, "release"), (9, "decline"))
    ),
    bad("request whose server is cut off", f"03 0000bd {ID} 0002 0004 0003", "server_id_missing", 2),
    *(
        bad(
            f"information-request with option {code:d}",
            f"0b 0000bd {code:04x} 000c 00*12",
            "ia_present",
            code,
        )
        for code in (3, 4, 25)
    ),
]

REGISTRATIONS = [
    bad("registration without an address", f"24 0000bd {ID}", "address_missing", 5),
    bad("registration of an association", f"24 0000bd {ID} 0003 000c 00*12", "address_missing", 5),
    bad("registration with wishes", f"24 0000bd {ID} 0005 0018 {ADDRESS} 0006 0002 0017", "oro_present", 6),
    bad(
        "registration of two addresses",
        f"24 0000bd {ID} 0005 0018 {ADDRESS} 0005 0018 {ADDRESS.replace('05 ', '06 ', 1)}",
        "option_repeated",
        5,
    ),
    bad("registration of 20 octets", f"24 0000bd {ID} 0005 0014 00*20", "address_missing", 5),
    bad("registration of an address cut off", f"24 0000bd {ID} 0005 0018 00*20", "address_missing", 5),
    bad(
        "registration of another's address: the relay saw a different peer",
        f"{ENVELOPE} 0009 0027 24 0000bd {ID} 0005 0018 {ADDRESS}",
        "address_of_another",
        5,
    ),
]

# The option that relays a message stands behind whatever the envelope holds besides.
CARRIED = f"0009 000b {START}"
DEEP = "".join(f"0c 00 00*32 0009 {11 + 38 * depth:04x} " for depth in range(9, -1, -1))
RELAYS = [
    bad("an envelope's type and nothing else", "0c", "relay_too_short"),
    bad("an envelope without the peer's last octet", ENVELOPE.removesuffix("bd"), "relay_too_short"),
    bad("an envelope without options", ENVELOPE, "relay_message_missing", 9),
    bad("an envelope with an interface only", f"{ENVELOPE} 0012 0001 07", "relay_message_missing", 9),
    bad("an empty message in an envelope", f"{ENVELOPE} 0009 0000", "too_short"),
    bad("two messages in an envelope", f"{ENVELOPE} {CARRIED} {CARRIED}", "option_repeated", 9),
    bad("a message cut off in its envelope", f"{ENVELOPE} 0009 000c {START}", "relay_message_missing", 9),
    bad("a message's code as the last octets", f"{ENVELOPE} 0012 0001 07 0009", "relay_message_missing", 9),
    bad(
        "a message of its own twice in an envelope",
        f"{ENVELOPE} {CARRIED} 0012 0001 07 {CARRIED}",
        "option_repeated",
        9,
    ),
    bad("a message behind an option cut off", f"{ENVELOPE} 0012 00ff {CARRIED}", "relay_message_missing", 9),
    bad("hop count 9", ENVELOPE.replace("0c 00", "0c 09", 1) + CARRIED, "hop_count"),
    bad("hop count 255", ENVELOPE.replace("0c 00", "0c ff", 1) + CARRIED, "hop_count"),
    bad("ten envelopes", f"{DEEP} {START}", "relay_too_deep"),
    bad(
        "an inner envelope without a message",
        f"{ENVELOPE} 0009 0022 {ENVELOPE}",
        "relay_message_missing",
        9,
    ),
    bad("an inner envelope cut off", f"{ENVELOPE} 0009 0005 0c 00 000000", "relay_too_short"),
    bad(
        "a relay-reply inside a relay-forward",
        f"{ENVELOPE} 0009 0031 0d {ENVELOPE.removeprefix('0c')} {CARRIED}",
        "message_type_wrong_way",
    ),
    bad("a reply inside a relay-forward", f"{ENVELOPE} 0009 0004 07 0000bd", "message_type_wrong_way"),
]

MALFORMED = [*HEADERS, *IDENTIFIERS, *BOUNDS, *DISCARDED, *REGISTRATIONS, *RELAYS]
