"""The shell of the HTML report: style, sections, tables, figures as inline SVG that follows the reader's theme."""

import pathlib
import re
from html import escape

import palette
from palette import plt

STYLE = """
* { box-sizing: border-box; }
html { color-scheme: light dark; } :root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
body { font: 15px/1.5 system-ui, sans-serif; overflow-wrap: break-word; color: var(--ink); background: var(--paper); max-width: 1240px; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .3rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--grid); }
h3 { font-size: 1rem; margin: 1.8rem 0 .2rem; } p { max-width: 75ch; } a { color: var(--blue); }
nav { background: var(--panel); padding: .5rem .8rem; border-radius: 6px; } nav a { margin-right: 1.1rem; white-space: nowrap; }
.note { border-left: 4px solid var(--amber); background: var(--panel); padding: .5rem .8rem; max-width: none; }
.scroll { overflow-x: auto; } .figure { margin: .6rem 0 0; } .figure svg { width: 100%; min-width: 760px; height: auto; display: block; }
figcaption { color: var(--quiet); font-size: 13.5px; max-width: 95ch; }
table { border-collapse: collapse; font-size: 13px; margin: .6rem 0; } th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--grid); }
th { text-align: left; background: var(--panel); vertical-align: bottom; } th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n, td.place { white-space: nowrap; } td.case, td.long { min-width: 16rem; } th.group { text-align: center; border-left: 1px solid var(--grid); }
tr.case td { background: var(--panel); padding-top: .5rem; } td.case, td.place, code, pre { font: 12px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); padding: .7rem; border-radius: 6px; overflow-x: auto; overflow-wrap: normal; }
.passed { color: var(--good); } .unsupported, .not_run, .quiet { color: var(--quiet); } .bad { color: var(--bad); font-weight: 600; }
.best { font-weight: 700; } .name { white-space: nowrap; } .key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
th.sorts { cursor: pointer; } th[aria-sort=ascending]::after { content: " \\25b4"; } th[aria-sort=descending]::after { content: " \\25be"; }
nav input { font: inherit; width: 17rem; max-width: 100%; color: var(--ink); background: var(--paper); border: 1px solid var(--grid); border-radius: 4px; padding: 0 .4rem; }
details { margin: .5rem 0; } summary { cursor: pointer; }
@media print { body { max-width: none; } nav { display: none; } }
"""

SCRIPT = pathlib.Path(__file__).with_name("report_tables.js")


def section(name, title, body):
    """(anchor, title, html), the pieces that `page` puts together; an empty body leaves the section out."""
    return name, title, body


def figure(drawn, name, title, reading):
    """A matplotlib figure as inline SVG; the page's fonts and colours, no file beside it."""
    text = palette.svg(drawn, name)
    plt.close(drawn)
    text = re.sub(r"<svg ", f'<svg role="img" aria-label="{escape(title, quote=True)}" ', text, count=1)
    return f'<figure class="figure" id="figure-{name}"><div class="scroll">{text}</div><figcaption>{escape(reading)}</figcaption></figure>'


def cell(value, form="{:.2e}", kind="n"):
    return f'<td class="{kind}">{"" if value is None else escape(form.format(value))}</td>'


def heading(text, columns):
    """A row above those that belong to a case, or to another thing that they share."""
    return f'<tr class="case"><td class="case" colspan="{len(columns)}">{escape(text)}</td></tr>'


def table(titles, rows, name=""):
    """Titles beginning with '>' head columns of numbers; rows are HTML."""
    head = "".join(f'<th class="n">{escape(title[1:])}</th>' if title.startswith(">") else f"<th>{escape(title)}</th>" for title in titles)
    identity = f' id="{name}"' if name else ""
    return f'<div class="scroll"><table{identity}><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def key(implementation):
    """The implementation's name behind its colour."""
    return (f'<span class="name"><span class="key" style="background:var(--{palette.style(implementation)[0]})"></span>'
            f"{escape(implementation)}</span>")


def page(title, introduction, sections):
    sections = [entry for entry in sections if entry[2]]
    links = " ".join(f'<a href="#{name}">{escape(heading)}</a>' for name, heading, _ in sections)
    body = "".join(f'<section id="{name}"><h2>{escape(heading)}</h2>{content}</section>\n' for name, heading, content in sections)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>
<link rel="icon" href="data:,"><style>{palette.css()}{STYLE}</style></head><body>
<h1>{escape(title)}</h1>
{introduction}
<nav>{links} </nav>
{body}<script>(() => {{
{SCRIPT.read_text(encoding="utf-8")}}})();</script></body></html>
"""
