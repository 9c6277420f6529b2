"""/metrics of a DHCPv6 server: its families bear its name, and move when what they count happens."""

from __future__ import annotations

from engine6.serving6 import Relay, chosen, duid
from metric_reference import hold, read
from oracle import packets6 as say
from prometheus_client.parser import text_string_to_metric_families

from dhcp_fast.server import http
from dhcp_fast.server.serving import Serving

CLIENT = duid(1)
SHARED = {"ipam_build_info", "ipam_faults", "ipam_lease_event_partitions_ahead"}  # whichever family asks


def scraped(server: Serving) -> dict[str, float]:
    """Samples by name and labels, as Prometheus' own parser reads the page."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(http.counted(server).body)
        for sample in family.samples
    }


def test_each_family_is_of_dhcpv6_in_name_and_words(server: Serving) -> None:
    families = list(text_string_to_metric_families(http.counted(server).body))
    assert {family.name for family in families if not family.name.startswith("ipam_dhcp6_")} == SHARED
    assert [family.name for family in families if "DHCPv4" in family.documentation] == []
    assert {"ipam_dhcp6_packets_received", "ipam_dhcp6_commit_duration_seconds"} <= {
        family.name for family in families
    }


def test_each_family_stands_in_the_reference_by_its_name_of_dhcpv4(server: Serving) -> None:
    page = http.counted(server).body
    hold(read(page.replace("dhcp6", "dhcp4").replace("DHCPv6", "DHCPv4")), "DHCP server")


async def test_packets_replies_and_leases_are_counted(relay: Relay, server: Serving) -> None:
    granted = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(1))
    await relay.reply(chosen(say.renew(CLIENT, relay.server_id), granted))
    await relay.reply(chosen(say.release(CLIENT, relay.server_id), granted))
    await relay.unanswered(say.request(duid(2), say.duid_ll(b"\x02\0\0\0\xff\xff")).ia_na(1))
    found = scraped(server)
    for kind, count in {"solicit": 1, "request": 2, "renew": 1, "release": 1}.items():
        assert found[f"ipam_dhcp6_packets_received_total {kind}"] == count
    for kind, count in {"advertise": 1, "reply": 3}.items():
        assert found[f"ipam_dhcp6_replies_total {kind}"] == count
    assert found["ipam_dhcp6_drops_total other_server"] == 1
    assert found["ipam_dhcp6_batch_leases_sum"] == 6  # an address and a prefix, thrice
    assert found["ipam_dhcp6_leases_known"] == 2
