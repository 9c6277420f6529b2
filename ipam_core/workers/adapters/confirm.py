"""Confirmation of an update whose answer cannot be trusted, by queries.

Samba signs answers with an error code such that nobody can verify them, older ones (4.17) all. The code of such an
answer is a hint: it counts where what the server has agrees with it.
"""

from collections.abc import Awaitable, Callable

import dns.name
import dns.rdataclass
import dns.update
from dns.rcode import Rcode
from dns.rdata import Rdata
from dns.rdatatype import RdataType

Look = Callable[[dns.name.Name, RdataType], Awaitable[set[Rdata]]]

OF_PREREQUISITES = (Rcode.YXDOMAIN, Rcode.YXRRSET, Rcode.NXDOMAIN, Rcode.NXRRSET)


async def confirmed(message: dns.update.UpdateMessage, hint: Rcode, look: Look) -> Rcode | None:
    """Return the code to go by; None: the hint is wrong. `look` gives the data of a name and type, of ANY all of
    them."""
    if hint in OF_PREREQUISITES and await first_unmet(message, look) == hint:
        return hint
    if (hint == Rcode.NOERROR or adds(message)) and await has_its_effects(message, look):
        return Rcode.NOERROR
    if hint == Rcode.NOERROR or hint in OF_PREREQUISITES:
        return None
    # The record to delete may never have existed. A forged refusal only costs a second attempt.
    return hint


def adds(message: dns.update.UpdateMessage) -> bool:
    return any(rrset.deleting is None for rrset in message.update)


async def first_unmet(message: dns.update.UpdateMessage, look: Look) -> Rcode:
    """Return the code of the first prerequisite that does not hold (RFC 2136 section 3.2.5), else NOERROR."""
    for rrset in message.prerequisite:
        found = await look(rrset.name, rrset.rdtype)
        of_name = rrset.rdtype == RdataType.ANY
        if rrset.rdclass == dns.rdataclass.NONE:
            if found:
                return Rcode.YXDOMAIN if of_name else Rcode.YXRRSET
        elif not found:
            return Rcode.NXDOMAIN if of_name else Rcode.NXRRSET
        elif rrset.rdclass != dns.rdataclass.ANY and found != set(rrset):
            return Rcode.NXRRSET
    return Rcode.NOERROR


async def has_its_effects(message: dns.update.UpdateMessage, look: Look) -> bool:
    """Return whether added records exist and removed ones do not."""
    added = {(each.name, each.rdtype): set(each) for each in message.update if each.deleting is None}
    for rrset in message.update:
        found = await look(rrset.name, rrset.rdtype)
        if rrset.deleting is None:
            is_so = set(rrset) <= found
        elif rrset.deleting == dns.rdataclass.NONE:
            is_so = not set(rrset) & found
        else:
            is_so = found <= added.get((rrset.name, rrset.rdtype), set())
        if not is_so:
            return False
    return True
