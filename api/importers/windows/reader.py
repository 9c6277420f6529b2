"""The XML of Export-DhcpServer, both families."""

from collections.abc import Iterator
from ipaddress import ip_network

from api.importers import xml_source
from api.importers.faults import SourceError
from api.importers.plan import Plan
from api.importers.windows import reasons
from api.importers.windows.identities import seconds
from api.importers.windows.making import Making
from api.importers.windows.model import (
    Class,
    Definition,
    Filter,
    Policy,
    Reservation,
    Scope,
    Server,
    Span,
    Value,
)
from api.importers.xml_source import Element

ROOT = "DHCPServer"
CRITERIA = (
    *("VendorClass", "UserClass", "MacAddress", "ClientId", "RelayAgent", "CircuitId", "RemoteId"),
    *("SubscriberId", "Fqdn"),
)
QUIET = {
    "NapEnabled": ("false",),
    "NapEnable": ("false",),
    "NpsUnreachableAction": ("Full",),
    "Delay": ("0",),
    "MaxBootpClients": ("4294967295",),
    "Preference": ("0",),
    "Type": ("Dhcp", "Both"),
}
"""What is so here anyhow."""
TIMES = {
    "LeaseDuration": "lease_time_seconds",
    "ValidLifetime": "lease_time_seconds",
    "PreferredLifetime": "preferred_lifetime_seconds",
    "T1": "renew_time_seconds",
    "T2": "rebind_time_seconds",
}


def read(text: str) -> Plan:
    """Raise SourceError for a file that is no export."""
    document = xml_source.load(text)
    root = document.entry(ROOT)
    if not isinstance(root, Element):
        raise SourceError(1, f"is no export of Windows: its root is not {ROOT}, or is empty")
    making = Making("windows")
    for name in ("MajorVersion", "MinorVersion"):
        root.text(name)
    for family in (4, 6):
        for entry in root.elements(f"IPv{family}"):
            making.server(server(entry, family))
    return finish(making, document)


def finish(making: Making, document: Element) -> Plan:
    for unread in document.unread():
        reason, why = reasons.of(unread.name)
        making.planner.warn(unread.line, reason, unread.name, why)
    plan = making.finish()
    plan.statements.warned = document.warned()
    plan.statements.read = document.statements() - plan.statements.warned
    return plan


def server(entry: Element, family: int) -> Server:
    quiet(entry)
    filters = [each for each in entry.elements("Filters") if isinstance(each, Element)]
    return Server(
        family=family,
        ping_check=(entry.text("ConflictDetectionAttempts") or "0") != "0",
        policies_active=truth(entry, "ActivatePolicies", True),
        lists={name: truth(each, name.title(), False) for each in filters for name in ("allow", "deny")},
        classes=[class_(each) for each in within(entry, "Classes", "Class")],
        definitions=[definition(each) for each in within(entry, "OptionDefinitions", "OptionDefinition")],
        options=options(entry),
        policies=[policy(each) for each in within(entry, "Policies", "Policy")],
        filters=[filter_(each) for each in within(entry, "Filters", "Filter")],
        scopes=[scope(each, family) for each in within(entry, "Scopes", "Scope")],
    )


def within(entry: Element, holder: str, name: str) -> Iterator[Element]:
    for each in entry.elements(holder):
        yield from each.elements(name)


def said(entry: Element, name: str) -> str:
    return entry.text(name) or ""


def quiet(entry: Element) -> None:
    """Read what says nothing new."""
    for name, values in QUIET.items():
        if entry.get(name) in values:
            entry.text(name)


def truth(entry: Element, name: str, otherwise: bool) -> bool:
    return said(entry, name).lower() == "true" if name in entry else otherwise


def number(entry: Element, name: str) -> int:
    """Return the number; 0 where it is none."""
    text = said(entry, name)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def class_(entry: Element) -> Class:
    entry.text("Description")
    entry.text("VendorId")
    return Class(entry, said(entry, "Name"), said(entry, "Data"), said(entry, "Type") != "User")


def definition(entry: Element) -> Definition:
    for name in ("Description", "DefaultValue"):
        entry.texts(name)
    return Definition(
        entry,
        number(entry, "OptionId"),
        said(entry, "Name"),
        said(entry, "Type"),
        truth(entry, "MultiValued", False),
        said(entry, "VendorClass"),
    )


def options(entry: Element) -> list[Value]:
    return [
        Value(
            each,
            number(each, "OptionId"),
            each.texts("Value"),
            said(each, "VendorClass"),
            said(each, "UserClass"),
        )
        for each in within(entry, "OptionValues", "OptionValue")
    ]


def filter_(entry: Element) -> Filter:
    allow = said(entry, "List").lower() == "allow"
    return Filter(entry, allow, said(entry, "MacAddress"), said(entry, "Description"))


def policy(entry: Element) -> Policy:
    entry.text("Description")
    return Policy(
        source=entry,
        name=said(entry, "Name"),
        order=number(entry, "ProcessingOrder"),
        enabled=truth(entry, "Enabled", True),
        every=said(entry, "Condition").upper() != "OR",
        criteria={name: entry.texts(name) for name in CRITERIA if name in entry},
        ranges=[span(each) for each in within(entry, "IPRanges", "IPRange")],
        options=options(entry),
    )


def span(entry: Element) -> Span:
    return Span(entry, said(entry, "StartRange"), said(entry, "EndRange"))


def scope(entry: Element, family: int) -> Scope:
    quiet(entry)
    bootp = entry.get("Type") == "Bootp"
    return Scope(
        source=entry,
        cidr=cidr4(entry) if family == 4 else f"{said(entry, 'Prefix')}/64",
        name=said(entry, "Name"),
        description=said(entry, "Description"),
        enabled=said(entry, "State").startswith("Active") and not bootp,
        times=times(entry),
        superscope=said(entry, "SuperScopeName"),
        policies_active=truth(entry, "ActivatePolicies", True),
        ranges=[span(entry)] if "StartRange" in entry else [],
        excluded=[span(each) for each in within(entry, "ExclusionRanges", "IPRange")],
        options=options(entry),
        reservations=[reservation(each, family) for each in within(entry, "Reservations", "Reservation")],
        policies=[policy(each) for each in within(entry, "Policies", "Policy")],
    )


def times(entry: Element) -> dict[str, int]:
    """Return the times; a text that is no time stays unread."""
    found = {name: seconds(str(entry.get(name, ""))) for name in TIMES}
    return {TIMES[name]: each for name, each in found.items() if each is not None and entry.text(name)}


def cidr4(entry: Element) -> str:
    """Return the network; another text is returned as it is, for the model to refuse."""
    text = f"{said(entry, 'ScopeId')}/{said(entry, 'SubnetMask')}"
    try:
        return str(ip_network(text))
    except ValueError:
        return text


def reservation(entry: Element, family: int) -> Reservation:
    return Reservation(
        source=entry,
        ip=said(entry, "IPAddress"),
        client=said(entry, "ClientId" if family == 4 else "ClientDuid"),
        name=said(entry, "Name"),
        description=said(entry, "Description"),
        type=said(entry, "Type"),
        iaid=said(entry, "Iaid"),
        options=options(entry),
    )
