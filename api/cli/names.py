"""Objects by the names that people call them: a CIDR, an address, a MAC, a name, or the id.

A name becomes an id through the filters of the family's list. Exactly one object must bear it: none and several are
errors that say so.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

import click

from api.cli.shapes import KEYS, called, referred
from api.client import Client
from api.client.errors import ApiError
from ipam_core.errors import IpamError
from ipam_core.model.families import FAMILIES, Family, with_article, words
from ipam_core.model.ids import parse_id
from ipam_core.model.lease import parse_lease_id
from ipam_core.model.page import MAX_LIMIT
from ipam_core.model.values import parse_address, parse_hostname, parse_mac, parse_network, parse_octets
from ipam_core.printing import printable

MOST_TOLD = 5
FEW_LABELS = 5
"""Objects of a family whose names are read one by one."""
MOST_LABELS = 10_000
TENANT = "tenant_id"
EXAMPLE = "ipam delete option dns --subnet {}"
SCOPES = ("subnet_id", "pool_id", "class_id", "reservation_id")
"""Where an option applies, if not everywhere."""

FEW = words("nodes tenants dns-servers")
"""Families of which a server has a few, so that a wrong name is answered with the right ones."""
NOTHING: Mapping[str, str] = {}
# Fields by which objects of all families are named, the best first.
LABELS = ("cidr", "name", "ip", "prefix", "start_ip", "fqdn", "hostname", "mac", "url", "code")


@dataclass(eq=False)
class NoSuchName(IpamError):
    """There is no {what} {name}{where}"""

    what: str
    name: str
    where: str


@dataclass(eq=False)
class SeveralOfThatName(IpamError):
    """{name} may be any of several {what}: {which}; {mend}"""

    what: str
    name: str
    which: str
    mend: str


@dataclass(eq=False)
class Unresolved(IpamError):
    """{reasons}"""

    reasons: list[str]

    def __str__(self) -> str:
        return "\n".join(self.reasons)


def code(text: str) -> int:
    return int(text)


READERS: dict[str, Callable[[str], Any]] = {
    "cidr": parse_network,
    "prefix": parse_network,
    "ip": parse_address,
    "start_ip": parse_address,
    "contains": parse_address,
    "mac": parse_mac,
    "duid": parse_octets,
    "code": code,
    "hostname": parse_hostname,
}


class Names:
    """Names of one server. `tenant`: by name or id, whose objects alone are meant."""

    def __init__(self, client: Client, tenant: str | None = None) -> None:
        self.client = client
        self.labels: dict[tuple[str, str], str] = {}
        self.tenant = tenant
        self.tenant_id: str | None = None
        if tenant is not None:
            self.tenant_id = self.id(FAMILIES["tenants"], tenant)

    # --- a name to an object

    def id(self, family: Family, text: str, narrow: Mapping[str, str] = NOTHING) -> str:
        """Return the id of the one object that bears the name; an id is taken as it is. Raises NoSuchName and
        SeveralOfThatName, and click's usage error for an empty name."""
        refuse_empty(family, text)
        return text if parse_id(text) or not family.names else str(self.find(family, text, narrow)["id"])

    def reference(self, family: Family, text: str, *, there: bool = True) -> str:
        """Return the same for a field that refers to another object, where an address may name the network around it.
        `there`: an id is looked for too, because a list of what belongs to nothing would look like an answer."""
        if parse_id(text) and not there:
            return text
        return str(self.find(family, text, around=True)["id"])

    def references(self, family: Family, value: Any, there: bool) -> Any:
        """Return the ids for a value that may be a list of names."""
        if isinstance(value, list):
            return [self.reference(family, str(each), there=there) for each in value]
        return self.reference(family, str(value), there=there)

    def find(
        self, family: Family, text: str, narrow: Mapping[str, str] = NOTHING, *, around: bool = False
    ) -> dict[str, Any]:
        """Find an object. `narrow`: further filters. `around`: an address also means the objects that contain it.
        Raises click's usage error for an empty name, which would be that of any object without a name."""
        refuse_empty(family, text)
        if parse_id(text) or not family.names:
            return self.get(family, text)
        own = {TENANT: self.tenant_id} if self.tenant_id and TENANT in family.filters else {}
        scope = dict(narrow) | own
        if family.items.name == "options" and not text.isdecimal():
            return self.find_option(family, text, scope)
        for name in spelt_by(family, text, around):
            found = list(islice(self.matching(family, name, text, scope), MOST_TOLD + 1))
            if len(found) > 1:
                raise self.several(family, text, found)
            if found:
                return found[0]
        if family.name == "leases" and parse_lease_id(text):
            return self.get(family, text)
        if family.name == "leases" and (label := first_label(text)):
            found = [
                item
                for item in self.client.items(f"/{family.name}", hostname=label, **scope)
                if is_called(item, text)
            ]
            if len(found) > 1:
                raise self.several(family, text, found[: MOST_TOLD + 1])
            if found:
                return found[0]
        what = f"{narrow['state']} {family.label}" if "state" in narrow else family.label
        raise NoSuchName(what, text, self.where(family, text))

    def find_option(self, family: Family, text: str, scope: Mapping[str, str]) -> dict[str, Any]:
        """Return the option of a name such as dns or domain-name-servers, of DHCPv4 or DHCPv6."""
        from api.cli.payloads import codes_of

        found: list[dict[str, Any]] = []
        for number, code in codes_of(text).items():
            asked = {"code": str(code), "family": str(number)}
            found += islice(self.client.items(f"/{family.name}", **asked, **scope), MOST_TOLD + 1)
        if len(found) > 1:
            raise self.several(family, text, found)
        if not found:
            place = "" if codes_of(text) else f". Name the option, and where it is: {EXAMPLE.format(text)}"
            raise NoSuchName(family.label, text, place or self.where(family, text))
        return found[0]

    def get(self, family: Family, id_: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.request("GET", item_path(family, id_))
        return found

    def matching(
        self, family: Family, name: str, text: str, scope: Mapping[str, str]
    ) -> Iterator[dict[str, Any]]:
        """Yield exact matches: lists find host names by their beginning, while a name is the whole of it."""
        for item in self.client.items(f"/{family.name}", **{name: text}, **scope):
            if name != "hostname" or str(item["hostname"]).lower() == text.lower():
                yield item

    def several(self, family: Family, text: str, found: list[dict[str, Any]]) -> SeveralOfThatName:
        tenants = {item.get(TENANT) for item in found}
        by_tenant = len(tenants) == len(found)
        told = [f"{label_of(item)} ({self.place(family, item, text)})" for item in found[:MOST_TOLD]]
        which = printable(", ".join(told)) + (", ..." if len(found) > MOST_TOLD else "")
        mend = "choose one with --tenant" if by_tenant else self.mend(family, text, found)
        return SeveralOfThatName(family.many, repr(text), which, mend)

    def place(self, family: Family, item: Mapping[str, Any], text: str) -> str:
        """Return where an object is, which tells it from others of its name: range, scope, tenant, id."""
        parts = [ends_of(item)] if ends_of(item) not in (None, text, label_of(item)) else []
        if family.items.name == "options":
            parts = [f"IPv{item['family']}", self.scope(item)]
        elif item.get("subnet_id"):
            parts.append(f"subnet {self.label(FAMILIES['subnets'], item['subnet_id'])}")
        elif item.get("zone_id"):
            parts.append(f"zone {self.label(FAMILIES['dns-zones'], item['zone_id'])}")
        if item.get(TENANT) and not any(item.get(key) for key in SCOPES):
            parts.append(f"tenant {self.label(FAMILIES['tenants'], item[TENANT])}")
        return ", ".join([*(part for part in parts if part), f"id {item['id']}"])

    def scope(self, item: Mapping[str, Any]) -> str:
        """Return where an option applies: one subnet, pool, class or reservation, or everywhere."""
        for key in SCOPES:
            if item.get(key):
                family = KEYS[key]
                return f"{called(key)} {self.label(family, item[key])}"
        return "global"

    def mend(self, family: Family, text: str, found: list[dict[str, Any]]) -> str:
        """Return what to type instead of a name that several objects have."""
        if family.items.name == "options":
            keys = [called(key) for key in SCOPES if any(item.get(key) for item in found)]
            scopes = [f"--{key}" for key in keys]
            every = ["--global"] if any(not any(item.get(key) for key in SCOPES) for item in found) else []
            return f"add {' or '.join([*scopes, *every])}, or use the id"
        first = next(iter(found), {})
        other = next(
            (str(first[name]) for name in family.names if first.get(name) not in (None, "", text)), None
        )
        if other is not None and other.lower() != text.lower():
            return f"use {other} or its id"
        parents = {called(key) for item in found for key in ("subnet_id", "zone_id") if item.get(key)}
        return f"add --{' or --'.join(sorted(parents))}, or use the id" if parents else "use its id"

    def where(self, family: Family, text: str) -> str:
        """Return the place of the search, and possible matches."""
        place = f" in tenant {self.tenant}" if self.tenant and TENANT in family.filters else ""
        if "mac" in family.names and is_broken_mac(text):
            return f"{place}: {text} is no MAC address"
        if "cidr" in family.names and "/" in text:
            try:
                parse_network(text)
            except ValueError as error:
                return f"{place}: {error}"
        if family.name in FEW:
            known = sorted(
                {label_of(item) for item in islice(self.client.items(f"/{family.name}"), MOST_TOLD)}
            )
            place += f"; there is {printable(', '.join(known))}" if known else "; there is none"
        return place

    # --- an id to a name

    def label(self, family: Family, id_: str) -> str:
        """Return what the object is called; its id if nobody may say. The names of many objects are read as a list: a
        request for each would meet the rate limit."""
        key = (family.name, id_)
        if key not in self.labels and sum(name == family.name for name, _ in self.labels) == FEW_LABELS:
            self.read_labels(family)
        if key not in self.labels:
            try:
                self.labels[key] = label_of(self.get(family, id_))
            except ApiError:
                self.labels[key] = id_
        return self.labels[key]

    def read_labels(self, family: Family) -> None:
        with suppress(ApiError):
            for row in islice(self.client.items(f"/{family.name}", limit=MAX_LIMIT), MOST_LABELS):
                self.labels[family.name, str(row["id"])] = label_of(row)

    # --- the fields of a request

    def resolve(
        self, fields: Mapping[str, Any], own: AbstractSet[str], *, there: bool = True
    ) -> dict[str, Any]:
        """Return fields with the ids of what they name. `own`: the names that the receiver knows; `subnet` stands for
        its `subnet_id`. All that is not found is told at once."""
        found = {spelling(name, own): value for name, value in fields.items()}
        wrong: list[str] = []
        for name in sorted(found, key=lambda name: name != TENANT):  # it narrows the others
            family = referred(name)
            if family is None or found[name] in (None, []):
                continue
            if not str(found[name]).strip():
                raise click.UsageError(f"{called(name)} is empty: name {with_article(family.label)}")
            try:
                found[name] = self.references(family, found[name], there)
            except (NoSuchName, SeveralOfThatName) as error:
                wrong.append(f"{called(name)}: {error}")
            if name == TENANT and not wrong:
                self.tenant_id = found[name]
        if wrong:
            raise Unresolved(wrong)
        return found


def first_label(text: str) -> str:
    """Return the first label of a host name with a domain; empty for any other text."""
    label, dot, domain = text.rstrip(".").partition(".")
    if not (label and dot and domain):
        return ""
    for parse in (parse_address, parse_mac):
        with suppress(ValueError):
            parse(text)
            return ""
    try:
        return parse_hostname(text) and label
    except ValueError:
        return ""


def is_called(item: Mapping[str, Any], text: str) -> bool:
    """Return whether a client has this name, which is its first label where the client does not send its domain."""
    plain = text.lower().rstrip(".")
    return str(item["hostname"]).lower().rstrip(".") in (plain, plain.partition(".")[0])


COLONS = re.compile(r"\w{1,2}(:\w{1,2}){3,}")


def is_broken_mac(text: str) -> bool:
    """Return whether a text was meant for a MAC address or DUID, and is none, nor an address."""
    if not COLONS.fullmatch(text.strip()):
        return False
    for parse in (parse_mac, parse_octets, parse_address):
        with suppress(ValueError):
            parse(text)
            return False
    return True


def refuse_broken_mac(text: str) -> None:
    if is_broken_mac(text):
        raise click.UsageError(f"{text} is no MAC address. Use six octets in hex, such as 02:00:00:00:00:01.")


def refuse_empty(family: Family, text: str) -> None:
    if not text.strip():
        raise click.UsageError(f"NAME is empty: name {with_article(family.label)}")


ALIASES = {
    "address": ("ip",),
    "allow": ("allowed_cidrs",),
    "comment": ("description",),
    "first": ("start_ip",),
    "from": ("start_ip",),
    "host": ("hostname",),
    "last": ("end_ip",),
    "lease": ("lease_time_seconds",),
    "network": ("cidr",),
    "router": ("gateway",),
    "server": ("dns_server_id",),
    "to": ("end_ip",),
    "value": ("data",),
}
"""Other words for fields, with those that they mean."""

ENDINGS = ("_enabled", "_seconds", "_id", "_ip", "_at", "_servers")
"""Ends of fields that people leave out."""


def spelling(name: str, own: AbstractSet[str]) -> str:
    """Return a field as its receiver knows it: `subnet` is `subnet_id`, `lease-time` is `lease_time_seconds`. The name
    itself where it means none of them."""
    head, dot, member = name.partition(".")
    plain = head.replace("-", "_")
    if dot:
        return f"{plain}.{member}" if plain in own else name
    if plain in own:
        return plain
    meant = (
        *(each for each in own if referred(each) and called(each) == plain),
        *(each for each in ALIASES.get(plain, ()) if each in own),
        *(plain + ending for ending in ENDINGS if plain + ending in own),
    )
    begun = [each for each in own if each.startswith(f"{plain}_")]
    return next(iter(meant), begun[0] if len(begun) == 1 else name)


def ends_of(item: Mapping[str, Any]) -> str | None:
    """Return the range, network or address of an object."""
    if item.get("start_ip"):
        return "-".join(dict.fromkeys((str(item["start_ip"]), str(item["end_ip"]))))
    return next((str(item[name]) for name in ("cidr", "ip", "prefix") if item.get(name)), None)


def spelt_by(family: Family, text: str, around: bool) -> Iterator[str]:
    """Yield the filters that a name may be meant for, by its form."""
    for name in (*family.names, *(("contains",) if around and "contains" in family.filters else ())):
        try:
            READERS.get(name, str)(text)
        except ValueError:
            continue
        yield name


def label_of(item: Mapping[str, Any]) -> str:
    return next((str(item[name]) for name in LABELS if item.get(name)), str(item.get("id", "")))


def item_path(family: Family, id_: str, below: str = "") -> str:
    return f"/{family.items.name}/{quote(id_, safe='')}" + (f"/{below}" if below else "")


tenant_option = click.option(
    "--tenant", metavar="NAME", help="Tenant to use when the name exists in several."
)
