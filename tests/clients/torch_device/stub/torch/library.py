class Library:
    """Of no operators: what is registered is noted by whoever stands in place of impl."""

    def __init__(self, ns, kind, dispatch_key=""):
        self.ns, self.dispatch_key = ns, dispatch_key

    def impl(self, op_name, fn, dispatch_key=""):
        pass
