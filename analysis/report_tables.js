// The tables of a report: a click on a heading sorts by its column, and words in the box keep the rows that have them all. A
// row that is the heading of a case goes with the rows below it.
"use strict";

const tables = [...document.querySelectorAll("table")].filter(table => table.tBodies[0]);

function groupsOf(table) {
  const groups = [];
  for (const row of table.tBodies[0].rows) {
    const heading = row.classList.contains("case");
    if (heading || groups.length == 0 || !groups.at(-1).heading) groups.push({heading: heading ? row : null, rows: []});
    if (!heading) groups.at(-1).rows.push(row);
  }
  return groups;
}
const first = new Map(tables.map(table => [table, groupsOf(table)])); // as the page has them

// "-1,234.5 %" -> -1234.5; what is no number stands behind all numbers, whichever way they go
function valueOf(row, column, numeric) {
  const text = row?.cells[column]?.textContent.trim() ?? "";
  if (!numeric) return text;
  if (/^(inf|nan)/i.test(text)) return Infinity; // nothing is worse
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

function sort(table, column, direction) {
  const numeric = table.tHead.rows[0].cells[column].classList.contains("n");
  const order = (a, b) => {
    const [x, y] = [valueOf(a, column, numeric), valueOf(b, column, numeric)];
    if (x === null || y === null) return (x === null) - (y === null);
    return x === y ? 0 : direction * (numeric ? x - y : x.localeCompare(y));
  };
  const groups = first.get(table).map(group => ({...group, rows: direction ? [...group.rows].sort(order) : group.rows}));
  if (direction) groups.sort((a, b) => order(a.rows[0], b.rows[0]));
  table.tBodies[0].append(...groups.flatMap(group => (group.heading ? [group.heading] : []).concat(group.rows)));
  for (const heading of table.tHead.rows[0].cells) heading.removeAttribute("aria-sort");
  if (direction) table.tHead.rows[0].cells[column].setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
}

for (const table of tables.filter(table => table.tHead?.rows.length == 1 && table.tBodies[0].rows.length > 1))
  for (const heading of table.tHead.rows[0].cells) {
    const next = () => {
      const begin = heading.classList.contains("n") ? -1 : 1; // the largest number first
      const now = {ascending: 1, descending: -1}[heading.getAttribute("aria-sort")] ?? 0;
      sort(table, heading.cellIndex, now == 0 ? begin : now == begin ? -begin : 0);
    };
    heading.tabIndex = 0;
    heading.classList.add("sorts");
    heading.addEventListener("click", next);
    heading.addEventListener("keydown", event => { if (event.key == "Enter") next(); });
  }

function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let kept = 0, all = 0;
  for (const table of tables)
    for (const {heading, rows} of first.get(table)) {
      let any = false;
      for (const row of rows) {
        const whole = ((heading?.textContent ?? "") + " " + row.textContent).toLowerCase();
        row.hidden = !words.every(word => whole.includes(word));
        any ||= !row.hidden;
        kept += !row.hidden;
        ++all;
      }
      if (heading) heading.hidden = !any;
    }
  return words.length ? `${kept} of ${all} rows` : "";
}

const box = Object.assign(document.createElement("input"), {type: "search", id: "filter", placeholder: "filter tables: words of a row"});
const count = Object.assign(document.createElement("output"), {id: "kept"});
box.addEventListener("input", () => { count.textContent = filter(box.value); });
document.querySelector("nav").append(box, " ", count);
