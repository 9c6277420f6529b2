"""Secure updates of an Active Directory's zones: Samba's, which takes no DHCID and signs refusals such that nobody can
verify them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.memory_folder import memory_folder
from peers import kerberos
from peers.active_directory import OTHER, PRINCIPAL, REALM, Controller, inside, provisioned
from peers.servers import Peer
from peers.test_ddns_servers import ALICE, BOB, FORWARD, GUARD, HERE, NAME, change, server
from peers.test_leases_to_servers import POINTER, network
from system.namespaces import Network
from workers.site import Site

from ipam_core.dns.dhcid import as_text, dhcid, identities
from ipam_core.workers.adapters import NameConflict, Refused
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig
from ipam_core.workers.adapters.bind_tsig import BY_TEXT, BindTsig
from ipam_core.workers.adapters.update import TEXT_MARK

pytestmark = [pytest.mark.peers, *map(pytest.mark.peer, ("namespaces", "samba", "gssapi"))]

KINDS = ("A", "AAAA", "TXT")


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    kerberos.gssapi_path(tmp_path_factory.mktemp("packages"))
    with (
        Network() as network,
        tempfile.TemporaryDirectory(prefix="ipam-test-", dir=memory_folder()) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        found = provisioned(network.namespace("dc"), Path(folder))
        patch.setenv("KRB5_CONFIG", str(found.krb5_conf))
        yield found


@pytest.fixture(autouse=True)
def within(controller: Controller) -> Iterator[None]:
    with inside(controller.namespace):
        yield


def adapter(controller: Controller, **more: Any) -> AdGssTsig:
    none = {"key_name": None, "key_algorithm": None, "port": None}
    return AdGssTsig(server(controller.peer, **none, **controller.fields(**more)), None, GUARD, HERE)


async def seen(peer: Peer, name: str = NAME) -> dict[str, set[str]]:
    return {kind: await peer.ask(name, kind) for kind in KINDS}


def mark(who: Any) -> set[str]:
    return {f'"{TEXT_MARK}{as_text(dhcid(who, NAME))}"'}


def of(who: Any, ip: str, **more: Any) -> Any:
    """The domain has no reverse zone of IPv6."""
    zones = {"reverse_zone": None} if ":" in ip else {}
    return change(who, ip, **zones, **more)


async def test_a_name_comes_moves_and_goes(controller: Controller) -> None:
    peer, one = controller.peer, adapter(controller)
    await one.add(of(ALICE, "10.20.1.5"))
    assert await seen(peer) == {"A": {"10.20.1.5"}, "AAAA": set(), "TXT": mark(ALICE)}
    assert await peer.ask(POINTER, "PTR") == {f"{NAME}."}
    await one.add(of(ALICE, "10.20.1.6"))
    await one.add(of(ALICE, "2001:db8::6"))
    assert await seen(peer) == {"A": {"10.20.1.6"}, "AAAA": {"2001:db8::6"}, "TXT": mark(ALICE)}
    with pytest.raises(NameConflict):
        await one.add(of(BOB, "10.20.1.7"))
    await one.remove(of(BOB, "10.20.1.6"))
    assert (await seen(peer))["A"] == {"10.20.1.6"}
    assert one.negotiations == 1
    await one.close()
    # A worker that starts anew does not know yet how names are marked.
    other = adapter(controller)
    await other.remove(of(ALICE, "10.20.1.6", keeps_name=True))
    assert await seen(peer) == {"A": set(), "AAAA": {"2001:db8::6"}, "TXT": mark(ALICE)}
    await other.remove(of(ALICE, "2001:db8::6"))
    assert await seen(peer) == {"A": set(), "AAAA": set(), "TXT": set()}
    await other.add(of(ALICE, "10.20.1.5"))
    await other.remove(of(ALICE, "10.20.1.5"))
    assert await seen(peer) == {"A": set(), "AAAA": set(), "TXT": set()}
    assert await peer.ask(POINTER, "PTR") == set()
    await other.close()


async def test_it_tells_how_names_are_marked_and_what_is_wrong(controller: Controller) -> None:
    one = adapter(controller)
    tested = await one.test([FORWARD])
    assert (tested.ok, tested.takes_dhcid) == (True, False), tested
    told = {step.name: step.detail for step in tested.steps}
    assert told["DHCID records"] == BY_TEXT
    assert told["Kerberos"].startswith(f"{PRINCIPAL}@{REALM} for DNS/localhost@{REALM}")
    assert told["unsigned updates"] == "refused (REFUSED), as required"
    assert one.updates.marks.by_text
    tested = await one.test(["elsewhere.example"])
    assert not tested.ok
    await one.close()
    plain = BindTsig(server(controller.peer, port=None, key_name=None), None, GUARD, HERE)
    with pytest.raises(Refused, match="REFUSED"):
        await plain.add(of(ALICE, "10.20.1.5"))


async def test_names_of_others_are_guarded_by_their_access_rights(controller: Controller) -> None:
    """A plain account may make names, and change none that it has not made."""
    ours, theirs = adapter(controller), adapter(controller, principal=f"{OTHER}@{REALM}")
    bare: dict[str, Any] = {"conflict_mode": "no_check_without_dhcid", "reverse_zone": None}
    await ours.add(of(ALICE, "10.20.1.5", **bare))
    with pytest.raises(Refused, match="REFUSED"):
        await theirs.add(of(BOB, "10.20.1.6", **bare))
    assert (await seen(controller.peer))["A"] == {"10.20.1.5"}
    await ours.remove(of(ALICE, "10.20.1.5", **bare))
    for one in (ours, theirs):
        await one.close()


async def test_records_come_with_a_lease_and_go_with_its_release(
    controller: Controller, admin: httpx.AsyncClient, make: Any, site: Site
) -> None:
    peer = controller.peer
    ids = await network(make, name="dc", **controller.fields())
    tested = (await admin.post(f"/dns-servers/{ids['server']}/test")).json()
    assert (tested["ok"], tested["takes_dhcid"]) == (True, False), tested
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.settle()
    (known,) = identities(1, bytes.fromhex("020000000001"), None, None)
    assert await seen(peer) == {"A": {"10.20.1.5"}, "AAAA": set(), "TXT": mark(known)}, await site.states()
    assert await peer.ask(POINTER, "PTR") == {f"{NAME}."}
    path = f"/dns-zones/{ids[FORWARD]}/reconcile"
    told = (await admin.post(path, json={"dry_run": True})).json()
    assert (told["complete"], told["in_order"], told["missing"]) == (False, 1, []), told
    await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
    await site.settle()
    assert await seen(peer) == {"A": set(), "AAAA": set(), "TXT": set()}
    assert await peer.ask(POINTER, "PTR") == set()
