"""What the scripts that look for problems of the repository share: they print each, and fail if there is one."""
import pathlib
import sys


def report(wrong, what):
    """`wrong` yields the problems of the repository at a path, which is the script's argument or the folder it runs in."""
    problems = list(wrong(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} {what}")
    return 1 if problems else 0
