"""The kernel's half of the hash: a classic BPF program on a group of SO_REUSEPORT sockets.

The program of a reuseport group sees a UDP datagram without its UDP header
(net/core/sock_reuseport.c, run_bpf_filter), so chaddr is at octet 28 as in the message itself. It
returns the place of a socket in the order in which the group was bound. A load beyond the end of
the datagram ends a classic program with 0: a message without a whole chaddr goes to worker 0, which
counts it as malformed. The IPv6 header in front of the datagram is reached from SKF_NET_OFF on
(linux/filter.h).
"""

from libc.errno cimport errno
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.net.reuseport cimport ADDRESS6, CHADDR, PEER_ADDRESS, RELAY_FORW, Share, worker_of, worker_of6
from dhcp_fast.wire.cursor cimport load_u64

cdef extern from "<sys/socket.h>" nogil:
    int SO_ATTACH_REUSEPORT_CBPF
    int SOL_SOCKET
    int setsockopt(int, int, int, const void*, unsigned int)

cdef extern from "<linux/filter.h>" nogil:
    struct sock_filter:
        uint16_t code
        uint8_t jt, jf
        uint32_t k
    struct sock_fprog:
        unsigned short len
        sock_filter* filter
    int BPF_LD, BPF_LDX, BPF_ST, BPF_ALU, BPF_RET, BPF_JMP
    int BPF_W, BPF_H, BPF_B, BPF_ABS, BPF_IMM, BPF_MEM
    int BPF_XOR, BPF_MUL, BPF_RSH, BPF_MOD, BPF_JEQ, BPF_JA, BPF_K, BPF_X, BPF_A
    int SKF_NET_OFF

cdef enum:
    KEPT = 0                # scratch words of the program
    ADDRESS = 1             # four of them
    WORDS = 4
    SOURCE = 8              # octets in front of it in an IPv6 header (RFC 8200 section 3)
    MOST = 64


class WorkerHash:
    """WorkerHash(seed, count, family): the program, and the same arithmetic for one address."""

    def __init__(self, seed, count, family=4):
        self.seed = seed
        self.count = count
        self.family = family

    def program(self):
        """Return instructions (code, jump if true, jump if false, constant) of classic BPF."""
        return self.program4() if self.family == 4 else self.program6()

    def program4(self):
        """See worker_of in reuseport.pxd."""
        return [
            (BPF_LD | BPF_W | BPF_ABS, 0, 0, CHADDR),
            (BPF_ALU | BPF_XOR | BPF_K, 0, 0, self.seed),
            (BPF_ALU | BPF_MUL | BPF_K, 0, 0, 0x9E3779B1),
            *fold(15),
            (BPF_ST, 0, 0, KEPT),
            (BPF_LD | BPF_H | BPF_ABS, 0, 0, CHADDR + 4),
            (BPF_LDX | BPF_MEM, 0, 0, KEPT),
            (BPF_ALU | BPF_XOR | BPF_X, 0, 0, 0),
            *self.end(),
        ]

    def program6(self):
        """See datagram_is_mine6 in reuseport.pxd: one of two addresses is kept, and then hashed."""
        source = keep_address((SKF_NET_OFF & 0xFFFFFFFF) + SOURCE)
        mixed = [step for word in range(WORDS) for step in (
            (BPF_LDX | BPF_MEM, 0, 0, ADDRESS + word),
            (BPF_ALU | BPF_XOR | BPF_X, 0, 0, 0),
            (BPF_ALU | BPF_MUL | BPF_K, 0, 0, 0x9E3779B1),
            *fold(15),
        )]
        return [
            (BPF_LD | BPF_B | BPF_ABS, 0, 0, 0),
            (BPF_JMP | BPF_JEQ | BPF_K, len(source) + 1, 0, RELAY_FORW),
            *source,
            (BPF_JMP | BPF_JA, 0, 0, len(source)),
            *keep_address(PEER_ADDRESS),
            (BPF_LD | BPF_IMM, 0, 0, self.seed),
            *mixed,
            *self.end(),
        ]

    def end(self):
        """Return what both programs end with."""
        return [
            (BPF_ALU | BPF_MUL | BPF_K, 0, 0, 0x85EBCA6B),
            *fold(13),
            (BPF_ALU | BPF_MUL | BPF_K, 0, 0, 0xC2B2AE35),
            *fold(16),
            (BPF_ALU | BPF_MOD | BPF_K, 0, 0, self.count),
            (BPF_RET | BPF_A, 0, 0, 0),
        ]

    def attach(self, sock):
        """Attach it to the group of which this socket is one; raises OSError."""
        cdef sock_filter filter[MOST]
        cdef sock_fprog program
        cdef int fd = sock.fileno()
        instructions = self.program()
        for i, (code, jt, jf, k) in enumerate(instructions):
            filter[<int>i] = sock_filter(code, jt, jf, k)
        program.len = <unsigned short>len(instructions)
        program.filter = filter
        if setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program)) < 0:
            raise OSError(errno, "the kernel takes no program for a group of sockets")

    def worker(self, bytes address):
        """Return which worker serves this hardware address; of DHCPv6 what comes from these 16 octets."""
        cdef Share share = Share(self.seed, 0, self.count)
        cdef const uint8_t* octets = address
        if self.family == 4:
            return worker_of(&share, octets, <uint16_t>len(address))
        if len(address) != ADDRESS6:
            raise ValueError("an IPv6 address has 16 octets")
        return worker_of6(&share, load_u64(octets), load_u64(octets + 8))


def fold(bits):
    """Return a ^= A >> bits."""
    return [
        (BPF_ST, 0, 0, KEPT),
        (BPF_ALU | BPF_RSH | BPF_K, 0, 0, bits),
        (BPF_LDX | BPF_MEM, 0, 0, KEPT),
        (BPF_ALU | BPF_XOR | BPF_X, 0, 0, 0),
    ]


def keep_address(offset):
    """Return the four words there, into the scratch words for them."""
    return [step for word in range(WORDS) for step in (
        (BPF_LD | BPF_W | BPF_ABS, 0, 0, offset + 4 * word),
        (BPF_ST, 0, 0, ADDRESS + word),
    )]
