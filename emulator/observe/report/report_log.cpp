#include "emulator/observe/report/report_log.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/loader/code_symbol.hpp"
#include "emulator/observe/report/ordering_places.hpp"

#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace fmha950::observe {

ReportLog::Place ReportLog::place_of(const loader::Kernel& kernel, uint64_t address) {
  const isa::Program& program = kernel.object->program();
  const isa::Instruction* in = address ? program.find(address, kernel.accum_offset) : nullptr;
  if (!in) return {};
  const isa::Program::Block& block = program.block_of(*in);
  const uint64_t begin = loader::symbol_of(kernel, address).begin;
  const FunctionPlaces& function = functions_.try_emplace({&kernel, &block}, block, begin).first->second;
  const auto index = function.index_of(*in);
  return index ? Place{&function, *index} : Place{};
}

ReportedParty ReportLog::resolve(const loader::Kernel& kernel, const Party& party, const Place& place) const {
  ReportedParty resolved;
  if (party.address == 0) return resolved;
  resolved.present = true;
  resolved.workgroup = party.workgroup;
  resolved.wave = party.wave;
  resolved.lane = party.lane;
  const auto [symbol, begin] = loader::symbol_of(kernel, party.address);
  resolved.symbol = symbol;
  resolved.offset = party.address - begin;
  resolved.source = kernel.object->source_line(party.address);
  if (!resolved.source.empty()) {
    resolved.frames = kernel.object->frames_at(party.address);
    if (resolved.frames.empty()) resolved.frames.push_back({symbol, resolved.source});
    // Line 0 is code that the compiler made or moved: it takes the line of what lies before it.
    if (resolved.frames.front().source.empty()) resolved.frames.front().source = resolved.source;
  }
  if (const auto* in = kernel.object->program().find(party.address, kernel.accum_offset))
    resolved.instruction = isa::disassemble(*in);
  resolved.inserted = party.inserted;
  if (party.inserted) resolved.instruction = fmt::format("s_barrier (inserted {} before)", party.inserted);
  if (place.function) {
    resolved.loop = place.function->loop(place.index);
    resolved.phase = place.function->phase(place.index);
    std::tie(resolved.skeleton, resolved.position) = place.function->skeleton(place.index);
  }
  return resolved;
}

void ReportLog::report(Hazard hazard) {
  const std::lock_guard lock(mutex_);
  const uint64_t entry_point = hazard.kernel ? hazard.kernel->entry : 0;
  const Key key{hazard.type,
                hazard.severity,
                hazard.kernel,
                hazard.kernel ? hazard.kernel->name : "",
                hazard.earlier.address - entry_point,
                hazard.later.address - entry_point,
                hazard.kernel ? 0 : hazard.begin};
  const auto [entry, is_new] = entries_.try_emplace(key, reports_.size());
  if (is_new) {
    Report report;
    report.type = hazard.type;
    report.severity = hazard.severity;
    report.begin = hazard.begin;
    report.end = hazard.end;
    if (hazard.kernel) {
      report.kernel = hazard.kernel->name;
      report.code = reinterpret_cast<uint64_t>(hazard.kernel);
      const Place earlier = place_of(*hazard.kernel, hazard.earlier.address),
                  later = place_of(*hazard.kernel, hazard.later.address);
      report.earlier = resolve(*hazard.kernel, hazard.earlier, earlier);
      report.later = resolve(*hazard.kernel, hazard.later, later);
      if (earlier.function && earlier.function == later.function) {
        OrderingPlaces places = ordering_places(*later.function, hazard, earlier.index, later.index);
        report.between = std::move(places.between);
        report.stretch = places.stretch;
      }
    }
    report.what = std::move(hazard.what);
    report.missing = std::move(hazard.missing);
    report.usually = std::move(hazard.usually);
    reports_.push_back(std::move(report));
  }
  ++reports_[entry->second].count;
}

void ReportLog::unloading() {
  const std::lock_guard lock(mutex_);
  functions_.clear();
}

std::vector<Report> ReportLog::reports() const {
  const std::lock_guard lock(mutex_);
  return reports_;
}

void ReportLog::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  reports_.clear();
  functions_.clear();
}

} // namespace fmha950::observe
