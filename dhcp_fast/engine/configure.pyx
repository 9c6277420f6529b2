"""What the settings and the surroundings say, into an engine: protection (its decisions stand in protect.pyx), BOOTP,
which servers live, and which addresses are this one's own.
"""

from dhcp_fast.alloc.circuits cimport circuits_clear, circuits_init
from dhcp_fast.alloc.pools cimport MAX_NODES
from dhcp_fast.engine.core cimport Engine
from dhcp_fast.engine.limits cimport limit_init
from dhcp_fast.engine.state cimport MAX_OWN_ADDRESSES, Bootp, State

cdef enum:
    CLIENT_CELLS = 65536    # of a row of buckets: 1 MiB in all
    RELAY_CELLS = 4096


def protect(Engine engine, object settings):
    """Apply the settings; once, before the first packet and the first lease."""
    cdef State* state = &engine.state
    if not (limit_init(&state.client_limit, settings.dhcp4_client_rate, CLIENT_CELLS)
            and limit_init(&state.relay_limit, settings.dhcp4_relay_rate, RELAY_CELLS)):
        raise MemoryError
    circuits_clear(&state.circuits)
    if not circuits_init(&state.circuits, settings.dhcp4_leases_per_circuit):
        raise MemoryError
    state.adaptive_percent = settings.dhcp4_adaptive_percent
    state.limited = state.client_limit.interval or state.relay_limit.interval


BOOTP_CHOICES = ("off", "reserved", "any")      # by the numbers of state.Bootp


def serve_bootp(Engine engine, choice):
    """Which BOOTP clients are served: one of BOOTP_CHOICES."""
    engine.state.bootp = <Bootp><int>BOOTP_CHOICES.index(choice)


def be_cautious(Engine engine, bint cautious):
    """Whether addresses of which memory knows no row are bound like all others, and not simply inserted."""
    engine.state.queue.cautious = cautious


def set_nodes(Engine engine, mine, others):
    """The live servers' numbers, for the hint by which each prefers other chunks of a pool."""
    cdef int i
    engine.state.ring.mine = mine
    engine.state.ring.count = min(len(others), MAX_NODES)
    for i in range(engine.state.ring.count):
        engine.state.ring.others[i] = others[i]


def set_own_addresses(Engine engine, addresses):
    cdef int i
    engine.state.own_address_count = min(len(addresses), MAX_OWN_ADDRESSES)
    for i in range(engine.state.own_address_count):
        engine.state.own_addresses[i] = addresses[i]
