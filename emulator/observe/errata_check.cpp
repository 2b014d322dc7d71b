#include "emulator/observe/errata_check.hpp"

#include "emulator/memory/address_space.hpp"
#include "emulator/observe/report/party.hpp"
#include "emulator/program/row.hpp"

#include <fmt/format.h>

namespace fmha950::observe {
namespace {

bool is_buffer(const isa::Instruction& in) {
  return in.encoding == isa::Encoding::mubuf || in.encoding == isa::Encoding::mtbuf;
}

Hazard erratum(const machine::Wave& wave, const isa::Instruction& in, Severity severity, std::string what) {
  Hazard hazard;
  hazard.type = HazardClass::errata;
  hazard.severity = severity;
  hazard.kernel = kernel_of(wave);
  hazard.later = party_of(wave, in);
  hazard.what = std::move(what);
  return hazard;
}

} // namespace

bool has_wrong_selection(const isa::Instruction& in) {
  return in.row && in.row->wrong_op_sel != 0 && in.op_sel == in.row->wrong_op_sel;
}

void ErrataCheck::wrong_selection(const machine::Wave& wave, const isa::Instruction& in, HazardSink& sink) {
  Hazard hazard =
      erratum(wave, in, Severity::error,
              "v_pk_fma_f32 with op_sel:[0,1,0] is intermittently wrong on gfx950 (rocMLIR #2459)");
  hazard.missing = "another form: operands swapped, or two v_fma_f32";
  sink.report(std::move(hazard));
}

void ErrataCheck::memory(const MemoryEvent& event, HazardSink& sink) {
  if (event.queue != machine::Queue::vm || !is_buffer(*event.access.instruction)) return;
  check_range(event, sink);
  const machine::Access& access = event.access;
  const uint64_t dropped = access.lanes & access.dropped[0];
  if (event.operation.kind == MemoryOperation::Kind::atomic && dropped)
    sink.report(erratum(
        event.wave, *access.instruction, Severity::warning,
        fmt::format("a buffer atomic of {} lanes is out of range: said to be an aperture violation and "
                    "not dropped (Triton #9855)",
                    __builtin_popcountll(dropped))));
}

// The descriptor's fields are those of machine_gfx950.md section 4.1.
void ErrataCheck::check_range(const MemoryEvent& event, HazardSink& sink) {
  const uint32_t* word = event.wave.sgpr + event.access.instruction->saddr;
  const uint64_t base = word[0] | static_cast<uint64_t>(word[1] & 0xFFFF) << 32,
                 stride = word[1] >> 16 & 0x3FFF;
  const uint64_t bytes = word[2] * (stride ? stride : 1);
  if (bytes == 0) return;
  const uint64_t folded = base * 0x9E3779B97F4A7C15ull + bytes;
  if (folded == last_) [[likely]]
    return;
  if (inside_.contains(folded)) {
    last_ = folded;
    return;
  }
  const machine::Extent extent = machine::AddressSpace::device().find(base);
  if (extent.contains(base, bytes)) {
    inside_.insert(folded);
    return;
  }
  if (extent.end == 0) return; // not even its begin: what is accessed is told by out_of_bounds
  if (!reported_.insert(folded ^ event.access.instruction->address).second) return;
  Hazard hazard =
      erratum(event.wave, *event.access.instruction, Severity::warning,
              fmt::format("num_records reaches {} bytes past the end of the allocation: the whole range is "
                          "said to be checked against the page tables (CK #6653)",
                          base + bytes - extent.end));
  hazard.begin = base;
  hazard.end = base + bytes;
  hazard.missing = "num_records of at most what the allocation holds";
  sink.report(std::move(hazard));
}

} // namespace fmha950::observe
