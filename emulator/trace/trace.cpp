#include "emulator/trace/trace.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/record/op.hpp"

#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace fmha950::observe {
namespace {

using timing::Kind;

// The pipe, but with those that share one apart where their time is looked at, and no branch unit.
std::string_view unit_of(Kind kind) {
  switch (kind) {
  case Kind::transcendental: return "transcendental";
  case Kind::lds_dma: return "lds_dma";
  case Kind::barrier: return "barrier";
  default: break;
  }
  const timing::Pipe pipe = timing::pipe_of(kind);
  return timing::name_of(pipe == timing::Pipe::branch ? timing::Pipe::scalar : pipe);
}

struct Use {
  std::string_view unit;
  int clocks;
};

Use use_of(const isa::Instruction& in) {
  const timing::InstructionUse use = timing::use_of(in);
  const int busy = use.matrix_clocks + use.valu_clocks + use.lds_read_clocks + use.lds_write_clocks;
  return {unit_of(use.kind), busy ? busy : use.issues ? timing::clocks_per_issue : 0};
}

} // namespace

bool parse_trace(std::string_view text, TracePlace& place, std::string& error) {
  TracePlace parsed;
  const size_t comma = text.rfind(',');
  parsed.file = text.substr(0, comma);
  const std::string_view number = comma == text.npos ? "0" : text.substr(comma + 1);
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), parsed.workgroup);
  if (parsed.file.empty() || code != std::errc() || end != number.data() + number.size()) {
    error = "must be FILE or FILE,WORKGROUP: trace.jsonl,0";
    return false;
  }
  place = std::move(parsed);
  return true;
}

class Trace::Listener final : public machine::WorkgroupListener {
 public:
  explicit Listener(Trace& owner) : owner_(owner) {}
  void started(machine::Workgroup& workgroup) override {
    const uint32_t* grid = owner_.launch_.grid;
    const uint64_t id =
        workgroup.id[0] + uint64_t{grid[0]} * (workgroup.id[1] + uint64_t{grid[1]} * workgroup.id[2]);
    chosen_ = id == owner_.workgroup_;
    intervals_.assign(workgroup.waves.size(), 0);
  }
  void before(machine::Wave& wave, const isa::Instruction& in) override {
    if (!chosen_) return;
    auto known = uses_.find(in.laid_out_at);
    if (known == uses_.end()) known = uses_.emplace(in.laid_out_at, use_of(in)).first;
    const Use& use = known->second;
    int& interval = intervals_[static_cast<size_t>(wave.index)];
    Total& total = owner_.totals_[{wave.index, interval, use.unit}];
    ++total.instructions;
    total.clocks += use.clocks;
    if (use.unit == "barrier") ++interval;
  }

 private:
  Trace& owner_;
  bool chosen_ = false;
  std::vector<int> intervals_; // barriers that each wave has come to
  std::unordered_map<uint64_t, Use> uses_;
};

std::unique_ptr<machine::WorkgroupListener> Trace::join() { return std::make_unique<Listener>(*this); }

std::string Trace::lines() const {
  std::string text;
  for (const auto& [key, total] : totals_) {
    const auto& [wave, interval, unit] = key;
    text += fmt::format(R"({{"kernel":"{}","launch":{},"workgroup":{},"wave":{},"interval":{},"unit":"{}",)"
                        R"("instructions":{},"clocks":{}}})"
                        "\n",
                        launch_.kernel->name, launch_.number, workgroup_, wave, interval, unit,
                        total.instructions, total.clocks);
  }
  return text;
}

} // namespace fmha950::observe
