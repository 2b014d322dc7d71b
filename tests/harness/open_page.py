#!/usr/bin/python3
"""Opens a page of analysis/report_page.py in headless Chromium, 1280 and 420 pixels wide, with a light and a dark system, and says what is wrong.

    open_page.py PAGE.html SECTION...

Exit code 0, and a line for each look: every section and figure is shown, nothing is wider than the window, beside the column of text or cut, text can be read against
what is behind it, tables can be sorted and filtered, links lead to what is there, nothing is fetched, and the console is quiet. 1: else, with a line for each fault
instead. 77: there is no Chromium.
"""

import pathlib
import re
import sys

import chromium
import page_pixels

LOOKS = [(theme, width) for width in (1280, 420) for theme in ("light", "dark")]
PROBE = pathlib.Path(__file__).with_name("page_probe.js").read_text(encoding="utf-8")


def lost_links(page):
    """What the page fetches, and links to files that are not there."""
    text = page.read_text(encoding="utf-8")
    found = [f"fetches {''.join(names)}" for names in re.findall(r'\bsrc="(?!data:)([^"]*)"|<link[^>]* href="(?!data:)([^"]*)"|url\((?!#|data:)([^)]*)\)|(@import)', text)]
    for link in re.findall(r'<a [^>]*href="(?!#)([^"]*)"', text):
        if "://" in link or not (page.parent / link.split("#")[0]).is_file():
            found.append(f"leads to {link}, which is no file beside the page")
    return found


def faults_of(browser, page, theme, width, sections):
    """And what the page has."""
    browser.open(page.resolve().as_uri(), theme, width)
    browser.evaluate("document.querySelectorAll('details').forEach(folded => folded.open = true)")
    seen = browser.evaluate(PROBE)
    faults = seen["faults"] + [f"no section {name}" for name in sections if name not in seen["sections"]]
    if seen["width"] != width:
        faults.append(f"the window is {seen['width']} wide, not {width}")
    if (seen["ground"] < 0.2) != (theme == "dark"):
        faults.append(f"not {theme}: luminance of the ground {seen['ground']:.2f}")
    faults += page_pixels.faults(browser, width)
    return faults + [f"console: {text}" for text in browser.complaints()], seen


def main():
    page, sections = pathlib.Path(sys.argv[1]), sys.argv[2:]
    program = chromium.find()
    if program is None:
        print(chromium.NONE)
        sys.exit(77)
    lost = lost_links(page)
    for fault in lost:
        print(fault)
    wrong = bool(lost)
    with chromium.Browser(program) as browser:
        for theme, width in LOOKS:
            faults, seen = faults_of(browser, page, theme, width, sections)
            for fault in faults:
                print(f"{theme}, {width}: {fault}")
            if not faults:
                print(f"{theme}, {width}: {len(seen['sections'])} sections, {seen['figures']} figures")
            wrong = wrong or bool(faults)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
