"""The host that answers, of the several that a database URL may name.

asyncpg tries them in their order under one time limit for all. So a silent first host keeps the second from being
found: it is frozen, powered off, or behind a filter that drops packets, and neither a reset nor an ICMP message comes
back. Here the next host is tried as well when those before it have not answered within a second or so, and the first
session that is made wins. None is given up before the limit: a host that is merely slow still has its chance. Meanwhile
those that said no are asked again: while a frozen primary is waited for, one of them becomes its successor.

The host that answered last is asked first, so that the silent one costs its second once and not with each session.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg

from ipam_core.db.asyncpg_internals import Host, Session, Target, read_target
from ipam_core.db.outage import FAILED
from ipam_core.db.unreached import NO_FILE, Attempt, why
from ipam_core.setting_values import UNREADABLE_URL

CONNECT_SECONDS = 5.0
HEAD_START_SECONDS = 1.2
AGAIN_SECONDS = 0.25
PREFER_STANDBY = "prefer-standby"
SETTING = "database_url"

last_good: dict[tuple[Host, ...], Host] = {}


# Errors of a single host, which callers distinguish.
ANSWERED = (asyncpg.PostgresError, asyncpg.InterfaceError)


class NoHostError(ConnectionError):
    """None of the hosts gave a session; the text names each and why."""


class Wanted(NamedTuple):
    """The hosts and the session that is wanted of them, and the setting that has the URL."""

    target: Target
    setting: str

    @property
    def hosts(self) -> tuple[Host, ...]:
        return self.target.hosts

    def why(self, host: Host, error: BaseException | None) -> str:
        _, _, role, database, has_password = self.target
        return why(error, Attempt(name(host), role, database, has_password, self.setting, CONNECT_SECONDS))


async def find(dsn: str | None, options: dict[str, Any], setting: str = SETTING) -> asyncpg.Connection:
    """Return a session on the first host that gives one. `options` are those of asyncpg.connect; `setting` has the URL.

    Raises the host's own error where there is one host and it answered, else NoHostError; ClientConfigurationError
    where the URL is wrong. A note of each has the remedy (unreached.py).
    """
    wanted = read_wanted(dsn, options, setting)
    if wanted.target.wish != PREFER_STANDBY:
        return await search(wanted, dsn, options)
    try:
        return await search(wanted, dsn, options | {"target_session_attrs": "standby"})
    except (NoHostError, asyncpg.TargetServerAttributeNotMatched):
        return await search(wanted, dsn, options | {"target_session_attrs": "any"})


async def search(wanted: Wanted, dsn: str | None, options: dict[str, Any]) -> asyncpg.Connection:
    async def attempt(host: Host) -> asyncpg.Connection:
        its = options | address_of(host) | {"connection_class": Session}  # a pool sets another
        return await asyncpg.connect(dsn, timeout=CONNECT_SECONDS, **its)

    race = Race(preferred(wanted.hosts), attempt)
    if not await race.run():
        raise failure(wanted, race.errors)
    last_good[wanted.hosts], session = race.winners[0]
    return session


def failure(wanted: Wanted, errors: dict[Host, BaseException]) -> Exception:
    told = "; ".join(wanted.why(host, errors.get(host)) for host in wanted.hosts)
    only = errors.get(wanted.hosts[0])
    if len(wanted.hosts) == 1 and isinstance(only, Exception) and isinstance(only, ANSWERED):
        return noted(only, told)
    return NoHostError(told)


def noted(error: Exception, told: str) -> Exception:
    """Return the error with the sentence for people as its only note; a host may be asked several times."""
    error.__notes__ = [told]
    return error


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
        """Return whether there is a winner."""
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
    """Close a session that came after another had won."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().terminate()


def read_wanted(dsn: str | None, options: dict[str, Any], setting: str) -> Wanted:
    """Return what is wanted. asyncpg's errors about a URL repeat parts of it, which may be parts of the password."""
    try:
        return Wanted(read_target(dsn, options), setting)
    except asyncpg.ClientConfigurationError as error:
        raise noted(error, f"{setting}: {error}") from None
    except OSError as error:
        raise NoHostError(NO_FILE.format(setting=setting, message=error.strerror or error)) from None
    except ValueError:
        raise noted(asyncpg.ClientConfigurationError(UNREADABLE_URL), f"{setting} {UNREADABLE_URL}") from None


def address_of(host: Host) -> dict[str, Any]:
    """Return the host as asyncpg's options; those win over the URL's."""
    if isinstance(host, str):
        return {"host": host, "port": int(host.rpartition(".")[2])}
    return {"host": host[0], "port": host[1]}


def preferred(hosts: tuple[Host, ...]) -> list[Host]:
    good = last_good.get(hosts)
    return sorted(hosts, key=lambda host: host != good)


def name(host: Host) -> str:
    return host if isinstance(host, str) else f"{host[0]}:{host[1]}"
