#include "emulator/timing/report/perfetto.hpp"

#include "emulator/timing/rates.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::timing {
namespace {

constexpr uint32_t first_unit_row = 1000; // of a CU, behind its waves

// Mnemonics, registers and paths of ours hold no other characters that JSON escapes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// What analysis/timeline.py draws by: finer than the pipe where instructions of one take very different
// times.
const char* category_of(const Op& op) {
  if (op.kind == Kind::transcendental) return "transcendental";
  if (op.kind == Kind::lds_dma) return "lds_dma";
  return name_of(op.pipe);
}

class Events {
 public:
  void name(uint32_t process, uint32_t row, const std::string& name) {
    if (!named_.insert({process, row}).second) return;
    add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process,
                    row, quoted(name)));
  }
  void add(const std::string& event) { text_ += (text_.empty() ? "" : ",\n") + event; }
  std::string json(const std::string& kernel) const {
    return fmt::format("{{\"otherData\":{{\"kernel\":{},\"what\":\"modelled, 1 us is 1 clock\"}},\n"
                       "\"traceEvents\":[\n{}\n]}}\n",
                       quoted(kernel), text_);
  }

 private:
  std::string text_;
  std::set<std::pair<uint32_t, uint32_t>> named_;
};

} // namespace

std::string perfetto(const std::string& kernel, const KernelRecord& record, const Simulation& run) {
  Events events;
  for (const Issue& issue : run.timeline) {
    const Op& op = record.ops[issue.op];
    const std::string mnemonic = op.text.substr(0, op.text.find(' '));
    const uint32_t wave = issue.workgroup * 100 + issue.wave;
    events.name(issue.cu, wave, fmt::format("workgroup {} wave {}", issue.workgroup, issue.wave));
    const auto row = [&](uint32_t number, uint32_t clocks) {
      events.add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}",)"
                             R"("args":{{"instruction":{},"source":{}}}}})",
                             issue.cu, number, issue.clock, clocks, quoted(mnemonic), category_of(op),
                             quoted(op.text), quoted(op.source)));
    };
    row(wave, clocks_per_issue);
    if (op.pipe != Pipe::matrix && op.pipe != Pipe::valu) continue;
    const uint32_t simd = issue.wave % simds_per_cu;
    const uint32_t unit = first_unit_row + 2 * simd + (op.pipe == Pipe::valu ? 1 : 0);
    events.name(issue.cu, unit, fmt::format("SIMD {} {}", simd, name_of(op.pipe)));
    row(unit, issue.clocks);
  }
  return events.json(kernel);
}

} // namespace fmha950::timing
