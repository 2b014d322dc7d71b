#include "emulator/static_check/known_values.hpp"

#include "emulator/isa/lds_dma.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/program/row.hpp"
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
  static constexpr uint32_t vgprs = 512, default_mode = 0xF0;
  machine::Wave wave;
  std::vector<uint32_t> registers = std::vector<uint32_t>(size_t{vgprs} * 64);
  Bench() {
    wave.vgpr = registers.data();
    wave.vgpr_count = vgprs;
    wave.mode = default_mode;
  }
};

// Integer arithmetic and moves, whose result follows from the registers that they read.
bool is_computed(const isa::Instruction& in) {
  using isa::Encoding;
  if (!in.row || !in.row->execute || isa::control_of(in) != isa::ControlRole::unsaid) return false;
  if (in.row->obeys_mode() || isa::memory_of(in).kind != isa::MemoryKind::none || isa::matrix_of(in))
    return false;
  return std::ranges::none_of(
      in.src, [](const isa::Source& source) { return source.kind == isa::Source::Kind::special; });
}

bool is_vector(const isa::Instruction& in) { return isa::valu_of(in).kind != isa::ValuClass::none; }

} // namespace

KnownValues KnownValues::at_entry() {
  KnownValues values;
  auto lanes = std::make_shared<Lanes>();
  std::iota(lanes->begin(), lanes->end(), 0u);
  values.vector_[0] = std::move(lanes); // v0: the work-item's number
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
           (theirs->second != known.second && *theirs->second != *known.second);
  });
  return lost_scalar + lost_vector > 0;
}

std::optional<uint32_t> KnownValues::scalar(int sgpr_code) const {
  const auto found = scalar_.find(sgpr_code);
  return found == scalar_.end() ? std::nullopt : std::optional(found->second);
}
const KnownValues::Lanes* KnownValues::vector(int vgpr) const {
  const auto found = vector_.find(vgpr);
  return found == vector_.end() ? nullptr : found->second.get();
}
uint64_t KnownValues::exec() const {
  const auto low = scalar(code_of::exec), high = scalar(code_of::exec + 1);
  return low && high ? *low | uint64_t{*high} << 32 : 0;
}

bool KnownValues::knows(const isa::RegisterRange& range) const {
  for (int r = range.first; r < range.first + range.count; ++r)
    if (range.file == File::vector ? !vector_.contains(r) : !scalar_.contains(r)) return false;
  return true;
}
void KnownValues::forget(const isa::RegisterRange& range) {
  for (int r = range.first; r < range.first + range.count; ++r)
    range.file == File::vector ? vector_.erase(r) : scalar_.erase(r);
}

void KnownValues::execute(const Code& code, size_t index) {
  thread_local Bench bench;
  const isa::Instruction& in = code.instruction(index);
  const isa::Uses& uses = code.info(index).uses;
  machine::Wave& wave = bench.wave;
  const bool known = is_computed(in) && (!is_vector(in) || exec() == all_lanes) &&
                     std::ranges::all_of(uses.reads(), [&](const auto& range) { return knows(range); });
  if (code.steps()[index].leaves != Leaves::no) {
    *this = {};
    return;
  }
  if (!known) {
    for (const isa::RegisterRange& range : uses.writes()) forget(range);
    return;
  }
  wave.accum_offset = code.accum_offset();
  for (const isa::RegisterRange& range : uses.reads())
    for (int r = range.first; r < range.first + range.count; ++r) {
      if (range.file == File::vector)
        std::ranges::copy(*vector_.at(r), wave.lanes(r));
      else if (r == code_of::scc)
        wave.scc = scalar_.at(r) != 0;
      else
        wave.sgpr[r] = scalar_.at(r);
    }
  wave.set_exec(exec() ? exec() : all_lanes);
  wave.current = wave.next = &in;
  in.execute(wave, in);
  for (const isa::RegisterRange& range : uses.writes())
    for (int r = range.first; r < range.first + range.count; ++r) {
      if (range.file == File::vector) {
        auto lanes = std::make_shared<Lanes>();
        std::copy_n(wave.lanes(r), 64, lanes->begin());
        vector_[r] = std::move(lanes);
      } else {
        scalar_[r] = r == code_of::scc ? wave.scc : wave.sgpr[r];
      }
    }
}

bool overlap(const LdsBytes& a, const LdsBytes& b) {
  return std::ranges::any_of(a, [&](const auto& one) {
    return std::ranges::any_of(
        b, [&](const auto& other) { return one.first < other.second && other.first < one.second; });
  });
}

std::vector<LdsBytes> known_lds_bytes(const Code& code) {
  std::vector<LdsBytes> bytes(code.size());
  const auto touched = [&](const KnownValues& values, size_t index) -> LdsBytes {
    const isa::Instruction& in = code.instruction(index);
    const observe::MemoryOperation& operation = code.info(index).operation;
    machine::Access access;
    access.instruction = &in;
    access.lanes = values.exec();
    LdsBytes result;
    const auto add = [&](int, uint32_t begin, uint32_t count) { result.emplace_back(begin, begin + count); };
    if (operation.lds_dma) {
      const auto m0 = values.scalar(code_of::m0);
      if (!m0) return {};
      machine::Wave wave;
      wave.sgpr[code_of::m0] = *m0;
      access.lds_base = isa::FMHA950_SIMD::dma_base(wave, in);
      observe::for_each_lds_dma_range(operation, access, target.lds_bytes_per_cu, add);
    } else if (isa::memory_of(in).segment == isa::Segment::lds && operation.is_memory()) {
      const KnownValues::Lanes* addresses = values.vector(in.vaddr);
      if (!addresses) return {};
      std::ranges::copy(*addresses, access.lds_address);
      observe::for_each_range(operation, access, machine::Queue::ds, target.lds_bytes_per_cu, add);
    }
    return result;
  };
  propagate(code, 0, KnownValues::at_entry(), true, [&](KnownValues& values, size_t index) {
    bytes[index] = touched(values, index);
    values.execute(code, index);
  });
  return bytes;
}

} // namespace fmha950::static_check
