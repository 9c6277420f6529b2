"""Every kind: payloads and their octets as the RFCs draw them, and what is refused with the right shape."""

from typing import Any

import pytest

from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError

ROUTE = {"destination": "10.17.0.0/16", "router": "10.0.0.1"}

VALID: list[tuple[int, int, dict[str, Any], str]] = [
    (4, 6, {"addresses": ["192.0.2.1", "192.0.2.2"]}, "c0000201 c0000202"),
    (4, 28, {"addresses": ["192.0.2.255"]}, "c00002ff"),
    (4, 33, {"addresses": ["192.0.2.0", "192.0.2.1"]}, "c0000200 c0000201"),
    (4, 68, {"addresses": []}, ""),
    (6, 23, {"addresses": ["2001:db8::1"]}, "20010db8000000000000000000000001"),
    (6, 12, {"addresses": ["::1"]}, "00000000000000000000000000000001"),
    (4, 15, {"string": "example.org"}, "6578616d706c652e6f7267"),
    (4, 56, {"string": "bücher"}, "62c3bc63686572"),
    (4, 2, {"value": -3600}, "fffff1f0"),
    (4, 2, {"value": -(2**31)}, "80000000"),
    (4, 24, {"value": 2**32 - 1}, "ffffffff"),
    (4, 26, {"value": 1500}, "05dc"),
    (4, 23, {"value": 64}, "40"),
    (4, 46, {"value": 8}, "08"),
    (4, 25, {"values": [68, 1500]}, "0044 05dc"),
    (4, 145, {"values": [1, 3]}, "01 03"),
    (6, 82, {"value": 86400}, "00015180"),
    (4, 19, {"flag": True}, "01"),
    (4, 19, {"flag": False}, "00"),
    (4, 80, {"flag": True}, ""),
    (4, 119, {"names": ["eng.apple.com", "marketing.apple.com"]},
     "03656e67 056170706c65 03636f6d 00 096d61726b6574696e67 c004"),  # the example of RFC 3397 section 2
    (4, 137, {"names": ["lost.example.org"]}, "046c6f7374 076578616d706c65 036f7267 00"),
    (6, 24, {"names": ["a.test", "b.test"]}, "0161 0474657374 00 0162 0474657374 00"),
    (4, 120, {"addresses": ["192.0.2.1"]}, "01 c0000201"),
    (4, 120, {"names": ["sip.test"]}, "00 03736970 0474657374 00"),
    # The table of destination descriptors in RFC 3442.
    (4, 121, {"routes": [{"destination": "0.0.0.0/0", "router": "10.0.0.1"}]}, "00 0a000001"),
    (4, 121, {"routes": [{"destination": "10.0.0.0/8", "router": "10.0.0.1"}]}, "08 0a 0a000001"),
    (4, 121, {"routes": [ROUTE, {"destination": "10.27.129.0/24", "router": "10.0.0.2"}]},
     "10 0a11 0a000001 18 0a1b81 0a000002"),
    (4, 249, {"routes": [{"destination": "10.229.0.128/25", "router": "10.0.0.1"}]}, "19 0ae50080 0a000001"),
    (4, 121, {"routes": [{"destination": "10.198.122.47/32", "router": "0.0.0.0"}]}, "20 0ac67a2f 00000000"),
    (4, 43, {"suboptions": [{"code": 1, "hex": "0a0b"}, {"code": 254, "hex": ""}]}, "01 02 0a0b fe 00"),
    (4, 125, {"suboptions": [{"enterprise": at, "code": at, "hex": "61"} for at in (5, 9)]},
     "00000005 03 05 01 61 00000009 03 09 01 61"),
    (6, 17, {"suboptions": [{"enterprise": 4491, "code": 32, "hex": "0102"}]}, "0000118b 0020 0002 0102"),
    (6, 56, {"suboptions": [{"code": 1, "addresses": ["2001:db8::1"]}, {"code": 3, "names": ["ntp.test"]}]},
     "0001 0010 20010db8000000000000000000000001 0003 000a 036e7470 0474657374 00"),
    (6, 60, {"strings": ["root=/dev/sda2", "quiet"]}, "000e 726f6f743d2f6465762f73646132 0005 7175696574"),
    (6, 144, {"resolvers": [{"priority": 1, "name": "dot.test", "addresses": ["2001:db8::1"],
                             "params": {"alpn": ["dot", "h2"], "port": 853, "dohpath": "/q{?dns}", "key9": "0a"}}]},
     "0001 000a 03646f74 0474657374 00 0010 20010db8000000000000000000000001"
     "0001 0007 03646f74 026832 0003 0002 0355 0007 0008 2f717b3f646e737d 0009 0001 0a"),
    (6, 144, {"resolvers": [{"priority": 65535, "name": "dot.test"}]}, "ffff 000a 03646f74 0474657374 00"),
    (4, 162, {"resolvers": [{"priority": 1, "name": "a.test", "addresses": ["192.0.2.1", "192.0.2.2"],
                             "params": {"alpn": ["dot"]}}, {"priority": 2, "name": "b.test"}]},
     "001c 0001 08 0161 0474657374 00 08 c0000201 c0000202 0001 0004 03646f74"
     "000b 0002 08 0162 0474657374 00"),
    (4, 60, {"string": "PXEClient"}, "505845436c69656e74"),
    (4, 77, {"hex": "0469506873"}, "04 69506873"),
    (4, 224, {"hex": "00ff"}, "00ff"),
]  # fmt: skip


NTP = "0001 0010 20010db8000000000000000000000009"
MULTICAST = "0002 0010 ff020000000000000000000000000101"
FQDN = "0003 0008 036e7470 02657800"
SEVERAL: list[tuple[int, dict[str, Any], list[str]]] = [
    (56, {"suboptions": [{"code": 1, "addresses": ["2001:db8::9"]}]}, [NTP]),
    (56, {"suboptions": [{"code": 1, "addresses": ["2001:db8::9"]}, {"code": 3, "names": ["ntp.ex"]}]}, [NTP, FQDN]),
    (56, {"hex": NTP + MULTICAST}, [NTP, MULTICAST]),
    (56, {"hex": "000100"}, ["000100"]),
    (144, {"resolvers": [{"priority": 2, "name": "b.ex"}, {"priority": 1, "name": "a.ex"}]},
     ["0002 0006 0162 02657800", "0001 0006 0161 02657800"]),
    (23, {"addresses": ["2001:db8::1", "2001:db8::2"]},
     ["20010db8000000000000000000000001 20010db8000000000000000000000002"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "payload", "wire"), SEVERAL)
def test_a_list_becomes_the_options_that_the_rfc_wants(
    code: int, payload: dict[str, Any], wire: list[str]
) -> None:
    """RFC 5908 section 4: one time source an option; RFC 9463 section 4.1: one resolver."""
    row = registry.resolve(6, code)
    payload = {key: value.replace(" ", "") if key == "hex" else value for key, value in payload.items()}
    assert kinds.encode_each(row, payload) == tuple(map(bytes.fromhex, wire))
    assert kinds.canonical(row, payload) == payload


@pytest.mark.parametrize(
    ("code", "payload", "field"),
    [
        (144, {"resolvers": [{"priority": 1, "name": "a.ex"}, {"priority": 0, "name": "b.ex"}]},
         "payload.resolvers[1].priority"),
        (56, {"suboptions": [{"code": 3, "names": ["a.ex"]}, {"code": 1, "addresses": ["10.0.0.1"]}]},
         "payload.suboptions[1].addresses[0]"),
        (56, {"suboptions": [{"code": 1, "addresses": ["2001:db8::1"]}] * 52}, "payload"),
        (56, {"suboptions": {"code": 1}}, "payload.suboptions"),
        (56, {"suboptions": []}, "payload.suboptions"),
        (56, [], "payload"),
        (56, {"names": ["a.ex"]}, "payload"),
        (144, {}, "payload"),
    ],
)  # fmt: skip
def test_a_misfit_among_several_is_named_by_its_place(code: int, payload: object, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        kinds.encode_each(registry.resolve(6, code), payload)
    assert refused.value.field == field


@pytest.mark.parametrize(("family", "code", "payload", "wire"), VALID)
def test_payload_and_octets(family: int, code: int, payload: dict[str, Any], wire: str) -> None:
    row = registry.resolve(family, code)
    assert kinds.encode(row, payload) == bytes.fromhex(wire)
    assert kinds.decode(row, bytes.fromhex(wire)) == payload


ADDRESSES4 = 'option 6 (domain-name-servers) takes {"addresses": ["192.0.2.1"]}'
ADDRESSES6 = 'option 23 (dns-servers) takes {"addresses": ["2001:db8::1"]}'
STRING = 'option 15 (domain-name) takes {"string": "..."} of printable ASCII'
MESSAGE = 'option 56 (dhcp-message) takes {"string": "..."}'
MTU = 'option 26 (interface-mtu) takes {"value": 68} from 68 to 65535'
NODE_TYPE = 'option 46 (netbios-node-type) takes {"value": 1}, one of 1, 2, 4, 8'
PLATEAU = 'option 25 (path-mtu-plateau-table) takes {"values": [68]} from 68 to 65535'
FLAG = 'option 19 (ip-forwarding) takes {"flag": true}'
STRINGS = 'option 60 (bootfile-param) takes {"strings": ["...", "..."]}'
SEARCH = 'option 119 (domain-search) takes {"names": ["example.org"]}'
ROUTES = 'option 121 (classless-static-route) takes {"routes": [{"destination": "198.51.100.0/24", "router": '
VENDOR = 'option 43 (vendor-encapsulated-options) takes {"suboptions": [{"code": 1, "hex": "01ab"}'
VIVSO = 'option 125 (vivso-suboptions) takes {"suboptions": [{"enterprise": 3561, "code": 1, "hex": "01ab"}]}'


def routes(destination: object, router: object = "10.0.0.1") -> dict[str, Any]:
    return {"routes": [{"destination": destination, "router": router}]}


def vendor(**sub: object) -> dict[str, Any]:
    return {"suboptions": [sub]}


RESOLVERS6 = (
    'option 144 (v6-dnr) takes {"resolvers": [{"priority": 1, "name": "dot.example.org", "addresses": '
    '["2001:db8::1"], "params": {"alpn": ["dot"], "port": 853}}]}'
)


def resolver(**fields: object) -> dict[str, Any]:
    told = {"priority": 1, "name": "a.test", "addresses": ["2001:db8::1"], "params": {"alpn": ["dot"]}}
    kept = {name: value for name, value in (told | fields).items() if value is not None}
    return {"resolvers": [kept]}


INVALID: list[tuple[int, int, object, str, str]] = [
    (6, 144, {"resolvers": []}, "payload.resolvers", RESOLVERS6),
    (6, 144, {"resolvers": resolver()["resolvers"] * 2}, "payload.resolvers", RESOLVERS6),
    (6, 144, {"resolvers": ["dot.test"]}, "payload.resolvers[0]", RESOLVERS6),
    (6, 144, resolver(ttl=1), "payload.resolvers[0]", RESOLVERS6),
    (6, 144, resolver(priority=0), "payload.resolvers[0].priority", RESOLVERS6),
    (6, 144, resolver(name=None), "payload.resolvers[0].name", RESOLVERS6),
    (6, 144, resolver(addresses=["192.0.2.1"]), "payload.resolvers[0].addresses[0]", RESOLVERS6),
    (6, 144, resolver(addresses=None), "payload.resolvers[0].params", RESOLVERS6),
    (6, 144, resolver(params=None), "payload.resolvers[0].params", RESOLVERS6),
    (6, 144, resolver(params={"port": 853}), "payload.resolvers[0].params", RESOLVERS6),
    (6, 144, resolver(params={"alpn": []}), "payload.resolvers[0].params.alpn", RESOLVERS6),
    (6, 144, resolver(params={"alpn": ["dot"], "port": 65536}), "payload.resolvers[0].params.port", RESOLVERS6),
    (6, 144, resolver(params={"alpn": ["dot"], "key6": ""}), "payload.resolvers[0].params", RESOLVERS6),
    (6, 144, resolver(params={"alpn": ["dot"], "key1": ""}), "payload.resolvers[0].params", RESOLVERS6),
    (6, 144, resolver(params={"alpn": ["dot"], "key9": "x"}), "payload.resolvers[0].params.key9", RESOLVERS6),
    (4, 6, None, "payload", ADDRESSES4),
    (4, 6, [], "payload", ADDRESSES4),
    (4, 6, {}, "payload", ADDRESSES4),
    (4, 6, {"string": "192.0.2.1"}, "payload", ADDRESSES4),
    (4, 6, {"addresses": ["192.0.2.1"], "hex": "c0000201"}, "payload", ADDRESSES4),
    (4, 6, {"addresses": "192.0.2.1"}, "payload.addresses", ADDRESSES4),
    (4, 6, {"addresses": []}, "payload.addresses", ADDRESSES4),
    (4, 6, {"addresses": ["192.0.2.1", "192.0.2.300"]}, "payload.addresses[1]", ADDRESSES4),
    (4, 6, {"addresses": [3221225985]}, "payload.addresses[0]", ADDRESSES4),
    (4, 6, {"addresses": ["2001:db8::1"]}, "payload.addresses[0]", ADDRESSES4),
    (4, 6, {"addresses": ["192.0.2.1"] * 257}, "payload", ADDRESSES4),
    (4, 6, {"hex": "c00002"}, "payload.hex", ADDRESSES4),
    (4, 6, {"hex": ""}, "payload.hex", ADDRESSES4),
    (4, 28, {"addresses": ["192.0.2.1", "192.0.2.2"]}, "payload.addresses",
     'option 28 (broadcast-address) takes {"addresses": ["192.0.2.1"]} with exactly one address'),
    (4, 33, {"addresses": ["192.0.2.1"]}, "payload.addresses",
     'option 33 (static-routes) takes {"addresses": ["192.0.2.1", "198.51.100.1"]} in pairs'),
    (6, 23, {"addresses": ["192.0.2.1"]}, "payload.addresses[0]", ADDRESSES6),
    (6, 23, {"addresses": ["fe80::1%eth0"]}, "payload.addresses[0]", ADDRESSES6),
    (4, 15, {"addresses": ["192.0.2.1"]}, "payload", STRING),
    (4, 15, {"string": ""}, "payload.string", STRING),
    (4, 15, {"string": 7}, "payload.string", STRING),
    (4, 15, {"string": "exämple.org"}, "payload.string", STRING),
    (4, 15, {"string": "a\nb"}, "payload.string", STRING),
    (4, 56, {"string": "a\0b"}, "payload.string", MESSAGE),
    (4, 56, {"string": "\ud800"}, "payload.string", MESSAGE),
    (4, 56, {"string": "x" * 1025}, "payload", MESSAGE),
    (4, 26, {"value": 67}, "payload.value", MTU),
    (4, 26, {"value": 65536}, "payload.value", MTU),
    (4, 26, {"value": 10**5000}, "payload.value", MTU),
    (4, 26, {"value": "1500"}, "payload.value", MTU),
    (4, 26, {"value": 1500.0}, "payload.value", MTU),
    (4, 23, {"value": True}, "payload.value", 'option 23 (default-ip-ttl) takes {"value": 1} from 1 to 255'),
    (4, 26, {"values": [1500]}, "payload", MTU),
    (4, 46, {"value": 3}, "payload.value", NODE_TYPE),
    (4, 25, {"value": 68}, "payload", PLATEAU),
    (4, 25, {"values": [68, 67]}, "payload.values[1]", PLATEAU),
    (4, 25, {"hex": "00"}, "payload.hex", PLATEAU),
    (4, 19, {"flag": 1}, "payload.flag", FLAG),
    (4, 19, {"hex": "0101"}, "payload.hex", FLAG),
    (4, 80, {"flag": False}, "payload.flag", 'option 80 (rapid-commit) takes {"flag": true}'),
    (4, 80, {"hex": "00"}, "payload.hex", 'option 80 (rapid-commit) takes {"flag": true}'),
    (4, 119, {"names": "example.org"}, "payload.names", SEARCH),
    (4, 119, {"names": []}, "payload.names", SEARCH),
    (4, 119, {"names": ["example.org", "a..b"]}, "payload.names[1]", SEARCH),
    (4, 119, {"names": ["a b"]}, "payload.names[0]", SEARCH),
    (4, 119, {"names": ["."]}, "payload.names[0]", SEARCH),
    (4, 119, {"names": ["bücher.test"]}, "payload.names[0]", SEARCH),
    (4, 119, {"names": ["-a.test"]}, "payload.names[0]", SEARCH),
    (4, 119, {"names": ["a" * 64]}, "payload.names[0]", SEARCH),
    (4, 119, {"names": [".".join(["a" * 63] * 4)]}, "payload.names[0]", SEARCH),
    (6, 60, {"string": "quiet"}, "payload", 'option 60 (bootfile-param) takes {"strings": ["...", "..."]}'),
    (6, 60, {"strings": "quiet"}, "payload.strings", STRINGS),
    (6, 60, {"strings": []}, "payload.strings", STRINGS),
    (6, 60, {"strings": ["quiet", ""]}, "payload.strings[1]", STRINGS),
    (6, 60, {"strings": [7]}, "payload.strings[0]", STRINGS),
    (6, 60, {"strings": ["a\0b"]}, "payload.strings[0]", STRINGS),
    (6, 60, {"strings": ["x" * 2000]}, "payload", STRINGS),
    (6, 64, {"names": ["a.test", "b.test"]}, "payload.names",
     'option 64 (aftr-name) takes {"names": ["example.org"]} with exactly one name'),
    (4, 120, {"string": "sip.test"}, "payload",
     'option 120 (sip-servers) takes {"addresses": ["192.0.2.1"]} or {"names": ["sip.example.org"]}'),
    (4, 121, {"routes": []}, "payload.routes", ROUTES),
    (4, 121, {"routes": ["10.0.0.0/8"]}, "payload.routes[0]", ROUTES),
    (4, 121, {"routes": [{"destination": "10.0.0.0/8"}]}, "payload.routes[0]", ROUTES),
    (4, 121, routes("10.0.0.1/8"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("10.0.0.0"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("10.0.0.0/255.0.0.0"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("10.0.0.0/33"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("10.0.0.0/²"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("2001:db8::/32"), "payload.routes[0].destination", ROUTES),
    (4, 121, routes("10.0.0.0/8", "gateway"), "payload.routes[0].router", ROUTES),
    (4, 121, routes("10.0.0.0/8", None), "payload.routes[0].router", ROUTES),
    (4, 43, {"suboptions": []}, "payload.suboptions", VENDOR),
    (4, 43, {"suboptions": ["01ab"]}, "payload.suboptions[0]", VENDOR),
    (4, 43, vendor(code=0, hex="00"), "payload.suboptions[0].code", VENDOR),
    (4, 43, vendor(code=255, hex="00"), "payload.suboptions[0].code", VENDOR),
    (4, 43, vendor(code=True, hex="00"), "payload.suboptions[0].code", VENDOR),
    (4, 43, vendor(hex="00"), "payload.suboptions[0].code", VENDOR),
    (4, 43, vendor(code=1), "payload.suboptions[0]", VENDOR),
    (4, 43, vendor(code=1, value=7), "payload.suboptions[0]", VENDOR),
    (4, 43, vendor(code=1, hex="0"), "payload.suboptions[0].hex", VENDOR),
    (4, 43, vendor(code=1, addresses=["x"]), "payload.suboptions[0].addresses[0]", VENDOR),
    (4, 43, vendor(code=1, hex="00" * 256), "payload.suboptions[0]", VENDOR),
    (4, 125, vendor(code=1, hex="00"), "payload.suboptions[0].enterprise", VIVSO),
    (4, 125, vendor(enterprise=2**32, code=1, hex="00"), "payload.suboptions[0].enterprise", VIVSO),
    (4, 125, {"suboptions": [{"enterprise": 1, "code": at, "hex": "00" * 127} for at in (1, 2)]},
     "payload.suboptions", VIVSO),
    (4, 125, {"suboptions": [{"enterprise": number, "code": 1, "hex": "00"} for number in (1, 2, 1)]},
     "payload.suboptions", VIVSO),
    (6, 17, {"suboptions": [{"enterprise": number, "code": 1, "hex": "00"} for number in (1, 2)]},
     "payload.suboptions", 'option 17 (vendor-opts) takes {"suboptions": [{"enterprise": 3561, '),
    (4, 224, {"string": "x"}, "payload", 'option 224 (option-224) takes {"hex": "01ab"}'),
    (4, 224, {"hex": "zz"}, "payload.hex", 'option 224 (option-224) takes {"hex": "01ab"}'),
    (4, 224, {"hex": "0"}, "payload.hex", 'option 224 (option-224) takes {"hex": "01ab"}'),
    (4, 224, {"hex": "01:"}, "payload.hex", 'option 224 (option-224) takes {"hex": "01ab"}'),
    (4, 224, {"hex": 1}, "payload.hex", 'option 224 (option-224) takes {"hex": "01ab"}'),
    (4, 117, {"values": [6, 1]}, "payload.values[1]", "option 117 (name-service-search) takes "),
    (4, 117, {"values": [65535]}, "payload.values[0]", "option 117 (name-service-search) takes "),
    (4, 97, {"hex": "00"}, "payload.hex", 'option 97 (uuid-guid) takes {"hex": "01ab"} of 17 octets'),
]  # fmt: skip


@pytest.mark.parametrize(("family", "code", "payload", "field", "says"), INVALID)
def test_misfit_names_the_field_and_the_shape(
    family: int, code: int, payload: object, field: str, says: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        kinds.encode(registry.resolve(family, code), payload)
    assert refused.value.field == field
    assert refused.value.reason.startswith(says)


@pytest.mark.parametrize(
    "row", registry.every(4) + registry.every(6), ids=lambda row: f"{row.family}-{row.code}"
)
def test_hex_that_fits_is_taken_for_every_option(row: OptionDef) -> None:
    width = row.item_octets if row.fixed_octets is None else row.fixed_octets
    data = b"\1" * (4 if width is None else width)
    assert kinds.encode(row, {"hex": data.hex()}) == data


MALFORMED = [
    (4, 6, "c00002"), (4, 6, ""), (4, 28, "c0000201c0000202"), (4, 33, "c0000201"), (4, 26, "05"),
    (4, 26, "05dc05dc"), (4, 25, "004405"), (4, 19, "02"), (4, 19, ""), (4, 80, "00"), (4, 15, ""),
    (4, 15, "0000"), (4, 56, "610062"), (4, 56, "ff"), (4, 119, "0361"), (4, 119, "c000"),
    (4, 119, "0161c002"), (4, 137, ""), (6, 24, "0161"), (6, 24, "01610001 62c000"),
    (6, 64, "0161000162 00"), (4, 120, ""), (4, 120, "02c0000201"), (4, 120, "01"), (4, 121, ""),
    (4, 121, "21 0a000000 00 0a000001"), (4, 121, "08 0a 0a0000"), (4, 121, "18"), (4, 43, ""),
    (4, 43, "0102"), (4, 43, "01"), (4, 43, "010200"), (4, 43, "00ff"), (4, 125, "00000de9"),
    (4, 125, "00000de9 02 05"), (4, 125, "00000de9 02 0501"), (4, 125, "00000de9 00"), (6, 17, "000011"),
    (6, 17, "0000118b 0001 0002 00"), (6, 17, "0000118b 0001 00"), (4, 97, "00"),
    (6, 144, ""), (6, 144, "0001"), (6, 144, "0001 0000"), (6, 144, "0001 0003 016100 0001 00"),
    (6, 144, "0001 0003 016100 0000"), (6, 144, "0001 0003 016100 0010" + "00" * 16 + "0003 0001 35"),
    (6, 144, "0001 0003 016100 0010" + "00" * 16 + "0003 0002 0355 0001 0002 0161"),
    (6, 144, "0001 0003 016100 0010" + "00" * 16 + "0001 0001 00"), (4, 162, ""), (4, 162, "00"),
    (4, 162, "0006 0001 03 016100 00"), (4, 162, "0007 0001 03 016100 00"),
    (6, 60, ""), (6, 60, "00"), (6, 60, "0002 61"), (6, 60, "0001 61 0000"), (6, 60, "0001 ff"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "code", "wire"), MALFORMED)
def test_malformed_data_is_a_validation_error(family: int, code: int, wire: str) -> None:
    with pytest.raises(ValidationError):
        kinds.decode(registry.resolve(family, code), bytes.fromhex(wire))


@pytest.mark.parametrize(
    ("family", "code", "wire", "payload"),
    [
        (4, 15, b"example.org\0", {"string": "example.org"}),  # RFC 2132 section 2
        (4, 26, bytes.fromhex("0001"), {"value": 1}),  # what a peer sent is shown, legal or not
        (4, 121, bytes.fromhex("140a11ff0a000001"), {"routes": [routes("10.17.240.0/20")["routes"][0]]}),
        (4, 43, bytes.fromhex("00010161ff0205"), {"suboptions": [{"code": 1, "hex": "61"}]}),  # pad, end
        (4, 82, bytes.fromhex("0504 0a000001 1300"),
         {"suboptions": [{"code": 5, "addresses": ["10.0.0.1"]}, {"code": 19, "flag": True}]}),
        (4, 82, bytes.fromhex("0503 0a0000"), {"suboptions": [{"code": 5, "hex": "0a0000"}]}),
    ],
)  # fmt: skip
def test_decoding_is_lenient_where_rfcs_ask_for_it(
    family: int, code: int, wire: bytes, payload: dict[str, Any]
) -> None:
    assert kinds.decode(registry.resolve(family, code), wire) == payload


def test_members_defined_for_a_vendor_take_their_kind() -> None:
    vlan = OptionDef(4, 1, "phone-vlan", "uint16", space="ACME", maximum=4094)
    row = registry.resolve(4, 43, "ACME", [vlan])
    payload = vendor(code=1, value=300)
    assert kinds.encode(row, payload) == bytes.fromhex("0102012c")
    assert kinds.decode(row, bytes.fromhex("0102012c")) == payload
    with pytest.raises(
        ValidationError, match=r'sub-option 1 \(phone-vlan\) takes \{"value": 1\} from 0 to 4094'
    ):
        kinds.encode(row, vendor(code=1, value=5000))


def test_members_of_identified_vendors_take_their_kind() -> None:
    row = registry.resolve(4, 125, None, [OptionDef(4, 7, "mode", "uint8", space="3561")])
    payload = vendor(enterprise=3561, code=7, value=2)
    assert kinds.decode(row, kinds.encode(row, payload)) == payload


@pytest.mark.parametrize(
    ("family", "code", "payload", "stored"),
    [
        (6, 23, {"addresses": ["2001:DB8:0::1"]}, {"addresses": ["2001:db8::1"]}),
        (4, 119, {"names": ["example.org."]}, {"names": ["example.org"]}),
        (4, 6, {"hex": "C0:00:02:01"}, {"hex": "c0000201"}),
        (4, 43, vendor(code=1, string="x"), vendor(code=1, string="x")),
        (4, 43, vendor(code=1, hex="AB"), vendor(code=1, hex="ab")),
        (4, 125, vendor(enterprise=9, code=1, hex="0A"), vendor(enterprise=9, code=1, hex="0a")),
    ],
)
def test_canonical_payload_keeps_its_shape(
    family: int, code: int, payload: dict[str, Any], stored: dict[str, Any]
) -> None:
    assert kinds.canonical(registry.resolve(family, code), payload) == stored
