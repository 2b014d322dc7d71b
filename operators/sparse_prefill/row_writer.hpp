#pragma once
// Rows of Q, pool and chunk as sparse_prefill stores them (operators/sparse_prefill/sparse_tensors.hpp): quantisation and
// poison. Scales are 2^ceil(log2(amax / 448)) of 64 columns in split rows, and in packed ones by the OCP MX
// v1.0 rule 2^(floor(log2(amax)) - 8) of 32.

#include "interface/tensors.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <functional>
#include <span>

namespace fmha950::operators {

// Fills one row of 512 values. Called from several threads.
using RowValues = std::function<void(int32_t row, std::span<float> values)>;

// `count` rows: those of `used` (ascending, each once) hold values, rounded to bf16 and then quantised. The
// others are unused: they hold NaN in all bytes, as far as unused_to_poison() goes (poison.hpp), and so do
// the padding bytes of packed rows, but for every fourth row whose padding is random.
SparseRows make_sparse_rows(const Problem& problem, int64_t count, std::span<const int32_t> used,
                            const RowValues& values);

} // namespace fmha950::operators
