// attention.hip where Q and K have more columns than V, as in the prefill of multi-head latent attention: 192 and 128. Rows of
// 12 or 24 chunks are no power of two (attention/tile_layout.hpp). K and V find their keys' pages by the same look-ups, but
// each has places of its own in them.

#include "impl_baseline/all_kernels.hpp"
