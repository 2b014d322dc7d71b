#!/usr/bin/env python3
"""external_capture_test.py HARNESS DEVICE_FOLDER EXAMPLES: fits say what fits and what does not; a program's launches become a
manifest, whose mapped kernel is right, and of which `check` tells what is not expressed and what is wrong."""
import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile

HARNESS, DEVICE, EXAMPLES = sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/external"))

import capture
import check
import fits
import launches
import tensors

PROGRAM = f"/usr/bin/python3 {ROOT}/tests/clients/programs/launch_one_wave.py {EXAMPLES}/one_wave.co {{sq}} {{sk}}"


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, must be {wanted!r}")


def said(function, *arguments):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = function(*arguments)
    return code, text.getvalue()


def fits_are_sound():
    runs = [{"n": 256, "m": 7}, {"n": 512, "m": 4}, {"n": 384, "m": 9}]
    expect("constant", fits.fits(runs, [5, 5, 5]), ["5"])
    expect("a name", fits.fits(runs, [256, 512, 384]), ["n"])
    expect("a line", fits.fits(runs, [2 * 256 + 1, 2 * 512 + 1, 2 * 384 + 1]), ["2 * n + 1"])
    expect("a product", fits.fits(runs, [256 * 7, 512 * 4, 384 * 9]), ["m * n"])
    expect("tiles", fits.fits([{"n": 100}, {"n": 500}, {"n": 290}], [1, 4, 3]), ["ceil_div(n, 128)"])
    expect("no fit", fits.fits(runs, [1, 5, 2]), [])
    expect("two points lie on any line", fits.fits([{"n": 1}, {"n": 2}], [5, 9]), [])
    expect("tiles before a floor", fits.fits([{"n": 256}, {"n": 512}, {"n": 384}], [2, 4, 3]), ["ceil_div(n, 128)"])
    expect("both names", fits.fits([{"n": 1, "m": 1}, {"n": 2, "m": 2}, {"n": 4, "m": 4}], [1, 2, 4]), ["m", "n"])


def captured(folder, *more):
    return said(capture.main, [DEVICE, "--name", "seen", "--vary", PROGRAM, "--with", "sq=6,20,11", "--with", "sk=40,17,64",
                               "--to", str(folder), *more])


def proposals_are_by_size_and_contents():
    runs = [{"batch": 2, "max_query_length": 10 + n, "max_key_length": 30 + n, "query_heads": 4, "kv_heads": 2, "head_dim": 128, "page_size": 16}
            for n in range(3)]

    def proposal(sizes, words=((), (), ()), mapped=(), written=False):
        entries = [{"size": size, "before": "a", "after": "b" if written else "a",
                    "head": b"".join(word.to_bytes(4, "little") for word in each).hex()} for size, each in zip(sizes, words)]
        return tensors.proposal(runs, entries, 7, mapped)

    rows = [2 * run["max_query_length"] * 4 * 128 * 2 for run in runs]
    expect("read", proposal(rows), "--map q=7, whose size it has in all runs: batch * max_query_length * query_heads * head_dim * 2")
    expect("written", proposal(rows, written=True).split(",")[0], "--map output=7")
    pools = [2 * 32 * 2 * 128 * 2] + [2 * -(-run["max_key_length"] // 16) * 16 * 2 * 128 * 2 for run in runs[1:]]
    expect("pools", proposal(pools), "it may be k_pool or v_pool (kernels mostly have K before V)")
    expect("one pool is mapped", proposal(pools, mapped=["k_pool"]).split(",")[0], "--map v_pool=7")
    expect("of no tensor", proposal([1, 2, 3]), "")
    expect("lengths of queries", proposal([12] * 3, [(0, 10 + n, 20 + 2 * n) for n in range(3)]).split(",")[0], "--map q_indptr=7")
    expect("numbers of pages", proposal([12] * 3, [(0, 2 + (n == 3), 4) for n in range(3)]).split(",")[0], "--map kv_indptr=7")
    expect("lengths of keys", proposal([8] * 3, [(30 + n,) * 2 for n in range(3)]).split(",")[0], "--map seqlen_k=7")
    expect("a table of other contents", proposal([8] * 3, [(1, 2)] * 3), "")
    expect("pages", proposal([16, 16, 16], [(3, 0, 2, 1)] * 3).split(",")[0], "--map page_ids=7")
    expect("a page twice", proposal([16, 16, 16], [(3, 0, 3, 1)] * 3), "")


def what_is_not_followed_is_said(folder):
    pointer = {"at": 0, "allocation": 0, "size": 8, "offset": 0, "head": "", "before": "a", "after": "b", "zero": True, "addresses": 0}
    launch = {"kernel": "k", "object": "o.co", "grid": [1, 1, 1], "block": [1, 1, 1], "lds": 0, "replay": False, "arguments": [], "pointers": [pointer]}
    between = {**launch, "replay": True, "pointers": [{**pointer, "before": "c", "addresses": 2}]}
    file = folder / "launches.jsonl"
    file.write_text("\n".join(map(json.dumps, (launch, launch, {"callback": True}, between))))
    found = launches.Run(file, 2)
    expect("launches", (len(found.launches), found.left_out), (2, 1))
    notes = list(found.not_followed())
    for note, part in zip(notes, ("1 functions of the host", "held 2 words that are addresses", "wrote allocation 0 between launches 0 and 1", "launches [1] are those of a graph")):
        expect(part, part in note, True)
    expect("notes", len(notes), 4)


def lax_words_are_told():
    def record(own, outcome="passed"):
        return {"outcome": outcome, "p": "fp8", "sum": "unrounded", "accuracy": {"kernel_error": {"rmse": own}, "plain_error": {"rmse": 1.0}}}

    expect("as it says", check.lax_words(record(0.9)), "")
    expect("lax", check.lax_words(record(0.06)).startswith("lax: its error is 6% of that"), True)
    expect("what fails is not judged by it", check.lax_words(record(0.06, "inaccurate")), "")
    expect("without figures", check.lax_words({"outcome": "passed", "accuracy": None}), "")


def a_program_becomes_a_manifest(folder):
    code, text = captured(folder)
    expect("exit code", code, 0)
    for note in ("the argument at 0 is allocation 0 of 1024 * max_query_length bytes", "the argument at 8 is allocation 1 of 512 * max_key_length bytes"):
        if f"not mapped: {note}" not in text:
            sys.exit(f"capture: must say {note!r}, said {text}")
    launch = json.loads((folder / "seen.json").read_text())["launches"][0]
    expect("grid", launch["grid"], ["max_query_length", 4, 1])
    expect("block", launch["block"], [64, 1, 1])
    expect("numbers", launch["arguments"][6:], ["i32:max_query_length", "i32:4", "i32:2", "i32:0", "f32:0.127499998"])
    code, text = said(check.main, [HARNESS, str(folder), "batch_prefill/h=4:2/sq=8/sk=30"])
    expect("check", (code, "not expressed: launches[0].arguments[0]" in text), (1, True))


def check_tells_wrong_from_right(folder):
    code, text = captured(folder, "--map", "q=0", "--map", "k_pool=1", "--map", "v_pool=2", "--map", "q_indptr=3", "--map", "output=4",
                          "--map", "lse=5")
    expect("exit code", code, 0)
    case = "batch_prefill/h=4:2/sq=8/sk=30/lse=1"
    code, text = said(check.main, [HARNESS, str(folder), case])
    expect("check of a manifest that says nothing of pages", "unsupported: pages of 16" in text, True)
    manifest = json.loads((folder / "seen.json").read_text())
    manifest["needs"].append("page_size == 16 and table == 'sglang'")
    (folder / "seen.json").write_text(json.dumps(manifest))
    code, text = said(check.main, [HARNESS, str(folder), case])  # fp32 into a bf16 output, a table that is none
    expect("check of a wrong one", (code, f"external:seen {case.replace('/lse', '/d=128/lse')}: device_error: " in text), (4, True))


def check_judges_each_manifest_alone(folder):
    for file in ("one_wave.json", "one_wave.co"):
        shutil.copy(pathlib.Path(EXAMPLES) / file, folder / file)
    manifest = json.loads((folder / "one_wave.json").read_text())
    manifest["name"] = "hot"
    manifest["launches"][0]["arguments"][-1] += " * 2"  # the scale
    (folder / "hot.json").write_text(json.dumps(manifest))
    expect("exit code", captured(folder)[0], 0)  # not mapped, so not expressed
    case = "batch_prefill/h=4:2/sq=8/sk=30"
    code, text = said(check.main, [HARNESS, str(folder), case])
    found = [f"external:one_wave {case}/d=128: passed" in text, f"external:hot {case}/d=128: inaccurate: " in text,
             "external:seen: not expressed" in text]
    expect("check", (code, found), (1, [True, True, True]))


def what_is_there_stays(folder):
    expect("exit code", captured(folder)[0], 0)
    (folder / "seen.json").write_text("edited")
    code, text = captured(folder)
    expect("a second capture", (code, "--overwrite" in text, (folder / "seen.json").read_text()), (3, True, "edited"))
    expect("exit code", captured(folder, "--overwrite")[0], 0)


def bad_input_is_refused(folder):
    for more, wanted in ((["--map", "q=x"], "--map = q=x"), (["--map", "q=99"], "--map = q=99"), (["--name", "../x"], "--name = ../x"), (["--with", "b=1,2"], "--with = "), (["--is", "sq"], "--is = sq")):
        code, text = captured(folder, *more)
        expect(more, (code, wanted in text), (3, True))
    code, text = said(capture.main, [DEVICE, "--name", "x", "--vary", "false {sq}", "--with", "sq=1,2,3", "--to", str(folder)])
    expect("a program that fails", (code, "must end with exit code 0, not 1" in text), (3, True))
    code, text = said(capture.main, [DEVICE, "--name", "x", "--vary", "true {sq}", "--with", "sq=1,2,3", "--to", str(folder)])
    expect("a program without launches", (code, "launched none" in text), (3, True))


fits_are_sound()
proposals_are_by_size_and_contents()
lax_words_are_told()
for test in (what_is_not_followed_is_said, a_program_becomes_a_manifest, check_tells_wrong_from_right, check_judges_each_manifest_alone, what_is_there_stays,
             bad_input_is_refused):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print("capture and check: right")
