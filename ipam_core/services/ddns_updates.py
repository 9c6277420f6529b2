"""The DDNS outbox as operators see it: what is due, what was done, what failed and shall be tried again."""

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.ddns_update import STATES, DdnsUpdate
from ipam_core.model.families import FAMILIES
from ipam_core.services.entity.entity import Connection, Entity, Filter, view_text
from ipam_core.services.entity.filters import SUBNET, equal, host_filters, id_text, one_of, texts
from ipam_core.services.entity.transition import transit

SQL = queries.load("ddns_update")

# An update that waits for its next attempt can be retried at once; finished and superseded ones cannot.
RETRIABLE = ("retrying", "failed", "conflict")

PARTIAL = queries.fragment("is_partial")
IN_STATE = (
    "(ddns_update.state = case {} when 'partial' then 'applied' else {} end"
    f" and (ddns_update.state <> 'applied' or ({PARTIAL}) = ({{}} = 'partial')))"
)
"""`partial` is stored as `applied`, which servers of the release before know."""


async def retry(connection: Connection, actor: Actor, id_: str) -> DdnsUpdate:
    """Return the update, due now. Raises NotFound, and Conflict in a state that is not to be tried again."""
    return await transit(connection, DDNS_UPDATES, actor, id_, RETRIABLE, SQL.retry)


DDNS_UPDATES = Entity(
    family=FAMILIES["ddns-updates"],
    model=DdnsUpdate,
    view=view_text(SQL.ddns_update_view),
    scope="ddns_update.tenant_no",
    filters={
        **host_filters("ddns_update.ip"),
        **SUBNET,
        "state": Filter(IN_STATE, one_of(*STATES)),
        "action": equal("ddns_update.action", one_of("add", "remove")),
        "fqdn": equal("lower(ddns_update.fqdn)", str.lower),
        "dns_server_id": equal("dns_server.id", id_text),
        "q": texts("ddns_update.fqdn", "host(ddns_update.ip)", "ddns_update.last_error"),
    },
)
