"""COPY ... TO STDOUT at the protocol's level: the payload of the messages is joined in place,
without a Python object per row.

The buffer contains first `payload` octets that are not used yet, then messages that are incomplete.
To fill it, take `buffer`, write there and call `received`; after reading call `used`. (PostgreSQL
documentation, "Message Formats": a type, a length that counts itself, and CopyData 'd', CopyDone
'c', ErrorResponse 'E', ReadyForQuery 'Z'; no other message matters here.)
"""

from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

from dhcp_fast.wire.cursor cimport load_u32

cdef enum:
    ROOM = 1048576
    MOST = 262144       # octets a reading; a message of ours is far shorter


cdef class CopyOut:

    def __cinit__(self):
        self.room = <uint8_t*>malloc(ROOM)
        if self.room == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.room)

    def buffer(self):
        """Return where the next octets of the connection go."""
        if ROOM - self.filled < MOST:
            raise ValueError("PostgreSQL sent a row longer than any of ours")
        return PyMemoryView_FromMemory(<char*>self.room + self.filled, MOST, PyBUF_WRITE)

    def received(self, size_t count):
        """Note that so many octets were written to `buffer`."""
        self.filled += count
        while not self.ended and self.take_message():
            pass

    cdef bint take_message(self) except -1:
        """Move what the first message carries to the end of what was carried before; False when it is not whole."""
        cdef uint8_t* message = self.room + self.tail
        cdef size_t there = self.filled - self.tail, length
        if there < 5:
            return False
        length = load_u32(message + 1)
        if length < 4:
            raise ValueError("PostgreSQL sent no message")
        if there < length + 1:
            return False
        self.tail += length + 1
        if message[0] == c"d":
            memmove(self.room + self.payload, message + 5, length - 4)
            self.payload += length - 4
        elif message[0] == c"E":
            self.error = message[5:length + 1].replace(b"\0", b" ").decode(errors="replace")
        elif message[0] == c"Z":
            self.ended = True
        return True

    cdef void used(self, size_t count) noexcept nogil:
        """Note that the first `count` octets of the payload were read; the rest moves to the front."""
        memmove(self.room, self.room + count, self.payload - count)
        self.payload -= count
        memmove(self.room + self.payload, self.room + self.tail, self.filled - self.tail)
        self.filled = self.payload + self.filled - self.tail
        self.tail = self.payload
