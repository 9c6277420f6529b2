"""What fields mean: zones and records."""

MEANINGS = {
    "name": "Name of the zone; it never changes.",
    "NewDnsZone.name": (
        "Name of the zone; it never changes. A network stands for its reverse zone: 10.50.0.0/16 is "
        "50.10.in-addr.arpa, and 192.0.2.64/26 is 64/26.2.0.192.in-addr.arpa (RFC 2317)."
    ),
    "NewDnsRecord.name": "Owner of the record relative to the zone; @ for the zone itself, * for a wildcard.",
    "DnsRecord.name": "Owner of the record relative to the zone; @ is the zone itself.",
    "SkippedRecord.name": "Owner of the record.",
    "ZoneFault.name": "Owner of the record, relative to the zone; @ is the zone itself.",
    "ZoneFault.type": "Type of the record or of its RRset; empty: all types of the name.",
    "ZoneFault.data": "The record's data. Null: the whole RRset.",
    "DnsRecord.warnings": (
        "Probable mistakes, as sentences: a name without its trailing dot, which then ends with the zone's name "
        "twice, or a target in the zone that does not exist, has no address or is an alias."
    ),
    "ZoneImported.warnings": "Imported records that are probably mistakes; at most 1,000.",
    "WarnedRecord.name": "Owner of the record.",
    "WarnedRecord.reason": "Probable mistake.",
    "severity": (
        "`error`: at least one of `servers` refuses the zone, from a file or in a transfer. "
        "`warning`: no server refuses it."
    ),
    "code": "Kind of the finding, a stable word for programs.",
    "servers": "Servers that refuse the zone or log a warning: bind, nsd, knot. Empty: no server complains.",
    "problem": "Description of the finding.",
    "fix": "How to fix it.",
    "records": "Number of records that were read.",
    "errors": "Number of errors.",
    "ZoneChecked.warnings": "Number of warnings.",
    "findings": "Findings, errors first; at most 1,000.",
    "ZoneChecked.complete": (
        "True: the whole zone was read. False: the zone is too large for one check, so nothing is reported as missing."
    ),
    "DifferingRecord.name": "Fully qualified owner of the record.",
    "DelegationRecord.name": "Owner of the record, relative to the parent zone.",
    "ReverseZone.name": "Name of the zone, below in-addr.arpa or ip6.arpa.",
    "dns_server_id": "DNS server that receives updates of the zone. Null: a zone of this service.",
    "dns_enabled": (
        "True: `ipam dns` serves the zone. A tenant other than the default can enable zones at or "
        "below its dns_suffixes only, and none at, above or below an enabled zone of another tenant."
    ),
    "updated_elsewhere": (
        "True: another server still receives the updates of the zone, so `ipam dns` must not serve it."
    ),
    "transfer_networks": "Networks that may transfer the zone (AXFR, IXFR), in addition to its secondaries.",
    "secondary_ids": "DNS servers that are notified of each new serial and may transfer the zone.",
    "default_ttl": "TTL in seconds of records without a TTL of their own.",
    "mname": "Name of the primary server in the SOA. Null: the host's own name.",
    "rname": (
        "Mailbox of the administrator in the SOA, written as a domain name. Null: hostmaster of the zone."
    ),
    "refresh_seconds": "SOA: seconds after which secondaries look for a new serial.",
    "retry_seconds": "SOA: seconds after which secondaries retry a failed refresh.",
    "expire_seconds": "SOA: seconds after the last successful refresh until secondaries stop answering.",
    "minimum_seconds": "SOA: seconds for which resolvers may cache that a name does not exist (RFC 2308).",
    "serial": "Serial of the SOA. Each published change increases it.",
    "DnsZoneFields.serial": (
        "Serial of the SOA, which the next published change increases. It may be set to a later "
        "serial (RFC 1982), such as that of the zone's previous server, because secondaries do not "
        "follow an earlier one. Left out: the serial continues, also from that of a deleted zone of "
        "this name."
    ),
    "soa": (
        "True: mname, rname and the times are taken from the file's SOA, as in mode `replace`. The "
        "serial always follows the file's if that is later."
    ),
    "zone_id": "Zone of the record. It cannot be changed.",
    "fqdn": "Fully qualified owner of the record.",
    "type": "Type of the record, by name or as TYPE65400 (RFC 3597).",
    "data": (
        "Data of the record as in a master file (RFC 1035 section 5). Names without a trailing dot "
        "are absolute."
    ),
    "DifferingRecord.data": "Data that the record must have. For an obsolete record: the data that will be removed.",
    "ttl": "TTL in seconds. Null: the zone's default_ttl.",
    "served_ttl": (
        "TTL in seconds with which the record is served: the shortest TTL in its RRset (RFC 2181 "
        "section 5.2)."
    ),
    "source": (
        "`static` for a record that was created by hand, else its source: lease, assignment or "
        "reservation, or delegation (the enabled zone below)."
    ),
    "zone_file": "A master file (RFC 1035 section 5).",
    "mode": (
        "`merge` adds the records of the file; `replace` also deletes static records of the zone "
        "that are not in the file."
    ),
    "reason": "Reason why the record was skipped.",
    "created": "Number of created records.",
    "deleted": "Number of deleted records.",
    "updated": "Number of records that got another TTL.",
    "unchanged": "Number of records that existed already.",
    "skipped": "Records of the file that were skipped.",
    "found": "Data of the record that exists instead.",
    "complete": (
        "True: the whole zone was read. False: only names of leases and names that this service once "
        "wrote were queried."
    ),
    "in_order": "Number of records that are correct.",
    "waiting": "Number of addresses that were skipped because their updates are queued or in conflict.",
    "missing": "Missing records; at most 1,000.",
    "wrong": "Records with wrong data; at most 1,000.",
    "stale": "Obsolete records; at most 1,000.",
    "repairs": "Number of updates that were queued.",
    "parent": (
        "For a network smaller than /24 (RFC 2317): the parent zone, which contains `delegation`. "
        "Null: for others."
    ),
    "delegation": "Records for the parent zone (RFC 2317) that delegate to this zone.",
    "ReverseZone.zone_id": "Zone that exists already. Null: it can be created.",
}
