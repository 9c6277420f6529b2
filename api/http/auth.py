"""Authentication: the client's address, and the actor behind the token.

A token is looked up at most once a second; a revocation by this process counts at once. Until the first token exists
(decisions: Bootstrap) the operator of this machine may do everything and nobody else anything. That is judged by where
the request comes from (see forwarding), by the account that owns the other end of the connection, and by Host and
Origin, because a web page can point its own name at 127.0.0.1. A browser has the code that `ipam up` printed instead.
"""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from api.http.forwarding import Client, Headers, find_client, read_address, within
from ipam_core import bootstrap_code
from ipam_core.errors import Forbidden, Unauthorized
from ipam_core.model.actor import Actor, Outbound, Sealer
from ipam_core.model.token import hash_secret, well_formed
from ipam_core.model.values import Address
from ipam_core.processes import local_access
from ipam_core.services import tokens
from ipam_core.services.entity.entity import Row
from ipam_core.services.entity.notify import Announcer
from ipam_core.settings import Settings

CODE = "bootstrap-code"
"""The header of the one-time code."""
CACHE_SECONDS = 1.0
CACHE_SIZE = 10_000


Ends = tuple[tuple[str, int], tuple[str, int]]


def refuse_elsewhere(row: Row, address: Address | None) -> None:
    """Raise Forbidden where the token is bound to networks and the address lies in none of them."""
    if row["allowed_cidrs"] and not within(address, tuple(row["allowed_cidrs"])):
        raise Forbidden("this token may not be used from this address (allowed_cidrs)")


class Authenticator:
    """Turns a request's headers into an actor."""

    def __init__(
        self,
        pool: Any,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        sealer: Sealer | None = None,
        outbound: Outbound | None = None,
    ) -> None:
        self.pool = pool
        self.settings = settings
        self.clock = clock
        self.sealer = sealer
        self.outbound = outbound
        self.cache: dict[bytes, tuple[Row, float]] = {}
        self.has_tokens = False
        self.owner = local_access.owner
        self.announce = Announcer(pool)

    def client(self, peer: str | None, headers: Headers, reached: str | None = None) -> Client:
        believed = self.settings.forwarded_header
        return find_client(peer, headers, self.settings.trusted_proxies, believed, reached)

    async def identify(
        self,
        client: Client,
        headers: Headers,
        request_id: str,
        makes_token: bool = False,
        ends: Ends | None = None,
    ) -> Actor:
        """Identify the caller. `makes_token`: POST /tokens, which the host itself may send without loopback. `ends`: of
        the connection."""
        row = None
        if "authorization" in headers:
            row = await self.find_token(headers["authorization"])
        elif await self.bootstrapped():
            raise Unauthorized
        else:
            self.refuse_strangers(client, headers, makes_token, ends)
        return self.actor(row, client, request_id)

    def actor(self, row: Row | None, client: Client, request_id: str) -> Actor:
        limit = self.settings.managed_address_limit
        if row is None:
            return Actor(
                role="admin",
                bootstrap=True,
                remote_address=client.address,
                request_id=request_id,
                managed_address_limit=limit,
                sealer=self.sealer,
                outbound=self.outbound,
                announce=self.announce,
            )
        refuse_elsewhere(row, client.address)
        return Actor(
            role=row["role"],
            tenant_no=row["tenant_no"],
            tenant_id=row["tenant_id"] and str(row["tenant_id"]),
            token_no=row["no"],
            token_id=row["id"],
            token_name=row["name"],
            remote_address=client.address,
            request_id=request_id,
            managed_address_limit=limit,
            sealer=self.sealer,
            outbound=self.outbound,
            announce=self.announce,
        )

    async def find_token(self, authorization: str) -> Row:
        scheme, _, secret = authorization.partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not well_formed(secret):
            raise Unauthorized
        key = hash_secret(secret)
        row, until = self.cache.get(key, (None, 0.0))
        if row is None or until < self.clock():
            row = await self.look_up(key, secret)
        return row

    async def look_up(self, key: bytes, secret: str) -> Row:
        asked = self.clock()
        async with self.pool.acquire() as connection:
            row = await tokens.authenticate(connection, secret)
        if row is None:
            self.cache.pop(key, None)
            raise Unauthorized
        if len(self.cache) >= CACHE_SIZE:
            self.cache.clear()
        self.cache[key] = row, asked + CACHE_SECONDS
        self.has_tokens = True
        return row

    def forget(self, id_: str) -> None:
        """Forget a token that this process has changed, so that its next use is looked up."""
        changed = [key for key, (row, _) in self.cache.items() if row["id"] == UUID(id_)]
        for key in changed:
            del self.cache[key]

    async def bootstrapped(self) -> bool:
        """Return whether a token has ever existed; once it has, that is for ever."""
        if not self.has_tokens:
            async with self.pool.acquire() as connection:
                self.has_tokens = await tokens.any_exists(connection)
        return self.has_tokens

    def refuse_strangers(
        self, client: Client, headers: Headers, makes_token: bool, ends: Ends | None
    ) -> None:
        if not (client.local or (client.own and makes_token)):
            raise Forbidden("until the first token exists, only requests from this host are accepted")
        self.refuse_other_sites(headers)
        if CODE in headers:
            self.check_code(client, headers[CODE], makes_token)
        elif not local_access.is_operator(self.owner(*ends) if ends else None):
            raise Forbidden(
                "until the first token exists, only root and the service's account have access. Create a "
                "token as one of them with `ipam token create --name NAME --role admin`, or open the link "
                "that `ipam up` prints on a terminal"
            )

    def refuse_other_sites(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if not self.is_own_name(host_of(host)):
            raise Forbidden(
                "until the first token exists, the Host header must be a name of this host, such as localhost"
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Forbidden("until the first token exists, requests from other sites are refused")

    def check_code(self, client: Client, code: str, makes_token: bool) -> None:
        """Check the code, which replaces only the account that the browser may not run as."""
        if not (client.local and makes_token):
            raise Forbidden("the one-time code is accepted only for POST /tokens over loopback")
        if not bootstrap_code.accepts(self.settings.data_dir, code):
            raise Forbidden(
                "this one-time code is wrong or no longer valid (one hour, five attempts, one use). Restart "
                "`ipam up` for another, or run `ipam token create --name NAME --role admin` on this host"
            )

    def end_bootstrap(self) -> None:
        """End the bootstrap, because the first token was made."""
        bootstrap_code.withdraw(self.settings.data_dir)

    def is_own_name(self, name: str) -> bool:
        """Return a loopback name, or the one that is set; "any address" is not the name of this host."""
        address = read_address(name)
        if address is not None and (address.is_loopback or address.is_unspecified):
            return address.is_loopback
        return name == "localhost" or name.endswith(".localhost") or name == self.settings.api_listen.host


def host_of(authority: str) -> str:
    """Return the name in a Host header, without port and brackets, lower case."""
    try:
        return (urlsplit("//" + authority).hostname or "").lower()
    except ValueError:
        return ""
