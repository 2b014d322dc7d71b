def do_bench(fn, warmup=25, rep=100, quantiles=None, return_mode="mean"):
    raise NotImplementedError("the stub of triton measures nothing: the layer should have taken this call")


do_bench_cudagraph = do_bench
