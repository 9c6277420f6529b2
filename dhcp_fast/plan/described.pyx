"""Octets and options of a description in Python, as the C structs of compiled.pxd have them.

A compiled object owns its arrays and keeps every bytes object that the structs point into.
"""

from libc.string cimport memcpy

from dhcp_fast.plan.compiled cimport CompiledOption
from dhcp_fast.structures.cache_lines cimport lines_new
from libc.stdint cimport uint8_t, uint64_t


# RFC 3925 and, of DHCPv6, RFC 8415 section 21.17: a vendor class that is a number is an enterprise number.
IDENTIFIED_VENDORS = (124, 125, 17)


cdef void* array(size_t count, size_t size) except NULL:
    cdef void* memory = lines_new(count, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef class Described:
    """A compiled object, which keeps the octets that its structs point into."""

    cdef Octets hold(self, object text):
        """Return the octets of `text` (None: absent), kept alive with this object; of a longer one than anybody sends
        the first 65,535."""
        cdef Octets octets
        octets.data = NULL
        octets.length = 0
        if text is not None:
            self.keep.append(text)
            octets.data = <const uint8_t*><const char*>(<bytes>text)
            octets.length = min(len(text), 0xFFFF)
        return octets

    cdef int options(self, OptionSet* into, object rows) except -1:
        """Add the options.

        `rows`: (code, value or None: withheld, always_send, vendor_class or None); a value that
        needs several options is a row each.
        """
        cdef CompiledOption* item
        cdef uint8_t* octets
        rows = sorted(rows, key=option_order)
        into.items = <CompiledOption*>array(len(rows) * sizeof(CompiledOption) + sum(map(octets_of, rows)), 1)
        octets = <uint8_t*>(into.items + len(rows))
        for code, value, always_send, vendor_class in rows:
            item = &into.items[into.count]
            item.code = code
            item.always_send = always_send
            if into.count and same_option(rows[into.count - 1], rows[into.count]):
                into.items[into.count - 1].more = 1
            octets = put(&item.value, value, octets)
            octets = put(&item.vendor_class, vendor_class, octets)
            if code in IDENTIFIED_VENDORS:
                item.enterprise = enterprise_in(vendor_class)
            into.marked = into.marked or item.always_send
            if item.code < 256:
                into.present[item.code >> 6] |= <uint64_t>1 << (item.code & 63)
            into.count += 1
        return 0


cdef uint8_t* put(Octets* octets, object text, uint8_t* into) except NULL:
    """Copy the text there; return the place after it.

    Raises ValueError if its length does not fit into the length field.
    """
    cdef bytes data = text
    if data is not None and len(data) > 0xFFFF:
        raise ValueError(f"an option of {len(data)} octets")
    octets.data = NULL
    octets.length = 0
    if data is None:
        return into
    octets.data = into
    octets.length = len(data)
    memcpy(into, <const char*>data, octets.length)
    return into + octets.length


def enterprise_in(vendor_class):
    """Return the number that it is; 0: it is text, or nothing."""
    number = int(vendor_class) if vendor_class and vendor_class.isdigit() else 0
    return number if number <= 0xFFFFFFFF else 0


def octets_of(row):
    return len(row[1] or b"") + len(row[3] or b"")


def option_order(row):
    return row[0], row[3] is None


def same_option(row, following):
    return (row[0], row[3]) == (following[0], following[3])


cdef int fill_boot(Described owner, Boot* boot, dict row) except -1:
    boot.server = row.get("next_server_address") or 0
    boot.server_name = owner.hold(row.get("server_name") or row.get("next_server"))
    boot.names_server = boot.server_name.data != NULL and (boot.server == 0 or bool(row.get("server_name")))
    boot.file = owner.hold(row.get("boot_file"))
    return 0
