"""The offer table: fixed memory, oldest first in two lists, one over all and one a subnet.

All offers live equally long, so the oldest is also the next to lapse. Relays are counted in buckets: a flood through
one relay stops at its bound and cannot push out the offers of the others.
"""

from libc.stdlib cimport calloc, free

from dhcp_fast.structures.siphash cimport mix


cdef OfferTable* offers_new() noexcept nogil:
    cdef OfferTable* table = <OfferTable*>calloc(1, sizeof(OfferTable))
    if table == NULL:
        return NULL
    table.at = <Offer*>calloc(MAX_OFFERS + 1, sizeof(Offer))
    table.buckets = <uint32_t*>calloc(OFFER_BUCKETS, 4)
    table.fresh = 1
    if table.at == NULL or table.buckets == NULL:
        offers_free(table)
        return NULL
    return table


cdef void offers_free(OfferTable* table) noexcept nogil:
    if table != NULL:
        free(table.at)
        free(table.buckets)
        free(table)


cdef inline uint32_t relay_bucket(uint32_t relay) noexcept nogil:
    return <uint32_t>mix(relay) & (RELAY_BUCKETS - 1)


cdef bint relay_has_room(const OfferTable* table, uint32_t relay) noexcept nogil:
    return table.per_relay[relay_bucket(relay)] < MAX_OFFERS_PER_RELAY


cdef uint32_t offer_find(const OfferTable* table, uint64_t client, uint32_t subnet_no) noexcept nogil:
    cdef uint32_t index = table.buckets[bucket_of(client, subnet_no)]
    while index != NO_OFFER:
        if table.at[index].client == client and table.at[index].subnet_no == subnet_no:
            return index
        index = table.at[index].hash_next
    return NO_OFFER


cdef uint32_t offer_add(OfferTable* table, SubnetOffers* subnet, uint64_t client, uint32_t subnet_no,
                        uint32_t address, uint32_t relay, int64_t expires) noexcept nogil:
    """Return a new offer, the newest in both lists; NO_OFFER when the table is full."""
    cdef uint32_t bucket = bucket_of(client, subnet_no)
    cdef uint32_t index = take_entry(table)
    cdef Offer* offer
    if index == NO_OFFER:
        return NO_OFFER
    offer = &table.at[index]
    offer.client = client
    offer.subnet_no = subnet_no
    offer.address = address
    offer.relay = relay
    offer.expires = expires
    offer.hash_next = table.buckets[bucket]
    table.buckets[bucket] = index
    append_to_all(table, index)
    append_to_subnet(table, subnet, index)
    table.per_relay[relay_bucket(relay)] += 1
    table.count += 1
    return index


cdef inline uint32_t take_entry(OfferTable* table) noexcept nogil:
    cdef uint32_t index = table.free_list
    if index != NO_OFFER:
        table.free_list = table.at[index].hash_next
    elif table.fresh <= MAX_OFFERS:
        index = table.fresh
        table.fresh += 1
    return index


cdef inline void append_to_all(OfferTable* table, uint32_t index) noexcept nogil:
    table.at[index].newer = NO_OFFER
    table.at[index].older = table.newest
    if table.newest != NO_OFFER:
        table.at[table.newest].newer = index
    else:
        table.oldest = index
    table.newest = index


cdef inline void append_to_subnet(OfferTable* table, SubnetOffers* subnet, uint32_t index) noexcept nogil:
    table.at[index].subnet_newer = NO_OFFER
    table.at[index].subnet_older = subnet.newest
    if subnet.newest != NO_OFFER:
        table.at[subnet.newest].subnet_newer = index
    else:
        subnet.oldest = index
    subnet.newest = index


cdef void offer_remove(OfferTable* table, SubnetOffers* subnet, uint32_t index) noexcept nogil:
    cdef Offer* offer = &table.at[index]
    cdef uint32_t* link = &table.buckets[bucket_of(offer.client, offer.subnet_no)]
    while link[0] != index:
        link = &table.at[link[0]].hash_next
    link[0] = offer.hash_next
    if offer.older != NO_OFFER:
        table.at[offer.older].newer = offer.newer
    else:
        table.oldest = offer.newer
    if offer.newer != NO_OFFER:
        table.at[offer.newer].older = offer.older
    else:
        table.newest = offer.older
    if offer.subnet_older != NO_OFFER:
        table.at[offer.subnet_older].subnet_newer = offer.subnet_newer
    else:
        subnet.oldest = offer.subnet_newer
    if offer.subnet_newer != NO_OFFER:
        table.at[offer.subnet_newer].subnet_older = offer.subnet_older
    else:
        subnet.newest = offer.subnet_older
    table.per_relay[relay_bucket(offer.relay)] -= 1
    table.count -= 1
    offer.hash_next = table.free_list
    table.free_list = index


cdef class Offers:
    """An offer table and the lists of some subnets, shown to Python for the model test."""

    cdef OfferTable* table
    cdef SubnetOffers subnets[8]

    def __cinit__(self):
        self.table = offers_new()
        if self.table == NULL:
            raise MemoryError

    def __dealloc__(self):
        offers_free(self.table)

    def add(self, uint64_t client, uint32_t subnet_no, uint32_t address, uint32_t relay):
        return offer_add(self.table, &self.subnets[subnet_no & 7], client, subnet_no, address, relay, 0)

    def find(self, uint64_t client, uint32_t subnet_no):
        return offer_find(self.table, client, subnet_no)

    def remove(self, uint32_t index):
        offer_remove(self.table, &self.subnets[self.table.at[index].subnet_no & 7], index)

    def by_age(self):
        """Return indexes of all offers, the oldest first."""
        cdef uint32_t index = self.table.oldest
        found = []
        while index != NO_OFFER:
            found.append(index)
            index = self.table.at[index].newer
        return found

    def of_subnet(self, uint32_t subnet_no):
        """Return indexes of the subnet's offers, the oldest first."""
        cdef uint32_t index = self.subnets[subnet_no & 7].oldest
        found = []
        while index != NO_OFFER:
            found.append(index)
            index = self.table.at[index].subnet_newer
        return found

    def through(self, uint32_t relay):
        return self.table.per_relay[relay_bucket(relay)]

    def __len__(self):
        return self.table.count
