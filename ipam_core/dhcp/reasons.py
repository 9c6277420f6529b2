"""Reasons why a packet got no answer, and others for a line of the log: THE table of names and their sentences.

To add a reason: a line at the end of its table, then `make setup`, which generates the constants of the engine
(FAULT_, REASON_ and NOTICE_ with the name in capitals). Only modules that use the constant are compiled again. Metrics,
the log, explain, trace and replay take name and sentence from here.
"""

from collections.abc import Iterable

# Faults that the codec finds in a DHCPv4 message.
FAULTS4 = {
    "too_short": "the packet is shorter than a DHCP message",
    "not_a_request": "the message is a reply (op is not BOOTREQUEST): from another server, or from a relay loop",
    "bad_hardware_length": "the hardware address is longer than its field",
    "no_cookie": "the options do not begin with the magic cookie: not DHCP",
    "option_overrun": "an option extends beyond the packet, and there is no message type before it",
    "no_message_type": "the packet has no message type: it is from a BOOTP client",
    "bad_message_type": "the message type is not one that clients send",
    "too_long": "the joined options are longer than those of any client",
    "leasequery": "a leasequery (RFC 4388): only leasequery_requesters get an answer, from the database",
}

# The same for DHCPv6, a message by itself and a message of its type (RFC 8415 section 16).
FAULTS6 = {
    "too_short": "the packet, or a message in a relay message, is shorter than a DHCPv6 message",
    "too_long": "the packet is longer than UDP allows",
    "bad_message_type": "the message type is not one that clients send to servers",
    "repeated_option": "an identifier, address or relayed message occurs twice with different values",
    "bad_duid": "the client identifier has less than 3 or more than 130 octets",
    "too_many_ias": "the message has more than 8 identity associations",
    "too_many_addresses": "the message has more than 16 addresses and prefixes",
    "bad_relay": "a relay message contains no message",
    "too_many_relays": "the message passed more relay agents than allowed",
    "no_client_id": "the message has no client identifier, which it requires",
    "no_server_id": "the message has no server identifier, which it requires",
    "unexpected_server_id": "the message is for all servers but has a server identifier",
    "unexpected_option": "the message has an option that is not allowed in its type",
    "no_address": "the registration has no address",
    "leasequery": "a leasequery (RFC 5007): only leasequery_requesters get an answer, from the database",
}

# Why the engine gives no answer to a message that can be read.
DROPS = {
    "stale": "the packet waited more than five seconds in the kernel; its client has retried by now",
    "starting": "the packet waited more than five seconds while the server started; its client has retried by now",
    "drained": "the server was drained: it makes no offers, and 30 seconds later it answers nobody",
    "client_rate": "the client exceeds its packet rate limit",
    "relay_rate": "the relay agent exceeds its packet rate limit",
    "queue_full": "too many packets wait for the database",
    "overload": "too many packets wait for the database, so new exchanges are not started",
    "repeated": "the same request of the client already waits for the database",
    "overtaken": "the client sent another message, or its subnet changed, before the packet was decided",
    "addresses_in_use": "several addresses were tried for the client, and each answered a ping; the client retries",
    "untrusted_relay": "the relay is not among the trusted relays",
    "untrusted_source": "the packet came from an address that is not in the sources of the trusted relay",
    "several_tenants": "several tenants can have a client at its address, and no lease determines the tenant",
    "no_subnet": "no subnet contains the relay or link address of the packet, or lists it",
    "unknown_network": "no tenant has the virtual network of the packet",
    "not_served_here": "no subnet is on this interface: none is bound to it, and the default tenant has none there",
    "dhcp_disabled": "the subnet has dhcp_enabled false",
    "no_identity": "the client has neither a hardware address nor a client id",
    "denied_class": "a class of the client is denied service",
    "other_server": "the message is for another server",
    "by_unicast": "the client sent by unicast a message that it must multicast (RFC 8415 section 16)",
    "left_to_another": "another running server answers this client, which began less than a second ago",
    "anothers_address": "a registration (RFC 9686) came from an address other than the registered one",
    "no_registration": "no subnet with address_registration on the link contains the registered address",
    "no_address_asked": "the message contains no address",
    "exhausted": "no pool for this client has a free address",
    "database_away": "the database accepts no leases now; other servers may answer",
    "not_reserved": "a BOOTP client without a reservation, and dhcp4_bootp does not allow addresses of pools",
    "relay_offers": "too many offers to clients of this relay agent are open",
    "unknown_binding": "the client has no such lease, and the subnet is not authoritative",
    "circuit_full": "the circuit (option 82) of the client has reached its limit of leases",
    "no_reply_address": "the reply has no destination address",
    "no_own_address": "the interface has no IPv4 address from which to send the reply",
    "waited_too_long": "the database did not answer within five seconds; the client has retried by now",
    "outcome_unknown": "the connection was lost during the commit; the client retries",
    "has_newer_lease": "while the request waited for the database, the client got another address elsewhere",
    "refused_row": "the database refused the row",
    "send_failed": "the kernel refused to send the reply",
}

# Decisions that are no drops, and unusual.
NOTICES = {
    "nak_wrong_network": "client refused: its address does not belong to its network",
    "nak_not_allowed": "client refused: no pool or reservation gives it this address, or not any more",
    "nak_must_move": "client refused: its reservation has another address, which is available now",
    "nak_circuit_full": "client refused: its circuit (option 82) has reached its limit of leases",
    "circuit_exhausted": "no lease granted: the circuit (interface-id) of the client has reached its limit",
    "nak_clock_in_doubt": "client refused: another client has the address (database lost leases, or its clock stepped)",
    "nak_no_binding": "client refused: the database has no such lease",
    "nak_lost_race": "client refused: another client got the address first",
    "lease_revoked": "lease revoked: the configuration no longer gives the client this address",
    "address_declined": "address declined: another device uses it, so it is quarantined",
    "decline_refused": "decline ignored: the client or its circuit declined too many addresses within the hour",
    "address_in_use": "address in use: it answered the ping before an offer, so it is quarantined",
    "offer_taken_back": "pool full: an offered address that was not requested was given to another client",
    "options_left_out": "options omitted: the answer had no room for them; metric options_left_out counts them by code",
    "options_ignored": "malformed or repeated option ignored; metric ignored_options counts them by code",
    "identity_shared": "two clients use one identity at the same time: the renewed lease belongs to another client now",
    "no_room": "the message contains more leases than fit in one answer, so some were ignored",
}


NONE = "none"
FAULT_NAMES4 = (NONE, *FAULTS4)  # by the numbers of `Fault`
FAULT_NAMES6 = (NONE, *FAULTS6)
# The numbers of `Reason`: DHCPv4's faults have their own, then come the engine's reasons, then DHCPv6's faults. Each
# table has room, so that a new line changes neither the numbers of others nor the engine's structures.
FIRST_DROP, FIRST_FAULT6, REASON_ROOM, NOTICE_ROOM = 32, 128, 160, 64


def _numbered(room: int, *parts: tuple[int, Iterable[str]]) -> tuple[str, ...]:
    """Return as many names as there is room for: each part from its number on, NONE where no part has a name."""
    names = [NONE] * room
    for start, part in parts:
        for number, name in enumerate(part, start):
            assert names[number] == NONE, f"no room for {name}: widen the numbers of reasons.py"
            names[number] = name
    return tuple(names)


REASON_NAMES = _numbered(REASON_ROOM, (1, FAULTS4), (FIRST_DROP, DROPS), (FIRST_FAULT6, FAULT_NAMES6))
NOTICE_NAMES = _numbered(NOTICE_ROOM, (1, NOTICES))  # by the numbers of `Notice`


def of_drop(name: str, family: int = 4) -> str:
    """Return its sentence; some faults have the same name in both families."""
    return ((FAULTS4 if family == 4 else FAULTS6) | DROPS)[name]


def of_notice(name: str) -> str:
    """Return its sentence."""
    return NOTICES[name]
