#include "emulator/static_check/known_values.hpp"

#include "emulator/isa/lds_dma.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/instruction_functions.hpp"
#include "emulator/static_check/propagate.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <numeric>

namespace fmha950::static_check {
namespace {

namespace code_of = machine::code;
using File = isa::RegisterRange::File;

constexpr uint64_t all_lanes = ~uint64_t{0};

// A wave to execute single instructions on; its registers are set before.
struct Bench {
  static constexpr uint32_t vgprs = target.vgprs_per_lane, default_mode = 0xF0;
  machine::Wave wave;
  std::vector<uint32_t> registers = std::vector<uint32_t>(size_t{vgprs} * target.wave_lanes);
  Bench() {
    wave.vgpr = registers.data();
    wave.vgpr_count = vgprs;
    wave.mode = default_mode;
  }
};
machine::Wave& bench_wave() {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wexit-time-destructors" // it goes with its thread, which alone uses it
  thread_local Bench bench;
#pragma clang diagnostic pop
  return bench.wave;
}

// SDWA and results of 16 bits may leave the rest of a register as it is, which their uses do not name as read.
bool keeps_part(const isa::Instruction& in) {
  constexpr uint32_t unused_preserve = 2; // dst_unused, bits 43 and 44
  if (in.extension == isa::Extension::sdwa) return (in.words[1] >> 11 & 3) == unused_preserve;
  return isa::valu_of(in).keeps_rest || (in.op_sel & 8) != 0;
}

// Integer arithmetic and moves, whose result follows from the registers that they read, and from their place.
bool is_computed(const isa::Instruction& in) {
  using isa::Encoding;
  if (isa::reads_pc(in)) return true;
  if (keeps_part(in)) return false;
  if (!in.row || !in.row->execute || isa::control_of(in) != isa::ControlRole::unsaid) return false;
  if (in.row->obeys_mode() || isa::memory_of(in).kind != isa::MemoryKind::none || isa::matrix_of(in))
    return false;
  return !reads_special(in);
}

bool is_vector(const isa::Instruction& in) { return isa::valu_of(in).kind != isa::ValuClass::none; }

} // namespace

KnownValues KnownValues::at_entry(const Code& code, uint32_t wave) {
  KnownValues values;
  auto lanes = std::make_shared<Lanes>();
  std::iota(lanes->value.begin(), lanes->value.end(), wave * target.wave_lanes);
  lanes->known = all_lanes;
  if (code.is_one_dimensional()) values.vector_[0] = std::move(lanes); // v0: the work-item's number
  values.scalar_[code_of::exec] = values.scalar_[code_of::exec + 1] = ~0u;
  return values;
}

bool KnownValues::join(const KnownValues& other) {
  const auto lost_scalar = std::erase_if(scalar_, [&](const auto& known) {
    const auto theirs = other.scalar_.find(known.first);
    return theirs == other.scalar_.end() || theirs->second != known.second;
  });
  const auto lost_vector = std::erase_if(vector_, [&](const auto& known) {
    const auto theirs = other.vector_.find(known.first);
    return theirs == other.vector_.end() ||
           (theirs->second != known.second &&
            (theirs->second->known != known.second->known || theirs->second->value != known.second->value));
  });
  return lost_scalar + lost_vector > 0;
}

std::optional<uint32_t> KnownValues::scalar(int sgpr_code) const {
  const auto found = scalar_.find(sgpr_code);
  return found == scalar_.end() ? std::nullopt : std::optional(found->second);
}
std::shared_ptr<const KnownValues::Lanes> KnownValues::shared_vector(int vgpr) const {
  const auto found = vector_.find(vgpr);
  return found == vector_.end() ? nullptr : found->second;
}
std::optional<uint64_t> KnownValues::exec() const {
  const auto low = scalar(code_of::exec), high = scalar(code_of::exec + 1);
  return low && high ? std::optional(*low | uint64_t{*high} << 32) : std::nullopt;
}

bool KnownValues::knows_scalars(const isa::Uses& uses) const {
  return std::ranges::all_of(uses.reads(), [&](const isa::RegisterRange& range) {
    if (range.file == File::vector) return true;
    for (int r = range.first; r < range.first + range.count; ++r)
      if (!scalar_.contains(r)) return false;
    return true;
  });
}
uint64_t KnownValues::known_lanes(const isa::Uses& uses) const {
  uint64_t known = all_lanes;
  for (const isa::RegisterRange& range : uses.reads())
    for (int r = range.first; range.file == File::vector && r < range.first + range.count; ++r)
      known &= vector(r) ? vector(r)->known : 0;
  return known;
}
void KnownValues::forget(const isa::RegisterRange& range) {
  for (int r = range.first; r < range.first + range.count; ++r)
    range.file == File::vector ? vector_.erase(r) : scalar_.erase(r);
}

void KnownValues::load_bench(const Code& code, const isa::Uses& uses) const {
  machine::Wave& wave = bench_wave();
  wave.accum_offset = code.accum_offset();
  for (const auto& ranges : {uses.writes(), uses.reads()})
    for (const isa::RegisterRange& range : ranges)
      for (int r = range.first; r < range.first + range.count; ++r) {
        if (range.file == File::vector) {
          if (const Lanes* lanes = vector(r)) std::ranges::copy(lanes->value, wave.lanes(r));
        } else if (const auto value = scalar(r)) {
          if (r == code_of::scc)
            wave.scc = *value != 0;
          else
            wave.sgpr[r] = *value;
        }
      }
}

// By the first SGPR, masks that have all lanes whatever a source is that is not known: EXEC that is saved, and that comes back.
std::vector<int> KnownValues::full_masks_written(const isa::Instruction& in) const {
  const auto table = mask_table_of(in);
  if (!table) return {};
  const bool saves = isa::scalar_of(in) == isa::ScalarRole::saves_exec, exec_is_full = exec() == all_lanes;
  const auto is_full = [&](const isa::Source& source) {
    return source.kind == isa::Source::Kind::sgpr && scalar(source.index) == ~0u &&
           scalar(source.index + 1) == ~0u;
  };
  const bool first = is_full(in.src[0]);
  const bool second = saves ? exec_is_full : in.encoding == isa::Encoding::sop2 && is_full(in.src[1]);
  const bool by_first = first && (*table & 0b1100) == 0b1100,
             by_second = second && (*table & 0b1010) == 0b1010;
  std::vector<int> full;
  if (saves && exec_is_full) full.push_back(in.dst);
  if (by_first || by_second) full.push_back(saves ? int{code_of::exec} : int{in.dst});
  return full;
}

void KnownValues::execute(const Code& code, size_t index) {
  const isa::Instruction& in = code.instruction(index);
  const isa::Uses& uses = code.info(index).uses;
  if (code.steps()[index].leaves != Leaves::no || isa::moves_by_m0(isa::scalar_of(in))) {
    *this = {};
    return;
  }
  const bool lane_by_lane = is_vector(in) && !code.info(index).in_flight.all_lanes;
  const bool to_scalars = std::ranges::any_of(
      uses.writes(), [](const isa::RegisterRange& range) { return range.file == File::scalar; });
  const uint64_t active = exec().value_or(0), sources = known_lanes(uses);
  // A mask needs all active lanes; what crosses lanes, all there are.
  const uint64_t needed = !lane_by_lane ? all_lanes : to_scalars ? active : 0;
  if (!is_computed(in) || !knows_scalars(uses) || (is_vector(in) && !exec()) || (needed & ~sources)) {
    const auto masks = full_masks_written(in);
    for (const isa::RegisterRange& range : uses.writes()) forget(range);
    for (int r : masks) scalar_[r] = scalar_[r + 1] = ~0u;
    return;
  }
  load_bench(code, uses);
  machine::Wave& wave = bench_wave();
  wave.set_exec(exec().value_or(all_lanes));
  wave.current = wave.next = &in;
  in.execute(wave, in);
  for (const isa::RegisterRange& range : uses.writes())
    for (int r = range.first; r < range.first + range.count; ++r) {
      if (range.file == File::vector) {
        auto lanes = std::make_shared<Lanes>();
        const uint64_t kept = vector(r) ? vector(r)->known : 0;
        lanes->known = (active & sources) | (kept & (lane_by_lane ? ~active : all_lanes));
        std::copy_n(wave.lanes(r), target.wave_lanes, lanes->value.begin());
        vector_[r] = std::move(lanes);
      } else {
        scalar_[r] = r == code_of::scc ? wave.scc : wave.sgpr[r];
      }
    }
}

void KnownValues::come_back(const Code& code, size_t index) {
  vector_.clear();
  for (const isa::RegisterRange& range : code.info(index).uses.writes()) forget(range);
  for (const int r : {int{code_of::scc}, int{code_of::vcc}, code_of::vcc + 1}) scalar_.erase(r);
}

std::optional<bool> KnownValues::takes(const Code& code, size_t index) const {
  const isa::Instruction& in = code.instruction(index);
  const isa::Uses& uses = code.info(index).uses;
  if (isa::control_of(in) != isa::ControlRole::branch_if || uses.reads().empty() || !knows_scalars(uses))
    return std::nullopt;
  load_bench(code, uses);
  machine::Wave& wave = bench_wave();
  wave.next = &in;
  in.execute(wave, in);
  return wave.next != &in;
}

bool overlap(const LdsBytes& a, const LdsBytes& b) {
  return std::ranges::any_of(a, [&](const auto& one) {
    return std::ranges::any_of(
        b, [&](const auto& other) { return one.first < other.second && other.first < one.second; });
  });
}

std::optional<LdsBytes> lds_bytes(const Code& code, size_t index, const KnownValues& values) {
  const isa::Instruction& in = code.instruction(index);
  const observe::MemoryOperation& operation = code.info(index).operation;
  machine::Access access;
  access.instruction = &in;
  access.lanes = values.exec().value_or(all_lanes);
  LdsBytes result;
  const auto add = [&](int, uint32_t begin, uint32_t count) {
    if (!result.empty() && result.back().second == begin)
      result.back().second += count;
    else
      result.emplace_back(begin, begin + count);
  };
  if (operation.lds_dma) {
    const auto m0 = values.scalar(code_of::m0);
    if (!m0) return std::nullopt;
    machine::Wave wave;
    wave.sgpr[code_of::m0] = *m0;
    access.lds_base = isa::FMHA950_SIMD::dma_base(wave, in);
    observe::for_each_lds_dma_range(operation, access, target.lds_bytes_per_cu, add);
  } else if (operation.is_memory() && isa::memory_of(in).segment == isa::Segment::lds) {
    const KnownValues::Lanes* addresses = values.vector(in.vaddr);
    if (!addresses || (access.lanes & ~addresses->known)) return std::nullopt;
    std::ranges::copy(addresses->value, access.lds_address);
    observe::for_each_range(operation, access, machine::Queue::ds, target.lds_bytes_per_cu, add);
  } else if (operation.is_memory() &&
             (isa::memory_of(in).segment == isa::Segment::lds_by_m0 || code.info(index).in_flight.flat)) {
    return std::nullopt;
  }
  std::ranges::sort(result);
  return result;
}

std::vector<LdsBytes> known_lds_bytes(const Code& code) {
  std::vector<LdsBytes> bytes(code.size());
  propagate(code, 0, KnownValues::at_entry(code, 0), true, [&](KnownValues& values, size_t index) {
    if (values.exec()) bytes[index] = lds_bytes(code, index, values).value_or(LdsBytes());
    values.execute(code, index);
  });
  return bytes;
}

} // namespace fmha950::static_check
