"""What a page loads and asks: when, how much, and whether it still waits for an answer."""

import time
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request

STREAM = "text/event-stream"
PATIENCE_SECONDS = 30.0
# Longer than a row of a table has to be in sight until more is asked about it, and than typing settles.
STILL_SECONDS = 0.35
MINUTE = 60.0
STEP_SECONDS = 10


class Traffic:
    """Of a page that is going to load: `begun` are its requests, `asked` the moments of those to the API."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.begun: list[str] = []
        self.asked: list[float] = []
        self.waiting: set[Request] = set()
        page.on("request", self.on_begin)
        page.on("requestfinished", self.on_end)
        page.on("requestfailed", self.on_end)

    def on_begin(self, request: Request) -> None:
        asked = urlsplit(request.url)
        self.begun.append(asked.path)
        if asked.path.startswith("/api/"):
            self.asked.append(time.monotonic())
        if request.headers.get("accept") != STREAM:  # a stream's answer has no end
            self.waiting.add(request)

    def on_end(self, request: Request) -> None:
        self.waiting.discard(request)

    def settle(self) -> None:
        """Waits until nothing is under way and nothing more is asked."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        still, begun = time.monotonic(), len(self.begun)
        while time.monotonic() - still < STILL_SECONDS:
            self.page.wait_for_timeout(25)
            if self.waiting or len(self.begun) > begun:
                still, begun = time.monotonic(), len(self.begun)
            assert time.monotonic() < deadline, [request.url for request in self.waiting]

    def in_an_idle_minute(self) -> list[str]:
        """What the page asks of the API while nobody touches it; its clock is made to run a minute. A step is so
        short that what asks more often than four times a minute does so here too."""
        self.settle()
        before = len(self.begun)
        for _ in range(int(MINUTE) // STEP_SECONDS):
            self.page.clock.run_for(STEP_SECONDS * 1000)
            self.settle_soon()
        return [path for path in self.begun[before:] if path.startswith("/api/")]

    def settle_soon(self) -> None:
        self.page.wait_for_timeout(50)
        while self.waiting:
            self.page.wait_for_timeout(10)

    def most_in_a_minute(self) -> int:
        return max(
            (sum(first <= each < first + MINUTE for each in self.asked) for first in self.asked), default=0
        )
