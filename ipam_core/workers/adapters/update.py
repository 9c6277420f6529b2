"""Dynamic updates (RFC 2136) that keep one client's name from another's (RFC 4703).

A name's owner is marked by a DHCID record beside the address (RFC 4701); servers that do not know the type (Active
Directory's imitation in Samba) get a TXT record that says the same. Forward, the first attempt is for a name that is
not in use; when it is, the second is under the condition that the mark is this owner's, or that there is a mark at all,
and the third that it is the mark of the client whose name an operator takes over. Reverse, the address is the lease's
and nobody asks: what stands there is replaced (RFC 4703 section 5.4).

This builds messages and reads what came back; sending is the caller's.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import NamedTuple

import dns.name
import dns.rcode
import dns.update
from dns.rcode import Rcode
from dns.rdata import Rdata
from dns.rdatatype import RdataType

from ipam_core.workers.adapters import Change, NameConflict, Refused, Unreachable

Look = Callable[[dns.name.Name, RdataType], Awaitable[set[Rdata]]]
Send = Callable[[dns.update.UpdateMessage], Awaitable[Rcode]]

TEXT_MARK = "ipam-owner="
AGAIN = (Rcode.SERVFAIL,)
UNMET = (Rcode.YXDOMAIN, Rcode.YXRRSET, Rcode.NXRRSET, Rcode.NXDOMAIN)
UNKNOWN_TYPE = (Rcode.NOTIMP, Rcode.FORMERR)
WHY = {
    Rcode.REFUSED: "the server refuses the update: its policy does not allow this key, account or address for the name",
    Rcode.NOTAUTH: "the server is not authoritative for the zone, or refuses the signature",
    Rcode.NOTZONE: "the name is not in the zone",
    Rcode.NOTIMP: "the server does not support this kind of update",
    Rcode.FORMERR: "the server could not read the update",
    Rcode.NXDOMAIN: "the name no longer exists",
}


class Mark(NamedTuple):
    """Mark of the owner of a name: type and data. A TXT record is one of a record set: `beside` are others' records in
    it, and `marks` those that mark an owner."""

    kind: str
    data: str
    beside: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


class Marks:
    """Marks of owners at one server; found out once (`is_known`)."""

    def __init__(self) -> None:
        self.by_text = False
        self.is_known = False

    def learn(self, *, takes_dhcid: bool) -> None:
        self.by_text, self.is_known = not takes_dhcid, True

    def spelled(self, text: str | None, texts: Iterable[str] = ()) -> Mark | None:
        """Return the mark, None: none is wanted. `texts`: the TXT records of the name."""
        if text is None or not self.by_text:
            return None if text is None else Mark("DHCID", text)
        marks = tuple(each for each in texts if each.startswith(f'"{TEXT_MARK}'))
        return Mark("TXT", f'"{TEXT_MARK}{text}"', tuple(each for each in texts if each not in marks), marks)


class Updates:
    """Updates for one server; raises UpdateError. `look` returns the data of a name and type."""

    def __init__(self, send: Send, look: Look) -> None:
        self.send = send
        self.look = look
        self.marks = Marks()

    async def add(self, change: Change) -> None:
        if change.target is not None:
            await self.add_alias(change)
        elif change.forward_zone is not None:
            await self.add_forward(change)
        if change.reverse_zone is not None:
            await self.say(add_reverse(change))

    async def remove(self, change: Change) -> None:
        if change.target is not None:
            await self.remove_alias(change)
        elif change.forward_zone is not None:
            await self.remove_forward(change)
        if change.reverse_zone is not None:
            await self.say(remove_reverse(change), (Rcode.NXRRSET, Rcode.NXDOMAIN))

    async def add_forward(self, change: Change) -> None:
        """Add the forward records (RFC 4703 section 5.3); try another mark where the server does not know the first."""
        await self.find_out(change)
        try:
            await self.try_forward(change)
        except Refused as refused:
            if refused.code not in UNKNOWN_TYPE or self.marks.by_text or change.mark is None:
                raise
            self.marks.learn(takes_dhcid=False)
            await self.try_forward(change)

    async def try_forward(self, change: Change) -> None:
        """Try the conditions under which the name may be written, one after the other."""
        texts = await self.texts_of(change)
        for message in self.attempts(change, texts):
            if await self.say(message, UNMET) == Rcode.NOERROR:
                return
        raise NameConflict(f"{change.fqdn} is already used by another client")

    def attempts(self, change: Change, texts: Iterable[str]) -> Iterator[dns.update.UpdateMessage]:
        mark = self.marks.spelled(change.mark, texts)
        if mark is None or not change.is_checked:
            yield replace_forward(change, mark)
            return
        yield shared_forward(change, mark) if change.shares else new_forward(change, mark)
        yield own_forward(change, mark, any_mark=change.conflict_mode == "check_exists_dhcid")
        before = self.marks.spelled(change.replaced_mark, texts)
        if before is not None:
            yield taken_forward(change, mark, before)
        elif change.is_unmarked:
            yield replace_forward(change, mark)

    async def texts_of(self, change: Change) -> list[str]:
        """Return the TXT records of the name where one of them marks its owner: a condition on a record set names all
        of it (RFC 2136 section 2.4.2), and operators have such records too."""
        if not self.marks.by_text or change.mark is None:
            return []
        found = await self.look(dns.name.from_text(f"{change.fqdn}."), RdataType.TXT)
        return sorted(rdata.to_text() for rdata in found)

    async def add_alias(self, change: Change) -> None:
        """Add a CNAME record where nothing else is (RFC 1034 section 3.6.2); one to the same name is ours."""
        for message in (new_alias(change), own_alias(change)):
            if await self.say(message, UNMET) == Rcode.NOERROR:
                return
        raise NameConflict(f"{change.fqdn} has other records, so it cannot have a CNAME record")

    async def remove_forward(self, change: Change) -> None:
        """Remove the address (section 5.5), and where that was the last one its mark."""
        await self.find_out(change)
        texts = await self.texts_of(change)
        mark = None if change.is_unmarked else self.marks.spelled(change.mark, texts)
        checked = mark if change.is_checked else None
        gone = (Rcode.NXRRSET, Rcode.NXDOMAIN)
        if await self.say(remove_address(change, checked), gone) != Rcode.NOERROR:
            return
        if mark is not None and not change.keeps_name:
            await self.say(remove_mark(change, mark), (*gone, Rcode.YXRRSET))

    async def remove_alias(self, change: Change) -> None:
        """Remove the record, unless another object asks for the same one."""
        if not change.data(adds=False):
            await self.say(remove_alias(change), UNMET)

    async def find_out(self, change: Change) -> None:
        """Find out how names are marked there, before the first of them: one with another mark would look like another
        client's."""
        if change.mark is not None and not self.marks.is_known:
            code = await self.send(next(marks_nothing(change.forward_zone)))
            self.marks.learn(takes_dhcid=code not in UNKNOWN_TYPE)

    async def say(self, message: dns.update.UpdateMessage, expected: tuple[Rcode, ...] = ()) -> Rcode:
        code = await self.send(message)
        if code == Rcode.NOERROR or code in expected:
            return code
        said = dns.rcode.to_text(code)
        if code in AGAIN:
            raise Unreachable(f"the server failed temporarily ({said})")
        raise Refused(f"{WHY.get(code, 'the server refuses the update')} ({said})", code)


def start(zone: str | None) -> dns.update.UpdateMessage:
    return dns.update.UpdateMessage(f"{zone}.")


def new_forward(change: Change, mark: Mark) -> dns.update.UpdateMessage:
    """Return the update for a client's name that is not in use (section 5.3.1), at no delegation and below none."""
    message = start(change.forward_zone)
    message.absent(f"{change.fqdn}.")
    stay_in_zone(message, change)
    put_addresses(message, change)
    message.add(f"{change.fqdn}.", change.ttl, mark.kind, mark.data)
    return message


def new_alias(change: Change) -> dns.update.UpdateMessage:
    """Return the update for a name without records, at no delegation and below none."""
    message = start(change.forward_zone)
    message.absent(f"{change.fqdn}.")
    stay_in_zone(message, change)
    message.add(f"{change.fqdn}.", change.ttl, change.kind, change.own_data)
    return message


def own_alias(change: Change) -> dns.update.UpdateMessage:
    """Return the update for a name that is this alias already: its TTL is renewed."""
    message = start(change.forward_zone)
    message.present(f"{change.fqdn}.", change.kind, change.own_data)
    message.add(f"{change.fqdn}.", change.ttl, change.kind, change.own_data)
    return message


def remove_alias(change: Change) -> dns.update.UpdateMessage:
    """Return where it still points to the name."""
    message = start(change.forward_zone)
    message.present(f"{change.fqdn}.", change.kind, change.own_data)
    message.delete(f"{change.fqdn}.", change.kind)
    return message


def shared_forward(change: Change, mark: Mark) -> dns.update.UpdateMessage:
    """Return the update for a name that may have records of other types, but no mark of another client."""
    message = start(change.forward_zone)
    name = f"{change.fqdn}."
    for kind in (change.kind, "CNAME", *(() if mark.kind == "TXT" else [mark.kind])):
        message.absent(name, kind)
    stay_in_zone(message, change)
    put_addresses(message, change)
    message.add(name, change.ttl, mark.kind, mark.data)
    return message


def own_forward(change: Change, mark: Mark, *, any_mark: bool) -> dns.update.UpdateMessage:
    """Return the update for a name of this owner, or with any mark: its addresses of this family are replaced (section
    5.3.2)."""
    message = start(change.forward_zone)
    name = f"{change.fqdn}."
    if not any_mark:
        require_mark(message, change, mark)
    else:
        require_any_mark(message, change, mark)
        put_mark(message, change, mark)
    message.delete(name, change.kind)
    put_addresses(message, change)
    return message


def taken_forward(change: Change, mark: Mark, before: Mark) -> dns.update.UpdateMessage:
    """Return the update for a name that this owner takes over from the owner of its mark."""
    message = start(change.forward_zone)
    name = f"{change.fqdn}."
    require_mark(message, change, before)
    put_mark(message, change, mark)
    message.delete(name, change.kind)
    put_addresses(message, change)
    return message


def replace_forward(change: Change, mark: Mark | None) -> dns.update.UpdateMessage:
    """Return the update that does not check the owner of the name."""
    message = start(change.forward_zone)
    message.absent(f"{change.fqdn}.", "CNAME")  # servers silently ignore other records beside a CNAME
    stay_in_zone(message, change)
    message.delete(f"{change.fqdn}.", change.kind)
    put_addresses(message, change)
    if mark is not None:
        put_mark(message, change, mark)
    return message


def stay_in_zone(message: dns.update.UpdateMessage, change: Change) -> None:
    """Require that no delegation takes the name out of the zone, and no DNAME record above it."""
    for name in change.cuts:
        message.absent(name, "NS")
    for name in change.cuts[1:]:
        message.absent(name, "DNAME")


def put_addresses(message: dns.update.UpdateMessage, change: Change, *, adds: bool = True) -> None:
    for address in change.data(adds=adds):
        message.add(f"{change.fqdn}.", change.ttl, change.kind, address)


def put_mark(message: dns.update.UpdateMessage, change: Change, mark: Mark) -> None:
    """Put a mark in place of the present one; TXT records of others stay."""
    name = f"{change.fqdn}."
    if mark.kind == "DHCID":
        message.delete(name, mark.kind)
    for data in mark.marks:
        message.delete(name, mark.kind, data)
    message.add(name, change.ttl, mark.kind, mark.data)


def require_mark(message: dns.update.UpdateMessage, change: Change, mark: Mark) -> None:
    message.present(f"{change.fqdn}.", mark.kind, mark.data, *mark.beside)


def require_any_mark(message: dns.update.UpdateMessage, change: Change, mark: Mark) -> None:
    if mark.kind == "DHCID":
        message.present(f"{change.fqdn}.", mark.kind)
    else:
        message.present(f"{change.fqdn}.", mark.kind, *(mark.marks or (mark.data,)), *mark.beside)


def remove_address(change: Change, mark: Mark | None) -> dns.update.UpdateMessage:
    """Remove the address. The owner's other addresses stay, or come back where a newer one of the client had taken
    their place."""
    message = start(change.forward_zone)
    name = f"{change.fqdn}."
    if mark is not None:
        require_mark(message, change, mark)
    if str(change.ip) not in change.data(adds=False):
        message.delete(name, change.kind, str(change.ip))
    put_addresses(message, change, adds=False)
    return message


def remove_mark(change: Change, mark: Mark) -> dns.update.UpdateMessage:
    """Return where no address is left of the name."""
    message = start(change.forward_zone)
    name = f"{change.fqdn}."
    require_mark(message, change, mark)
    message.absent(name, "A")
    message.absent(name, "AAAA")
    message.delete(name, mark.kind, mark.data)
    return message


def add_reverse(change: Change) -> dns.update.UpdateMessage:
    message = start(change.reverse_zone)
    name = change.pointer
    message.delete(name, "PTR")
    message.add(name, change.ttl, "PTR", f"{change.fqdn}.")
    return message


def remove_reverse(change: Change) -> dns.update.UpdateMessage:
    """Return where it still points to the name."""
    message = start(change.reverse_zone)
    name = change.pointer
    message.present(name, "PTR", f"{change.fqdn}.")
    message.delete(name, "PTR")
    return message


def changes_nothing(zone: str) -> dns.update.UpdateMessage:
    """Return an update that is judged as any other, and does nothing."""
    message = start(zone)
    message.delete(f"ipam-test.{zone}.", "A", "192.0.2.1")
    return message


def marks_nothing(zone: str | None) -> Iterator[dns.update.UpdateMessage]:
    """Yield two updates that take away what is not there, a DHCID and a TXT. (A condition that does not hold would tell
    nothing: Samba looks at it first, and at the type afterwards.)"""
    for kind, data in (("DHCID", "AAIB" + "A" * 43 + "="), ("TXT", f'"{TEXT_MARK}"')):
        message = start(zone)
        message.delete(f"ipam-test.{zone}.", kind, data)
        yield message
