"""What each operator of torch reads and writes of device memory, from its schema."""

import functools

from fmha950.torch_device import by_index, compat

# Of these the result is of no element's value, or is a view that the schema does not call one.
NOTHING_READ = frozenset(("empty_like", "new_empty", "new_empty_strided", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like",
                          "randint_like", "new_zeros", "new_ones", "new_full", "_unsafe_view", "_reshape_alias", "is_same_size", "resize_",
                          "set_", "_has_same_storage_numel", "sym_size", "sym_stride", "sym_numel", "sym_storage_offset", "size",
                          "is_contiguous", "lift_fresh", "lift", "is_pinned", "record_stream", "_efficientzerotensor"))
# What these change in place they do not read.
OVERWRITES = frozenset(("fill_", "zero_", "copy_", "normal_", "uniform_", "random_", "exponential_", "geometric_", "log_normal_", "cauchy_",
                        "bernoulli_", "set_", "resize_", "_foreach_zero_", "_foreach_copy_"))
NO_MEMORY = frozenset(("set_", "resize_", "t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "as_strided_", "detach_",
                       "requires_grad_", "swapaxes_", "rename_"))
UNWRITTEN = frozenset(("empty_like", "new_empty", "new_empty_strided"))  # results that nobody has written


class Access:
    """Of one operator: its plain name, and for each argument by place and by name whether it reads and writes it."""

    def __init__(self, func):
        schema = func._schema
        self.name = schema.name.split("::")[-1]
        views = any(a.alias_info is not None and not a.alias_info.is_write for a in schema.arguments)
        silent = self.name in NOTHING_READ or self.name in NO_MEMORY or (views and not schema.is_mutable)
        self.is_by_index = self.name in by_index.OPERATORS
        self.by_place, self.by_name = [], {}
        for argument in schema.arguments:
            writes = argument.alias_info is not None and argument.alias_info.is_write
            first = not self.by_place
            reads = not silent and not (writes and (argument.is_out or (first and (self.is_by_index or self.name in OVERWRITES))))
            access = (reads, writes and self.name not in NO_MEMORY)
            self.by_place.append(access)
            self.by_name[argument.name] = access
        self.is_composite = compat.is_composite(func)
        self.is_unwritten = self.name in UNWRITTEN
        self.generator = next((place for place, argument in enumerate(schema.arguments) if argument.name == "generator"), None)
        # torch alone knows of its own operators that they do.
        self.draws = schema.name.startswith("aten::") and any(getattr(tag, "name", "") == "nondeterministic_seeded" for tag in func.tags)

    def of(self, args, kwargs):
        """(value, reads, writes) of every argument that is given."""
        for value, (reads, writes) in zip(args, self.by_place):
            yield value, reads, writes
        for name, value in kwargs.items():
            reads, writes = self.by_name.get(name, (True, False))
            yield value, reads, writes


access_of = functools.lru_cache(None)(Access)
