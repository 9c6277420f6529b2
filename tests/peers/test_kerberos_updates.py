"""GSS-TSIG to a real BIND with a real Kerberos realm: what is signed, how long that lasts, what is wrong in words."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from outage.processes import Role
from peers import kerberos
from peers.kerberos import IPAM, PASSWORD, REALM, SHORT, STRANGER, TICKET_SECONDS, TYPED, Realm
from peers.servers import SECRET, Peer
from peers.test_ddns_servers import (
    ALICE,
    FORWARD,
    GUARD,
    HERE,
    REVERSE,
    change,
    comes_moves_and_goes,
    is_its_first_clients,
    seen,
    server,
)
from peers.test_leases_to_servers import NAME, POINTER, expected, network
from ports import free_port
from system.peers import program
from workers.site import Site

from ipam_core.workers.adapters import Refused, Unreachable
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig
from ipam_core.workers.adapters.bind_tsig import CLOCKS, BindTsig

pytestmark = [pytest.mark.peers, *map(pytest.mark.peer, ("named", "krb5kdc", "gssapi"))]

SECONDS = 30.0
REVERSE6 = "8.b.d.0.1.0.0.2.ip6.arpa"


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    folder = tmp_path_factory.mktemp("realm")
    with kerberos.realm(folder) as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRB5_CONFIG", str(found.krb5_conf))
        yield found


@pytest.fixture(scope="module", autouse=True)
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a process must have on its path beside the environment's packages."""
    return kerberos.gssapi_path(tmp_path_factory.mktemp("packages"))


def adapter(realm: Realm, secret: str | None = None, **more: Any) -> AdGssTsig:
    none = {"key_name": None, "key_algorithm": None}
    return AdGssTsig(server(realm.peer, **none, **realm.fields(**more)), secret, GUARD, HERE)


async def words_of(adapter: AdGssTsig, zones: tuple[str, ...] = (FORWARD,)) -> str:
    """What a test says that fails."""
    tested = await adapter.test(list(zones))
    assert not tested.ok, tested
    await adapter.close()
    return " / ".join(step.detail for step in tested.steps)


async def test_a_name_comes_moves_and_goes(realm: Realm) -> None:
    await comes_moves_and_goes(realm.peer, adapter(realm))


async def test_a_name_is_its_first_clients(realm: Realm) -> None:
    await is_its_first_clients(realm.peer, adapter(realm))


async def test_a_context_signs_many_updates_and_is_made_anew_when_the_server_forgot_it(realm: Realm) -> None:
    with kerberos.named(realm.folder, name="forgetful") as port:
        peer, one = Peer("named", port), adapter(realm, port=port)
        changes = [change(ALICE, f"10.20.2.{n}", fqdn=f"many{n}.{FORWARD}") for n in range(40)]
        await asyncio.gather(*(one.add(each) for each in changes))
        assert await peer.ask(f"many39.{FORWARD}", "A") == {"10.20.2.39"}
        assert one.negotiations == 1
    with kerberos.named(realm.folder, name="forgetful", port=port):
        await asyncio.gather(*(one.add(each) for each in changes))
        assert await peer.ask(f"many39.{FORWARD}", "A") == {"10.20.2.39"}
        assert one.negotiations == 2
    with pytest.raises(Unreachable, match="cannot be reached"):
        await one.add(changes[0])
    await one.close()


async def test_tickets_that_end_are_renewed_meanwhile(realm: Realm) -> None:
    """Updates go on through the ends of several tickets."""
    one = adapter(realm, principal=SHORT)
    loop = asyncio.get_running_loop()
    began = loop.time()
    number = 0
    async with asyncio.timeout(SECONDS):
        while one.negotiations < 3:
            number += 1
            await one.add(change(ALICE, f"10.20.1.{number % 200 + 1}"))
    assert loop.time() - began > TICKET_SECONDS
    assert number > one.negotiations
    await one.remove(change(ALICE, f"10.20.1.{number % 200 + 1}"))
    await one.close()


async def test_a_ticket_cache_is_read_anew(realm: Realm, tmp_path: Path) -> None:
    """Whoever fills it does so beside us; the ticket that has ended is said."""
    import gssapi

    cache = tmp_path / "tickets"
    one = adapter(realm, keytab=None, principal=None, ticket_cache=str(cache))
    with pytest.raises(Refused, match=f"no ticket cache {cache}"):
        await one.add(change(ALICE, "10.20.1.5"))

    def fill(principal: str) -> None:
        name = gssapi.Name(f"{principal}@{REALM}", gssapi.NameType.kerberos_principal)
        store = {"client_keytab": realm.keytab, "ccache": f"FILE:{cache}"}
        cache.unlink(missing_ok=True)
        gssapi.Credentials(name=name, usage="initiate", store=store)

    fill(SHORT)
    await one.add(change(ALICE, "10.20.1.5"))

    async def go_on() -> None:
        async with asyncio.timeout(SECONDS):
            while True:
                await one.add(change(ALICE, "10.20.1.5"))

    with pytest.raises(Refused, match="has expired"):
        await go_on()
    fill(IPAM)
    await one.remove(change(ALICE, "10.20.1.5"))
    assert (await seen(realm.peer))["A"] == set()
    await one.close()


async def test_a_password_serves_too(realm: Realm) -> None:
    one = adapter(realm, PASSWORD, keytab=None, principal=TYPED)
    tested = await one.test([FORWARD, REVERSE])
    assert tested.ok, tested
    assert tested.takes_dhcid
    told = {step.name: step.detail for step in tested.steps}
    assert told["Kerberos"].startswith(f"{TYPED}@{REALM} for DNS/localhost@{REALM}")
    assert told["unsigned updates"] == "refused (REFUSED), as required"
    await one.close()
    said = await words_of(adapter(realm, "wrong", keytab=None, principal=TYPED))
    assert said == f"the KDC refuses the key or password of {TYPED}@{REALM}: it has changed"


async def test_what_is_wrong_is_said(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = await words_of(adapter(realm, keytab="/nowhere/ipam.keytab"))
    assert said == "there is no keytab /nowhere/ipam.keytab on this host"
    said = await words_of(adapter(realm, principal="nobody"))
    assert f"has no key of nobody@{REALM}, but of {IPAM}@{REALM}, " in said
    said = await words_of(adapter(realm, address="elsewhere.bind.example"))
    assert f"the KDC knows no server DNS/elsewhere.bind.example@{REALM}: address must be the name" in said
    said = await words_of(adapter(realm, principal=STRANGER))
    assert "its policy does not allow this key, account or address for the name (REFUSED)" in said
    said = await words_of(adapter(realm), ("elsewhere.example",))
    assert "is not authoritative for the zone" in said
    said = await words_of(adapter(realm, principal=TYPED, keytab=None), ())
    assert "neither a keytab nor a ticket_cache" in said
    with pytest.raises(Refused, match=r"tickets are issued for names: 127\.0\.0\.1 is none"):
        adapter(realm, address="127.0.0.1")
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
        assert "a temporary folder for tickets cannot" in await words_of(adapter(realm))
    # No key that would sign.
    plain = BindTsig(server(realm.peer, key_name=None), None, GUARD, HERE)
    with pytest.raises(Refused, match="REFUSED"):
        await plain.add(change(ALICE, "10.20.1.5"))


@pytest.mark.parametrize(
    ("keytab", "words"),
    [
        (
            "ipam.keytab",
            f"refuses the ticket (BADKEY): it has another key for DNS/localhost@{REALM}, or",
        ),
        ("", "refuses to negotiate keys (REFUSED)"),
    ],
)
async def test_a_server_that_is_not_set_up(realm: Realm, keytab: str, words: str) -> None:
    with kerberos.named(realm.folder, name="other", keytab=keytab) as port:
        assert words in await words_of(adapter(realm, port=port))


async def test_a_kdc_that_is_not_there(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the library waits, the loop does not."""
    config = tmp_path / "krb5.conf"
    kerberos.write_krb5(config, REALM, f"127.0.0.1:{free_port()}")
    monkeypatch.setenv("KRB5_CONFIG", str(config))
    one = adapter(realm)
    longest = 0.0
    loop = asyncio.get_running_loop()
    trying = asyncio.create_task(one.test([FORWARD]))
    while not trying.done():
        began = loop.time()
        await asyncio.sleep(0.01)
        longest = max(longest, loop.time() - began)
    assert [step.detail for step in (await trying).steps] == [
        f"no KDC of the realm of {IPAM}@{REALM} can be reached"
    ]
    assert longest < 0.5
    await one.close()


TRY = """
import asyncio, sys, msgspec
from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig
from ipam_core.workers.adapters.bind_tsig import CLOCKS, BindTsig

HERE = Reach(on_host=True)

async def tried(adapter):
    return (await adapter.test([sys.argv[1]])).steps

kerberos, shared = (msgspec.json.decode(each, type=DnsServer) for each in sys.argv[2:4])
for adapter in AdGssTsig(kerberos, None, Guard(), HERE), BindTsig(shared, sys.argv[4], Guard(), HERE):
    print(*(step.detail for step in asyncio.run(tried(adapter))), sep=" / ")
"""


@pytest.mark.peer("faketime")
async def test_clocks_that_differ(realm: Realm, packages: Path) -> None:
    """Where ours is an hour behind. Kerberos makes up for that by what its KDC says; signatures bear the time."""
    models = (server(realm.peer, **realm.fields()), server(realm.peer))
    told = [FORWARD, *(msgspec.json.encode(each).decode() for each in models), SECRET]
    variables = {**os.environ, "PYTHONPATH": str(packages), **an_hour_ago()}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", TRY, *told, env=variables, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    with_kerberos, with_key = said.decode().splitlines()
    assert f"{IPAM}@{REALM} for DNS/localhost@{REALM}" in with_kerberos
    assert CLOCKS in with_kerberos
    assert with_key == CLOCKS


def an_hour_ago() -> dict[str, str]:
    """BIND itself and its allocator do not get on with it."""
    library = next(program("faketime").parents[2].glob("usr/lib/*/faketime/libfaketime.so.1"))
    return {"LD_PRELOAD": str(library), "FAKETIME": "-1h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


async def test_records_come_with_a_lease_and_go_with_its_release(
    realm: Realm, packages: Path, make: Any, site: Site, database: str, tmp_path: Path
) -> None:
    """Through `ipam worker`, of both families."""
    await network(make, name="kerberos", **realm.fields())
    await make("/dns-zones", name=REVERSE6, dns_server_id=(await server_id(site)))
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    await make(
        "/subnets", prefix_id=prefix["id"], cidr="2001:db8::/64", ddns_enabled=True, ddns_domain=FORWARD
    )
    worker = Role(tmp_path, "worker", database_url=database)
    worker.environment["KRB5_CONFIG"] = str(realm.krb5_conf)
    worker.environment["PYTHONPATH"] = str(packages)
    with worker:
        worker.ready()
        await site.lease("10.20.1.5", "laptop", mac="020000000001")
        wanted = expected("020000000001")
        await until(realm.peer, wanted)
        await site.lease("2001:db8::5", "desk", mac="", duid="00030001020000000002")
        await until(realm.peer, {"AAAA": {"2001:db8::5"}}, f"desk.{FORWARD}")
        await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
        await site.lease("2001:db8::5", "desk", mac="", duid="00030001020000000002", state="r")
        await until(realm.peer, {"A": set(), "DHCID": set(), "PTR": set()})
        await until(realm.peer, {"AAAA": set(), "DHCID": set()}, f"desk.{FORWARD}")


async def server_id(site: Site) -> str:
    return str(await site.pool.fetchval("select id from dns_server"))


async def until(peer: Peer, wanted: dict[str, set[str]], name: str = NAME) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            found = {kind: await peer.ask(POINTER if kind == "PTR" else name, kind) for kind in wanted}
            if found == wanted:
                return
            await asyncio.sleep(0.05)


async def test_the_api_tries_and_compares(realm: Realm, admin: Any, make: Any, site: Site) -> None:
    ids = await network(make, name="kerberos", **realm.fields())
    tested = (await admin.post(f"/dns-servers/{ids['server']}/test")).json()
    assert (tested["ok"], tested["takes_dhcid"]) == (True, True), tested
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.settle()
    told = (await admin.post(f"/dns-zones/{ids[FORWARD]}/reconcile", json={"dry_run": True})).json()
    assert (told["complete"], told["in_order"], told["missing"]) == (True, 1, []), told
    await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
    await site.settle()
    assert await realm.peer.ask(NAME, "A") == set()
