"""Converters of files by format: as the user names it, else by the file's contents."""

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from api.importers.cisco import reader as cisco
from api.importers.dnsmasq import reader as dnsmasq
from api.importers.faults import SourceError
from api.importers.firewall import reader as firewall
from api.importers.infoblox import reader as infoblox
from api.importers.isc import reader as isc
from api.importers.kea import reader as kea
from api.importers.mikrotik import reader as mikrotik
from api.importers.plan import Plan
from api.importers.table import reader as table
from api.importers.text import text_of
from api.importers.windows import netsh
from api.importers.windows import reader as windows


class Format(NamedTuple):
    """`sign`: what a file of it, and of none before it in FORMATS, has somewhere."""

    read: Callable[[str], Plan]
    sign: re.Pattern[str]


TABLE = "csv"
FORMATS = {
    "kea": Format(kea.read, re.compile(r'"(?:Dhcp4|Dhcp6)"\s*:')),
    "windows": Format(windows.read, re.compile(r"<DHCPServer[\s>]")),
    "netsh": Format(
        netsh.read, re.compile(r"^[ \t]*+(?:netsh[ \t]+)?dhcp[ \t]+server\s", re.MULTILINE | re.IGNORECASE)
    ),
    "infoblox": Format(infoblox.read, re.compile(r"\A\W?header-[a-z0-9]+\*?\W", re.IGNORECASE)),
    TABLE: Format(
        table.read,
        re.compile(
            r"\A\W?(?:(?:#|sep=)[^\n]*\n)*+(?:[^\n]*[,;\t|])?[ \t\n]*+\"?"
            r"(?:ip|ip.?address|address|network|subnet|cidr|prefix|scope.?id|start.?range)\"?\s*(?:[,;\t|]|$)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    "firewall": Format(firewall.read, re.compile(r"<(?:pfsense|opnsense)>")),
    "cisco": Format(cisco.read, re.compile(r"^ *+(?:no )?ip dhcp (?:pool|excluded-address) ", re.MULTILINE)),
    "mikrotik": Format(mikrotik.read, re.compile(r"^/ip (?:dhcp-server|pool)\b", re.MULTILINE)),
    "isc": Format(
        isc.read,
        re.compile(
            r"^[ \t]*+(?:subnet6?|shared-network|host|group|option|default-lease-time)\b[^\n]*[{;]",
            re.MULTILINE,
        ),
    ),
    "dnsmasq": Format(dnsmasq.read, re.compile(r"^[ \t]*+(?:--)?dhcp-[a-z]++(?:=|[ \t]*$)", re.MULTILINE)),
}


def read(
    path: Path,
    format_: str | None = None,
    columns: Mapping[str, str] | None = None,
    there: table.There | None = None,
) -> Plan:
    """Return the plan of a file. `columns`: of a table, by fields; `there`: reads the subnets of the server, in which
    rows of a table may be. Raises SourceError, which names file and line."""
    try:
        text = text_of(path)
        name = TABLE if columns else format_ or guess(text)
        plan = table.read(text, columns, there) if name == TABLE else FORMATS[name].read(text)
    except SourceError as error:
        error.file = str(path)
        raise
    plan.source = hashlib.sha256(text.encode()).hexdigest()
    return plan


def guess(text: str) -> str:
    found = next((name for name, each in FORMATS.items() if each.sign.search(text)), None)
    if found is None:
        raise SourceError(1, f"has no known format: choose one with --format {'|'.join(FORMATS)}")
    return found
