#!/usr/bin/python3
"""Writes data/cases/gaps: what tests of paged prefill usually leave out, each with every form it may go wrong in."""
import pathlib

FP8 = {"none": "/q=fp8/kv=fp8", "tensor": "/q=fp8/kv=fp8/quant=tensor", "page": "/q=fp8/kv=fp8/quant=page"}
FORMS = {"bf16": ""} | FP8
LAYOUTS = {"linear": "", "vectorized": "/layout=vectorized"}
TABLES = {"sglang": "", "vllm": "/table=vllm"}


def case(heads, query, key, form, table="", layout="", page=16, rest="", values=""):
    return (f"batch_prefill/h={heads}/sq={query}/sk={key}/d=128{form}{table}{layout}" + (f"/page={page}" if page != 16 else "")
            + rest + "/causal=1/lse=1" + values)


def page_sizes():
    for page in (32, 64, 128):
        for layout in LAYOUTS.values():
            for table in TABLES.values():
                for form in (FORMS["bf16"], FORMS["tensor"], FORMS["page"]):
                    yield case("6:2", "33,70,5", f"{page + 1},{3 * page - 1},{page}", form, table, layout, page)


def unused_slots():
    for page in (16, 128, 1024):  # a last page of one token, of all but one, and full ones
        for layout in LAYOUTS.values():
            for form in FORMS.values():
                yield case("4:1", "9,2,40,1", f"1,{page + 1},{2 * page - 1},{page}", form, "", layout, page)


def negative_zeros():
    for page, layout in ((1, "linear"), (16, "vectorized"), (64, "linear"), (1024, "linear")):
        for form in FP8.values():
            yield case("5:1", "60,17", "200,90", form, "", LAYOUTS[layout], page, values="/values=negative_zero")


def empty_requests():
    for query, key in (("7,40,0", "0,90,33"), ("0,40,7", "50,90,0"), ("20,0,0,3", "40,0,9,0"), ("5,6", "0,0"), ("0,0", "0,0")):
        for form, page in ((FORMS["tensor"], 1), (FORMS["page"], 64), (FORMS["bf16"], 16)):
            yield case("6:1", query, key, form, TABLES["vllm" if page == 64 else "sglang"], "", page)


def mixed_lengths():
    for form, page in ((FORMS["tensor"], 1), (FORMS["tensor"], 16), (FORMS["page"], 64), (FORMS["page"], 1024),
                       (FORMS["bf16"], 128)):
        yield case("8:1", "1,2,300,1,3,1,40", "1,5,3000,2,3,700,41", form, "", "", page)
        yield case("3:1", "1,1,1,129,1", "2000,1,64,129,65", form, TABLES["vllm"], "", page)


def shared_prefixes():  # pages that several requests name; repeated in one: the probes shared_pages
    for form in FORMS.values():
        yield (f"batch_prefill/h=8:1/trace=toolagent@100+10:64/d=128{form}/causal=1/lse=1")
    yield f"batch_prefill/h=8:1/trace=toolagent@100+6:32/d=128{FORMS['page']}/table=vllm/page=64/causal=1/lse=1/order=lru"


def views():
    for layout in LAYOUTS.values():
        for form, page in ((FORMS["tensor"], 16), (FORMS["page"], 64), (FORMS["page"], 1024), (FORMS["bf16"], 32)):
            yield case("6:2", "33,70", "90,301", form, "", layout, page, "/strided=1")
            yield case("6:2", "33,70", "90,301", form, TABLES["vllm"], layout, page, "/paged=0/strided=1")
    for form, page in ((FORMS["none"], 1), (FORMS["tensor"], 1), (FORMS["bf16"], 1), (FORMS["tensor"], 1024)):
        yield case("6:2", "33,0,70", "90,7,301", form, "", "", page, "/strided=1")
        yield case("6:2", "33,0,70", "90,7,301", form, "", "", page, "/paged=0")


def lone_pages():
    """A pool of one page and KV head: its descales per page have one element, as those per tensor have."""
    for page in (64, 1024):
        for keys in (page - 10, page):
            yield case("6:1", "40", str(keys), FORMS["page"], "", "", page, "/spare=0")


def main():
    lines = ["# What tests of paged prefill usually leave out; written by data/make_gaps.py. Two runs must agree bit for bit:",
             "# accuracy --list gaps --schedules eager,eager,lazy."]
    count = 0
    for group in (page_sizes, unused_slots, negative_zeros, empty_requests, mixed_lengths, shared_prefixes, views,
                  lone_pages):
        cases = list(group())
        count += len(cases)
        lines += ["", f"# {group.__name__.replace('_', ' ')}"] + cases
    (pathlib.Path(__file__).parent / "cases" / "gaps").write_text("\n".join(lines) + "\n")
    print(f"{count} cases")


main()
