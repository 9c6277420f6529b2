"""The database's clock, which decides when leases expire, as estimated by the boot clock here
(engine rule 16).
"""

from libc.stdint cimport uint32_t

from dhcp_fast.state.state cimport DatabaseClock

cdef enum:
    CLOCK_STEP = 5000000            # microseconds; a smaller difference is drift
    PAUSE_MICROSECONDS = 2000000
    LONGEST_SHIFT = 0x7FFFFFFF
    LATEST_SECONDS = 6              # rows may be dated five seconds later than a clock put back (dhcp_lease.sql)


cdef void note_database_clock(State* state, int64_t database, int64_t before, int64_t after) noexcept nogil:
    """Note the database's clock, `database` in microseconds since 2000, read between two readings
    of the boot clock.
    """
    cdef int64_t offset = database - (before + after) // 2
    cdef int64_t bound = (after - before) // 2 + 1
    cdef int64_t step = offset - state.clock.offset
    if not state.clock.known:
        state.leases.wheel_now = max(state.leases.wheel_now, <uint32_t>(database // 1000000) - 1)
    elif step > CLOCK_STEP or step < -CLOCK_STEP:
        state.clock.paused_until = after + PAUSE_MICROSECONDS
        note_step(&state.clock, step, after)
    state.clock.offset = offset
    state.clock.bound = bound
    state.clock.known = True


cdef void note_step(DatabaseClock* clock, int64_t step, int64_t moment) noexcept nogil:
    """Note a step.

    The database would take active leases for expired: they are held for as long as its clock was
    put forward. After a step back they expire at their own times.
    """
    cdef int64_t seconds = step // 1000000 + (1 if step > 0 else -1)
    if step > 0:
        clock.shifted_at = <uint32_t>((moment + clock.offset) // 1000000) + LATEST_SECONDS
    elif not clock.shift:
        return
    clock.shift = <uint32_t>min(max(<int64_t>clock.shift + seconds, 0), <int64_t>LONGEST_SHIFT)
