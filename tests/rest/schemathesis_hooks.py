"""What schemathesis must know of this API beside its document: how values of our formats look, and which refusals
of good data are right.

A rule between two fields, or between a field and what stands in the plan already, is said by no schema. Each such
rule stands in RULES by what the refusal says; any other 422 for data that keeps the schema is a failure, because
then the document promises what the API does not take.
"""

import base64
import re
from typing import Any

import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, CheckContext, HookContext, Response
from schemathesis.generation.meta import TestPhase

DIGITS = "0123456789abcdef"

octet = st.text(DIGITS, min_size=2, max_size=2)
addresses = st.one_of(
    st.builds("10.0.{}.{}".format, st.integers(0, 3), st.integers(0, 255)),
    st.ip_addresses(v=4).map(str),
    st.builds("2001:db8::{:x}".format, st.integers(0, 2**16 - 1)),
)
networks = st.one_of(
    st.builds("10.{}.{}.0/24".format, st.integers(0, 255), st.integers(0, 255)),
    st.builds("10.{}.0.0/16".format, st.integers(0, 255)),
    st.builds("2001:db8:{:x}::/64".format, st.integers(1, 2**16 - 1)),
)
octets = st.lists(octet, min_size=1, max_size=12).map(":".join)
labels = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)

for name, values in {
    "ip-address": addresses,
    "cidr": networks,
    "mac-address": st.lists(octet, min_size=6, max_size=6).map(":".join),
    "octets": octets,
    "mac-prefix": st.lists(octet, min_size=1, max_size=6).map(":".join),
    "host-name": st.lists(labels, min_size=1, max_size=3).map(".".join),
    "text-or-octets": st.one_of(octets.map("0x{}".format).map(lambda text: text.replace(":", "")), labels),
    "entity-tag": st.one_of(st.just("*"), st.text(DIGITS, max_size=24).map('"{}"'.format)),
    "cursor": st.just("WzFd"),
    "domain-name": st.lists(labels, min_size=1, max_size=3).map(".".join),
    "http-url": labels.map("https://{}.example/hook".format),
    "mail-address": st.builds("{}@{}.example".format, labels, labels),
    "webhook-secret": st.binary(min_size=24, max_size=64).map(
        lambda octets: "whsec_" + base64.b64encode(octets).decode()
    ),
}.items():
    schemathesis.openapi.format(name, values)


@schemathesis.hook
def before_call(ctx: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Leave out of a walk from object to object what would mislead it: a key that was used before answers with an
    object that is deleted by now, a tenant that does not exist ends the walk, and a dry run deletes nothing."""
    if case.meta is None or case.meta.phase.name != TestPhase.STATEFUL:
        return
    case.headers.pop("Idempotency-Key", None)
    case.query.pop("dry_run", None)
    if isinstance(case.body, dict):
        case.body.pop("tenant_id", None)


RULES = (
    # Between fields.
    r": at least one of .* is required( in a subnet of IPv[46])?$",
    r"^ip: must be an address;",  # null, but for a delegated prefix
    r"^secret: is required again, because ",
    r"^ip: give ip, or subnet_id for the next free address$",
    r"^relay: give exactly one of relay and interface$",
    r"^link_selection: requires relay: only a relay agent sends it$",
    r": must not be greater than \w+$",
    r"^\w+_seconds: must be at most 2147483647, or 4294967295 for an infinite lease time$",
    r"^end_ip: must not be lower than start_ip$",
    r": \S+ is not in the family of the subnet$",
    r"^prefix: must be an IPv6 prefix: only IPv6 prefixes are delegated$",
    r"^(start_ip|end_ip): is required, unless the pool delegates prefixes ",
    r"^\w+: is only for pools that delegate prefixes: set prefix too$",
    r"^\w+: must be left out if the pool delegates prefixes$",
    r"^prefix: \S+ is not a network for clients$",
    r"^delegated_length: (is required: the length of the prefix |must not be shorter than )",
    r"^excluded_prefix: ",
    r"^associations(\[\d+\]\.|: must differ)",
    r"^(link_address|relay): must be an IPv6 address$",
    r"^never_send: contradicts always_send$",
    r"^sources\[\d+\]: \S+ has another family than ",
    r"^client_vss: requires vss",
    r"^(ip|prefix): requires a subnet: set subnet_id$",
    r"^zone_file: line \d+: ",  # a master file, of whose syntax the schema says nothing
    r"^match",  # a tree, which the schema leaves open
    r"^priority: must be below \d+: class ",
    r": is required for the adapter \w+$",
    r"^\w+: is (only|required) for the kind \w+",  # a notification
    r"^url: must be the ntfy server, ",
    r"^secret: must be the TSIG key in base64$",
    r"^\w+: is only for the adapter ad_gsstsig, not for \w+$",
    r"^address: must be the server's hostname, such as ",
    r"^(keytab|principal): is required (for|with) ",
    r"^\w+: cannot be combined with \w+: the principal's keys have one source$",
    r"^(keytab: must be the absolute path of a file|ticket_cache: must be an absolute path, )",
    r"^template: ",
    r"^type: must be A, AAAA, ",
    r"^type: a record of type \w+ at a wildcard has no defined meaning ",
    r"^zone_file: \S+: the (DNAME record at \S+ redirects|name is delegated by NS records)",
    r"^(type|name|data): .*(record|zone|\*)",
    r"^array: kind \S+ cannot be an array$",
    r"^payload",
    r"^code: ",
    r"^options(\[\d+\])?",
    r"^(path|body|ref): ",  # of operations in bulk
    r"^at: is before \w+.* was created$",
    r"^expires_at: is in the past; ",
    r"^serial: must be later than \d+ ",
    r"^duid: (must be \d+ to \d+ octets|must begin with its type, |of type \d+ )",
    r": is IPv4 in the form of IPv6 ",
    r": must not contain a NUL character$",
    r"^tags(\[\d+\])?: must contain texts of 1 to 64 characters, without commas$",
    r"^aliases: (require (hostname|ip): |.* is the hostname itself)",
    r"^secondary_ids(\[\d+\])?: (there is no DNS server |the DNS server .* has no address)",
    # More than a pattern says.
    r"^(dns_suffixes|ddns_client_domains)(\[\d+\])?: ",
    r"^next_server: must be the address or the hostname of the boot server$",
    r"^boot_file: must be at most 255 octets in UTF-8; this value has \d+$",
    r"^(duid|client_id): must be \d+ to \d+ octets ",
    r"^prefix: \S+ overlaps \S+, which is not a network for clients$",
    # Between a field and the plan.
    r"^cidr: \S+ is not inside the prefix ",
    r"^prefix_length: must be \d+ to \d+, because the prefix is ",
    r"^gateway: must be an address of a host in ",
    r"^(start_ip|end_ip): \S+ is not inside the subnet ",
    r"^ip: \S+ is not an address of a host in ",
    r"^prefix: requires an IPv6 subnet: only IPv6 prefixes are delegated$",
    r"^family: must be \d, the family of the subnet$",
    r"^tenant_id: is not the tenant of the prefix; leave it out$",
    r"^(class_id|\w*dns_server_id): this (client class|DNS server) does not exist in the tenant$",
    # Only the service itself can make one.
    r"^cursor: ",
    # Of another service.
    r"^(url|token|ca_certificate): ",
    r"^mapping: needs map_by",
    # Explain speaks of one family.
    r"^(relay|link_selection|requested_ip|ciaddr): must be ",
    r"^(ciaddr|requested_ip): (is required in|is not allowed in) the message ",
)


@schemathesis.check
def refusals_are_for_what_no_schema_says(ctx: CheckContext, response: Response, case: Case) -> None:
    meta = case.meta
    if response.status_code != 422 or meta is None or not meta.generation.mode.is_positive:
        return
    error = response.json()["error"]
    if error["code"] == "idempotency_key_reused":
        return
    details = error["details"]
    said = f"{details['field']}: {details['reason']}"
    assert any(re.search(rule, said) for rule in RULES), f"no rule says this: {said}"
