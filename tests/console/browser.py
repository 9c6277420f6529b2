"""Debian's Chromium from .peers, driven by Playwright; it has the fonts that were unpacked beside it and no others.

It is the headless shell, Chromium's pages without its windows: profile, extensions and desktop are never loaded.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from system import peers

ROOT = peers.PEERS / "browser"
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@contextmanager
def running(folder: Path) -> Iterator[Browser]:
    """`folder` is for what it writes."""
    fonts = folder / "fonts.conf"
    fonts.write_text(FONTS.format(fonts=ROOT / "usr/share/fonts", cache=folder / "fonts"))
    libraries = [*ROOT.glob("usr/lib/*-linux-gnu"), *ROOT.glob("lib/*-linux-gnu")]
    libraries += ROOT.glob("usr/lib/*-linux-gnu/pulseaudio")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=peers.program("chromium"),
            args=list(SWITCHES),
            env={
                "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
                "FONTCONFIG_FILE": str(fonts),
                "HOME": str(folder),
            },
        )
        yield browser
        browser.close()


class Kept:
    """The browser of this process, which file after file takes: its start costs as much as two of their tests."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        self.browser: Browser | None = None

    def take(self, folder: Path) -> Browser:
        """That browser, or where there is none a new one, which writes into `folder`."""
        if self.browser is None or not self.browser.is_connected():
            self.end()
            self.browser = self.stack.enter_context(running(folder))
        return self.browser

    def end(self) -> None:
        self.browser = None
        self.stack.close()
