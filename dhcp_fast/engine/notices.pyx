"""Notices for operators: unusual decisions on packets with their count and one client, and values
of clients for templates.
"""

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.state.samples cimport Sample
from dhcp_fast.state.seen_relays cimport SEEN_RELAYS, SeenRelay
from dhcp_fast.state.shared_identity cimport SharedIdentity
from dhcp_fast.state.state cimport UnknownRelay
from ipam_core.dhcp.reasons import NOTICE_NAMES, NOTICES, REASON_NAMES


cdef dict taken(Sample* sample, str kind, object total):
    sample.fresh = False
    return {"kind": kind, "total": total, "peer": sample.peer, "giaddr": sample.giaddr, "address": sample.address,
            "subnet_no": sample.subnet_no, "chaddr": sample.chaddr[:6], "duid": sample.duid[:sample.duid_length],
            "peer6": (<object>sample.peer_hi << 64) | sample.peer_lo}


def drop_samples(Engine engine):
    """Return, of each reason for which packets were dropped since the last call, one of them and the count so far."""
    cdef int i
    return [taken(&engine.state.samples[i], REASON_NAMES[i], engine.state.drops[i])
            for i in range(1, len(REASON_NAMES)) if engine.state.samples[i].fresh]


def notice_samples(Engine engine):
    """Return the same of the other unusual decisions."""
    cdef int i
    return [taken(&engine.state.notices[i], NOTICE_NAMES[i], engine.state.noticed[i])
            for i in range(1, len(NOTICE_NAMES)) if engine.state.notices[i].fresh]


def noticed(Engine engine):
    """Return counts since the start, by kind."""
    return {name: engine.state.noticed[i] for i, name in enumerate(NOTICES, 1)}


def shared_identities(Engine engine):
    """Return (subnet's number, address, hardware address, client id or DUID) of clients that share an identity with
    another one, since the last call; of many the first ones."""
    cdef int i
    cdef SharedIdentity* one
    found = []
    for i in range(engine.state.shared_identities.count):
        one = &engine.state.shared_identities.at[i]
        found.append((one.subnet_no, <object>one.hi << 64 | one.lo, one.card[:one.card_length],
                      one.identity[:one.identity_length]))
    engine.state.shared_identities.count = 0
    return found


def unknown_relays(Engine engine):
    """Return (address as a number, packets) of relays that nobody trusts, since the last call; of a flood the first
    ones."""
    cdef int i
    cdef UnknownRelay* relays = engine.state.unknown_relays
    found = [(<object>relays[i].hi << 64 | relays[i].lo, relays[i].count)
             for i in range(engine.state.unknown_relay_count)]
    engine.state.unknown_relay_count = 0
    return found


def seen_relays(Engine engine):
    """Return (number of a subnet, address of a trusted relay in one of its pools, packets) since the last call."""
    cdef int i
    cdef SeenRelay* relays = engine.state.seen_relays.at
    found = []
    for i in range(<int>SEEN_RELAYS):
        if relays[i].packets:
            found.append((relays[i].subnet_no, <object>relays[i].hi << 64 | relays[i].lo, relays[i].packets))
            relays[i].packets = 0
    engine.state.seen_relays.turn += 1
    engine.state.seen_relays.is_urgent = False
    return found


def is_urgent(Engine engine):
    """Return whether an address is withheld here that other servers might give."""
    return engine.state.seen_relays.is_urgent


def class_values(Engine engine):
    """Return (number of a template, a value of clients for it, packets) since the last call."""
    return [(template[0], value, count)
            for template, values in engine.templates.items() for value, count in values.take()]
