"""check.py HARNESS FOLDER CASE...: tells of each manifest in the folder and each case whether it is not expressed, ambiguous, or what
`accuracy` says of it."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import refused


def texts(value, place=""):
    """Every text in JSON, with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, f"{place}[{index}]")
    elif isinstance(value, str):
        yield place, value


def open_places(manifest):
    return [place for place, text in texts(manifest) if "$comment" not in place and place != "description" and
            (text == "?" or text.endswith(":?"))]


def doubts(manifest):
    return [text for place, text in texts(manifest) if "$comment" in place and text.startswith("ambiguous:")]


NEAR = 0.7  # of a plain implementation's error: rounding errors of as many elements differ by less


def lax_words(record):
    """Whether the kernel rounds less than `judged` says: then a mistake may be as large as the rounding that it does not do. The plain
    implementation rounds as `judged` says. "" if not."""
    accuracy = record.get("accuracy") or {}
    own, plain = ((accuracy.get(f"{whose}_error") or {}).get("rmse") for whose in ("kernel", "plain"))
    if record["outcome"] != "passed" or own is None or not plain or own >= NEAR * plain:
        return ""
    return (f"lax: its error is {own / plain:.0%} of that of a plain implementation that rounds P as judged says "
            f"(p = {record['p']}, sum = {record['sum']}): stricter words are nearer to what it does")


def accuracy_alone(harness, file, name, cases):
    """In a copy of its folder without the other manifests: one that is not finished would be refused, and this one with it."""
    with tempfile.TemporaryDirectory(prefix="fmha950-check-") as scratch:
        alone = pathlib.Path(scratch) / "manifest"
        shutil.copytree(file.parent, alone, ignore=lambda folder, names: [
            other for other in names if other.endswith(".json") and other != file.name and folder == str(file.parent)])
        return subprocess.run([harness, "accuracy", "--external", str(alone), "--impl", name, "--json", *cases],
                              capture_output=True, text=True, check=False)


def check(harness, folder, cases):
    files = sorted(pathlib.Path(folder).glob("*.json"))
    if not files or not cases:
        raise refused.Refused(f"external check = {folder} {' '.join(cases)}: must be a folder with manifests, and a case")
    worst = 0
    for file in files:
        manifest = json.loads(file.read_text())
        name = f"external:{manifest.get('name', file.stem)}"
        if places := open_places(manifest):
            print(f"{name}: not expressed: {', '.join(places)}")
            worst = 1
            continue
        for doubt in doubts(manifest):
            print(f"{name}: {doubt}")
        ended = accuracy_alone(harness, file, name, cases)
        if ended.returncode == 3 and not ended.stdout.startswith("{"):
            raise refused.Refused(ended.stderr.strip().removeprefix("fmha950: "))
        for line in ended.stdout.splitlines():
            if line.startswith("{"):
                record = json.loads(line)
                reason = f": {record['reason']}" if record["reason"] else ""
                print(f"{name} {record['case']}: {record['outcome']}{reason}")
                if lax := lax_words(record):
                    print(f"{name} {record['case']}: {lax}")
        worst = max(worst, ended.returncode)
    return worst


def main(arguments):
    try:
        if len(arguments) < 2:
            raise refused.Refused("external check: must be followed by a folder and cases")
        return check(arguments[0], arguments[1], arguments[2:])
    except (refused.Refused, json.JSONDecodeError) as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
