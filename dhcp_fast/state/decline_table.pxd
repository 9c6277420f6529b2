"""Table of who put addresses out of service by DECLINE within the last hour: fixed memory for any number of clients."""

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    MOST_OF_CLIENT = 3      # addresses an hour
    MOST_OF_LINE = 10
    MOST_OF_SUBNET = 100    # by clients that name a new line each time
    DECLINE_SETS = 2048     # a power of two
    DECLINE_WAYS = 4
    MOST_STORMS = 64

# A client, a line or a subnet. Times are seconds of the database's clock; 0: none.
cdef struct Decliner:
    uint64_t key            # keyed hash; 0: an empty place
    uint32_t times[MOST_OF_LINE]    # the latest, in no order; of a subnet each stands for TOGETHER addresses
    uint32_t refused        # the latest that was one too many
    uint32_t begun, begun_at        # of a subnet: addresses that no time stands for yet, and the latest of them

# An address that stayed in service although its client declined it, until that is reported.
cdef struct Storm:
    uint32_t subnet_no
    uint64_t hi, lo

cdef struct DeclineTable:
    uint32_t refused        # the latest of all clients
    Decliner at[DECLINE_SETS][DECLINE_WAYS]
    Storm storms[MOST_STORMS]
    int storm_count
