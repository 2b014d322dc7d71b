"""What cmake/SourceCommit.cmake writes: a commit, other words for each change of it, `unknown` outside of git."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

script = Path(__file__).resolve().parents[2] / "cmake" / "SourceCommit.cmake"


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)


def written(source, output):
    subprocess.run(["cmake", f"-DSOURCE={source}", f"-DOUTPUT={output}", "-P", script], check=True)
    return output.read_text()


with tempfile.TemporaryDirectory() as name:
    folder = Path(name).resolve()
    source, output = folder / "source", folder / "commit.txt"
    (source / "inside").mkdir(parents=True)
    texts = [written(source, output)]
    file = source / "inside" / "file"
    file.write_text("1")
    git(source, "init")
    git(source, "add", ".")
    git(source, "commit", "-m", "first")
    texts.append(written(source, output))
    time = output.stat().st_mtime_ns
    texts.append(written(source, output))
    untouched = output.stat().st_mtime_ns == time  # else all that reads it is built anew
    for text in "23":
        file.write_text(text)
        texts.append(written(source, output))
    git(source, "checkout", ".")
    (source / "results.jsonl").write_text("4")  # as a run leaves it
    texts.append(written(source, output))
    for text in "56":
        (source / "another.cpp").write_text(text)
        texts.append(written(source, output))
    texts.append(written(source / "inside", output))

clean, changed = r"[0-9a-f]{12} \d{9,}", r"[0-9a-f]{12}\+[0-9a-f]{8} \d{9,}"
forms = [r"unknown 0", clean, clean, changed, changed, clean, changed, changed, r"unknown 0"]
wrong = [text for text, form in zip(texts, forms, strict=True) if not re.fullmatch(form + "\n", text)]
if wrong or texts[1] != texts[2] or texts[3] == texts[4] or texts[6] == texts[7] or not untouched:
    sys.exit(f"source_commit_test: {texts}, untouched: {untouched}")
