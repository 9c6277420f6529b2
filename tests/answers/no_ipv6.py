"""Runs a command as on a kernel without IPv6: `python no_ipv6.py COMMAND...`.

A filter of system calls answers socket(AF_INET6, ...) with EAFNOSUPPORT, which is what such a kernel says (and
systemd's RestrictAddressFamilies).
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # linux/bpf_common.h: of 32 bits, absolute; with a constant
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER, FAMILY = 0, 16  # octets in struct seccomp_data: the system call, its first argument
SOCKET_CALL = {"x86_64": 41}.get(platform.machine(), 198)

PROGRAM = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 3, SOCKET_CALL),
        (LOAD, 0, 0, FAMILY),
        (EQUAL, 0, 1, socket.AF_INET6),
        (RETURN, 0, 0, REFUSE | errno.EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    )
)


def main() -> None:
    octets = ctypes.create_string_buffer(PROGRAM, len(PROGRAM))
    head = struct.pack("@HP", len(PROGRAM) // 8, ctypes.addressof(octets))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, FILTER, head, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
