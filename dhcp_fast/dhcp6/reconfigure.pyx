"""Answer to a client that accepts Reconfigure (RFC 8415 sections 20.4, 21.11, 21.20): our support
of it, and the key that proves our messages.

A client's key is a keyed hash of its DUID with a secret that all servers share, so that none is
stored and any server can send the message. The replay value is the database's time in microseconds;
later messages have a higher one.
"""

from libc.stdint cimport uint64_t

from dhcp_fast.state.state cimport database_now
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.codes6 cimport (
    MSG6_ADVERTISE, MSG6_INFORMATION_REQUEST, MSG6_REQUEST, MSG6_SOLICIT, OPT6_AUTH, OPT6_RECONF_ACCEPT)
from dhcp_fast.wire.cursor cimport store_u64
from dhcp_fast.wire.packet6 cimport Packet6, has6
from dhcp_fast.wire.reply6 cimport put_option6

cdef enum:
    RKAP = 3                    # protocol: Reconfigure Key Authentication Protocol
    HMAC_MD5 = 1                # algorithm
    MONOTONIC = 0               # replay detection method
    TYPE_KEY = 1                # of the authentication information: the key in clear
    AUTH_HEAD = 12              # protocol, algorithm, method, replay value, type


cdef uint64_t last_replay = 0   # of this process


cdef uint64_t next_replay(const State* state) noexcept nogil:
    """Return a value above the last one, because our estimate of the database's time is sometimes
    corrected by some hundred microseconds, and its clock may be put back.
    """
    global last_replay
    last_replay = max(last_replay + 1, <uint64_t>database_now(state))
    return last_replay


cdef void find_key(const State* state, Octets duid, uint8_t* key) noexcept nogil:
    """Find the client's key, of RECONFIGURE_KEY octets."""
    store_u64(key, siphash(state.cluster_secret, duid.data, duid.length))
    store_u64(key + 8, siphash(state.cluster_secret + 2, duid.data, duid.length))


cdef void put_reconfigure(Reply6* reply, const State* state, const Client6* client, uint8_t kind) noexcept nogil:
    """Put into an Advertise that we are willing too; in the answer that a conversation without leases ends with, the
    key."""
    cdef const Packet6* packet = &state.message6.packet
    if not has6(packet, OPT6_RECONF_ACCEPT) or client.duid.data == NULL or not (
            state.has_cluster_secret and state.clock.known):
        return
    if kind == MSG6_ADVERTISE or tells_key(packet.message_type) and put_key(reply, state, client.duid):
        put_option6(reply, OPT6_RECONF_ACCEPT, NULL, 0)


cdef inline bint tells_key(uint8_t asked) noexcept nogil:
    """Return whether to send the key (section 20.4.2): in answer to a Request, to a Solicit that was committed at once,
    to an Information-request."""
    return asked == MSG6_REQUEST or asked == MSG6_SOLICIT or asked == MSG6_INFORMATION_REQUEST


cdef bint put_key(Reply6* reply, const State* state, Octets duid) noexcept nogil:
    """Return False where it has no room."""
    cdef uint8_t told[AUTH_HEAD + RECONFIGURE_KEY]
    told[0] = RKAP
    told[1] = HMAC_MD5
    told[2] = MONOTONIC
    store_u64(told + 3, next_replay(state))
    told[11] = TYPE_KEY
    find_key(state, duid, told + AUTH_HEAD)
    return put_option6(reply, OPT6_AUTH, told, sizeof(told))
