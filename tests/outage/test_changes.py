"""What the API changes is served within a second, by a DHCP server that goes on running.

One `ipam up` serves all these tests, each in a subnet of its own behind a relay of its own.
"""

import tempfile
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from harness import prepared_folder
from harness.memory_folder import memory_folder
from outage.databases import held_transaction
from outage.processes import Role
from outage.sites import NotYetError, Site, saying, soon

from dhcp_fast.probe.client import NoAnswer, Refused, Step

ROUTER, DNS, LEASE_TIME = 3, 6, 51


@pytest.fixture(scope="module")
def service(run_folder: Path) -> Iterator[Role]:
    with tempfile.TemporaryDirectory(prefix="ipam-test-", dir=memory_folder()) as name:
        folder = Path(name)
        folder.chmod(0o711)
        prepared_folder.copy_of_server(run_folder, folder / "data")
        with Role(folder, "up", data_dir=str(folder / "data")) as up:
            up.ready()
            yield up


@pytest.fixture
def site(service: Role) -> Iterator[Site]:
    site = Site(service)
    yield site
    site.api.close()


def test_a_new_pool_gives_addresses(site: Site) -> None:
    with site.client(1) as client:
        with pytest.raises(NoAnswer):
            client.discover()
        site.pool(100, 199)
        offer = soon(client.discover)
    assert IPv4Address(site.ip(100)) <= offer.yiaddr <= IPv4Address(site.ip(199))


def test_a_deleted_pool_takes_its_leases_along(site: Site) -> None:
    pool = site.pool(100, 199)
    lease = site.lease(1)
    site.send("DELETE", f"/pools/{pool['id']}")
    with site.client(1) as client:
        soon(lambda: client.renew(lease), Refused)
        with pytest.raises(NoAnswer):
            client.discover()


def test_a_new_exclude_moves_its_clients(site: Site) -> None:
    """NAK at the next renewal, then an address outside the exclude."""
    site.pool(100, 101)
    lease = site.lease(1)
    site.post(f"{site.path}/excludes", start_ip=str(lease.yiaddr), end_ip=str(lease.yiaddr))
    with site.client(1) as client:
        soon(lambda: client.renew(lease), Refused)
        assert client.select(client.discover().reply).reply.yiaddr != lease.yiaddr


def test_a_deleted_exclude_opens_its_addresses(site: Site) -> None:
    site.pool(100, 100)
    exclude = site.post(f"{site.path}/excludes", start_ip=site.ip(100), end_ip=site.ip(100))
    with site.client(1) as client:
        soon(client.discover, NoAnswer)
        site.send("DELETE", f"/excludes/{exclude['id']}")
        assert str(soon(client.discover).yiaddr) == site.ip(100)


def test_a_reservation_moves_its_client(site: Site) -> None:
    """The client has another address: NAK at its next renewal, then the reserved one, outside any pool."""
    site.pool(100, 199)
    lease = site.lease(1)
    site.post(f"{site.path}/reservations", ip=site.ip(10), mac=site.mac(1), hostname="printer")
    with site.client(1) as client:
        soon(lambda: client.renew(lease), Refused)
        assert str(client.select(client.discover().reply).reply.yiaddr) == site.ip(10)


def test_a_reservation_of_an_address_that_another_client_holds(site: Site) -> None:
    """The reserved client waits at a pool address with the shortest lease until the holder's next renewal, which is
    refused after the holder's row was committed as revoked; nobody else gets the address."""
    site.pool(100, 199)
    held = site.lease(1)
    site.post(f"{site.path}/reservations", ip=str(held.yiaddr), mac=site.mac(2))
    with site.client(1) as holder, site.client(2) as reserved:
        offer = soon(reserved.discover)
        waiting = reserved.select(offer).reply
        assert waiting.yiaddr != held.yiaddr
        assert int.from_bytes(waiting.options[LEASE_TIME]) == 120
        soon(lambda: holder.renew(held), Refused)
        assert site.state(held.yiaddr) == "v"
        assert holder.select(holder.discover().reply).reply.yiaddr not in (held.yiaddr, waiting.yiaddr)
        soon(lambda: reserved.renew(waiting), Refused)
        assert reserved.select(reserved.discover().reply).reply.yiaddr == held.yiaddr


def test_a_deleted_reservation_gives_its_address_back(site: Site) -> None:
    site.pool(100, 100)
    reservation = site.post(f"{site.path}/reservations", ip=site.ip(100), mac=site.mac(2))
    with site.client(1) as client:
        soon(client.discover, NoAnswer)
        site.send("DELETE", f"/reservations/{reservation['id']}")
        assert str(soon(client.discover).yiaddr) == site.ip(100)


def test_a_subnet_switched_off_answers_nobody(site: Site) -> None:
    """Reservations included; its pools wait for it to be switched on again."""
    site.pool(100, 199)
    site.post(f"{site.path}/reservations", ip=site.ip(10), mac=site.mac(2))
    lease = site.lease(1)
    site.send("PATCH", site.path, {"dhcp_enabled": False})
    with site.client(1) as client, site.client(2) as reserved, site.client(3) as stranger:
        for step in (lambda: client.renew(lease), reserved.discover, stranger.discover):
            soon(step, NoAnswer)
        site.send("PATCH", site.path, {"dhcp_enabled": True})
        assert soon(lambda: client.renew(lease)).yiaddr == lease.yiaddr
        assert str(reserved.discover().reply.yiaddr) == site.ip(10)


def test_only_a_trusted_relay_is_served(site: Site) -> None:
    site.pool(100, 199)
    lease = site.lease(1)
    site.send("DELETE", f"/trusted-relays/{site.trust['id']}")
    with site.client(1) as client:
        soon(client.discover, NoAnswer)
        with pytest.raises(NoAnswer):
            client.renew(lease)
        site.post("/trusted-relays", cidr=f"{site.relay}/32")
        assert soon(lambda: client.renew(lease)).yiaddr == lease.yiaddr


def test_changed_options_and_times_are_sent(site: Site) -> None:
    """Of the subnet and of all subnets, the nearer one winning; in renewals too."""
    site.pool(100, 199)
    lease = site.lease(1)
    everywhere = site.post("/global-options", code=DNS, payload={"addresses": ["192.0.2.1"]})
    with site.client(1) as client:
        soon(lambda: saying(client.renew(lease), DNS, "192.0.2.1"))
        option = site.post(f"{site.path}/options", code=DNS, payload={"addresses": ["192.0.2.2"]})
        soon(lambda: saying(client.renew(lease), DNS, "192.0.2.2"))
        site.send("PATCH", f"/options/{option['id']}", {"payload": {"addresses": ["192.0.2.3"]}})
        soon(lambda: saying(client.renew(lease), DNS, "192.0.2.3"))
        site.send("DELETE", f"/options/{option['id']}")
        site.send("DELETE", f"/options/{everywhere['id']}")
        soon(lambda: saying(client.renew(lease), DNS))
        site.send("PATCH", site.path, {"gateway": site.ip(1)})
        soon(lambda: saying(client.renew(lease), ROUTER, site.ip(1)))
        site.send("PATCH", site.path, {"lease_time_seconds": 600})
        soon(lambda: saying(client.discover(), LEASE_TIME, "0.0.2.88"))


def test_a_custom_definition_says_what_is_sent(site: Site) -> None:
    """A code of the site's own, first of 16 and then of 32 bits; a vendor's member of option 43 for its clients.

    A definition that is in use keeps its layout, so the option goes before it changes and comes back after.
    """
    site.pool(100, 199)
    own = site.post("/option-definitions", code=231, name="lab-ports", kind="uint16", array=True)
    stored: dict[str, Any] = {"code": 231, "payload": {"values": [1, 258]}, "always_send": True}
    with site.client(1) as client:
        option = site.post(f"{site.path}/options", **stored)
        soon(lambda: carrying(client.discover(), 231, b"\0\1\1\2"))
        site.send("DELETE", f"/options/{option['id']}")
        soon(lambda: carrying(client.discover(), 231, None))
        site.send("PATCH", f"/option-definitions/{own['id']}", {"kind": "uint32"})
        site.post(f"{site.path}/options", **stored)
        soon(lambda: carrying(client.discover(), 231, b"\0\0\0\1\0\0\1\2"))
        site.post("/option-definitions", code=7, name="server", kind="address", vendor_space="lab phone")
        member = {"code": 7, "addresses": [site.ip(9)]}
        site.post(f"{site.path}/options", code=43, vendor_class="lab phone", payload={"suboptions": [member]})
        phone, sent = (60, b"lab phone 3"), b"\7\4" + IPv4Address(site.ip(9)).packed
        soon(lambda: carrying(client.discover(phone, (55, b"\x2b")), 43, sent))
        carrying(client.discover((60, b"other"), (55, b"\x2b")), 43, None)


def carrying(step: Step, code: int, data: bytes | None) -> Step:
    """The answer, if this option of it is just that."""
    if step.reply.options.get(code) != data:
        raise NotYetError(step.reply.options)
    return step


def test_a_lease_released_by_the_operator(site: Site) -> None:
    """Its client's next renewal is refused, and the pool's only address is free for the next one."""
    site.pool(100, 100)
    lease = site.lease(1)
    with site.client(1) as client, site.client(2) as following:
        with pytest.raises(NoAnswer):
            following.discover()
        site.release(lease)
        assert soon(following.discover).yiaddr == lease.yiaddr
        with pytest.raises(Refused):
            client.renew(lease)
        assert following.select(following.discover().reply).reply.yiaddr == lease.yiaddr


def test_a_released_lease_is_not_renewed_out_of_memory(site: Site) -> None:
    """Rule 18: within the first quarter of a lease a renewal costs no write, but not longer than the feed is old."""
    site.pool(100, 199)
    lease = site.lease(1)
    with site.client(1) as client:
        assert client.renew(lease).reply.yiaddr == lease.yiaddr
        site.release(lease)
        soon(lambda: client.renew(lease), Refused)
    assert site.state(lease.yiaddr) == "r"


def test_a_change_is_served_while_another_transaction_runs(site: Site) -> None:
    """A long transaction that began before the change holds the window of transaction ids open."""
    with held_transaction(site.dsn):
        site.pool(100, 199)
        lease = site.lease(1)
        option = site.post(f"{site.path}/options", code=DNS, payload={"addresses": ["192.0.2.4"]})
        with site.client(1) as client:
            soon(lambda: saying(client.renew(lease), DNS, "192.0.2.4"))
            site.send("DELETE", f"/options/{option['id']}")
            soon(lambda: saying(client.renew(lease), DNS))
            site.release(lease)
            soon(lambda: client.renew(lease), Refused)
