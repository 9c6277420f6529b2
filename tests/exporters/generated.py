"""Plans drawn at random, of what Kea and ours both can say."""

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from hypothesis import strategies as st

from ipam_core.dhcp import registry

NAMES = st.text("abcXYZ09-", min_size=1, max_size=12)
STRINGS = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=20)
TEXTS = st.one_of(NAMES, st.binary(min_size=1, max_size=6).map(lambda octets: "0x" + octets.hex()))
CLASSES = ("one", "two", "three")


def leaves(names: list[str]) -> st.SearchStrategy[Any]:
    part = st.fixed_dictionaries(
        {"option": st.integers(60, 61)}, optional={"relay": st.just(True)}
    ) | st.fixed_dictionaries({"option": st.just(82), "suboption": st.just(1)})
    compared = st.one_of(
        st.fixed_dictionaries({"equals": TEXTS | st.integers(0, 255)}),
        st.fixed_dictionaries({"prefix": TEXTS}),
        st.fixed_dictionaries({"in": st.lists(TEXTS, min_size=1, max_size=3, unique=True)}),
        st.fixed_dictionaries(
            {"equals": TEXTS}, optional={"offset": st.integers(1, 9), "length": st.integers(1, 9)}
        ),
    )
    tested = st.tuples(part, compared).map(lambda pair: {**pair[0], **pair[1]})
    asked = tested | part.map(lambda each: each | {"exists": True})
    return asked | st.sampled_from(names).map(lambda name: {"class": name}) if names else asked


def trees(names: list[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves(names),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(lambda each: {"all": each}),
            st.lists(inner, min_size=2, max_size=3).map(lambda each: {"any": each}),
            inner.map(lambda each: {"not": each}),
        ),
        max_leaves=5,
    )


@st.composite
def classes(draw: st.DrawFn) -> list[Any]:
    made: list[Any] = []
    for priority, name in enumerate(CLASSES[: draw(st.integers(0, 3))], 1):
        fields = draw(
            st.fixed_dictionaries(
                {"match": trees([each["name"] for each in made])},
                optional={
                    "mac_prefix": st.sampled_from(["02:00", "52:54:00"]),
                    "known": st.booleans(),
                    "deny": st.just(True),
                    "boot_file": NAMES,
                    "description": NAMES,
                },
            )
        )
        made.append({"name": name, "priority": priority} | fields)
    return made


def payload(code: int) -> st.SearchStrategy[Any]:
    row = registry.lookup(4, code)
    assert row is not None
    if row.kind == "address":
        return st.lists(st.ip_addresses(v=4).map(str), min_size=1, max_size=3).map(
            lambda each: {"addresses": each}
        )
    if row.kind == "uint32":
        return st.integers(0, 2**32 - 1).map(lambda each: {"value": each})
    return st.tuples(STRINGS, st.sampled_from(["", " ", "\\", '"'])).map(lambda two: {"string": "".join(two)})


@st.composite
def options(draw: st.DrawFn) -> list[Any]:
    codes = draw(st.lists(st.sampled_from([4, 6, 17, 24, 47, 209, 150]), max_size=3, unique=True))
    always = st.fixed_dictionaries({}, optional={"always_send": st.just(True)})
    return [{"code": code, "payload": draw(payload(code))} | draw(always) for code in codes]


@st.composite
def subnets(draw: st.DrawFn, number: int, names: list[str]) -> Any:
    network = IPv4Network(f"10.{number}.0.0/{draw(st.integers(20, 26))}")
    ends = sorted(draw(st.lists(st.integers(2, 61), min_size=0, max_size=6, unique=True)))
    pools = [
        {"start_ip": str(network[first]), "end_ip": str(network[last])}
        | ({"class": draw(st.sampled_from(names))} if names and draw(st.booleans()) else {})
        | {"options": draw(options())}
        for first, last in zip(ends[::2], ends[1::2], strict=False)
    ]
    hosts = draw(st.lists(st.integers(2, 61), max_size=4, unique=True))
    lease = draw(st.integers(60, 90000))
    more = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "name": NAMES,
                "description": NAMES,
                "vlan_id": st.integers(1, 4094),
                "tags": st.lists(NAMES, max_size=2, unique=True),
                "match_client_id": st.booleans(),
                "authoritative": st.booleans(),
                "relay_addresses": st.lists(
                    st.ip_addresses(v=4).map(str), min_size=1, max_size=2, unique=True
                ),
                "renew_time_seconds": st.integers(1, lease // 2),
                "next_server": st.ip_addresses(v=4, network="192.0.2.0/24").map(str),
                "boot_file": NAMES,
                "shared_network": st.sampled_from(["x", "y"]),
            },
        )
    )
    return {
        "cidr": str(network),
        "gateway": str(network[1]),
        "lease_time_seconds": lease,
        "pools": pools,
        "options": draw(options()),
        "reservations": [reservation(draw, network[host], number, names) for host in hosts],
    } | more


def reservation(draw: st.DrawFn, address: IPv4Address, number: int, names: list[str]) -> Any:
    octets = f"{number:02x}:{int(address) & 255:02x}"
    identities = (
        {"mac": f"02:00:00:00:{octets}"},
        {"client_id": f"01:00:{octets}"},
        {"circuit_id": f"port {octets}"},
    )
    more = {"class": draw(st.sampled_from(names))} if names and draw(st.booleans()) else {}
    return (
        {"ip": str(address), "hostname": f"h{int(address)}", "options": draw(options())}
        | draw(st.sampled_from(identities))
        | more
    )


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    made = draw(classes())
    names = [each["name"] for each in made]
    found = [draw(subnets(number, names)) for number in range(1, 1 + draw(st.integers(1, 3)))]
    return {
        "client_classes": made,
        "global_options": draw(options()),
        "prefixes": [{"cidr": each["cidr"], "subnets": [each]} for each in found],
    }
