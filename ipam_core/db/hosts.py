"""The host that answers, of the several that a database URL may name.

asyncpg tries them in their order under one time limit for all, so a first host that says nothing (frozen, powered off,
behind a filter that drops its packets: neither a reset nor an ICMP message comes back) keeps the second from being
found. Here the next host is tried as well when those before it have not answered within a second or so, and the first
session that is made wins. None is given up before the limit: a host that is merely slow still has its chance. Meanwhile
those that said no are asked again: while a frozen primary is waited for, one of them becomes its successor.

The host that answered last is asked first, so that the silent one costs its second once and not with each session.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from ipam_core.db.asyncpg_internals import Host, read_hosts
from ipam_core.db.outage import FAILED, reason

CONNECT_SECONDS = 5.0
HEAD_START_SECONDS = 1.2
AGAIN_SECONDS = 0.25
PREFER_STANDBY = "prefer-standby"

last_good: dict[tuple[Host, ...], Host] = {}


# A single host's own errors, which callers tell apart.
ANSWERED = (asyncpg.PostgresError, asyncpg.InterfaceError)


class NoHostError(ConnectionError):
    """None of the hosts gave a session; the text names each and why."""


async def find(dsn: str | None, options: dict[str, Any]) -> asyncpg.Connection:
    """A session on the first host that gives one. `options` are those of asyncpg.connect.

    Raises the host's own error where there is one host and it answered, else NoHostError; ClientConfigurationError
    where the URL is wrong.
    """
    hosts, wish = read_hosts(dsn, options)
    if wish != PREFER_STANDBY:
        return await search(hosts, dsn, options)
    try:
        return await search(hosts, dsn, options | {"target_session_attrs": "standby"})
    except (NoHostError, asyncpg.TargetServerAttributeNotMatched):
        return await search(hosts, dsn, options | {"target_session_attrs": "any"})


async def search(hosts: tuple[Host, ...], dsn: str | None, options: dict[str, Any]) -> asyncpg.Connection:
    async def attempt(host: Host) -> asyncpg.Connection:
        return await asyncpg.connect(dsn, timeout=CONNECT_SECONDS, **options | address_of(host))

    race = Race(preferred(hosts), attempt)
    if not await race.run():
        raise failure(hosts, race.errors)
    last_good[hosts], session = race.winners[0]
    return session


def failure(hosts: tuple[Host, ...], errors: dict[Host, BaseException]) -> Exception:
    only = errors.get(hosts[0])
    if len(hosts) == 1 and isinstance(only, Exception) and isinstance(only, ANSWERED):
        return only
    return NoHostError("; ".join(f"{name(host)}: {told(errors.get(host))}" for host in hosts))


class Race:
    """Attempts at the hosts, each begun when those before it have failed or had their head start."""

    def __init__(self, hosts: list[Host], attempt: Callable[[Host], Awaitable[asyncpg.Connection]]) -> None:
        self.waiting = hosts
        self.head_start = min(HEAD_START_SECONDS, CONNECT_SECONDS / (len(hosts) + 1))
        self.attempt = attempt
        self.attempts: dict[asyncio.Future[asyncpg.Connection], Host] = {}
        self.winners: list[tuple[Host, asyncpg.Connection]] = []
        self.errors: dict[Host, BaseException] = {}
        self.refused: list[Host] = []  # since they were asked last

    async def run(self) -> bool:
        """Whether there is a winner."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                while not self.winners and (self.waiting or self.attempts):
                    await self.step()
        except TimeoutError:
            return False
        finally:
            self.close_losers()
        return bool(self.winners)

    async def step(self) -> None:
        if self.waiting:
            host = self.waiting.pop(0)
            self.attempts[asyncio.ensure_future(self.attempt(host))] = host
        limit = self.head_start if self.waiting else AGAIN_SECONDS
        done, _ = await asyncio.wait(self.attempts, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            self.note(self.attempts.pop(ended), ended)
        if not done and not self.waiting:
            self.waiting, self.refused = self.refused, []

    def note(self, host: Host, ended: "asyncio.Future[asyncpg.Connection]") -> None:
        error = ended.exception()
        if error is None:
            self.winners.append((host, ended.result()))
            return
        self.errors[host] = error
        self.refused.append(host)
        if not isinstance(error, FAILED):  # a defect, no host that is away
            raise error

    def close_losers(self) -> None:
        for _, session in self.winners[1:]:
            session.terminate()
        for attempt in self.attempts:
            attempt.add_done_callback(close)
            attempt.cancel()


def close(attempt: "asyncio.Future[asyncpg.Connection]") -> None:
    """A session that came after another had won."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().terminate()


def address_of(host: Host) -> dict[str, Any]:
    """The host as asyncpg's options; those win over the URL's."""
    if isinstance(host, str):
        return {"host": host, "port": int(host.rpartition(".")[2])}
    return {"host": host[0], "port": host[1]}


def preferred(hosts: tuple[Host, ...]) -> list[Host]:
    good = last_good.get(hosts)
    return sorted(hosts, key=lambda host: host != good)


def name(host: Host) -> str:
    return host if isinstance(host, str) else f"{host[0]}:{host[1]}"


def told(error: BaseException | None) -> str:
    """Why a host gave no session."""
    if error is None or isinstance(error, TimeoutError):
        return f"no answer within {CONNECT_SECONDS:g} s"
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return "does not match target_session_attrs"
    return reason(error)
