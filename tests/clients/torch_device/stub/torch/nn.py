class Module:
    def __init__(self):
        self._parameters = {}

    def _apply(self, fn):
        self._parameters = {name: fn(each) for name, each in self._parameters.items()}
        return self

    def cuda(self):
        return self._apply(lambda tensor: tensor.cuda())
