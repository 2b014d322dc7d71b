#!/usr/bin/env python3
"""external_capture_test.py HARNESS DEVICE_FOLDER EXAMPLES: fits say what fits and what does not; a program's launches become a
manifest, whose mapped kernel is right, and of which `check` tells what is not expressed and what is wrong."""
import contextlib
import io
import json
import os
import pathlib
import re
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
    launch = {"kernel": "k", "process": 1, "number": 0, "object": "o.co", "grid": [1, 1, 1], "block": [1, 1, 1], "lds": 0, "replay": False, "arguments": [], "pointers": [pointer]}
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
    told = [re.search(rf"is allocation {number} of [^,]*, (written|unchanged):", text).group(1) for number in range(6)]
    expect("what is written", told, ["unchanged"] * 4 + ["written"] * 2)
    launch = json.loads((folder / "seen.json").read_text())["launches"][0]
    expect("grid", launch["grid"], ["max_query_length", 4, 1])
    expect("block", launch["block"], [64, 1, 1])
    expect("numbers", launch["arguments"][6:], ["i32:max_query_length", "i32:4", "i32:2", "i32:0", "f32:0.127499998"])
    code, text = said(check.main, [HARNESS, str(folder), "batch_prefill/h=4:2/sq=8/sk=30"])
    expect("check", (code, "not expressed: launches[0].arguments[0]" in text), (1, True))
    mapping = [word for name, number in (("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4), ("f", 5)) for word in ("--map", f"{name}={number}")]
    expect("exit code", captured(folder, *mapping, "--overwrite")[0], 0)
    spaces = json.loads((folder / "seen.json").read_text())["workspace"]
    expect("workspaces", spaces, {"e": {"bytes": "2048 * max_query_length", "zero": True}, "f": {"bytes": "16 * max_query_length", "zero": True}})


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
    file = folder / "file"
    file.write_text("")
    for more, wanted in ((["--map", "q=x"], "--map = q=x"), (["--map", "q=0", "--map", "q=1"], "--map = q=1: must say once"),
                         (["--map", "q=0", "--map", "k_pool=0"], "--map = k_pool=0: must be another allocation: q is"),
                         (["--map", "batch=0"], "--map = batch=0: must be a tensor (q, "), (["--map", "in=0"], "--map = in=0: must be a tensor"),
                         (["--map", "q=\u00b2"], "must be NAME=NUMBER"), (["--is", "sq=length"], "--is = sq=length: must be a number of manifests"),
                         (["--is", "n=batch"], "--is = n=batch: must be of a name that --with gives: sq, sk"),
                         (["--is", "sq=max_key_length"], "must give each varied name another meaning"),
                         (["--with", "page=0"], "--with = page=0,0,0: must be 1 or more: it is page_size"), (["--with", "sq=1"], "--with = sq=1: must say once"),
                         (["--last", "0"], "--last = 0: must be 1 or more"), (["--to", str(file)], f"--to = {file}: must be a folder, and is a file"),
                         (["--to", f"{file}/x"], f"--to = {file}/x: must be a folder that can be written to"), (["--name", "\u00e4"], "--name = "),
                         (["--vary", "no_such_program {sq}"], "must be a program with its arguments"), (["--vary", "/ {sq}"], "must be a program with"),
                         (["--vary", "true '{sq}"], "must be a program with its arguments: No closing quotation"), (["--vary", "  "], "must be a program"),
                         (["--vary", "true {sq.foo}"], "must name in braces what --with gives (sq, sk)"),
                         (["--vary", "true {sq[0]}"], "must name in braces"), (["--vary", "true {}"], "must name in braces"), (["--map", "q=x"], "--map = q=x"), (["--map", "q=99"], "--map = q=99"), (["--name", "../x"], "--name = ../x"), (["--with", "b=1,2"], "--with = "), (["--is", "sq"], "--is = sq")):
        code, text = captured(folder, *more)
        expect((more, text), (code, wanted in text), (3, True))
    code, text = said(capture.main, [DEVICE, "--name", "x", "--vary", "false {sq}", "--with", "sq=1,2,3", "--to", str(folder)])
    expect("a program that fails", (code, "must end with exit code 0, not 1" in text), (3, True))
    code, text = said(capture.main, [DEVICE, "--name", "x", "--vary", "true {sq}", "--with", "sq=1,2,3", "--to", str(folder)])
    expect("a program without launches", (code, "launched none" in text), (3, True))


def lines_are_sorted_by_their_calls(folder):
    def line(process, number, kernel):
        return {"kernel": kernel, "process": process, "number": number, "object": "o.co", "grid": [1, 1, 1], "block": [1, 1, 1], "lds": 0,
                "replay": False, "arguments": [], "pointers": []}

    file = folder / "launches.jsonl"
    file.write_text("\n".join(map(json.dumps, (line(7, 1, "b"), line(7, 0, "a"), line(5, 2, "d"), line(7, 2, "c")))))
    expect("order", [launch.kernel for launch in launches.Run(file, 0).launches], ["a", "b", "c", "d"])
    values = [{"n": 1}, {"n": 2}]
    for other, wanted in (([("b", "o"), ("a", "o")], "they come in another order: several threads"), ([("a", "o"), ("c", "o")], "['a', 'b'], not ['a', 'c']")):
        try:
            launches.require_the_same(values, [[("a", "o"), ("b", "o")], other])
        except launches.refused.Refused as error:
            expect(str(error), wanted in str(error), True)
        else:
            sys.exit("other kernels must be refused")


def a_fault_is_told(folder):
    program = folder / "fault.py"
    program.write_text(pathlib.Path(f"{ROOT}/tests/clients/programs/launch_one_wave.py").read_text().replace(
        "values = [q,", "values = [ctypes.c_void_p(64),").replace('call("hipDeviceSynchronize")', "hip.hipDeviceSynchronize()"))
    code, text = captured(folder, "--vary", f"/usr/bin/python3 {program} {EXAMPLES}/one_wave.co {{sq}} {{sk}}")
    expect(text, (code, "must run without a fault, and kernel one_wave has one" in text), (3, True))


def control_characters_do_no_harm(folder):
    expect("exit code", captured(folder, "--vary", PROGRAM.replace(" ", "\n", 1))[0], 0)
    expect("description", "\n" in json.loads((folder / "seen.json").read_text())["description"], False)


def a_broken_manifest_is_not_the_end(folder):
    for file in ("one_wave.json", "one_wave.co"):
        shutil.copy(pathlib.Path(EXAMPLES) / file, folder / file)
    os.mkfifo(folder / "a_pipe.json")
    os.mkfifo(folder / "pipe")
    (folder / "b_link.json").symlink_to("nowhere.json")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "c_list.json").write_text("[]")
    (folder / "d_bytes.json").write_bytes(b"{\"name\": \"\xff\"}")
    (folder / "e_deep.json").write_text("[" * 100000)
    (folder / "f_text.json").write_text("{")
    manifest = json.loads((folder / "one_wave.json").read_text())
    (folder / "g_schema.json").write_text(json.dumps({**manifest, "name": "g", "schema": 7}))
    (folder / "h_name.json").write_text(json.dumps({**manifest, "name": 5}))
    (folder / "p_twice.json").write_text(json.dumps(manifest))
    away = folder.parent / f"{folder.name}.co"
    shutil.copy(folder / "one_wave.co", away)
    (folder / "away.co").symlink_to(away)
    (folder / "inside.co").symlink_to(folder / "one_wave.co")
    for name, file in (("i_away", "away.co"), ("j_inside", "inside.co")):
        launched = [{**manifest["launches"][0], "object": file}, *manifest["launches"][1:]]
        (folder / f"{name}.json").write_text(json.dumps({**manifest, "name": name, "launches": launched}))
    case = "batch_prefill/h=4:2/sq=8/sk=30"
    code, text = said(check.main, [HARNESS, str(folder), case])
    away.unlink()
    lines = {line.split(":")[0]: line for line in text.splitlines() if ": refused: " in line}
    wanted = {"a_pipe.json": "must be a regular file", "b_link.json": "a link that leads nowhere", "c_list.json": "must be an object",
              "d_bytes.json": "must be JSON that can be read", "e_deep.json": "nested deeper than 32 levels", "f_text.json": "must be JSON",
              "g_schema.json": f"{folder}/g_schema.json: schema = 7: must be 1", "h_name.json": f"{folder}/h_name.json: name = 5: must be a string",
              "i_away.json": "it is a link out of it", "p_twice.json": f"must be another one: {folder}/one_wave.json has it"}
    expect(text, sorted(lines), sorted(wanted))
    for name, part in wanted.items():
        expect((lines[name], part), part in lines[name], True)
    for name in ("one_wave", "j_inside"):
        expect(text, f"external:{name} {case}/d=128: passed" in text, True)
    expect("exit code", code, 3)
    code, text = said(check.main, [HARNESS, str(folder), "--no-such-option"])
    expect(text, (code, "one_wave.json: refused: " in text and "--no-such-option" in text), (3, True))


def rows_are_tried(folder):
    for file in ("one_wave.json", "one_wave.co"):
        shutil.copy(pathlib.Path(EXAMPLES) / file, folder / file)
    case = "batch_prefill/h=4:2/sq=300/sk=40"
    expect("sound", said(check.main, [HARNESS, str(folder), case]), (0, f"external:one_wave {case}/d=128: passed\n"))
    manifest = json.loads((folder / "one_wave.json").read_text())
    manifest["launches"][0]["rows"]["first"] = "299 - (" + str(manifest["launches"][0]["rows"]["first"]) + ")"
    (folder / "one_wave.json").write_text(json.dumps(manifest))
    code, text = said(check.main, [HARNESS, str(folder), case])
    expect(text, (code > 0, f"external:one_wave {case}/d=128: rows: with the workgroups of some rows alone " in text), (True, True))


fits_are_sound()
proposals_are_by_size_and_contents()
lax_words_are_told()
for test in (what_is_not_followed_is_said, a_program_becomes_a_manifest, check_tells_wrong_from_right, check_judges_each_manifest_alone, what_is_there_stays,
             bad_input_is_refused, lines_are_sorted_by_their_calls, a_fault_is_told, control_characters_do_no_harm,
             a_broken_manifest_is_not_the_end, rows_are_tried):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print("capture and check: right")
