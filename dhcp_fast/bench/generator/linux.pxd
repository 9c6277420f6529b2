# The system calls that the load generator lives on: batched datagrams, bounded waiting, two clocks.
from libc.stdint cimport int64_t

cdef extern from "<sys/uio.h>" nogil:
    struct iovec:
        void *iov_base
        size_t iov_len

cdef extern from "<sys/socket.h>" nogil:
    struct msghdr:
        void *msg_name
        unsigned int msg_namelen
        iovec *msg_iov
        size_t msg_iovlen
        void *msg_control
        size_t msg_controllen
        int msg_flags
    struct mmsghdr:
        msghdr msg_hdr
        unsigned int msg_len
    struct cmsghdr:
        size_t cmsg_len
        int cmsg_level
        int cmsg_type
    cmsghdr *CMSG_FIRSTHDR(msghdr *message)
    unsigned char *CMSG_DATA(cmsghdr *control)
    int recvmmsg(int fd, mmsghdr *messages, unsigned int count, int flags, void *timeout)
    int sendmmsg(int fd, mmsghdr *messages, unsigned int count, int flags)
    int MSG_DONTWAIT

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *result)
    int nanosleep(const timespec *length, timespec *rest)
    int CLOCK_MONOTONIC
    int CLOCK_THREAD_CPUTIME_ID

cdef extern from "<sys/prctl.h>" nogil:
    int prctl(int option, unsigned long value)
    int PR_SET_TIMERSLACK

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int ppoll(pollfd *fds, unsigned long count, const timespec *timeout, const void *mask)
    short POLLIN
    short POLLOUT

cdef extern from "<errno.h>" nogil:
    int errno
    int EAGAIN
    int ENOBUFS
    int ECONNREFUSED
    int EINTR

cdef extern from "<arpa/inet.h>" nogil:
    unsigned int htonl(unsigned int value)
    unsigned int ntohl(unsigned int value)
    unsigned short htons(unsigned short value)


cdef inline int64_t nanoseconds(int clock) noexcept nogil:
    cdef timespec now
    clock_gettime(clock, &now)
    return <int64_t>now.tv_sec * 1000000000 + now.tv_nsec


cdef inline void wait_for(int fd, short events, int64_t limit) noexcept nogil:
    """Sleep until the socket is ready or `limit` nanoseconds have passed."""
    cdef pollfd target
    cdef timespec patience
    if limit < 0:
        limit = 0
    target.fd = fd
    target.events = events
    target.revents = 0
    patience.tv_sec = limit // 1000000000
    patience.tv_nsec = limit % 1000000000
    ppoll(&target, 1, &patience, NULL)


cdef inline void sleep_for(int64_t length) noexcept nogil:
    cdef timespec pause
    pause.tv_sec = length // 1000000000
    pause.tv_nsec = length % 1000000000
    nanosleep(&pause, NULL)


cdef inline void set_timer_slack(int length) noexcept nogil:
    """Set how many nanoseconds late this thread's sleeps may end (the kernel's default is 50 µs)."""
    prctl(PR_SET_TIMERSLACK, length)
