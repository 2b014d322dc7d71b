#pragma once
// Conversions of a manifest: `prepare` before the first launch, `finish` behind the last, at every enqueue
// (docs/your_kernel.md, "Conversions"). A conversion makes a buffer that launches know by its name, or writes an output.
//
//   {"name": "q16", "arrange": "q", "from": "query", "type": "bf16", "shape": [...], "strides": [...], "scale": E}
//   {"name": "k", "gather": "k_pool", "type": "bf16", "rows": E of r, "scale": E, "descale": "k_descale"}
//   {"name": "blocks", "page_table": E of the entries of each request, "fill": E}

#include "harness/external/conversion_arguments.hpp"
#include "harness/external/expression.hpp"
#include "interface/device_tensors.hpp"
#include "interface/hip.hpp"
#include "interface/problem.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness::external {

struct ConversionForm {
  enum class Kind : uint8_t { arrange, gather, page_table };
  Kind kind = Kind::arrange;
  std::string place, name;                // of prepare: the buffer's; of finish: output or lse
  std::string from_type, type;            // words: fp8 ... or query, kv, out
  Expression source;                      // a pointer; of gather k_pool or v_pool
  std::vector<Expression> shape, strides; // of arrange: what it makes, and the source's; empty: contiguous
  Expression scale;                       // empty: 1
  Expression rows;                        // of gather: where the request's first key comes, of r
  Expression all_rows;                    // of gather: how many there are
  Expression length, fill;                // of page_table; no fill: the last page again
  Expression descale;                     // of gather: pointer [pages, KV heads]
};

// A launch that is ready.
struct Conversion {
  hip::Kernel kernel;
  hip::Dim3 grid;
  std::vector<std::byte> arguments;
  hip::Buffer made, table; // what it makes, unless that is an output; what it needs to know of the requests
};

struct KnownMemory {
  uint64_t begin = 0, bytes = 0;
};

// `to`: where a finishing conversion writes; null: it makes a buffer. Asks `take` before it allocates some. Throws InvalidInput,
// too where it would read beyond one of `known`.
Conversion make_conversion(const ConversionForm& form, const Problem& problem, const Scope& scope,
                           std::span<const KnownMemory> known, void* to,
                           const std::function<void(double bytes)>& take);

} // namespace fmha950::harness::external
