from libc.stdint cimport int64_t

from dhcp_fast.state.state cimport State

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_BOOTTIME, CLOCK_REALTIME

cdef inline int64_t nanoseconds(int clock) noexcept nogil:
    cdef timespec when
    clock_gettime(clock, &when)
    return <int64_t>when.tv_sec * 1000000000 + when.tv_nsec

cdef inline int64_t boot_microseconds() noexcept nogil:
    """Return microseconds of the clock that also counts while the machine sleeps."""
    return nanoseconds(CLOCK_BOOTTIME) // 1000

cdef inline void note_time(State* state) noexcept nogil:
    state.now = boot_microseconds()
    state.now_real = nanoseconds(CLOCK_REALTIME)

cdef void note_database_clock(State* state, int64_t database, int64_t before, int64_t after) noexcept nogil
