"""Why a packet got no answer, and what else is worth a line of the log: THE table of names and their sentences.

To add a reason: a line here, then `python -m ipam_core.dhcp.generate_codes dhcp_fast`, which writes the constants of
the engine (FAULT_, REASON_ and NOTICE_ with the name in capitals). Metrics, the log, explain, trace and replay take
name and sentence from here.
"""

# What the codec finds wrong with a DHCPv4 message.
FAULTS4 = {
    "too_short": "the packet is shorter than a DHCP message",
    "not_a_request": "the message is a reply (op is not BOOTREQUEST): another server's, or a loop between relays",
    "bad_hardware_length": "the hardware address is longer than its field",
    "no_cookie": "the options do not begin with the magic cookie: not DHCP",
    "option_overrun": "an option is longer than the packet, and there is no message type before it",
    "no_message_type": "there is no message type: a BOOTP client",
    "bad_message_type": "the message type is none that a client sends",
    "too_long": "the options, joined, are longer than any client's",
    "leasequery": "a leasequery (RFC 4388): leasequery_requesters says who is answered, from the database",
}

# The same for DHCPv6, a message by itself and a message of its type (RFC 8415 section 16).
FAULTS6 = {
    "too_short": "the packet is shorter than a DHCPv6 message, or what a relay wrapped is",
    "too_long": "the packet is longer than UDP carries",
    "bad_message_type": "the message type is none that a client sends to a server",
    "repeated_option": "two different identifiers, addresses or relayed messages are there, and only one can be meant",
    "bad_duid": "the client identifier has less than 3 or more than 130 octets",
    "too_many_ias": "the message has more than 8 identity associations",
    "too_many_addresses": "the message has more than 16 addresses and prefixes",
    "bad_relay": "a relay's part of the message contains no message",
    "too_many_relays": "the message came through more relays than there may be",
    "no_client_id": "the message must have a client identifier and has none",
    "no_server_id": "the message must have a server identifier and has none",
    "unexpected_server_id": "the message is to all servers and has a server identifier",
    "unexpected_option": "the message has an option that its type must not have",
    "no_address": "the registration of an address has none",
    "leasequery": "a leasequery (RFC 5007): leasequery_requesters says who is answered, from the database",
}

# Why the engine gives no answer to a message that can be read.
DROPS = {
    "stale": "the packet waited more than five seconds in the kernel; its client has asked again",
    "client_rate": "the client sends more packets than the limit allows",
    "relay_rate": "the relay sends more packets than the limit allows",
    "queue_full": "too many packets wait for the database",
    "overload": "so many packets wait for the database that new conversations are not begun",
    "repeated": "the same request of the client waits for the database already",
    "overtaken": "the client went on, or its subnet was changed, before its packet could be decided again",
    "addresses_in_use": "several addresses were tried for the client, and each answered a ping; it asks again",
    "untrusted_relay": "the relay is not among the trusted relays",
    "untrusted_source": "the relay's entry lists sources, and the packet came from another address",
    "several_tenants": "several tenants can have a client at its address, and no lease tells whose it is",
    "no_subnet": "no subnet contains the address that the packet came by, or names it",
    "unknown_network": "no tenant has the name of the virtual network that the packet names",
    "not_served_here": "no subnet is on this interface: none is bound to it, and the default tenant has none there",
    "dhcp_disabled": "the subnet has dhcp_enabled false",
    "no_identity": "the client has neither a hardware address nor a client id",
    "denied_class": "the client is of a class that is denied service",
    "other_server": "the client speaks to another server",
    "by_unicast": "the client sent to one server what it must send to all (RFC 8415 section 16)",
    "left_to_another": "another live server is to answer this client, which began to ask less than a second ago",
    "anothers_address": "a registration (RFC 9686) came from another address than the one that it registers",
    "no_registration": "the registered address is of no subnet of the link that has address_registration",
    "no_address_asked": "the message does not say which address it is about",
    "exhausted": "no pool that is open to the client has a free address",
    "database_away": "the database takes no leases now, or the server drains: nothing is offered, other servers may",
    "not_reserved": "a BOOTP client without a reservation, and the subnet gives it no address of a pool",
    "relay_offers": "too many offers to clients of this relay are open",
    "unknown_binding": "the client has no such lease, and the subnet is not authoritative",
    "circuit_full": "the circuit (option 82) that the client is behind has all the leases that it may have",
    "no_reply_address": "there is no way to send the reply",
    "no_own_address": "the interface has no IPv4 address that the reply could come from",
    "waited_too_long": "the database was not reached within five seconds; the client has asked again",
    "outcome_unknown": "the connection was lost during the commit; the client asks again",
    "has_newer_lease": "while the request waited for the database its client got another address elsewhere",
    "refused_row": "the database did not take the row",
    "send_failed": "the kernel refused to send the reply",
}

# Decisions that are no drops, and unusual.
NOTICES = {
    "nak_wrong_network": "client refused: its address is not of the network that it asks from",
    "nak_not_allowed": "client refused: no pool or reservation gives it this address (any more)",
    "nak_must_move": "client refused: it has a reservation for another address, which it can have now",
    "nak_circuit_full": "client refused: the circuit (option 82) that it is behind has all the leases that it may have",
    "circuit_exhausted": "nothing given: the circuit (interface-id) that the client is behind has all that it may have",
    "nak_clock_in_doubt": "client refused: the database's clock stepped or it lost leases: another has the address",
    "nak_no_binding": "client refused: the database has no such lease of it",
    "nak_lost_race": "client refused: another client got the address first",
    "lease_revoked": "lease withdrawn: the configuration does not give the client this address any more",
    "address_declined": "address in use: the client found somebody else there, so nobody gets it for a while",
    "decline_refused": "declined address stays in service: its client or line has declined too many within the hour",
    "address_in_use": "address in use: somebody answered the ping before an offer, so nobody gets it for a while",
    "offer_taken_back": "pool full: an address that was offered to one client and not requested went to another",
    "options_left_out": "options left out: the answer had no room for them; metric options_left_out has their codes",
    "options_ignored": "a malformed or repeated option counts as absent; ignored_options in the metrics has its code",
    "identity_shared": "two clients use one identity at once: the lease that one renews is another's by now",
    "no_room": "the message asks for more leases than one answer can tell, so some of them were not looked at",
}


NONE = "none"
FAULT_NAMES4 = (NONE, *FAULTS4)  # by the numbers of `Fault`
FAULT_NAMES6 = (NONE, *FAULTS6)
# By the numbers of `Reason`, which go on where DHCPv4's faults end; DHCPv6's follow the engine's own.
REASON_NAMES = (*FAULT_NAMES4, *DROPS, NONE, *FAULTS6)
NOTICE_NAMES = (NONE, *NOTICES)  # by the numbers of `Notice`


def of_drop(name: str, family: int = 4) -> str:
    """Its sentence; some of what can be wrong with a message bears one name in both families."""
    return ((FAULTS4 if family == 4 else FAULTS6) | DROPS)[name]


def of_notice(name: str) -> str:
    """Its sentence."""
    return NOTICES[name]
