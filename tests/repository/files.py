"""The repository's files by their names, for the scripts that look for problems."""
import re
import subprocess


def tracked(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name]


def has(name, names):
    """Whether it is among the names. NAME in it stands for any name."""
    if "NAME" not in name:
        return name in names
    any_name = re.compile(re.escape(name).replace("NAME", r"\w+"))
    return any(any_name.fullmatch(other) for other in names)
