"""What ad_gsstsig says where a peer cannot show it: no library, no keytab; and what it believes of answers that do not
verify."""

import os
import struct
import sys
from pathlib import Path
from typing import Any

import dns.name
import dns.rdata
import dns.update
import pytest
from dns.rcode import Rcode
from dns.rdata import Rdata
from dns.rdatatype import RdataType

from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Refused, kerberos
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig
from ipam_core.workers.adapters.confirm import confirmed

ZONE = "lab.example"


def server(**more: Any) -> DnsServer:
    none = dict.fromkeys(
        ("url", "server_id", "key_name", "key_algorithm", "realm", "keytab", "ticket_cache", "port")
    )
    told = {"id": "", "created_at": "", "updated_at": "", "tenant_id": "", "name": "dc", "description": ""}
    fields = {"adapter": "ad_gsstsig", "address": "dc1.lab.example", "principal": "svc", "has_secret": False}
    return DnsServer(**{**none, **told, **fields, **more})


async def words_of(**more: Any) -> str:
    tested = await AdGssTsig(server(**more), None, Guard(), Reach()).test([ZONE])
    assert not tested.ok
    (step,) = tested.steps
    return step.detail


async def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", None)  # as Python remembers what is not there
    assert await words_of(keytab="/etc/krb5.keytab") == (
        "the adapter ad_gsstsig needs Python's gssapi: pip install 'ipam[gss]' (it is compiled, with libkrb5-dev), or"
        " Debian's python3-gssapi"
    )


def entry(*components: str, realm: str = "LAB.EXAMPLE") -> bytes:
    """MIT's format, version 2, with a key of no use."""
    texts = [text.encode() for text in (realm, *components)]
    named = struct.pack(">H", len(components)) + b"".join(
        struct.pack(">H", len(text)) + text for text in texts
    )
    body = named + struct.pack(">IIBHH", 1, 0, 1, 18, 4) + b"keys"
    return struct.pack(">i", len(body)) + body


KEYTAB = b"\5\2" + entry("DNS", "dc1") + struct.pack(">i", -4) + b"hole" + entry("svc")


@pytest.mark.parametrize("principal", ["svc", "svc@LAB.EXAMPLE", "DNS/dc1", "DNS/dc1@LAB.EXAMPLE"])
def test_a_keytab_that_holds_the_key(tmp_path: Path, principal: str) -> None:
    (tmp_path / "keytab").write_bytes(KEYTAB)
    kerberos.check_keytab(str(tmp_path / "keytab"), principal)


@pytest.mark.parametrize(
    ("content", "principal", "words"),
    [
        (None, "svc", "there is no keytab"),
        (KEYTAB, "sv", "has no key of sv, but of DNS/dc1@LAB.EXAMPLE, svc@LAB.EXAMPLE"),
        (KEYTAB, "svc@OTHER.EXAMPLE", "has no key of svc@OTHER.EXAMPLE"),
        (b"\5\2", "svc", "has no key of svc"),
        (b"# not one", "svc", "is not a keytab"),
        (KEYTAB[:-40], "svc", "is not a keytab"),
        (b"", "svc", "is not a keytab"),
    ],
)
def test_a_keytab_that_does_not(tmp_path: Path, content: bytes | None, principal: str, words: str) -> None:
    path = tmp_path / "keytab"
    if content is not None:
        path.write_bytes(content)
    else:
        os.mkfifo(path)  # what would be read for ever
    with pytest.raises(Refused, match=words):
        kerberos.check_keytab(str(path), principal)


def test_whose_realm_is_whose() -> None:
    for fields, principal, target in (
        ({"principal": "svc@A"}, "svc@A", "DNS/dc1.lab.example@A"),
        ({"principal": "svc", "realm": "B"}, "svc@B", "DNS/dc1.lab.example@B"),
        ({"principal": "svc@A", "realm": "B"}, "svc@A", "DNS/dc1.lab.example@B"),
        ({"principal": "svc", "address": "dc1.lab.example."}, "svc", "DNS/dc1.lab.example"),
    ):
        found = kerberos.account(server(**fields), None)
        assert (found.principal, found.target) == (principal, target)


class Records(dict[tuple[str, str], set[str]]):
    """What a server has, by name and type."""

    async def look(self, name: dns.name.Name, kind: RdataType) -> set[Rdata]:
        return {
            dns.rdata.from_text("IN", each, text)
            for (owner, each), data in self.items()
            for text in data
            if owner == name.to_text() and kind in (RdataType.ANY, RdataType.from_text(each))
        }


NAME, MARK = f"pc.{ZONE}.", ("TXT", '"ipam-owner=me"')
THERE = Records({(NAME, "A"): {"192.0.2.1"}, (NAME, "TXT"): {MARK[1]}})
NOBODY = Records()


def new() -> dns.update.UpdateMessage:
    message = dns.update.UpdateMessage(ZONE)
    message.absent(NAME)
    message.add(NAME, 60, "A", "192.0.2.1")
    message.add(NAME, 60, *MARK)
    return message


def moved(mark: str = MARK[1]) -> dns.update.UpdateMessage:
    message = dns.update.UpdateMessage(ZONE)
    message.present(NAME, "TXT", mark)
    message.delete(NAME, "A")
    message.add(NAME, 60, "A", "192.0.2.2")
    return message


def gone() -> dns.update.UpdateMessage:
    message = dns.update.UpdateMessage(ZONE)
    message.present(NAME, *MARK)
    message.absent(NAME, "AAAA")
    message.delete(NAME, "A", "192.0.2.1")
    return message


MOVED = Records({(NAME, "A"): {"192.0.2.2"}, (NAME, "TXT"): {MARK[1]}})
BOTH = Records({(NAME, "A"): {"192.0.2.1", "192.0.2.2"}, (NAME, "TXT"): {MARK[1]}})
SIX = Records({**THERE, (NAME, "AAAA"): {"2001:db8::1"}})


@pytest.mark.parametrize(
    ("message", "hint", "records", "code"),
    [
        # Said to be done: the records say whether it is.
        (new(), Rcode.NOERROR, THERE, Rcode.NOERROR),
        (new(), Rcode.NOERROR, NOBODY, None),
        (moved(), Rcode.NOERROR, MOVED, Rcode.NOERROR),
        (moved(), Rcode.NOERROR, BOTH, None),
        (gone(), Rcode.NOERROR, NOBODY, Rcode.NOERROR),
        (gone(), Rcode.NOERROR, THERE, None),
        # A condition that is said not to hold.
        (new(), Rcode.YXDOMAIN, THERE, Rcode.YXDOMAIN),
        (new(), Rcode.YXDOMAIN, NOBODY, None),
        (moved('"ipam-owner=other"'), Rcode.NXRRSET, THERE, Rcode.NXRRSET),
        (moved(), Rcode.NXRRSET, NOBODY, Rcode.NXRRSET),
        (moved(), Rcode.NXRRSET, THERE, None),
        (gone(), Rcode.YXRRSET, SIX, Rcode.YXRRSET),
        (gone(), Rcode.NXRRSET, THERE, None),
        # A refusal, of what is nevertheless there.
        (new(), Rcode.NOTIMP, NOBODY, Rcode.NOTIMP),
        (new(), Rcode.REFUSED, THERE, Rcode.NOERROR),
        (gone(), Rcode.REFUSED, THERE, Rcode.REFUSED),
    ],
)
async def test_an_answer_that_does_not_verify_is_a_hint(
    message: dns.update.UpdateMessage, hint: Rcode, records: Records, code: Rcode | None
) -> None:
    assert await confirmed(message, hint, records.look) == code
