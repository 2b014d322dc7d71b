from torch.operators import OpOverload  # noqa: F401
