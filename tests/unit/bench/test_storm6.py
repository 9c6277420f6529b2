"""What a DHCPv6 storm sends is what a client behind a relay sends, by the oracle's reading."""

from ipaddress import IPv6Address

import pytest
from oracle.message6 import RENEW, REQUEST, SOLICIT, parse
from oracle.options4 import Malformed
from oracle.options6 import IA_NA, IA_PD

from dhcp_fast.bench.generator import template6
from dhcp_fast.bench.generator.template import SIZE
from dhcp_fast.bench.servers import bench_plan6

SERVER = bytes.fromhex("0004") + bytes(range(16))
OCTETS = bytes.fromhex("00a1b2c3")


def patched(form: template6.Template6) -> bytes:
    """As storm6.pyx patches it."""
    packet = bytearray(form.packet)
    packet[form.xid : form.xid + 3] = b"\x01\x02\x03"
    packet[form.mac : form.mac + 6] = packet[28:34] = b"\x02\x09\0\0\x12\x34"
    packet[form.elapsed : form.elapsed + 2] = b"\x01\x00"
    for at in filter(None, (form.address, form.prefix)):
        packet[at : at + 4] = OCTETS
    return bytes(packet)


@pytest.mark.parametrize("delegation", [False, True])
@pytest.mark.parametrize(("kind", "name"), [(SOLICIT, "solicit"), (REQUEST, "request"), (RENEW, "renew")])
def test_each_message_is_lawful_and_of_one_size(kind: int, name: str, delegation: bool) -> None:
    form = getattr(template6, name)(bench_plan6.features(SERVER, delegation=delegation))
    packet = patched(form)
    assert len(packet) == SIZE
    message = parse(packet, server=SERVER)
    assert not isinstance(message, Malformed), message
    assert (message.message_type, message.transaction_id) == (kind, 0x010203)
    assert message.client_id == bytes.fromhex("00030001020900001234")
    assert message.envelopes[0].link_address == bench_plan6.LINK
    assert message.envelopes[0].peer_address == IPv6Address("fe80::209:0:1234")
    assert message.envelopes[0].source_port == 0
    assert [ia.code for ia in message.associations] == [IA_NA, IA_PD][: 1 + delegation]
    given = [lease.address for ia in message.associations for lease in ia.leases]
    wanted = [bench_plan6.address_of(OCTETS), bench_plan6.prefix_of(OCTETS)][: 1 + delegation]
    assert given == ([] if kind == SOLICIT else wanted)


def test_leases_differ_in_the_octets_that_tell_them() -> None:
    for address in bench_plan6.POOL:
        assert bench_plan6.address_of(address.packed[12:]) == address
    last = IPv6Address(int(bench_plan6.DELEGATED[-1]) >> 64 << 64)
    assert bench_plan6.prefix_of(last.packed[4:8]) == last
