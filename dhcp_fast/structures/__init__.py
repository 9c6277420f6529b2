"""Memory that knows no DHCP.

bitmap.pyx        which numbers of a range are free, in 64-ary levels
siphash.pxd       keyed hashing; keymap.pyx: numbers found by such a hash
huge_pages.pxd    large tables; heap.pyx: the C heap; cache_lines.pxd: small structs
recent_values.pyx what was seen lately, and how often
prefetch.pxd      asking for memory that will be needed soon
"""
