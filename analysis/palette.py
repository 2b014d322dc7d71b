"""Colours of all figures and of the report: one place, light and dark, colour-blind-safe (Okabe and Ito's set).

Figures are drawn with `color(name)`. A PNG has the theme that was chosen with `use`; an SVG is drawn in the light theme and each
colour of it becomes `var(--NAME, LIGHT)`, so that whoever shows it decides.
"""

import io
import re
from html import escape

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen before)

# Name: light, dark. Every value occurs once, since an SVG's colours are found by value.
COLORS = {
    "ink": ("#1a202c", "#e6eaf0"), "quiet": ("#5a6675", "#9da8b7"), "grid": ("#d3dae3", "#353f4d"),
    "paper": ("#fefefe", "#14181f"), "panel": ("#f2f5f9", "#1d232c"), "bad": ("#b3261e", "#ff8a80"), "good": ("#23744a", "#6fd39b"),
    "blue": ("#0072b2", "#3f9be0"), "sky": ("#56b4e9", "#a3dcff"), "green": ("#009e73", "#2ac79a"), "vermilion": ("#d55e00", "#f5863c"),
    "amber": ("#e69f00", "#ffc857"), "pink": ("#cc79a7", "#e8a3c8"), "grey": ("#7a7a7a", "#b0b0b0"), "wine": ("#882255", "#d0679a"),
    "indigo": ("#332288", "#9a8cf0"), "olive": ("#999933", "#cfcf6a"), "silver": ("#b9c0c9", "#5d6775"),
    "on_deep": ("#fdfdfd", "#101418"), "on_bright": ("#101417", "#0f1317"),  # text on a bar of one of DEEP, and on any other
}
# Of an implementation its colour and its marker, the same in every figure.
IMPLEMENTATIONS = {
    "baseline": ("grey", "o"), "prepass": ("sky", "s"), "pipelined": ("blue", "D"), "pipelined_x16": ("green", "^"),
    "pipelined_direct_p": ("wine", "h"), "fused": ("vermilion", "v"), "fused_software": ("amber", "P"), "fused_fp8_pv": ("pink", "X"),
}
# Of implementations that are not named above, in the order in which they are drawn first.
OTHERS = tuple((hue, marker) for marker in "<>p*hd8H" for hue in ("indigo", "wine", "olive"))
UNITS = {"matrix": "blue", "valu": "amber", "transcendental": "vermilion", "lds": "green", "lds_dma": "indigo", "vmem": "pink",
         "scalar": "grey", "branch": "wine"}

DEEP = ("blue", "green", "wine", "indigo", "ink")  # dark in the light theme

_theme = 0
_others = {}  # who has which of OTHERS


def use(theme):
    """"light" or "dark", for what is drawn from here on."""
    global _theme
    _theme = ("light", "dark").index(theme)
    ink, paper, grid = color("ink"), color("paper"), color("grid")
    plt.rcParams.update({
        "text.color": ink, "axes.labelcolor": ink, "axes.edgecolor": color("quiet"), "xtick.color": ink, "ytick.color": ink,
        "axes.facecolor": paper, "figure.facecolor": paper, "savefig.facecolor": paper, "grid.color": grid,
        "legend.labelcolor": ink, "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    })


def color(name):
    return COLORS[name][_theme]


def known_first(names):
    """Implementations in the palette's order, others behind by name; these get a style each, in that order, if they have none."""
    order = list(IMPLEMENTATIONS)
    names = sorted(set(names), key=lambda name: (order.index(name) if name in order else len(order), name))
    for name in names:
        style(name)
    return names


def style(implementation):
    """Name of its colour, and its marker."""
    return IMPLEMENTATIONS.get(implementation) or _others.setdefault(implementation, OTHERS[len(_others) % len(OTHERS)])


def implementation_color(name):
    return color(style(name)[0])


def css():
    """The colours as CSS variables: light, dark where the reader's system is, and data-theme to force one."""

    def block(selector, theme):
        return f"{selector}{{{''.join(f'--{name}:{values[theme]};' for name, values in COLORS.items())}}}"

    return "\n".join((block(":root", 0), "@media (prefers-color-scheme: dark){" + block(":root:not([data-theme=light])", 1) + "}",
                      block(":root[data-theme=dark]", 1)))


def hover(artist, text):
    """What an SVG says where the mouse rests on the artist."""
    artist.hover_text = text


def svg(figure, name, standalone=False):
    """The figure as SVG text whose colours are variables; `name` makes its ids its own among others in a page."""
    plt.rcParams["svg.hashsalt"] = name
    said = figure.findobj(lambda artist: hasattr(artist, "hover_text"))
    for number, artist in enumerate(said):
        artist.set_gid(f"hover-{number}")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg"):]
    for number, artist in enumerate(said):
        text = text.replace(f'<g id="hover-{number}">', f'<g id="hover-{number}"><title>{escape(artist.hover_text)}</title>', 1)
    for color_name, (light, _) in COLORS.items():
        text = re.sub(light, f"var(--{color_name}, {light})", text, flags=re.IGNORECASE)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    if standalone:
        text = text.replace("<defs>", f"<style>{css()}</style>\n <defs>", 1)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + text
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1), count=1)


def save(figure, path, name):
    """The suffix chooses the format; an SVG follows the theme of whoever shows it."""
    if str(path).endswith(".svg"):
        with open(path, "w", encoding="utf-8") as output:
            output.write(svg(figure, name, standalone=True))
    else:
        figure.savefig(path, dpi=150)
    plt.close(figure)


use("light")
