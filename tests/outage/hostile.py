"""Strangers and a DNS server that do what they can to keep others from being served, until they are killed:

python hostile.py API-PORT DNS-PORT PORT-OF-ITS-POWERDNS
"""

import asyncio
import contextlib
import itertools
import random
import resource
import socket
import sys
import time

from answers.test_malformed_signatures import MALFORMED, query

ADDRESSES, OF_ONE, RATE = 40, 50, 500
IDLE_ADDRESSES, IDLE_OF_ONE = 9, 64
SPREAD = 4.0  # seconds in which all connect


async def half_requests(port: int, host: str) -> None:
    """One connection after the other, of which each says half of a request."""
    await asyncio.sleep(random.random() * SPREAD)
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
            writer.write(b"GET / HTTP/1.1\r\nX:")
            await reader.read()
            writer.transport.abort()
        await asyncio.sleep(0.5)


async def idle_connections(port: int, host: str) -> None:
    await asyncio.sleep(random.random() * SPREAD)
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
            await reader.read()
            writer.transport.abort()
        await asyncio.sleep(0.5)


async def malformed(port: int) -> None:
    forms = itertools.cycle([query(data) for data in MALFORMED.values()])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.5.1", 0))
        sock.setblocking(False)
        sock.connect(("127.0.0.1", port))
        due = time.monotonic()
        while True:
            for _ in range(RATE // 50):
                with contextlib.suppress(BlockingIOError):
                    sock.send(next(forms))
            due += 0.02
            await asyncio.sleep(max(0.0, due - time.monotonic()))


async def serve(port: int) -> None:
    """Says nothing, trickles, or answers without end, in turns."""
    turns = itertools.cycle(("silent", "trickle", "endless", "gzip"))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        how = next(turns)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            await reader.readuntil(b"\r\n\r\n")
            async with asyncio.timeout(120):
                if how == "silent":
                    await reader.read()
                elif how == "trickle":
                    writer.write(head + b"content-length: 100000\r\n\r\n")
                    while True:
                        writer.write(b" ")
                        await writer.drain()
                        await asyncio.sleep(1)
                elif how == "gzip":
                    writer.write(head + b"content-encoding: gzip\r\ncontent-length: 9\r\n\r\nnot gzip!")
                else:
                    writer.write(head + b"transfer-encoding: chunked\r\n\r\n")
                    while True:
                        writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
                        await writer.drain()
        writer.transport.abort()

    await asyncio.start_server(answer, "127.0.0.1", port)


async def main(api_port: int, dns_port: int, port: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    await serve(port)
    crowd = [half_requests(api_port, f"127.0.3.{n + 1}") for n in range(ADDRESSES) for _ in range(OF_ONE)]
    crowd += [
        idle_connections(dns_port, f"127.0.4.{n + 1}")
        for n in range(IDLE_ADDRESSES)
        for _ in range(IDLE_OF_ONE)
    ]
    await asyncio.gather(*crowd, malformed(dns_port))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
