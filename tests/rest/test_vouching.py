"""Who vouches for a destination that a tenant wrote: an operator who replaces the target, and nobody who edits another
field of it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import asyncpg
import httpx
import pytest

from ipam_core.model.base import Command
from ipam_core.model.dns_server import DnsServerFields
from ipam_core.model.notification import NotificationFields
from ipam_core.model.webhook import WebhookFields, new_secret
from ipam_core.outbound.mail import MailServer

Fields = Mapping[str, Any]


class Case(NamedTuple):
    """An object that a tenant made, edits that leave a target of it, and one that replaces them all."""

    family: str
    made: Fields
    edits: tuple[Fields, ...]
    replaced: Fields


CASES = {
    "webhook": Case(
        "webhooks",
        {"url": "https://hook.example/x"},
        ({"description": "x"}, {"events": ["lease.granted"]}, {"enabled": False}, {"secret": new_secret()}),
        {"url": "https://hook.example/y"},
    ),
    "chat": Case(
        "notifications",
        {"name": "n", "kind": "slack", "url": "https://chat.example/x"},
        (
            *({"name": "x"}, {"description": "x"}, {"enabled": False}, {"kind": "mattermost"}),
            *({"events": ["pool.exhausted"]}, {"severity": "critical"}),
            *({"networks": ["10.0.0.0/8"]}, {"zones": ["example.net"]}),
        ),
        {"kind": "mail", "url": None, "recipients": ["noc@acme.example"]},
    ),
    "ntfy": Case(
        "notifications",
        {"name": "n", "kind": "ntfy", "url": "https://ntfy.example/", "topic": "t"},
        ({"topic": "u"}, {"priority": 5}, {"kind": "slack", "topic": None, "priority": None}),
        {"url": "https://ntfy.example/T0"},
    ),
    "mail": Case(
        "notifications",
        {"name": "n", "kind": "mail", "recipients": ["noc@acme.example", "desk@acme.example"]},
        ({"recipients": ["boss@acme.example", "desk@acme.example"]}, {"severity": "warning"}),
        {"recipients": ["noc@other.example"]},
    ),
    "tsig": Case(
        "dns-servers",
        {"name": "s", "adapter": "bind_tsig", "address": "ns.example"},
        (
            *({"name": "x"}, {"description": "x"}, {"port": 54}, {"key_name": "k"}, {"secret": "c2VjcmV0"}),
            {"key_algorithm": "hmac-sha512", "secret": "c2VjcmV0"},
            {
                "adapter": "powerdns_http",
                "url": "https://ns.example/",
                "server_id": "a",
                "secret": "c2VjcmV0",
            },
        ),
        {"address": "ns2.example", "url": "https://ns2.example/", "secret": "c2VjcmV0"},
    ),
    "kerberos": Case(
        "dns-servers",
        {
            "name": "s",
            "adapter": "ad_gsstsig",
            "address": "dc.example",
            "principal": "svc@EXAMPLE",
            "realm": "EXAMPLE",
            "secret": "x",
        },
        ({"address": "dc2.example", "secret": "x"}, {"principal": "other@EXAMPLE", "secret": "x"}),
        {"address": "dc3.example", "principal": "svc@OTHER", "realm": "OTHER", "secret": "x"},
    ),
}
COMMANDS: Mapping[str, type[Command]] = {
    "webhooks": WebhookFields,
    "notifications": NotificationFields,
    "dns-servers": DnsServerFields,
}
OF_OPERATORS = {"keytab", "ticket_cache"}
"""Files of the workers' host, which a tenant cannot name."""


def test_every_field_is_edited() -> None:
    for family, command in COMMANDS.items():
        cases = [case for case in CASES.values() if case.family == family]
        edited = {name for case in cases for each in (*case.edits, case.replaced) for name in each}
        assert edited == set(command.__struct_fields__) - OF_OPERATORS


@pytest.fixture
async def of_default_tenant(
    connect: Callable[..., httpx.AsyncClient], admin: httpx.AsyncClient, make: Any, app: Any
) -> httpx.AsyncClient:
    """An admin of the default tenant, whose objects only count as a tenant's by who wrote them."""
    app.authenticator.outbound.mail = MailServer(domains=("acme.example",))
    (tenant,) = (await admin.get("/tenants")).json()["items"]
    return connect((await make("/tokens", name="t", role="admin", tenant_id=tenant["id"]))["token"])


@pytest.mark.parametrize("name", CASES)
async def test_an_operator_vouches_for_the_targets_that_it_writes(
    admin: httpx.AsyncClient, of_default_tenant: httpx.AsyncClient, pool: asyncpg.Pool, name: str
) -> None:
    family, made, edits, replaced = CASES[name]
    answer = await of_default_tenant.post(f"/{family}", json=made)
    assert answer.status_code == 201, answer.text
    item = f"/{family}/{answer.json()['id']}"

    async def edited(fields: Fields) -> bool:
        answer = await admin.patch(item, json=fields)
        assert answer.status_code == 200, answer.text
        found: bool = await pool.fetchval(f"select by_tenant from {family[:-1].replace('-', '_')}")
        return found

    assert [await edited(each) for each in edits] == [True] * len(edits)
    assert not await edited(replaced)
