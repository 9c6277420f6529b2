"""A message for each malformed option that is ignored and counted (decisions: Malformed options).

`ignored` are the codes that the server counts. The options that it uses are listed: option 82 too, because the relay
wants it back as it was, and an empty 221, which names a network that there is not.
"""

from __future__ import annotations

from oracle.notation import octets
from oracle.vectors.malformed import START, TYPED
from oracle.vectors.vector import Vector, good

TYPE = {53: "01"}


def ignores(name: str, written: str, *codes: int, beside: dict[int, str] | None = None) -> Vector:
    """A DISCOVER with these octets, its options `beside` the message type, and the codes that do not count."""
    return good(name, f"{TYPED} {written}", {"ignored": frozenset(codes)}, TYPE | (beside or {}))


def option(code: int, written: str, *, wrong: str) -> Vector:
    """One malformed option before a good one and END."""
    return ignores(f"option {code}: {wrong}", f"{written} 0c 01 'h' ff", code, beside={12: "'h'"})


LENGTHS = [
    ignores("option 12: empty", "0c00 3701 03 ff", 12, beside={55: "03"}),
    option(50, "3200", wrong="empty"),
    option(50, "3203 c00002", wrong="three octets"),
    option(50, "3205 c000020101", wrong="five octets"),
    option(50, "3208 c0000201c0000202", wrong="eight octets"),
    option(50, "3204 c0000201 3204 c0000202", wrong="two that differ"),
    option(50, "3203 c00002 3203 c00002", wrong="the same twice, of three octets"),
    option(50, "3200 3200", wrong="empty twice"),
    option(51, "3300", wrong="empty"),
    option(51, "3302 0e10", wrong="two octets"),
    option(54, "3600", wrong="empty"),
    option(54, "3603 c00002", wrong="three octets"),
    option(54, "3608 c0000201c0000202", wrong="two addresses"),
    option(55, "3700", wrong="empty"),
    option(57, "3900", wrong="empty"),
    option(57, "3901 ff", wrong="one octet"),
    option(57, "3904 000005dc", wrong="four octets"),
    option(61, "3d00", wrong="empty"),
    option(61, "3d00 3d00", wrong="empty twice"),
    option(80, "5001 01", wrong="with a value"),
    option(60, "3c00", wrong="empty"),
    option(77, "4d00", wrong="empty"),
    option(93, "5d00", wrong="empty"),
    option(93, "5d03 000700", wrong="odd"),
    option(94, "5e02 0102", wrong="two octets"),
    option(97, "6110 00*16", wrong="no type octet"),
    option(97, "6111 01 aa*16", wrong="type 1"),
    option(116, "7400", wrong="empty"),
    option(116, "7402 0101", wrong="two octets"),
    option(118, "7606 0a0000000000", wrong="six octets"),
    option(81, "5100", wrong="empty"),
    option(81, "5102 0000", wrong="no third octet"),
    option(81, "5107 000000 'a..b'", wrong="an empty label"),
    option(81, "5105 000000 '.a'", wrong="a dot in front"),
    option(81, "5143 000000 61*64", wrong="a label of 64 octets"),
    option(
        81,
        "51ff 000000 61*63 2e 61*63 2e 61*63 2e 61*60 5102 6161",
        wrong="254 octets as text, in two pieces",
    ),
    option(81, "5106 040000 03 'a' 00", wrong="a label that takes the root"),
    option(81, "5106 040000 05 'ab'", wrong="a label that overruns it"),
    option(81, "5105 040000 c000", wrong="compressed"),
    option(81, "5107 040000 01 'a' 00 00", wrong="an octet behind the root"),
    option(81, "5108 040000 01 'a' 00 01 'b'", wrong="a label behind the root"),
    option(124, "7c00", wrong="empty"),
    option(124, "7c04 00000de9", wrong="an enterprise number alone"),
    option(124, "7c06 00000de9 02 'a'", wrong="a class that overruns it"),
    option(124, "7c07 00000de9 01 'a' 00", wrong="the beginning of a second block"),
    option(125, "7d00", wrong="empty"),
    option(125, "7d05 00000de9 01", wrong="data that overrun it"),
    ignores("option 221: empty", "dd00 0c01 'h' ff", 221, beside={221: "", 12: "'h'"}),
    ignores("options 93 and 97, but not 94", "5d01 07 5e03 010310 6100 ff", 93, 97, beside={94: "010310"}),
    ignores("six options at once", "3200 3300 3600 3700 3900 3d00 ff", 50, 51, 54, 55, 57, 61),
    good(
        "a request whose server identifier is empty has chosen some server",
        f"{START} 350103 3600 3204 c0000209 ff",
        {"ignored": frozenset({54}), "request_state": "selecting, whom is unknown"},
        {53: "03", 50: "c0000209"},
    ),
    good(
        "a request with an address of its own and an empty server identifier renews",
        START.replace("00*16", "c0000209 00*12", 1) + "350103 3600 ff",
        {"ignored": frozenset({54}), "request_state": "renewing_or_rebinding"},
        {53: "03"},
    ),
    good(
        "a request whose address is short still names its server",
        f"{START} 350103 3604 c0000201 3203 c00002 ff",
        {"ignored": frozenset({50}), "request_state": "selecting"},
        {53: "03", 54: "c0000201"},
    ),
]

TWICE = [
    ignores("the same address twice", "3204 c0000201 3204 c0000201 ff", 50, beside={50: "c0000201"}),
    ignores(
        "the same address three times",
        "3204 c0000201 3204 c0000201 3204 c0000201 ff",
        50,
        beside={50: "c0000201"},
    ),
    ignores("the same lease time twice", "3304 00000e10 3304 00000e10 ff", 51, beside={51: "00000e10"}),
    ignores("the same message type twice", "350101 ff", 53),
    ignores("the same server twice", "3604 c0000201 3604 c0000201 ff", 54, beside={54: "c0000201"}),
    ignores("the same size twice", "3902 05dc 3902 05dc ff", 57, beside={57: "05dc"}),
    ignores("the same interface twice", "5e03 010310 5e03 010310 ff", 94, beside={94: "010310"}),
    ignores("the same machine twice", "6111 00 aa*16 6111 00 aa*16 ff", 97, beside={97: "00 aa*16"}),
    ignores("the same wish for configuration twice", "740101 740101 ff", 116, beside={116: "01"}),
    ignores("the same subnet twice", "7604 0a000000 7604 0a000000 ff", 118, beside={118: "0a000000"}),
    good(
        "the same overload twice",
        START.replace("00*64 00*128", "00*64 0c01 'f' ff 00*124", 1) + "350101 340101 340101 ff",
        {"ignored": frozenset({52})},
        TYPE | {52: "01", 12: "'f'"},
    ),
    good(
        "the same address in options and file",
        START.replace("00*64 00*128", "00*64 3204 c0000201 ff 00*121", 1) + "350101 3204 c0000201 340101 ff",
        {"ignored": frozenset({50})},
        TYPE | {50: "c0000201", 52: "01"},
    ),
]

NOT_MALFORMED = [
    ignores("a client identifier of one octet", "3d01 05 ff", beside={61: "05"}),
    ignores("a client identifier that is a type and one octet", "3d02 0105 ff", beside={61: "0105"}),
    ignores("a client identifier in two pieces of one octet", "3d01 05 3d01 06 ff", beside={61: "0506"}),
    ignores("a client identifier in two equal pieces", "3d02 0105 3d02 0105 ff", beside={61: "01050105"}),
    ignores("a list of one wish", "3701 03 ff", beside={55: "03"}),
    ignores("a list of the same wish in two pieces", "3701 03 3701 03 ff", beside={55: "0303"}),
    ignores("an empty piece of a whole option", "3204 c0000201 3200 ff", beside={50: "c0000201"}),
    ignores("an address in equal halves", "3202 0a0a 3202 0a0a ff", beside={50: "0a0a0a0a"}),
    ignores("a size in equal halves", "3901 05 3901 05 ff", beside={57: "0505"}),
    ignores("an option in halves", "3202 c000 3202 0201 ff", beside={50: "c0000201"}),
    ignores("rapid commit twice", "5000 5000 ff", beside={80: ""}),
    ignores("flags and no name", "5103 000000 ff", beside={81: "000000"}),
    ignores("a name that ends with a dot and a NUL", "5106 000000 'h.' 00 ff", beside={81: "000000 'h.' 00"}),
    ignores("a name in labels without its root", "5105 040000 01 'h' ff", beside={81: "040000 01 'h'"}),
    ignores("the root alone as name", "5104 040000 00 ff", beside={81: "040000 00"}),
    ignores("vendor data without octets", "7d05 00000de9 00 ff", beside={125: "00000de9 00"}),
    ignores("options that no server reads, without octets", "2b00 af00 ff", beside={43: "", 175: ""}),
]

CUT = [
    ignores("a host name cut at the end of the message", "0c 14 'abc'", 12),
    ignores("an option code as the last octet", "0c", 12),
    ignores("an option longer than the message by one", "0c 05 'host'", 12),
    ignores("no pad octets to borrow from", "2b ff 00*254", 43),
    ignores("END and padding are part of what is cut", "0c 14 'abc' ff 00*10", 12),
    ignores(
        "options before the cut one count", "3d02 0105 3701 03 0c 14 'abc'", 12, beside={61: "0105", 55: "03"}
    ),
    ignores("a piece before the one cut off counts", "0c 02 'ab' 0c 14 'c'", 12, beside={12: "'ab'"}),
    ignores("a client identifier cut off", "3d 07 01 0200000000", 61),
    ignores("a client identifier's code as the last octet", "3d", 61),
    ignores("a client identifier, and its code as the last octet", "3d 02 0105 3d", 61, beside={61: "0105"}),
    ignores("a second message type cut off", "35 02 01", 53),
    ignores(
        "relay information, and its code as the last octet",
        "52 03 01 01 'c' 52",
        82,
        beside={82: "01 01 'c'"},
    ),
    ignores("a list of wishes cut off", "37 0a 0103 06", 55),
    ignores("relay information cut off: nothing to send back", "52 08 01 04 'eth1'", 82),
    ignores("overload cut off: the other fields hold text", "34 01", 52),
    good(
        "option in file runs into the cookie",
        START.replace("00*64 00*128", "00*64 00*120 0c 07 'spills'", 1) + "350101 340101 ff",
        {"ignored": frozenset({12})},
        {53: "01", 52: "01"},
    ),
    good(
        "option in sname runs into file",
        START.replace("00*64 00*128", "00*62 0c 01 ff 00*127", 1) + "350101 340102 ff",
        {"ignored": frozenset({12})},
        {53: "01", 52: "02"},
    ),
]

OVERLOADS = [
    ignores("overload 0", "340100 ff", 52),
    ignores("overload 4", "340104 ff", 52),
    ignores("overload without octets", "3400 ff", 52),
    ignores("two overloads that differ", "340101 340102 ff", 52),
    good(
        "the text fields hold no options, if option 52 is malformed",
        START.replace("00*64 00*128", "00*64 3204 c0000201 ff 00*121", 1) + "350101 340104 ff",
        {"ignored": frozenset({52})},
        TYPE,
    ),
]


def relay(name: str, written: str, *suboptions: tuple[int, str], network: bytes | None = None) -> Vector:
    """Option 82 is malformed and comes back whole; the suboptions given are the ones that count."""
    read = tuple((code, octets(value)) for code, value in suboptions)
    says = {"ignored": frozenset({82}), "suboptions": read, "network": network}
    return good(name, f"{TYPED} 52{len(octets(written)):02x} {written} ff", says, TYPE | {82: written})


RELAYS = [
    relay("relay information without octets", ""),
    relay("relay information of one octet", "01"),
    relay("sub-option longer than option 82", "01 03 'ab'"),
    relay("a circuit before a sub-option that is too long", "01 02 'ab' 02 04 'r7'", (1, "'ab'")),
    relay("a lone sub-option code at the end", "01 02 'ab' 02", (1, "'ab'")),
    relay("a pad octet inside option 82", "01 02 'ab' 00", (1, "'ab'")),
    relay("an END octet inside option 82", "01 02 'ab' ff", (1, "'ab'")),
    relay("link selection of three octets", "05 03 0a0000 01 02 'ab'", (1, "'ab'")),
    relay("link selection without octets", "05 00"),
    relay("a second link selection that can be read", "05 03 0a0000 05 04 0a000000", (5, "0a000000")),
    relay("server override of five octets", "0b 05 0a00000001 02 01 'r'", (2, "'r'")),
    relay("relay flags without octets", "0a 00"),
    relay("relay flags of two octets", "0a 02 8000 05 04 0a000000", (5, "0a000000")),
    relay("relay port with a number", "13 02 1f90"),
    relay("a virtual network without its type is none of ours", "97 00 01 01 'c'", (1, "'c'"), network=b""),
    relay("a virtual network cut off is none of ours", "01 01 'c' 97 05 00 'r'", (1, "'c'"), network=b""),
    relay("a virtual network's code at the end", "01 01 'c' 97", (1, "'c'"), network=b""),
    relay("of two virtual networks the empty first", "97 00 97 02 00 'r'", (151, "00 'r'"), network=b""),
    relay("of two virtual networks the good first", "97 02 00 'r' 97 00", (151, "00 'r'"), network=b"\0r"),
    relay("a control mark with a value", "98 01 00 97 02 00 'r'", (151, "00 'r'"), network=b"\0r"),
]

IGNORED = [*LENGTHS, *TWICE, *NOT_MALFORMED, *CUT, *OVERLOADS, *RELAYS]
