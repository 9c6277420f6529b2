"""One page of metrics for a host out of its workers' pages: sums that never go back, and what is no sum."""

from dhcp_fast.workers.metrics import Ledger, Shown

PAGE = """\
# HELP ipam_dhcp4_packets_received_total DHCPv4 messages received, by type.
# TYPE ipam_dhcp4_packets_received_total counter
ipam_dhcp4_packets_received_total{{type="discover"}} {received}
# HELP ipam_dhcp4_offers Open offers.
# TYPE ipam_dhcp4_offers gauge
ipam_dhcp4_offers {offers}
# HELP ipam_dhcp4_feed_age_seconds Time since the lease feed was last read.
# TYPE ipam_dhcp4_feed_age_seconds gauge
ipam_dhcp4_feed_age_seconds {age}
# HELP ipam_dhcp4_batch_leases Lease operations per statement.
# TYPE ipam_dhcp4_batch_leases histogram
ipam_dhcp4_batch_leases_bucket{{le="1.0"}} {batches}
ipam_dhcp4_batch_leases_bucket{{le="+Inf"}} {batches}
ipam_dhcp4_batch_leases_sum {received}
ipam_dhcp4_batch_leases_count {batches}
"""
RECEIVED = 'ipam_dhcp4_packets_received_total{type="discover"}'


def page(received: float, offers: float = 0.0, age: float = 0.0, batches: float = 0.0) -> str:
    return PAGE.format(received=received, offers=offers, age=age, batches=batches)


def shown(*restarts: int) -> list[Shown]:
    return [Shown(index, True, count) for index, count in enumerate(restarts)]


def values(text: str) -> dict[str, float]:
    pairs = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in pairs}


def test_counts_and_parts_are_summed_and_of_what_all_see_the_largest_is_shown() -> None:
    found = values(Ledger().join({0: page(3, 1, 0.5, 2), 1: page(4, 2, 1.5, 1)}, shown(0, 0)))
    assert found[RECEIVED] == found["ipam_dhcp4_batch_leases_sum"] == 7
    assert found['ipam_dhcp4_batch_leases_bucket{le="+Inf"}'] == found["ipam_dhcp4_batch_leases_count"] == 3
    assert found["ipam_dhcp4_offers"] == 3
    assert found["ipam_dhcp4_feed_age_seconds"] == 1.5
    assert [found[f'ipam_dhcp_worker_packets_total{{worker="{n}"}}'] for n in (0, 1)] == [3, 4]


def test_a_version_that_all_workers_run_is_shown_as_1() -> None:
    version = '# HELP ipam_build_info The version.\n# TYPE ipam_build_info gauge\nipam_build_info{version="1.2"} 1.0\n'
    assert values(Ledger().join({0: version, 1: version}, shown(0, 0)))['ipam_build_info{version="1.2"}'] == 1


def test_a_family_stands_together_under_one_help_and_type() -> None:
    lines = Ledger().join({0: page(3), 1: page(4)}, shown(0, 0)).splitlines()
    kinds = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(kinds) == len(set(kinds))
    assert lines[:3] == [*page(0).splitlines()[:2], f"{RECEIVED} 7.0"]


def test_a_worker_that_died_leaves_its_counts_and_nothing_else() -> None:
    ledger = Ledger()
    ledger.join({0: page(100, 5, 0.1, 9), 1: page(50)}, shown(0, 0))
    ledger.ended(0)
    between = values(ledger.join({1: page(60)}, [Shown(0, False, 0), Shown(1, True, 0)]))
    assert (between[RECEIVED], between["ipam_dhcp4_offers"]) == (160, 0)
    assert between['ipam_dhcp_worker_up{worker="0"}'] == 0
    after = values(ledger.join({0: page(2), 1: page(61)}, shown(1, 0)))
    assert (after[RECEIVED], after["ipam_dhcp4_batch_leases_count"]) == (163, 9)
    assert after['ipam_dhcp_worker_restarts_total{worker="0"}'] == 1


def test_a_worker_that_does_not_answer_just_now_keeps_its_counts() -> None:
    ledger = Ledger()
    ledger.join({0: page(100, 5), 1: page(50, 1)}, shown(0, 0))
    found = values(ledger.join({1: page(60, 1)}, shown(0, 0)))
    assert (found[RECEIVED], found["ipam_dhcp4_offers"]) == (160, 1)


def test_all_dead_at_once_the_counts_stay() -> None:
    ledger = Ledger()
    ledger.join({0: page(100)}, shown(0))
    ledger.ended(0)
    ledger.join({}, [Shown(0, False, 0)])
    assert values(ledger.join({0: page(1)}, shown(1)))[RECEIVED] == 101


def test_what_sockets_had_no_room_for_is_the_supervisors_count() -> None:
    """The workers' own is of what they saw."""
    lines = "# HELP ipam_dhcp4_kernel_drops_total No room.\n# TYPE ipam_dhcp4_kernel_drops_total counter\n"
    texts = {index: f"{lines}ipam_dhcp4_kernel_drops_total {index}.0\n" for index in (3, 4)}
    assert values(Ledger().join(texts, shown(0, 0), 9))["ipam_dhcp4_kernel_drops_total"] == 9
