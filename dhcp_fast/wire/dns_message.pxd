"""A DNS query (RFC 1035 section 4.1) as structs.

    +----+-------+-----------------+-----------------+-----------------+-----------------+
    | id | flags | question count  | answer count    | authority count | additional count|   two octets each
    +----+-------+-----------------+-----------------+-----------------+-----------------+
    | question: name, type, class  | records, of which OPT (RFC 6891) and TSIG (RFC 8945) are looked at    |
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef enum:
    DNS_HEADER = 12
    LONGEST_NAME = 255
    MOST_LABELS = 128
    LEAST_PAYLOAD = 512         # octets of a response over UDP that everybody takes (RFC 1035 section 4.2.1)
    POINTER = 0xC000
    FARTHEST_POINTER = 0x3FFF

    FLAG_QR = 0x8000
    FLAG_AA = 0x0400
    FLAG_TC = 0x0200
    FLAG_RD = 0x0100
    FLAG_OPCODE = 0x7800
    FLAG_DO = 0x8000            # of the OPT record

    DNS_DROP = -1               # not answered, for fear of a loop
    NOERROR = 0
    FORMERR = 1
    NXDOMAIN = 3
    NOTIMP = 4
    REFUSED = 5
    YXDOMAIN = 6
    BADVERS = 16                # its upper bits are in the OPT record

    TYPE_A = 1
    TYPE_NS = 2
    TYPE_CNAME = 5
    TYPE_SOA = 6
    TYPE_MX = 15
    TYPE_AAAA = 28
    TYPE_SRV = 33
    TYPE_DNAME = 39
    TYPE_OPT = 41
    TYPE_DS = 43
    TYPE_RRSIG = 46
    TYPE_NSEC = 47
    TYPE_TSIG = 250
    TYPE_IXFR = 251
    TYPE_AXFR = 252
    TYPE_ANY = 255
    CLASS_IN = 1
    CLASS_ANY = 255

    OPTION_COOKIE = 10
    CLIENT_COOKIE = 8
    SERVER_COOKIE = 16          # of ours (RFC 9018 section 4)

cdef struct DnsName:
    uint8_t length              # with the root's octet
    uint8_t labels              # without the root
    uint8_t octets[LONGEST_NAME]        # in lower case
    uint8_t starts[MOST_LABELS]         # where each label begins; behind the last one the root

cdef struct DnsQuery:
    const uint8_t* data
    uint16_t length
    uint16_t flags
    uint16_t end                # behind the question; DNS_HEADER where there is none
    uint16_t kind               # the question's type and class
    uint16_t klass
    DnsName name
    bint has_question
    bint has_opt
    bint wants_dnssec
    uint8_t version
    uint16_t payload
    const uint8_t* cookie       # the option's value; NULL: none
    uint8_t cookie_length
    uint16_t signed_at          # where the TSIG record begins; 0: there is none

cdef int parse_query(DnsQuery* query, const uint8_t* data, size_t length) noexcept nogil
cdef bint read_name(DnsName* name, const uint8_t* data, size_t length) noexcept nogil
