"""check.py HARNESS FOLDER CASE...: tells of each manifest in the folder and each case whether it is not expressed, ambiguous, or what
`accuracy` says of it."""
import json
import os
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


def ignored(folder, names, file):
    """What of a folder is not copied: other manifests, and what can only be waited for, or is no file."""
    here = pathlib.Path(folder)
    others = [name for name in names if here == file.parent and name.endswith(".json")]
    return others + [name for name in names if not (here / name).is_symlink() and not (here / name).is_file() and not (here / name).is_dir()]


def copy_alone(file, alone):
    """Its folder without the other manifests: one that is not finished would be refused, and this one with it. Links stay links, so that
    one that leads out of the folder is refused there as here."""
    shutil.copytree(file.parent, alone, symlinks=True, ignore=lambda folder, names: ignored(folder, names, file))
    shutil.copyfile(file, alone / file.name)
    home = file.parent.resolve()
    for link in [path for path in alone.rglob("*") if path.is_symlink()]:
        target = pathlib.Path(os.readlink(link))
        if target.is_absolute() and target.is_relative_to(home):
            link.unlink()
            link.symlink_to(alone / target.relative_to(home))


class Alone:
    """A manifest without the others of its folder."""

    def __init__(self, harness, file, scratch):
        self.harness, self.home = harness, str(file.parent)
        self.folder = pathlib.Path(scratch).resolve() / "manifest"
        copy_alone(file, self.folder)

    def accuracy(self, name, cases, *more):
        """(exit code, records, what was said on stderr), with paths as they are for who asks."""
        ended = subprocess.run([self.harness, "accuracy", "--external", str(self.folder), "--impl", name, "--json", *more, *cases],
                               capture_output=True, text=True, errors="replace", check=False)
        home = json.dumps(self.home)[1:-1]
        records = [json.loads(line) for line in ended.stdout.replace(str(self.folder), home).splitlines() if line.startswith("{")]
        return ended.returncode, records, ended.stderr.replace(str(self.folder), self.home).strip().removeprefix("fmha950: ")


def read(file):
    """The manifest. Raises Refused."""
    if not file.is_file():
        raise refused.Refused(f"{file}: must be a regular file" + (", and is a link that leads nowhere" if file.is_symlink() else ""))
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # what is no UTF-8, and no JSON
        raise refused.Refused(f"{file}: must be JSON that can be read: {error}") from None
    except RecursionError:
        raise refused.Refused(f"{file}: must not be nested deeper than 32 levels") from None
    if not isinstance(manifest, dict):
        raise refused.Refused(f"{file}: must be an object")
    return manifest


def rows_are_told(manifest):
    launched = manifest.get("launches")
    return isinstance(launched, list) and all(isinstance(each, dict) and isinstance(each.get("rows"), dict) for each in launched)


def check_one(file, harness, cases, names):
    """Prints what there is to say; gives an exit code. Raises Refused."""
    manifest = read(file)
    own = manifest.get("name")
    name = f"external:{own if isinstance(own, str) else file.stem}"
    if name in names:
        raise refused.Refused(f"{file}: name = {name}: must be another one: {names[name]} has it")
    names[name] = file
    if places := open_places(manifest):
        print(f"{name}: not expressed: {', '.join(places)}")
        return 1
    for doubt in doubts(manifest):
        print(f"{name}: {doubt}")
    with tempfile.TemporaryDirectory(prefix="fmha950-check-") as scratch:
        try:
            alone = Alone(harness, file, scratch)
        except (OSError, shutil.Error) as error:
            raise refused.Refused(f"{file.parent}: must be a folder that can be copied: {error}") from None
        worst, records, said = alone.accuracy(name, cases)
        if not records:
            raise refused.Refused(said or f"{harness}: ended with exit code {worst}")
        for record in records:
            reason = f": {record['reason']}" if record["reason"] else ""
            print(f"{name} {record['case']}: {record['outcome']}{reason}")
            if lax := lax_words(record):
                print(f"{name} {record['case']}: {lax}")
            if record["outcome"] != "passed" or not rows_are_told(manifest):
                continue
            # Again with the workgroups of some rows alone, as large cases are run: what `rows` leaves out shows.
            code, few, said = alone.accuracy(name, [record["case"]], "--query-tiles", "1")
            for again in few:
                if again["outcome"] != "passed":
                    print(f"{name} {record['case']}: rows: with the workgroups of some rows alone {again['outcome']}: {again['reason']}")
            worst = max(worst, code)
    return worst


def check(harness, folder, cases):
    files = sorted(pathlib.Path(folder).glob("*.json"))
    if not files or not cases:
        raise refused.Refused(f"external check = {folder} {' '.join(cases)}: must be a folder with manifests, and a case")
    worst, names = 0, {}
    for file in files:
        try:
            worst = max(worst, check_one(file, harness, cases, names))
        except refused.Refused as error:
            print(f"{file.name}: refused: {error}")
            worst = max(worst, 3)
    return worst


def main(arguments):
    try:
        if len(arguments) < 2:
            raise refused.Refused("external check: must be followed by a folder and cases")
        return check(arguments[0], arguments[1], arguments[2:])
    except refused.Refused as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
