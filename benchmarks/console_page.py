"""Chromium at the console, as benchmarks/console_load.py drives it: from a key to the frame that shows the answer.

A page's own clock measures: from the moment that the browser gives the key's event to the first frame in which the
condition holds and has been drawn. It is looked at once a frame, so a figure may be 17 ms too high, never too low.
"""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from console import browser
from playwright.sync_api import Browser, Page

PATIENCE_MS = 30_000
STILL_MS = 500  # longer than anything is asked after a page shows
RESTS = """document.querySelector("h1") !== null && document.querySelector("[aria-busy=true]") === null"""
BEFORE = """
window.pressed = 0;
window.tasks = [];
addEventListener("keydown", (event) => { window.pressed = event.timeStamp; }, true);
new PerformanceObserver((list) => {
  window.tasks.push(...list.getEntries().map(({ startTime, duration }) => [startTime, duration]));
}).observe({ type: "longtask", buffered: true });
"""
AWAIT = """() => {{
  window.shown = new Promise((resolve, reject) => {{
    setTimeout(() => reject(new Error(document.body.innerText.slice(0, 600))), {patience});
    const drawn = () => setTimeout(() => resolve(performance.now()));
    const look = () => ({condition}) ? requestAnimationFrame(drawn) : requestAnimationFrame(look);
    look();
  }});
}}"""

ROWS = """[...document.querySelectorAll("[role=rowgroup] [role=row]")]"""
IDLE = """document.querySelector(".table-window")?.getAttribute("aria-busy") === "false" """
COUNTED = """(document.querySelector(".table-tools [role=status]")?.textContent ?? "")"""


def begins_with(text: str) -> str:
    """Return a condition: the table is at rest, and its first row begins so."""
    return f"{IDLE} && /^[☐☑]?(.*)/u.exec({ROWS}[0]?.textContent ?? '')[1].startsWith({text!r})"


def holds(text: str) -> str:
    return f"{IDLE} && {ROWS}[0]?.textContent.includes({text!r})"


class Seat:
    """Page of the console, signed in."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def goto(self, place: str) -> None:
        """Navigate to a page and wait until it is at rest: a stream of events may stay open, so the
        network is no sign of it.
        """
        self.page.goto(f"/console{place}")
        self.expect(RESTS)
        self.page.evaluate("() => window.shown")
        self.page.wait_for_timeout(STILL_MS)

    def expect(self, condition: str) -> None:
        self.page.evaluate(AWAIT.format(condition=condition, patience=PATIENCE_MS))

    def since_key(self) -> float:
        """Return milliseconds from the last key to the frame that was expected."""
        return float(self.page.evaluate("async () => (await window.shown) - window.pressed"))

    def key(self, key: str, condition: str) -> float:
        self.expect(condition)
        self.page.keyboard.press(key)
        return self.since_key()

    def type(self, label: str, text: str, condition: str) -> float:
        """Type text in the place of the field's contents."""
        field = self.page.get_by_label(label)
        field.focus()
        self.page.keyboard.press("Control+A")
        self.expect(condition)
        self.page.keyboard.type(text)
        return self.since_key()

    def first_paint(self, place: str, condition: str) -> float:
        """Return milliseconds from the beginning of the navigation."""
        self.page.goto("about:blank")
        self.page.goto(f"/console{place}", wait_until="commit")
        self.expect(condition)
        return float(self.page.evaluate("() => window.shown"))

    def longest_task(self, since: float) -> float:
        tasks: list[list[float]] = self.page.evaluate("() => window.tasks")
        return max((duration for start, duration in tasks if start >= since), default=0.0)

    def now(self) -> float:
        return float(self.page.evaluate("() => performance.now()"))


@contextlib.contextmanager
def seated(url: str, token: str) -> Iterator[Seat]:
    with tempfile.TemporaryDirectory() as folder, browser.running(Path(folder)) as chromium:
        yield Seat(opened(chromium, url, token))


def opened(chromium: Browser, url: str, token: str, **options: Any) -> Page:
    context = chromium.new_context(base_url=url, **options)
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(f"sessionStorage.setItem('ipam.token', '{token}')")
    context.add_init_script(BEFORE)
    return context.new_page()
