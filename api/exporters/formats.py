"""Writers of files, or folders of files, by format."""

from collections.abc import Callable, Mapping
from typing import Any

from api.exporters import netbox, site, tables
from api.exporters.isc import writer as isc
from api.exporters.kea import writer as kea
from api.exporters.said import Losses, Lost
from api.exporters.site import Site

SERVERS: dict[str, Callable[[Site], tuple[str, Losses]]] = {"kea": kea.write, "isc": isc.write}
FOLDERS: dict[str, Callable[[Mapping[str, Any]], dict[str, str]]] = {
    "csv": tables.write,
    "netbox": netbox.write,
}


def written(
    document: Mapping[str, Any],
    form: str,
    tenant: str | None = None,
    family: int | None = None,
    server_duid: bytes | None = None,
) -> tuple[str, list[Lost]]:
    """Return a tenant's part of a site file's document as another server's configuration, and what is not in it.
    `server_duid`: under which our DHCPv6 servers answer. Raises ChoiceError."""
    chosen = site.of_tenant(document, tenant, family, server_duid)
    text, losses = SERVERS[form](chosen)
    site.tell_others(document, chosen, losses)
    return text, losses.found
