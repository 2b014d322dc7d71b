def init_process_group(*_, **__):
    raise NotImplementedError("the stub of torch has no distributed")
