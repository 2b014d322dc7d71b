// What is wrong with a page of analysis/report_page.py as a reader sees it, and what it has: the value of this script.
(() => {
const channel = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const numbers = text => (text.match(/[\d.]+/g) || []).map(Number);
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
// The largest number first, the smallest, and as it was; then rows that have the words of the last one, and all.
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
const words = [...document.querySelectorAll('tbody tr:not(.case)')].at(-1)?.textContent ?? '';
const search = text => { box.value = text; box.dispatchEvent(new Event('input')); return shown(); };
if (box) {
  if (all > 1 && (search(words) >= all || shown() == 0)) faults.push('the filter keeps ' + shown() + ' of ' + all + ' rows');
  if (search('no row has this') != 0) faults.push('the filter keeps ' + shown() + ' rows that have not its words');
  if (search('') != all) faults.push('the filter lost rows');
} else faults.push('there is no filter');
if (document.documentElement.scrollWidth > window.innerWidth + 1)
  faults.push('wider than the window: ' + document.documentElement.scrollWidth + ' of ' + window.innerWidth);
return {faults: [...new Set(faults)], width: window.innerWidth, ground: luminance(behind(document.body)),
  sections: [...document.querySelectorAll('section')].map(section => section.id), figures: document.querySelectorAll('figure svg').length};
})()
