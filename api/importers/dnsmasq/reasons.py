"""Reasons why a line of dnsmasq.conf is not taken over."""

from api.importers import server_duid
from api.importers.plan import Reason

DNS = "DNS is taken over apart: DNS zones and static records"
ELSEWHERE = "put the text of that file here"
RADV = "router advertisements are the router's"
BY_HAND = {
    "conf-file": ELSEWHERE,
    "conf-dir": ELSEWHERE,
    "dhcp-hostsfile": ELSEWHERE,
    "dhcp-hostsdir": ELSEWHERE,
    "dhcp-optsfile": ELSEWHERE,
    "dhcp-optsdir": ELSEWHERE,
    "addn-hosts": ELSEWHERE,
    "read-ethers": "write /etc/ethers as dhcp-host lines here",
    "tag-if": "make a class with these conditions",
    "dhcp-name-match": "names of clients are nothing that conditions look at",
    "dhcp-ignore-names": "host names are a matter of dynamic DNS (docs/how-to/ddns.md)",
    "dhcp-generate-names": "host names are a matter of dynamic DNS (docs/how-to/ddns.md)",
    "dhcp-fqdn": "host names are a matter of dynamic DNS (docs/how-to/ddns.md)",
    "dhcp-script": "webhooks report events (docs/how-to/webhooks.md)",
    "dhcp-luascript": "webhooks report events (docs/how-to/webhooks.md)",
    "dhcp-relay": "relays are not part of the configuration",
    "shared-network": "if the networks are on one link, set shared_network of their subnets",
    "pxe-service": "menus are a matter of the boot loader",
    "pxe-prompt": "menus are a matter of the boot loader",
    "enable-tftp": "files are served by a TFTP server of its own",
    "tftp-root": "files are served by a TFTP server of its own",
    "dhcp-duid": server_duid.advice(None, "dnsmasq.leases (its line duid)"),
    "enable-ra": RADV,
    "ra-param": RADV,
    "domain": "is for a part of the addresses: give option 15 to their subnets",
}
BY_HAND |= dict.fromkeys(
    (
        *(
            "server",
            "local",
            "address",
            "host-record",
            "cname",
            "ptr-record",
            "txt-record",
            "srv-host",
            "mx-host",
        ),
        *("naptr-record", "auth-zone", "auth-server", "synth-domain", "interface-name", "rev-server"),
    ),
    DNS,
)
DROPPED = {
    "dhcp-leasefile": "leases are never imported",
    "leasefile-ro": "leases are never imported",
    "dhcp-lease-max": "how many addresses there are is a matter of pools",
    "log-dhcp": "logging is a setting of the servers",
    "log-queries": "logging is a setting of the servers",
    "log-facility": "logging is a setting of the servers",
    "interface": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "except-interface": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "no-dhcp-interface": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "listen-address": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "bind-interfaces": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
}


def of(name: str) -> tuple[Reason, str]:
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart")
