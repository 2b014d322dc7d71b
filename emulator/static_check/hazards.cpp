#include "emulator/static_check/hazards.hpp"

#include "emulator/observe/report/hazard.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/distances.hpp"
#include "emulator/static_check/flights.hpp"
#include "emulator/static_check/known_values.hpp"
#include "emulator/static_check/path_walk.hpp"
#include "emulator/static_check/propagate.hpp"

#include <fmt/format.h>
#include <map>

namespace fmha950::static_check {
namespace {

using observe::HazardClass;
using Pairs = std::map<std::pair<size_t, size_t>, Finding>; // by later and earlier instruction

// An instruction is visited until nothing new comes: its last finding is that of all paths.
void registers_in_flight(const Code& code, const Steps& steps, Pairs& found, Pairs& dma) {
  const auto touch = [&](size_t index, const Flight& flight, const observe::Touch& what) {
    found[{index, flight.producer}] = {Severity::error,
                                       observe::name_of(HazardClass::register_in_flight),
                                       flight.producer,
                                       index,
                                       observe::text_of(what, flight, code.accum_offset()),
                                       observe::wait_for(flight, static_cast<size_t>(flight.younger))};
  };
  const auto visit = [&](const Flights& flights, size_t index) {
    visit_touches(code, index, flights, touch);
    const bool touches_lds =
        code.instruction(index).encoding == isa::Encoding::ds && code.info(index).operation.is_memory();
    if (!touches_lds) return;
    for (const Flight& flight : flights.all())
      if (isa::is_lds_dma(*flight.instruction))
        dma[{flight.producer, index}].missing =
            observe::wait_for(flight, static_cast<size_t>(flight.younger));
  };
  propagate(code, 0, Flights(), true,
            [&](Flights& flights, size_t index) { step_flights(code, steps, flights, index, visit); });
}

void wait_states(const Code& code, const Steps& steps, Pairs& found) {
  const auto visit = [&](const Distances& distances, size_t index) {
    for (const TooClose& close : too_close(code, index, distances))
      found[{index, close.producer}] = {close.severity() == observe::Severity::error ? Severity::error
                                                                                     : Severity::warning,
                                        observe::name_of(HazardClass::wait_states),
                                        close.producer,
                                        index,
                                        close.pair.text(close.states, code.accum_offset()),
                                        observe::nops(close.missing())};
  };
  propagate(code, 0, Distances(), true, [&](Distances& distances, size_t index) {
    step_distances(code, steps, distances, index, visit);
  });
}

// Whether a path has the pair on which branches go together.
class PossiblePaths {
 public:
  PossiblePaths(const Code& code, const Steps& steps, Paths paths)
      : code_(code), steps_(steps), paths_(paths) {}

  bool have(size_t producer, size_t later, bool in_registers) {
    if (paths_ == Paths::all) return true;
    if (!common_) common_.emplace(code_);
    const auto meets = [&](size_t index, const Flights& one, bool lanes_meet) {
      return index == later && (!in_registers || touches_in_lanes(code_, index, one, lanes_meet));
    };
    return is_met_on_a_path({code_, steps_, {}, meets}, *common_, nullptr, producer);
  }

 private:
  const Code& code_;
  const Steps& steps_;
  const Paths paths_;
  std::optional<CommonValues> common_; // made where there is something to ask
};

// Where the addresses of both are known and meet, it is an error; else they are not known, or not those of other waves.
void lds_dma(const Code& code, Pairs& dma, PossiblePaths& paths, std::vector<Finding>& result) {
  if (dma.empty()) return;
  const std::vector<LdsBytes> bytes = known_lds_bytes(code);
  std::erase_if(dma, [&](const auto& pair) {
    const auto [producer, later] = pair.first;
    if (!overlap(bytes[producer], bytes[later])) return false;
    if (paths.have(producer, later, false))
      result.push_back({Severity::error, observe::name_of(HazardClass::lds_order), producer, later,
                        "LDS bytes that LDS DMA writes are accessed while it is in flight",
                        pair.second.missing});
    return true;
  });
  for (auto at = dma.begin(); at != dma.end();) {
    const auto [producer, first] = at->first;
    size_t accesses = 0;
    for (; at != dma.end() && at->first.first == producer; ++at) ++accesses;
    result.push_back(
        {Severity::unknown, "lds_address", producer, first,
         fmt::format("LDS DMA may be in flight at {} LDS access{}: addresses in LDS are not followed",
                     accesses, accesses == 1 ? "" : "es"),
         ""});
  }
}

void where_code_leaves(const Code& code, const Steps& steps, std::vector<Finding>& result) {
  const auto add = [&](size_t index, const char* kind, const char* what) {
    result.push_back({Severity::unknown, kind, Code::none, index, what, ""});
  };
  for (size_t i = 0; i < code.size(); ++i) {
    if (code.block_of(i) == Code::none) continue;
    switch (steps[i].leaves) {
    case Leaves::no:
    case Leaves::returns: break;
    case Leaves::call:
      add(i, "call",
          "what the function does is not followed: nothing is held to be in flight behind the call");
      break;
    case Leaves::jump:
      add(i, "jump", "a jump to where a register says is not followed: what it leads to is not judged");
      break;
    case Leaves::steered:
      add(i, "vgpr_index", "M0 may move its registers, or vskip skip it: which ones it uses is not followed");
      break;
    case Leaves::unknown:
      add(i, "instruction", "no instruction that the device knows: what it does is not followed");
      break;
    }
  }
}

} // namespace

const char* name_of(Severity severity) {
  static constexpr const char* names[] = {"error", "warning", "unknown"};
  return names[static_cast<size_t>(severity)];
}

std::vector<Finding> find_hazards(const Code& code, const Steps& steps, Paths paths) {
  Pairs in_flight, close, dma;
  registers_in_flight(code, steps, in_flight, dma);
  wait_states(code, steps, close);
  PossiblePaths possible(code, steps, paths);
  std::erase_if(in_flight,
                [&](const auto& pair) { return !possible.have(pair.first.second, pair.first.first, true); });
  std::vector<Finding> result;
  for (Pairs* pairs : {&in_flight, &close})
    for (auto& [pair, finding] : *pairs) result.push_back(std::move(finding));
  lds_dma(code, dma, possible, result);
  where_code_leaves(code, steps, result);
  return result;
}

} // namespace fmha950::static_check
