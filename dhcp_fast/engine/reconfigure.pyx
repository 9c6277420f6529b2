"""The secret behind the keys of Reconfigure messages, into an engine; and a client's key, for who sends one."""

from libc.stdint cimport uint8_t, uint16_t

from dhcp_fast.dhcp6.reconfigure cimport RECONFIGURE_KEY, find_key
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.wire.cursor cimport load_u64


def share_secret(Engine engine, bytes secret not None):
    """Set the secret of all servers on the database, of 32 octets; without it no client gets a key."""
    cdef const uint8_t* octets = secret
    cdef int i
    if len(secret) != sizeof(engine.state.cluster_secret):
        raise ValueError("a secret of 32 octets is needed")
    for i in range(4):
        engine.state.cluster_secret[i] = load_u64(octets + 8 * i)
    engine.state.has_cluster_secret = True


def reconfigure_key(Engine engine, bytes duid not None):
    """Return the key that the client with this DUID received (RFC 8415 section 20.4)."""
    cdef uint8_t key[RECONFIGURE_KEY]
    cdef const uint8_t* octets = duid
    find_key(&engine.state, Octets(octets, <uint16_t>len(duid)), key)
    return key[:RECONFIGURE_KEY]
