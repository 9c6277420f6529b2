"""The C heap on huge pages, for large plans.

A packet reads a dozen small arrays of its subnet. With ten thousand subnets nearly each of these is
on a page that is missing in the processor's translation cache. (Linux: madvise(2); MADV_COLLAPSE
since 6.1.)
"""

from libc.stdint cimport uintptr_t

from dhcp_fast.structures.huge_pages cimport HUGE_PAGE, MADV_HUGEPAGE, madvise

cdef enum:
    MADV_COLLAPSE = 25          # linux/mman.h
    WORTH_IT = 33554432         # octets; of less, the processor knows a good part without this

SWITCH = "/sys/kernel/mm/transparent_hugepage/enabled"


def put_heap_on_huge_pages():
    """Put the heap on huge pages and by and by as far as it grows from here; how many octets are on them. A small heap
    is left alone, and so is any where the kernel has no huge pages or somebody has switched them off."""
    try:
        with open(SWITCH) as switch:
            wanted = "[never]" not in switch.read()
        spans = heap_spans() if wanted else []
    except OSError:
        return 0
    if sum(past - first for first, past in spans) < WORTH_IT:
        return 0
    return sum(collapse(first, past) for first, past in spans)


def heap_spans():
    """Return (first address, the one behind the last) of each mapping of the heap."""
    with open("/proc/self/maps") as maps:
        heap = [line.split()[0].split("-") for line in maps if line.rstrip().endswith("[heap]")]
    return [(int(first, 16), int(past, 16)) for first, past in heap]


cdef size_t collapse(uintptr_t first, uintptr_t past) noexcept:
    """Return each huge page by itself: one that cannot be had keeps none of the others away."""
    cdef size_t moved = 0
    first += (HUGE_PAGE - first % HUGE_PAGE) % HUGE_PAGE
    if first + HUGE_PAGE <= past:
        madvise(<void*>first, past - first, MADV_HUGEPAGE)
    while first + HUGE_PAGE <= past:
        if madvise(<void*>first, HUGE_PAGE, MADV_COLLAPSE) == 0:
            moved += HUGE_PAGE
        first += HUGE_PAGE
    return moved
