"""A flood of what is no DHCP beside clients that mean it: they are served, and the rest is counted."""

import random
import socket
import threading
import time
from pathlib import Path

import pytest
from outage.processes import Role
from outage.storms import judge, storm

SECONDS = 5.0
RATE = 100_000  # packets a second that are offered; a machine that others work on sends fewer
BURST = 500
KINDS = 64
SERVED_SHARE = 0.98


def garbage() -> list[bytes]:
    """Noise, packets that end early, options that overrun, replies, messages from nowhere."""
    chance = random.Random(1)
    noise = [chance.randbytes(chance.randrange(1, 600)) for _ in range(KINDS)]
    head = bytes((1, 1, 6, 0)) + chance.randbytes(232) + bytes.fromhex("63825363")
    broken = [head + bytes((53, 1, chance.randrange(256))) + chance.randbytes(40) for _ in range(KINDS)]
    return noise + broken + [bytes((2,)) + packet[1:] for packet in broken]


class Flood:
    """As many packets a second as asked, or as the machine gives, from a thread and a socket of its own."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.server = server
        self.packets = garbage()
        self.sent = 0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self) -> "Flood":
        self.began = time.monotonic()
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self.thread.join()
        self.rate = self.sent / (time.monotonic() - self.began)

    def run(self) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as sock:
            sock.connect(self.server)
            while not self.ending.is_set():
                if self.sent > RATE * (time.monotonic() - self.began):
                    time.sleep(BURST / RATE / 2)
                    continue
                for number in range(BURST):
                    sock.send(self.packets[(self.sent + number) % len(self.packets)])
                self.sent += BURST


@pytest.mark.parametrize("workers", ["1", "2"])
def test_good_clients_are_served_beside_it(plan_database: str, tmp_path: Path, workers: str) -> None:
    """What finds no room in the kernel hits good packets too: their clients ask again."""
    with Role(tmp_path, "dhcp", database_url=plan_database, dhcp_workers=workers) as server:
        server.ready()
        with (
            Flood(server.address) as flood,
            storm(server.address, window=16, rate=200.0, seconds=SECONDS) as running,
        ):
            running.thread.join()
            result = running.result()
        judge(plan_database, result)
        dropped = server.metric("ipam_dhcp4_drops_total")
        assert server.is_ready()
        assert "Traceback" not in server.said()
    print(
        f"{flood.rate:,.0f} a second: {result.acks} of {result.started} served, {result.retransmits} asked again"
    )
    assert result.acks >= SERVED_SHARE * result.started > 0
    assert dropped > 0
