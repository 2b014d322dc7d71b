"""What of a page's content is outside of its column or cut, told by screenshots: the DOM knows nothing of what a box hides.

Two pictures of the whole page are taken. In the first, what lies beside the column of text must be plain. For the second nothing hides what overflows it, and the
window is as wide as all that, but the page is not: it must show what the first shows, and nothing beside that. What a reader can scroll to is not cut.
"""

import numpy

OVERHANG = 2  # pixels by which a letter may reach out of its box
FOOT = 150  # pixels below the last line that may be plain; more, and the picture lacks a part of the page
FAINT = 96  # of 255: edges of lines are drawn otherwise in a picture that is not cut, by up to 58

COLUMN = """(() => {
  const box = document.body.getBoundingClientRect(), style = getComputedStyle(document.body);
  return {left: Math.floor(box.left + parseFloat(style.paddingLeft)) - %d, right: Math.ceil(box.right - parseFloat(style.paddingRight)) + %d,
          bottom: box.bottom, height: document.documentElement.scrollHeight};
})()""" % (OVERHANG, OVERHANG)

# A picture inside an SVG may be clipped to its axes. The value is how wide all is.
UNHIDE = """(() => {
  for (const node of document.querySelectorAll('*')) {
    const style = getComputedStyle(node);
    for (const side of ['overflowX', 'overflowY'])
      if (['hidden', 'clip'].includes(style[side])) node.style.setProperty(side == 'overflowX' ? 'overflow-x' : 'overflow-y', 'visible', 'important');
    if (!node.ownerSVGElement) for (const name of ['clip-path', 'contain']) node.style.setProperty(name, 'none', 'important');
  }
  document.documentElement.style.setProperty('width', '%dpx', 'important');
  return document.documentElement.scrollWidth;
})()"""


def place(differs, left=0):
    """Where the first and last columns and rows are that differ."""
    rows, columns = numpy.nonzero(differs.any(axis=1))[0], numpy.nonzero(differs.any(axis=0))[0]
    return f"x {left + columns[0]} to {left + columns[-1]}, y {rows[0]} to {rows[-1]}"


def faults(browser, width):
    """Of the page that is open, `width` pixels wide; afterwards it is not as it was."""
    column = browser.evaluate(COLUMN)
    height, found = column["height"], []
    shown = browser.screenshot(width, height)
    ground = shown[0, 0]

    last = numpy.nonzero((shown != ground).any(axis=(1, 2)))[0].max(initial=0)
    if last < column["bottom"] - FOOT:
        found.append(f"the picture ends at y {last}, the page at {column['bottom']:.0f}")

    def expect_none(what, differs, left=0):
        if differs.any():
            found.append(f"{what}: {place(differs, left)}")

    expect_none("pixels left of the column of text", (shown[:, :column["left"]] != ground).any(axis=2))
    expect_none("pixels right of the column of text", (shown[:, column["right"]:] != ground).any(axis=2), column["right"])
    whole = browser.screenshot(max(width, browser.evaluate(UNHIDE % width)), height)
    expect_none("pixels beyond the window", (whole[:, width:] != ground).any(axis=2), width)
    expect_none("pixels that a box hides", numpy.abs(whole[:, :width].astype(int) - shown).max(axis=2) > FAINT)
    return found
