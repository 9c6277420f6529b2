"""Realms whose KDCs the machine's krb5.conf names.

Where it names none, the Kerberos library looks for KDCs in DNS. Whoever chooses the realm could then make this host
send to any address and port, because the answer is followed without a look at the address. So a realm that a tenant
chose must have its KDCs here.
"""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ipam_core.workers.adapters import Refused

FILES = "/etc/krb5.conf"
SECTION = re.compile(r"\[\s*(\S+?)\s*\]\*?$")
BLOCK = re.compile(r"(\S+)\s*=\s*\{$")
INCLUDED = re.compile(r"[A-Za-z0-9_-]+|[^.].*\.conf")  # names that includedir takes
DEEPEST = 8


def check(realms: Collection[str]) -> None:
    """Raise Refused unless krb5.conf names a KDC of each realm."""
    if "" in realms:
        raise Refused(
            "realm is required: set the realm of the principal and of the service of a tenant's server"
        )
    unknown = sorted(set(realms) - realms_with_kdcs())
    if unknown:
        raise Refused(
            f"krb5.conf on this host has no kdc for the realm {unknown[0]}, and for a tenant's server KDCs are not"
            " looked up in DNS"
        )


def realms_with_kdcs() -> set[str]:
    found: set[str] = set()
    for path in os.environ.get("KRB5_CONFIG", FILES).split(":"):  # the library's own variable
        section = realm = ""
        for line in lines(Path(path), DEEPEST):
            if match := SECTION.match(line):
                section, realm = match[1], ""
            elif section == "realms" and (match := BLOCK.match(line)):
                realm = match[1]
            elif line.startswith("}"):
                realm = ""
            elif realm and line.partition("=")[0].strip() == "kdc":
                found.add(realm)
    return found


def lines(path: Path, depth: int) -> Iterator[str]:
    """Yield the lines of a file and of those that it includes; a file that cannot be read has none."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return
    for line in map(str.strip, text.splitlines()):
        word, _, rest = line.partition(" ")
        if word == "include" and depth:
            yield from lines(Path(rest.strip()), depth - 1)
        elif word == "includedir" and depth:
            yield from included(Path(rest.strip()), depth - 1)
        elif not line.startswith(("#", ";")):
            yield line


def included(folder: Path, depth: int) -> Iterator[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return
    for name in names:
        if INCLUDED.fullmatch(name):
            yield from lines(folder / name, depth)
