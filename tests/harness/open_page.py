#!/usr/bin/python3
"""Opens a page of analysis/report.py in headless Chromium as a reader with a light or dark system would, and says what is wrong.

    open_page.py PAGE.html light|dark WIDTH SECTION...

Exit code 0: every section and figure is shown, nothing is wider than the window of WIDTH pixels, text can be read against what is behind it,
tables can be sorted and filtered, and the console is quiet. 1: else, with a line for each fault. 77: there is no Chromium.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROBE = """<script>
const channel = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const numbers = text => (text.match(/[\\d.]+/g) || []).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = node => { for (; node; node = node.parentElement) { const c = numbers(getComputedStyle(node).backgroundColor);
  if (c.length == 3 || c[3] > 0) return c; } return [255, 255, 255]; };
const faults = [], size = node => node.getBoundingClientRect();
for (const section of document.querySelectorAll('section'))
  if (size(section).height < 40 || size(section).width < 300) faults.push('section ' + section.id + ' has no size');
for (const figure of document.querySelectorAll('figure')) {
  const picture = figure.querySelector('svg');
  if (!picture || size(picture).height < 100) { faults.push(figure.id + ' shows nothing'); continue; }
  const shapes = [...picture.querySelectorAll('path, use')].filter(shape => size(shape).width > 0);
  if (shapes.length < 20) faults.push(figure.id + ' has ' + shapes.length + ' shapes');
  const ground = behind(figure);
  for (const text of picture.querySelectorAll('[id*="text_"] > g:not([id*="patch_"])')) {
    const fill = getComputedStyle(text).fill;
    if (fill != 'none' && contrast(numbers(fill), ground) < 4 && !onBar(fill))
      faults.push(figure.id + ': text of ' + fill + ' on ' + ground);
  }
}
function onBar(fill) { // text on a coloured bar has a colour of its own
  const style = getComputedStyle(document.documentElement);
  return ['--on_deep', '--on_bright'].some(name => String(numbers(fill)) == String(hex(style.getPropertyValue(name))));
}
function hex(text) { return [1, 3, 5].map(i => parseInt(text.trim().slice(i, i + 2), 16)); }
for (const node of document.querySelectorAll('h1, h2, h3, p, td, th, li, figcaption, summary, code, pre, nav a'))
  if (size(node).height > 0 && contrast(numbers(getComputedStyle(node).color), behind(node)) < 4.2)
    faults.push('unreadable: ' + node.tagName + ' ' + node.className + ' ' + node.textContent.slice(0, 40));
// The largest number first, the smallest, and as it was; then rows that have a word, and all.
for (const table of document.querySelectorAll('table')) {
  const heading = table.querySelector('th.n.sorts'), rows = () => [...table.tBodies[0].rows];
  if (!heading) continue;
  const before = rows(), numbers = () => rows().filter(row => !row.classList.contains('case'))
    .map(row => parseFloat((row.cells[heading.cellIndex]?.textContent ?? '').replaceAll(',', ''))).filter(n => !Number.isNaN(n));
  const grouped = before.some(row => row.classList.contains('case'));
  for (const direction of [-1, 1]) {
    heading.click();
    const now = numbers();
    if (!grouped && now.some((n, i) => i > 0 && direction * (n - now[i - 1]) < 0)) faults.push('not sorted: ' + heading.textContent + ': ' + now);
    if (rows().length != before.length) faults.push('sorting lost rows of ' + table.id);
  }
  heading.click();
  if (rows().some((row, i) => row != before[i])) faults.push('not as it was: ' + table.id);
}
const box = document.querySelector('#filter'), shown = () => [...document.querySelectorAll('tbody tr:not([hidden])')].length, all = shown();
const search = text => { box.value = text; box.dispatchEvent(new Event('input')); return shown(); };
if (box) {
  if (search('pipelined') >= all || shown() == 0) faults.push('the filter keeps ' + shown() + ' of ' + all + ' rows');
  if (search('no row has this') != 0) faults.push('the filter keeps ' + shown() + ' rows that have not its words');
  if (search('') != all) faults.push('the filter lost rows');
} else faults.push('there is no filter');
if (document.documentElement.scrollWidth > window.innerWidth + 1)
  faults.push('wider than the window: ' + document.documentElement.scrollWidth + ' of ' + window.innerWidth);
const result = document.createElement('script');
result.type = 'application/json'; result.id = 'probe';
result.textContent = JSON.stringify({faults: [...new Set(faults)], ground: luminance(behind(document.body)),
  sections: [...document.querySelectorAll('section')].map(s => s.id), figures: document.querySelectorAll('figure svg').length});
document.body.append(result);
</script></body>"""


def browser():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def look(program, page, theme, width, folder):
    """What the page's probe found, and what Chromium printed."""
    probed = pathlib.Path(folder) / "page.html"
    text = pathlib.Path(page).read_text(encoding="utf-8")
    probed.write_text(text.replace("</body>", PROBE), encoding="utf-8")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}/profile",
               f"--window-size={width},1000", f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}", "--enable-logging=stderr",
               "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", probed.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<script type="application/json" id="probe">(.*?)</script>', ran.stdout, re.DOTALL)
    if not found:
        sys.exit(f"Chromium showed nothing (exit code {ran.returncode}): {ran.stderr[-2000:]}")
    return json.loads(html.unescape(found[1])), ran.stderr


def main():
    page, theme, width, *sections = sys.argv[1:]
    program = browser()
    if program is None:
        print("no Chromium on PATH")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="fmha950_page_") as folder:
        seen, log = look(program, page, theme, width, folder)
    faults = seen["faults"] + [f"no section {name}" for name in sections if name not in seen["sections"]]
    faults += [line for line in log.splitlines() if ":CONSOLE" in line]
    if (seen["ground"] < 0.2) != (theme == "dark"):
        faults.append(f"not {theme}: luminance of the ground {seen['ground']:.2f}")
    text = pathlib.Path(page).read_text(encoding="utf-8")
    faults += [f"refers to {url}" for url in re.findall(r'(?:src|href)="(?!#|data:)([^"]*)"|url\((?!#)([^)]*)\)|@import', text)]
    print("\n".join(faults) or f"{theme}, {width}: {len(seen['sections'])} sections, {seen['figures']} figures")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
