"""What grids of small batch_prefill cases deal out or cross alike."""

HEAD_DIMS = [64, 128, 256]
POOLS = [("linear", page) for page in (1, 16, 32, 64, 128, 1024)] + \
        [("vectorized", page) for page in (16, 32, 64, 128, 1024)]
SINK_LOGITS = ["", "", "/sinklogit=1"]
SOFT_CAPS = ["", "", "/cap=30", "/cap=5.5"]
TABLES = ["", "/table=vllm"]
POOL_FORMS = ["", "", "", "", "/strided=1", "/paged=0"]
LSE = ["/lse=1", "/lse=1", ""]
LENGTHS = [  # (query lengths, key lengths)
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("31,32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16,1", "129,320"), ("128,3", "128,15"),
    ("33,7", "17,16"), ("5,50", "31,257"), ("129", "127"), ("1,1,1,1,1,1,1", "1,700,3,0,64,33,12"), ("0,0", "9,0"),
]


def where(layout, page):
    """A pool's part of a case string, without what is at its default."""
    return (f"/layout={layout}" if layout != "linear" else "") + (f"/page={page}" if page != 16 else "")
