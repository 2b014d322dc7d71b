"""How the case grids write what they made."""
import pathlib
import sys


def write(name, what, lines):
    """data/cases/NAME: each line once, comments among them, below what they are and which script made them."""
    lines = list(dict.fromkeys(lines))
    header = f"# {what}; written by data/{pathlib.Path(sys.argv[0]).name}."
    (pathlib.Path(__file__).parent / "cases" / name).write_text("\n".join([header, *lines]) + "\n")
    print(f"{name}: {sum(not line.startswith('#') for line in lines)} cases")
