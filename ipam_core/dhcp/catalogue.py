"""List of options in docs/reference/options.md with the payload of each, written from the table of options by `python
-m ipam_core.dhcp.catalogue docs/`."""

import sys
from pathlib import Path

from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.table import shape

NAME = "reference/options.md"
HEAD = """# DHCP options

Every option that the server knows by name, with its payload. This page is generated from the
server's own table. Every option also takes `{{"hex": "01ab"}}`. An option without a row takes nothing
else, until `ipam create option-definitions` defines its payload.

* In a site file: `{{code: 6, payload: {{addresses: [192.0.2.53]}}}}`
* On the command line: `ipam create options subnet=office code=domain-name-servers addresses=192.0.2.53`
* In a probe, as a client sends it: `ipam probe --option 93=7`
"""
STORED = """
## DHCPv{family}

| Code | Name | Payload | Defined in |
|---|---|---|---|
{rows}
"""
OWN = """
### Options that cannot be stored

| Code | Name | Reason: it |
|---|---|---|
{rows}
"""


def text() -> str:
    return HEAD.format() + "".join(half(family) for family in (4, 6))


def half(family: int) -> str:
    rows = registry.every(family)
    stored = [stored_row(row) for row in rows if registry.storable(family, row.code)]
    own = [own_row(row) for row in rows if not registry.storable(family, row.code)]
    return STORED.format(family=family, rows="\n".join(stored)) + OWN.format(rows="\n".join(own))


def stored_row(row: OptionDef) -> str:
    return f"| {row.code} | {row.name} | {marked(shape(row))} | {row.rfc} |"


def own_row(row: OptionDef) -> str:
    return f"| {row.code} | {row.name} | {registry.UNSTORABLE[row.family][row.code]} |"


def marked(shape_text: str) -> str:
    """Return the payloads as code, what is said about them as prose; a bar would end the cell."""
    end = shape_text.rfind("}") + 1
    return f"`{shape_text[:end]}`{shape_text[end:]}".replace("} or {", "}` or `{").replace("|", "\\|")


def main() -> None:
    (Path(sys.argv[1]) / NAME).write_text(text())


if __name__ == "__main__":
    main()
