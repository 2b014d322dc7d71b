"""A Triton of our own for tests where there is none: what measures and what chooses configurations."""
