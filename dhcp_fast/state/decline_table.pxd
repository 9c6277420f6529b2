"""Who put addresses out of service by DECLINE within the last hour: fixed memory for any number of clients."""

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    MOST_OF_CLIENT = 3      # addresses an hour
    MOST_OF_LINE = 10
    DECLINE_SETS = 2048     # a power of two
    DECLINE_WAYS = 4
    MOST_STORMS = 64

# A client or a line. Times are seconds of the database's clock; 0: none.
cdef struct Decliner:
    uint64_t key            # keyed hash; 0: an empty place
    uint32_t times[MOST_OF_LINE]    # the latest, in no order
    uint32_t refused        # the latest that was one too many

# An address that stayed in service although its client declined it, until that is reported.
cdef struct Storm:
    uint32_t subnet_no
    uint64_t hi, lo

cdef struct DeclineTable:
    uint32_t refused        # the latest of all clients
    Decliner at[DECLINE_SETS][DECLINE_WAYS]
    Storm storms[MOST_STORMS]
    int storm_count
