#!/usr/bin/env python3
"""commits.py BASE: commits of this branch that are not of BASE have subjects of at most 72 characters and bodies (CONTRIBUTING.md,
"Commits"). Prints those that do not. Merges need neither, nor do commits that do not stand on the one that brought this file."""
import subprocess
import sys

LONGEST = 72


def git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def wrong_commit(subject, body):
    if len(subject) > LONGEST:
        yield f"the subject has {len(subject)} characters, must have at most {LONGEST}"
    if not body.strip():
        yield "there is no body that says why"


def wrong(root, base, since="tests/repository/commits.py"):
    first = git(root, "log", "-1", "--diff-filter=A", "--format=%H", "--", since).strip()
    if not first:
        return
    text = git(root, "log", "--no-merges", "-z", "--format=%h%n%s%n%b", f"--ancestry-path={first}", "HEAD", f"^{first}", f"^{base}")
    for commit in filter(None, text.split("\0")):
        name, subject, body = commit.split("\n", 2)
        for problem in wrong_commit(subject, body):
            yield f"{name} {subject}: {problem}"


if __name__ == "__main__":
    found = list(wrong(".", sys.argv[1]))
    print("\n".join([*found, f"{len(found)} mistakes in subjects and bodies of commits"]))
    sys.exit(1 if found else 0)
