"""A Triton kernel (programs/triton_attention.py) is captured, edited as its author would (triton_attention.edits.json), and judged:
right, wrong with twice the scale, not expressed without its tensors. By `python_client.sh`; HARNESS names the program."""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HARNESS = os.environ["HARNESS"]
DEVICE = str(pathlib.Path(os.environ["TRITON_LIBHIP_PATH"]).parent)
sys.path.insert(0, str(HERE.parents[1] / "clients/external"))

import capture
import check

PROGRAM = f"{sys.executable} {HERE}/programs/triton_attention.py {{sq}} {{sk}} {{b}}"
SIZES = ["--with", "sq=90,250,170", "--with", "sk=500,150,300", "--with", "b=2,1,3", "--with", "hq=8", "--with", "hkv=2", "--with", "d=128"]
OWN = ["--map", "queries=0", "--map", "keys=1", "--map", "values=2", "--map", "result=3", "--map", "row_lse=4"]
CASE = "batch_prefill/h=8:2/sq=128/sk=1024/d=128"
FP8 = "/q=fp8/kv=fp8/quant=tensor"


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, must be {wanted!r}")


def expect_in(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"must have said {part!r}, said:\n{text}")


def said(function, *arguments):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = function(*arguments)
    return code, text.getvalue()


def captured(folder, *more, words="", sizes=SIZES):
    return said(capture.main, [DEVICE, "--name", "flash", "--vary", f"{PROGRAM} {words}", *sizes, "--to", str(folder), *more])


def checked(folder, *cases):
    return said(check.main, [HARNESS, str(folder), *cases])


def edited(folder, edits):
    """The manifest with edits of JSON Patch: `add` and `replace`, which are the same for keys."""
    file = folder / "flash.json"
    manifest = json.loads(file.read_text())
    for edit in edits:
        *path, last = [int(key) if key.isdigit() else key for key in edit["path"].split("/")[1:]]
        at = manifest
        for key in path:
            at = at[key]
        at[last] = edit["value"]
    file.write_text(json.dumps(manifest, indent=2))


def harness(*arguments):
    ended = subprocess.run([HARNESS, *arguments], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def what_is_not_mapped_is_proposed(folder):
    code, text = captured(folder)
    expect(text, code, 0)
    expect_in(text, "allocation 0 of 2048 * batch * max_query_length bytes, unchanged: --map q=0, whose size",
              "allocation 1 of 512 * batch * max_key_length bytes, unchanged: it may be K or V, keys behind one another",
              "allocation 3 of 2048 * batch * max_query_length bytes, written: --map output=3", "written: --map lse=4")
    code, text = checked(folder, CASE)
    expect("check", (code, "external:flash: not expressed: launches[0].arguments[0]" in text), (1, True))


def a_captured_kernel_is_right(folder):
    code, text = captured(folder, *OWN, words="fp32")
    expect("capture", (code, text.count("\n")), (0, 1))  # nothing is in doubt
    manifest = json.loads((folder / "flash.json").read_text())
    expect("needs", manifest["needs"][:3], ["query_heads == 8", "kv_heads == 2", "head_dim == 128"])
    expect("workspace", manifest["workspace"]["result"], {"bytes": "4096 * batch * max_query_length", "zero": True})
    launch = manifest["launches"][0]
    expect("launch", (launch["object"], launch["grid"], launch["block"]),
           ("flash_attend.co", ["ceil_div(max_query_length, 64)", 8, "batch"], [256, 1, 1]))
    expect("numbers, and Triton's scratch", launch["arguments"][5:],
           ["i32:max_query_length", "i32:max_key_length", "i32:8", "i32:2", "i32:ceil_div(max_key_length, 16)", "f32:scale * log2e", "ptr:null"])
    edited(folder, json.loads((HERE / "programs/triton_attention.edits.json").read_text()))
    cases = [CASE, f"{CASE}{FP8}/lse=1", "batch_prefill/h=8:2/b=2/sq=100/sk=333/d=128/layout=vectorized"]
    code, text = checked(folder, *cases, "batch_prefill/h=8:2/sq=12,3/sk=100,200/d=128")
    expect(text, code, 0)
    expect_in(text, *(f"external:flash {case}: passed\n" for case in cases), "unsupported: needs total_queries == batch * max_query_length")


def it_stands_beside_ours(folder):
    code, text = harness("compare", "pipelined", "external:flash", "--external", str(folder), "--perf",
                         f"batch_prefill/h=8:2/sq=512/sk=1024{FP8}")
    number = r"\d+\.\d+"
    interval = rf"external:flash / pipelined, modelled speed: geometric mean {number} \({number} to {number}: behind\)"
    expect("compare", (code, bool(re.search(interval, text))), (0, True))
    expect_in(text, "convert tensors for its kernels", "modelled speed, conversions left out")
    code, text = harness("probe", "--sabotage", "--impl", "external:flash", "--external", str(folder), "--filter",
                         "tensor/lse=1 external:flash (v_row_elsewhere|k_of_wrong_head|page_id_off|scale_less|last_key|lse_in|output_x1.02)")
    expect("sabotage", (code, re.findall(r"(\d+) caught, (\d+) missed", text)), (0, [("10", "0")]))


def twice_the_scale_is_seen(folder):
    edited(folder, [{"path": "/launches/0/arguments/10", "value": "f32:2 * scale * log2e * q_descale_value * k_descale_value"}])
    code, text = checked(folder, CASE)
    expect("check of twice the scale", (code, f"external:flash {CASE}: inaccurate: " in text), (1, True))


def pages_go_in_as_they_are(folder):
    sizes = [*SIZES, "--with", "page=16"]
    sizes[3] = "sk=500,270,300"  # a causal mask wants no fewer keys than queries
    tensors = ["--map", "q=0", "--map", "k_pool=1", "--map", "v_pool=2", "--map", "page_ids=3", "--map", "output=4", "--map", "lse=5"]
    code, text = captured(folder, words="paged causal", sizes=sizes)
    expect(text, code, 0)
    expect_in(text, "it may be k_pool or v_pool", "--map page_ids=3, whose size", "--map output=4")
    code, text = captured(folder, *tensors, "--overwrite", words="paged causal", sizes=sizes)
    expect(text, code, 0)
    edited(folder, [{"path": "/needs/5", "value": "quant == 'none' and causal and wants_lse"}])
    cases = [f"batch_prefill/h=8:2/sq=100/sk=333/d=128{table}/causal=1/lse=1" for table in ("", "/table=vllm")]
    code, text = checked(folder, *cases)
    expect_in(text, *(f"external:flash {case}: passed\n" for case in cases))


def what_is_tried_or_built_anew_is_told(folder):
    code, text = captured(folder, *OWN, "--last", "1", words="tuned")
    expect(text, code, 0)
    expect_in(text, "left out: 2 launches before the last 1", "1 launches")
    expect("warps", json.loads((folder / "flash.json").read_text())["launches"][0]["block"], [256, 1, 1])
    code, text = captured(folder, "--overwrite", sizes=["--with", "sq=90,250,170", "--with", "sk=500,12,300", "--with", "b=2"])
    expect(text, code, 3)
    expect_in(text, "they have the names ['attend'], but were built anew", "Triton does so where a number is 1, or a multiple of 16")


with tempfile.TemporaryDirectory() as name:
    what_is_not_mapped_is_proposed(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    for test in (a_captured_kernel_is_right, it_stands_beside_ours, twice_the_scale_is_seen):
        test(pathlib.Path(name))
for test in (pages_go_in_as_they_are, what_is_tried_or_built_anew_is_told):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print("a captured Triton kernel: right")
