"""Interfaces and addresses that the settings name: bound while they exist, and reported while they
do not (decisions: Interfaces).
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import structlog

from dhcp_fast.net.links import Link, Links
from dhcp_fast.net.listen import MISSING, addresses_of, interfaces_of, missing_addresses
from ipam_core.settings import Settings

STRICT = (
    "rp_filter is strict on interface {0}: the kernel drops packets of clients with an address of another network; "
    "set net.ipv4.conf.{0}.rp_filter and net.ipv4.conf.all.rp_filter to 0"
)
DUPLICATE = "interface {}: another machine on the link has {}, and the kernel does not use it here"

log = structlog.get_logger()


class Binder(Protocol):
    """Interface of the holder of sockets of interfaces."""

    def is_bound(self, interface: str) -> bool:
        """Return whether it is served now."""

    def bind(self, interface: str) -> None:
        """Serve it with a new socket. Raises OSError."""

    def rest(self, interface: str) -> None:
        """Serve it no more, if it was served."""


class Wires:
    """Links of one family. `follow` the links, and ask for `warnings`."""

    def __init__(self, settings: Settings, family: int, binder: Binder, links: Links) -> None:
        self.family = family
        self.names = interfaces_of(settings, family)
        self.addresses = addresses_of(settings, family)
        self.binder = binder
        self.bound = {
            name: generation(links.by_name[name], family)
            for name in self.names
            if not links.fault(name, family) and binder.is_bound(name)
        }
        self.faults: dict[str, str] = {}  # by interface
        self.missing: list[str] = []  # addresses
        self.strict: list[str] = []  # interfaces
        self.duplicates: list[str] = []  # warnings

    def follow(self, links: Links) -> None:
        self.missing = noted(self.missing, missing_addresses(self.addresses), "address not served yet")
        faults = {name: fault for name in self.names if (fault := self.tend(name, links))}
        for name in self.names:
            tell(name, self.faults.get(name, ""), faults.get(name, ""))
        self.faults = faults
        strict = [name for name in self.names if name in links.by_name and links.by_name[name].strict]
        self.strict = noted(self.strict, strict if self.family == 4 else [], "rp_filter is strict")
        duplicates = [DUPLICATE.format(*each) for each in self.found_twice(links)]
        self.duplicates = noted(self.duplicates, duplicates, "duplicate address")

    def found_twice(self, links: Links) -> Iterator[tuple[str, object]]:
        """Yield interface and address of IPv6 that another machine on the link has."""
        for name in self.names if self.family == 6 else ():
            if name in links.by_name and name not in self.faults:
                for address in links.by_name[name].duplicates:
                    yield name, address

    def tend(self, name: str, links: Links) -> str:
        """Bind the interface if it is to be bound anew; why it is not served, empty where it is. Of several names of
        one interface the first is served: two sockets would answer each client twice."""
        fault = links.fault(name, self.family)
        if not fault and (first := links.another_name(name, self.names)):
            fault = f"is the same interface as {first}, which is served already"
        wanted = None if fault else generation(links.by_name[name], self.family)
        if self.bound.get(name) == wanted:
            return fault
        self.bound.pop(name, None)
        try:
            self.binder.rest(name) if wanted is None else self.binder.bind(name)
        except OSError as error:
            self.binder.rest(name)
            return f"cannot be served: {error.strerror or error}"
        if wanted is not None:
            self.bound[name] = wanted
        return fault

    def warnings(self) -> list[str]:
        """Return what is not served of all that the settings name, and what the kernel keeps from us."""
        return [
            *(f"degraded: interface {name} {fault}" for name, fault in self.faults.items()),
            *(MISSING.format(endpoint) for endpoint in self.missing),
            *(STRICT.format(name) for name in self.strict),
            *self.duplicates,
        ]

    def not_ready(self) -> str:
        """Return why nobody is served at all; empty where somebody is."""
        served = len(self.names) + len(self.addresses) - len(self.faults) - len(self.missing)
        if served or not self.warnings():
            return ""
        return f"nothing is served: {self.warnings()[0].removeprefix('degraded: ')}"


def generation(link: Link, family: int) -> tuple[int, int]:
    """Return what a socket is bound to: another one needs another socket. IPv6 that was switched off and on has
    forgotten which groups the socket joined."""
    return link.ifindex, link.since6 if family == 6 else 0


def tell(name: str, before: str, now: str) -> None:
    if now and now != before:
        log.warning("interface not served", interface=name, reason=now)
    elif before and not now:
        log.info("interface served", interface=name)


def noted(before: Sequence[str], now: Sequence[str], what: str) -> list[str]:
    """Return the current ones; new ones are logged."""
    for each in now:
        if each not in before:
            log.warning(what, where=each)
    return list(now)
