"""A zone of everything that answers turn on, as master files for peers and as images for us."""

from collections.abc import Mapping

from dhcp_fast.dns.query import Responder
from dhcp_fast.dns.zone_image import ZoneImage, ZoneSet
from dhcp_fast.dns_server import rendering
from ipam_core.dns import rrsets, zone_file

SECRET = bytes(range(16))
ZONES = {
    "example.org": """\
$TTL 300
@ SOA ns1 hostmaster 7 3600 600 86400 60
@ NS ns1
@ NS ns2.example.net.
@ MX 10 mail
ns1 A 192.0.2.53
ns1 AAAA 2001:db8::53
mail A 192.0.2.25
www A 192.0.2.80
www A 192.0.2.81
www TXT "a text"
alias CNAME www
twice CNAME alias
away CNAME www.example.com.
nothing CNAME missing
into CNAME host.sub
beside CNAME www.example.net.
here CNAME leaf.wild
_sip._udp SRV 0 5 5060 mail
leaf.wild A 192.0.2.1
*.wild A 192.0.2.2
*.wild MX 10 mail
deep.er.still A 192.0.2.3
*.alias-wild CNAME www
*.empty.wild TXT "below the wildcard"
sub NS ns.sub
sub NS ns1
sub DS 60485 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
ns.sub A 192.0.2.54
below.sub A 192.0.2.55
plain NS ns.elsewhere.example.
child NS ns1
moved NS ns1
UPPER A 192.0.2.99
old DNAME new
old A 192.0.2.11
old MX 10 mail
host.new A 192.0.2.12
alias.new CNAME host.old
*.star.new A 192.0.2.13
far.new CNAME host.gone
gone DNAME there.example.com.
near 30 DNAME www.example.net.
over DNAME child.example.org.
to-sub DNAME sub
to-alias DNAME old
to-old CNAME host.old
round DNAME trip
trip DNAME round
long DNAME LONG
odd TYPE65400 \\# 3 010203
""".replace("LONG", ".".join(3 * [63 * "x"] + [46 * "y"])),
    "example.net": """\
$TTL 60
@ SOA ns2 hostmaster 4294967295 3600 600 86400 3600
@ NS ns2
ns2 A 192.0.2.52
www A 192.0.2.90
* TXT "any"
""",
    "child.example.org": """\
$TTL 60
@ SOA ns1.example.org. hostmaster.example.org. 1 3600 600 86400 30
@ NS ns1.example.org.
host A 192.0.2.7
""",
    "moved.example.org": """\
$TTL 60
@ SOA ns1.example.org. hostmaster.example.org. 1 3600 600 86400 30
@ NS ns1.example.org.
@ MX 10 mail.example.org.
@ DNAME example.net.
""",
    "2.0.192.in-addr.arpa": """\
$TTL 60
@ SOA ns1.example.org. hostmaster.example.org. 1 3600 600 86400 30
@ NS ns1.example.org.
80 PTR www.example.org.
64/26 NS ns.example.com.
65 CNAME 65.64/26
""",
}


def image_of(zone: str, text: str) -> ZoneImage:
    read = zone_file.read(text, zone, 3600)
    name = rendering.zone_name(zone)
    image = ZoneImage(name)
    serial = int(text.split("SOA")[1].split()[2])
    ttl = int(text.split()[1])
    image.put_soa(rendering.soa_record({**read.soa, "serial": serial, "default_ttl": ttl}))
    for rrset in rrsets.gather(read.records, ttl).values():
        record = {"type": rrset.type, "ttl": rrset.ttl, "data": rrset.data}
        owner = rendering.owner_name(rrset.name, name)
        image.put(owner, rendering.type_number(rrset.type), rendering.records_of(record))
    return image


def responder(zones: Mapping[str, str] = ZONES, rate: int = 0) -> Responder:
    served = ZoneSet()
    for zone, text in zones.items():
        served.install(image_of(zone, text))
    return Responder(served, SECRET, rate)
