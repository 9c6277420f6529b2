"""Our check of a zone against named-checkzone, nsd-checkzone and kzonecheck: of each planted fault, alone and in random
company, the same servers complain, and the same ones refuse the zone."""

import re
import subprocess
from pathlib import Path
from random import Random

import dns.rdata
import dns.rdataclass
import dns.rdatatype
import pytest
from system.peers import environment, program

from ipam_core.dns.rrsets import Record
from ipam_core.dns.zone_faults import Finding, Inspection
from ipam_core.dns.zone_file import Soa, head

pytestmark = pytest.mark.peers

ZONE = "z.test"
SOA = Soa("ns.z.test", "host.z.test", 1, 7200, 900, 1209600, 3600)
SOUND = [
    "@ NS ns",
    "ns A 192.0.2.1",
    "mail A 192.0.2.2",
    "@ MX 10 mail",
    "*.wild A 192.0.2.3",
    "_sip._udp SRV 0 0 1 a.wild",
]
COMMANDS = {
    "bind": ["named-checkzone", "-i", "local"],  # without looking names of other zones up
    "nsd": ["nsd-checkzone"],
    "knot": ["kzonecheck", "-o"],
}
PLANTED = {
    "NS at a wildcard": ["*.w NS ns"],
    "DNAME at a wildcard": ["*.w DNAME x.test."],
    "below a DNAME": ["old DNAME new.test.", "x.old A 192.0.2.4"],
    "DNAME and NS": ["both DNAME new.test.", "both NS ns"],
    "two DNAMEs": ["twice DNAME new.test.", "twice DNAME other.test."],
    "DNAME below a DNAME": ["o DNAME new.test.", "x.o DNAME new.test."],
    "DNAME with data": ["fine DNAME new.test.", "fine A 192.0.2.5"],
    "below a delegation": ["sub NS ns.other.test.", "x.sub A 192.0.2.4", "y.sub TXT t", "y.sub MX 10 zzz"],
    "DNAME below a delegation": ["deep NS ns.other.test.", "x.deep DNAME a.test.", "y.x.deep A 192.0.2.4"],
    "no glue": ["g1 NS ns.g1"],
    "no glue at the cut": ["g2 NS g2"],
    "glue": ["g3 NS ns.g3", "ns.g3 AAAA 2001:db8::1"],
    "no glue of a sibling": ["g4 NS ns.g5", "g5 NS ns.other.test."],
    "glue of a sibling": ["g6 NS ns.g7", "g7 NS ns.g7", "ns.g7 A 192.0.2.6"],
    "server by wildcard": ["g8 NS x.wild"],
    "server without address": ["g9 NS nowhere"],
    "server that is a name between": ["ga NS between", "x.between A 192.0.2.4"],
    "server that is an alias": ["gb NS alias1", "alias1 CNAME mail"],
    "server below a DNAME": ["gone DNAME new.test.", "gc NS ns.gone"],
    "server below a delegation below another": ["gd NS ns.other.test.", "x.gd NS ns.x.gd"],
    "own server without address": ["@ NS nowhere2"],
    "own server is an alias": ["@ NS alias2", "alias2 CNAME ns"],
    "own server by an alias at a wildcard": ["@ NS x.wildalias", "*.wildalias CNAME ns"],
    "own server below a delegation": ["@ NS ns.ge", "ge NS ns.other.test."],
    "alias with data": ["c1 CNAME ns", "c1 A 192.0.2.4"],
    "two aliases": ["c2 CNAME ns", "c2 CNAME mail"],
    "alias of the zone": ["@ CNAME other.test."],
    "alias below a delegation": ["ce NS ns.other.test.", "x.ce CNAME a.test.", "x.ce A 192.0.2.4"],
    "alias to nowhere": ["c3 CNAME nowhere3"],
    "host": ["foo_bar A 192.0.2.4"],
    "host of IPv6": ["-foo AAAA 2001:db8::1"],
    "wildcard of a host": ["*.a_b A 192.0.2.4"],
    "host with MX": ["mx_ MX 10 mail"],
    "host with TXT": ["txt_ TXT t"],
    "policy": ["x._spf A 192.0.2.4"],
    "policy of IPv6": ["y._spf AAAA 2001:db8::1"],
    "catalog": ["gc._msdcs A 192.0.2.4"],
    "octets": ["\\252 A 192.0.2.4"],
    "wildcard inside": ["a.*.b A 192.0.2.4"],
    "server's name": ["h1 NS foo_bar.other.test."],
    "exchange's name": ["h2 MX 10 foo_bar.other.test."],
    "service's name": ["_h3._tcp SRV 0 0 1 foo_bar.other.test."],
    "alias's name": ["h4 CNAME foo_bar.other.test."],
    "mailbox": ["h5 RP a_b.c_d.test. t_t.test."],
    "HTTPS": ["h6 HTTPS 1 a_b.other.test.", "h7 HTTPS 0 a_b.other.test."],
    "exchange is an alias": ["m1 MX 10 alias3", "alias3 CNAME mail"],
    "exchange is nowhere": ["m2 MX 10 nowhere4"],
    "exchange has text": ["m3 MX 10 text", "text TXT t"],
    "exchange below a DNAME": ["m4 MX 10 x.red", "red DNAME new.test."],
    "exchange at a delegation": ["m5 MX 10 del", "del NS ns.other.test."],
    "exchange is an address": ["m6 MX 10 192.0.2.1."],
    "no mail": ["m7 MX 0 ."],
    "service is an alias": ["_s1._tcp SRV 0 0 1 alias4", "alias4 CNAME mail"],
    "service is nowhere": ["_s2._tcp SRV 0 0 1 nowhere5"],
    "no service": ["_s3._tcp SRV 0 0 0 ."],
}
UNKNOWN = {"exchange is an address"}  # names no zone of ours; BIND warns, and the API refuses such data


def records_of(lines: list[str]) -> list[Record]:
    found = []
    for line in lines:
        name, kind, data = line.split(" ", 2)
        rdata = dns.rdata.from_text("IN", kind, data, dns.name.from_text(ZONE), relativize=False)
        found.append(Record(name, kind, None, rdata.to_text()))
    return found


def inspect(lines: list[str]) -> list[Finding]:
    inspection = Inspection(ZONE, SOA, 3600)
    for record in records_of(lines):
        inspection.add(record)
    return inspection.finish()


def judged(folder: Path, lines: list[str]) -> tuple[set[str], set[str]]:
    """Return which servers complain, and which refuse the zone. Knot names a fault serious when it refuses."""
    path = folder / "zone"
    path.write_text(head(ZONE, SOA, 3600) + "".join(f"{line}\n" for line in lines))
    complaining, refusing = set(), set()
    for server, (tool, *options) in COMMANDS.items():
        done = subprocess.run(
            [program(tool), *options, ZONE, path],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        said = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if line.strip() and not re.search(r"^OK$|loaded serial|is ok$|\(out of zone\)", line)
        ]
        if said:
            complaining.add(server)
        if "Serious" in done.stdout + done.stderr if server == "knot" else done.returncode:
            refusing.add(server)
    return complaining, refusing


def ours(findings: list[Finding]) -> tuple[set[str], set[str]]:
    complaining = {server for each in findings for server in each.servers}
    return complaining, {server for each in findings if each.severity == "error" for server in each.servers}


def agree(folder: Path, lines: list[str]) -> None:
    findings = inspect(lines)
    complaining, refusing = judged(folder, lines)
    told, errors = ours(findings)
    assert told == complaining, (lines, findings)
    assert refusing <= errors, (lines, findings)
    assert bool(errors) == bool(refusing), (lines, findings)


@pytest.mark.parametrize("fault", sorted(PLANTED.keys() - UNKNOWN))
def test_the_same_servers_complain_of_a_fault(tmp_path: Path, fault: str) -> None:
    agree(tmp_path, SOUND + PLANTED[fault])


def test_the_same_servers_complain_of_random_zones(tmp_path: Path) -> None:
    drawn = Random(43)
    for _ in range(40):
        faults = drawn.sample(sorted(PLANTED.keys() - UNKNOWN), drawn.randrange(0, 4))
        agree(tmp_path, SOUND + [line for fault in faults for line in PLANTED[fault]])


def test_a_zone_without_servers(tmp_path: Path) -> None:
    """The checkers see what is published in their place."""
    lines = SOUND[1:]
    codes = {each.code for each in inspect(lines)}
    assert codes == {"no_servers"}
    assert judged(tmp_path, lines)[1] == {"bind"}
    assert judged(tmp_path, ["@ NS ns", *lines]) == (set(), set())
