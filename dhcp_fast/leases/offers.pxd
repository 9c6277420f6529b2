"""Open offers of addresses to clients, for a short time (RFC 2131 section 3.1 step 2)."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from dhcp_fast.structures.siphash cimport mix

cdef enum:
    MAX_OFFERS = 262144
    OFFER_BUCKETS = 262144
    RELAY_BUCKETS = 4096
    MAX_OFFERS_PER_RELAY = 65536
    OFFER_MILLISECONDS = 30000
    NO_OFFER = 0

cdef struct Offer:
    uint64_t client         # keyed hash of client_key
    int64_t expires         # milliseconds of the boot clock
    uint32_t address
    uint32_t subnet_no
    uint32_t relay
    uint32_t hash_next
    uint32_t older, newer                   # all offers, by age
    uint32_t subnet_older, subnet_newer     # the subnet's, by age

cdef struct SubnetOffers:
    uint32_t oldest, newest

cdef struct OfferTable:
    Offer* at
    uint32_t* buckets
    uint32_t free_list
    uint32_t fresh          # entries never used begin here
    uint32_t oldest, newest
    uint32_t count
    uint32_t per_relay[RELAY_BUCKETS]

cdef inline uint32_t bucket_of(uint64_t client, uint32_t subnet_no) noexcept nogil:
    return <uint32_t>(client ^ mix(subnet_no)) & (OFFER_BUCKETS - 1)

cdef OfferTable* offers_new() noexcept nogil
cdef void offers_free(OfferTable* table) noexcept nogil
cdef uint32_t offer_find(const OfferTable* table, uint64_t client, uint32_t subnet_no) noexcept nogil
cdef uint32_t offer_add(OfferTable* table, SubnetOffers* subnet, uint64_t client, uint32_t subnet_no,
                        uint32_t address, uint32_t relay, int64_t expires) noexcept nogil
cdef void offer_remove(OfferTable* table, SubnetOffers* subnet, uint32_t index) noexcept nogil
cdef bint relay_has_room(const OfferTable* table, uint32_t relay) noexcept nogil
