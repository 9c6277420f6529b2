"""What of a page scrolls sideways and is no table: the document itself, or a part that does so by itself."""

from playwright.sync_api import Page

WIDTHS = {
    "360 px": {"width": 360, "height": 800},
    "200 %": {"width": 640, "height": 400},  # as 1280 by 800 px show at that zoom
}

SIDEWAYS = """() => {
  const root = document.scrollingElement;
  const said = (each) => `${each.tagName.toLowerCase()}.${each.className} is ${each.scrollWidth} px wide`;
  const isTable = (each) => each.matches("[role=grid], [role=treegrid]") || each.querySelector(":scope > table");
  const scrolls = (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
  const within = (each) => {
    for (let at = each.parentElement; at; at = at.parentElement) if (scrolls(at)) return true;
    return false;
  };
  const found = [...document.querySelectorAll("body *")].filter(
    (each) => scrolls(each) && each.scrollWidth > each.clientWidth && !isTable(each)).map(said);
  if (root.scrollWidth > root.clientWidth) {
    const out = [...document.querySelectorAll("body *")].filter(
      (each) => !within(each) && each.getBoundingClientRect().right > root.clientWidth + 0.5);
    found.push(`the document is ${root.scrollWidth} px wide: ${out.map(said).join(", ")}`);
  }
  return found;
}"""


def sideways(page: Page) -> list[str]:
    """A line for each thing, at each width."""
    usual = page.viewport_size
    found = []
    for name, size in WIDTHS.items():
        page.set_viewport_size(size)  # type: ignore[arg-type]  # a mapping of these two
        page.wait_for_timeout(60)  # what measures itself draws anew
        found += [f"{name}: {line}" for line in page.evaluate(SIDEWAYS)]
    if usual is not None:
        page.set_viewport_size(usual)
    return found
