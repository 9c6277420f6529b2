"""What fields mean: zones and records."""

MEANINGS = {
    "name": "Name of the zone; it never changes.",
    "NewDnsRecord.name": "Owner of the record relative to the zone; @ for the zone itself, * for a wildcard.",
    "DnsRecord.name": "Owner of the record relative to the zone; @ is the zone itself.",
    "SkippedRecord.name": "Owner of the record.",
    "ZoneFault.name": "Owner of the record, relative to the zone; @ is the zone itself.",
    "ZoneFault.type": "Type of the record or of its RRset; empty: all types of the name.",
    "ZoneFault.data": "The record's data. Null: the whole RRset.",
    "DnsRecord.warnings": (
        "What is probably wrong with the record, in sentences: a name that lacks its closing dot, so that it ends with "
        "the zone's name twice, or a target in the zone that does not exist, has no address or is an alias."
    ),
    "ZoneImported.warnings": "Records that were taken although they are probably mistakes; at most a thousand.",
    "WarnedRecord.name": "Owner of the record.",
    "WarnedRecord.reason": "What is probably wrong.",
    "severity": "`error`: one of `servers` refuses the zone, from a file or in a transfer. `warning`: none does.",
    "code": "What was found, for programs.",
    "servers": "Servers that refuse the zone or log a warning: bind, nsd, knot. Empty: none complains.",
    "problem": "What is wrong.",
    "fix": "How to fix it.",
    "records": "How many records were read.",
    "errors": "How many findings are errors.",
    "ZoneChecked.warnings": "How many findings are warnings.",
    "findings": "What was found, errors first; at most a thousand.",
    "ZoneChecked.complete": (
        "True: the whole zone was read. False: the zone is too large for one check, so nothing is reported as missing."
    ),
    "DifferingRecord.name": "Owner of the record in full.",
    "DelegationRecord.name": "Owner of the record, relative to the zone above.",
    "ReverseZone.name": "Name of the zone, below in-addr.arpa or ip6.arpa.",
    "dns_server_id": "The DNS server that takes updates of the zone. Null: the zone is one of our own.",
    "dns_enabled": (
        "True: `ipam dns` answers for it. A tenant other than the default enables zones at or below its dns_suffixes "
        "only, and none at, above or below an enabled zone of another tenant."
    ),
    "updated_elsewhere": "True: another server still takes updates for it, so that `ipam dns` must not answer.",
    "transfer_networks": "Networks that may copy the zone (AXFR, IXFR), beside its secondaries.",
    "secondary_ids": "DNS servers that are told of each new serial, and may copy the zone.",
    "default_ttl": "TTL in seconds of records that have none of their own.",
    "mname": "Primary server's name in the SOA. Null: the host's own name.",
    "rname": "Mailbox of who is responsible, as a name, in the SOA. Null: hostmaster of the zone.",
    "refresh_seconds": "SOA: seconds after which secondaries look for a new serial.",
    "retry_seconds": "SOA: seconds after which they look again if that failed.",
    "expire_seconds": "SOA: seconds without success after which they stop to answer.",
    "minimum_seconds": "SOA: seconds for which it is remembered that a name does not exist (RFC 2308).",
    "serial": "Serial of the SOA; it rises with each change that is published.",
    "DnsZoneFields.serial": (
        "Serial of the SOA, which the next change that is published raises. It may be set to a later one (RFC 1982), "
        "such as that of the server from which the zone comes: secondaries follow no earlier one. Left out: it goes "
        "on, also from where a deleted zone of this name ended."
    ),
    "soa": (
        "True: mname, rname and the times become those of the file's SOA, as mode `replace` has it anyway. The serial "
        "always follows the file's if that is later."
    ),
    "zone_id": "The zone that it stands in. It never changes.",
    "fqdn": "Owner of the record in full.",
    "type": "Type of the record, by name or as TYPE65400 (RFC 3597).",
    "data": "The record's data as in a master file (RFC 1035 section 5); names without a closing dot are absolute.",
    "DifferingRecord.data": "What is to stand there; of what is stale, what stands there and is to go.",
    "ttl": "TTL in seconds. Null: the zone's default_ttl.",
    "served_ttl": (
        "TTL in seconds with which the record is served: the shortest of those that records of its name and type have "
        "(RFC 2181 section 5.2)."
    ),
    "source": (
        "`static` if somebody wrote it, else what it follows: lease, assignment or reservation; or delegation: the "
        "enabled zone below."
    ),
    "zone_file": "A master file (RFC 1035 section 5).",
    "mode": "`merge` adds what the file has; `replace` also deletes the zone's static records that it does not name.",
    "reason": "Why it was not taken.",
    "created": "How many records were made.",
    "deleted": "How many records were deleted.",
    "unchanged": "How many records were there already.",
    "skipped": "Records of the file that were not taken.",
    "found": "What stands there instead.",
    "complete": (
        "True: the whole zone was read. False: each name was asked for that leases mean or that we once wrote."
    ),
    "in_order": "How many records are as they should be.",
    "waiting": "How many addresses have updates under way or in conflict, and are left alone.",
    "missing": "Records that are not there; at most a thousand.",
    "wrong": "Records that say something else; at most a thousand.",
    "stale": "Records that nothing means any more; at most a thousand.",
    "repairs": "How many updates were put into the outbox.",
    "parent": "Of a network smaller than /24 (RFC 2317): the zone above, which holds `delegation`. Null: of others.",
    "delegation": "Records for the zone above (RFC 2317), by which it leads here.",
    "ReverseZone.zone_id": "The zone, where there is one already. Null: it can be made.",
}
