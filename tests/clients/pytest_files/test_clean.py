from kernels import launch, words


def test_reversed():
    assert words(launch("lds_order_good")) == list(range(127, -1, -1))
