#pragma once
// Tensors of a problem whose keys are in pages: page tables, values, quantisation and poison.
//
// - Values are generated in fp32 (value_source.hpp) and rounded to bf16 (fp16 when Q is fp16): that is what
//   a serving engine has before it quantises, and what q_original, k_original and v_original hold. They are
//   kept when any of Q, K, V has another type; otherwise they equal Q, K, V and are left empty.
// - Descales: per tensor amax / 448; per page amax / 448 of each page and KV head; MX by the OCP MX v1.0
//   rule, 2^(floor(log2(amax)) - 8). The suffix `+pow2` of `values` rounds fp32 descales up to powers of two.
//   A tensor that is not fp8 has descale 1 in the form its quantisation prescribes. fp8 without quantisation
//   is a saturating cast.
// - Poison: unused slots of last pages and spare pages hold NaN bytes (fp8 0x7f and 0xff by turns; 0xff in
//   other types), their E8M0 scales 0xff and their fp32 descales NaN. When the spare pages of a pool exceed
//   256 MiB only those next to a used page are filled, and the first and last of the pool: the rest stays
//   untouched memory (written_pages says which). Page tables end in padding whose page ids are out of range:
//   7 entries behind kv_page_indices, 3 columns of block_table beyond the longest request
//   (the tensor's shape says so).
// - append_prefill: the pools hold the old tokens, quantised with scales of old tokens alone (of the chunk
//   where there are none), as a serving engine has them before it sees the chunk: some of the chunk
//   saturates. The slots that the chunk will take are poisoned as unused ones are. The unquantised pools hold
//   the chunk, too. Requests share pages of old tokens only.
// - Trees: tree_mask.hpp.
// - Sink logits: sink_logits.hpp, so that a sink takes a share that is neither 0 nor 1.

#include "workload/page_assignment.hpp"
#include "workload/page_tables.hpp"
#include "workload/pool_writer.hpp"
#include "workload/value_source.hpp"

namespace fmha950::operators {

// What tensors otherwise derive from the problem.
struct Choices {
  workload::PageAssignment pages;
  std::shared_ptr<const workload::ValueSource> values;
  workload::TablePadding padding = {};
  workload::PageDescale page_descale = {}; // none: amax / 448
  bool power_of_two_descales = false;
};
Choices choices_of(const Problem& problem);

// Throws InvalidInput for a problem that is not valid.
Tensors make_paged_tensors(const Problem& problem, const Choices& choices);

} // namespace fmha950::operators
