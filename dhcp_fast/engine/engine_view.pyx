"""Counts, leases and waiting work of an engine, for other modules to read."""

from dhcp_fast.dhcp4.ping_check cimport ping_counters
from dhcp_fast.leases.lease_table cimport (
    HOLDING, LEASE_OWN, NO_LEASE, PARTIAL, Lease, is_held, lease_at, lease_find, lease_hi, lease_lo, row_version)
from dhcp_fast.net.udp cimport BATCH
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets cimport subnet_of_lease
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.decline_table cimport DeclineTable
from dhcp_fast.state.queue cimport STATEMENTS, ReadyList
from dhcp_fast.state.state cimport MESSAGE_TYPES, State
from ipam_core.dhcp.message_types import MESSAGE_TYPES6
from ipam_core.dhcp.reasons import REASON_NAMES

MESSAGES = {
    4: ("bootp", "discover", "offer", "request", "decline", "ack", "nak", "release", "inform"),
    6: tuple(MESSAGE_TYPES6.get(kind, "").lower().replace("-", "_") for kind in range(MESSAGE_TYPES)),
}


cdef class EngineView(EngineState):
    """Counts, leases and waiting work of an engine."""

    def counters(self):
        """Return counts since the start, by name."""
        cdef State* s = &self.state
        names = MESSAGES[self.family]
        return {
            "received": {names[i]: s.received[i] for i in range(len(names)) if s.received[i]},
            "replied": {names[i]: s.replied[i] for i in range(len(names)) if s.replied[i]},
            "drops": {REASON_NAMES[i]: s.drops[i] for i in range(1, len(REASON_NAMES)) if s.drops[i]},
            "options_left_out": {str(i) if i else "other": s.left_out[i] for i in range(256) if s.left_out[i]},
            "ignored_options": {str(code): s.ignored[code] for code in range(256) if s.ignored[code]},
            "early_renewals": s.early_renewals,
            "offers_taken_back": s.offers_taken_back,
            "ended": s.ended,
            "lost": s.lost, "astray": s.astray,
            "class_values": sum(map(len, self.templates.values())), "values_forgotten": s.values_forgotten,
            "offers": s.offers.count,
            "leases_known": s.leases.used - s.leases.dropped - s.others_leases,
            "slots_in_use": s.queue.in_use - BATCH,
            "ready": self.ready_in_all(),
            **ping_counters(s.pings),
            "kernel_drops": sum(sock.kernel_drops for sock in self.sockets),
        }

    def lease(self, tenant_no, address):
        """Return what the cache knows of an address, as a dict, or None."""
        cdef uint32_t index = lease_find(self.state.leases, tenant_no, address >> 64, address & 0xFFFFFFFFFFFFFFFF)
        if index == NO_LEASE:
            return None
        row = lease_at(self.state.leases, index)[0]
        subnet_no = self.subnet_of(lease_at(self.state.leases, index))
        return {"state": chr(row.state), "version": row_version(&row),
                "held": is_held(&row), "renewed": row.renewed, "expires": row.expires,
                "reuse": row.reuse, "subnet_no": subnet_no, "client": row.client,
                "told": not row.flags & PARTIAL, "own": row.flags & HOLDING == LEASE_OWN}

    def lease_places(self):
        """Return entries of the cache for which memory was taken, whether or not they are in use."""
        return self.state.leases.used

    cdef uint32_t subnet_of(self, const Lease* lease) noexcept:
        """Return the number of the subnet that the lease belongs to by now; 0: none."""
        cdef Subnet4* subnet
        cdef Pool6* pool
        if self.family == 4:
            subnet = subnet_of_lease(self.state.plan, lease)
            return 0 if subnet == NULL else subnet.no
        pool = pool_of_lease(self.state.plan6, lease.tenant_no, lease_hi(self.state.leases, lease),
                             lease_lo(self.state.leases, lease))
        return 0 if pool == NULL else pool.subnet.no

    def ready(self):
        """Return how many operations are ready for each of the statements, by their numbers in queue.pxd."""
        cdef const ReadyList* ready = self.state.queue.ready
        return tuple([ready[statement].count for statement in range(STATEMENTS)])

    def ready_in_all(self):
        """Return how many operations wait for a statement of any kind."""
        return sum(self.ready())

    def decline_storms(self):
        """Return (subnet's number, address) of declined addresses kept in service, one a subnet, since the last
        call."""
        cdef DeclineTable* table = self.state.declines
        found = [(table.storms[i].subnet_no, <object>table.storms[i].hi << 64 | table.storms[i].lo)
                 for i in range(table.storm_count)]
        table.storm_count = 0
        return found

    def refresh_wanted(self):
        """Return subnets that seem exhausted and whose leases should be read once more."""
        numbers = [self.state.refresh[i] for i in range(self.state.refresh_count)]
        self.state.refresh_count = 0
        return numbers
