"""Text on a page that no catalogue has: with the pseudo-locale every catalogue's text stands in brackets."""

from typing import Any

from playwright.sync_api import Page

ON = "localStorage.setItem('ipam.preferences', JSON.stringify({ pseudo: true }))"

# What people or the API wrote: cells, values, code, moments, keys of the keyboard, refusals in the server's words; and
# what the page says where no program runs.
DATA = "td, [role=gridcell], dd, pre, code, output, time, kbd, script, style, noscript, .mono, .notice.bad, .moment"
# React Aria has its own words in the browser's language.
OTHERS = ("Dismiss",)

FIND = """
([data, known]) => {
  function isPlain(text) {
    for (const each of known) text = text.replaceAll(each, "");
    for (let before; before !== text; ) {
      before = text;
      text = text.replace(/\\[[^\\[\\]]*\\]/g, "");
    }
    return /[A-Za-z]{2,}/.test(text);
  }
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (element.closest(data)) continue;
    if (element.localName === "option" && element.value === element.text) continue; // a zone of time, a reference: data
    const told = node.nodeType === Node.TEXT_NODE
      ? [node.data]
      : ["aria-label", "placeholder", "title", "alt"].map((name) => node.getAttribute(name) ?? "");
    for (const text of told) if (isPlain(text)) found.push(`<${element.localName}> ${text.trim()}`);
  }
  return found;
}
"""


def plain(page: Page, *known: str) -> list[str]:
    """The texts that stand in no brackets, each with its element. `known`: what the test itself called things."""
    longest = sorted((*known, *OTHERS), key=len, reverse=True)
    found: list[Any] = page.evaluate(FIND, [DATA, longest])
    return found
