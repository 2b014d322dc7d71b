#include "emulator/timing/report/perfetto.hpp"

#include "emulator/rates/rates.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::timing {
namespace {

// Rows of a CU, in the order in which they are shown. 0 is the idle thread's.
constexpr uint32_t first_unit_row = 1, first_wave_row = 100;
constexpr uint32_t rows_per_workgroup = 100;

// Mnemonics, registers and paths of ours hold no other characters that JSON escapes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// What analysis/timeline.py draws by:
// finer than the pipe where instructions of one pipe take very different times.
const char* category_of(const Op& op) {
  if (op.kind == Kind::transcendental) return "transcendental";
  if (op.kind == Kind::lds_dma) return "lds_dma";
  return name_of(op.pipe);
}

std::string mnemonic_of(const Op& op) { return op.text.substr(0, op.text.find(' ')); }

bool is_of_simd(Unit unit) {
  const Pipe* pipe = std::get_if<Pipe>(&unit);
  return pipe && *pipe != Pipe::lds && *pipe != Pipe::vmem;
}

class Events {
 public:
  explicit Events(const KernelRecord& record) : record_(record) {}

  void add_cu(uint32_t cu) { add_name("process_name", {cu, 0}, fmt::format("CU {}", cu)); }

  void add_wave(const WaveTimeline& wave) {
    const Row row{wave.cu, first_wave_row + wave.workgroup * rows_per_workgroup + wave.wave};
    name(row, fmt::format("workgroup {} wave {} SIMD {}", wave.workgroup, wave.wave, wave.simd));
    for (const WaveSpan& span : wave.spans) {
      const Op& op = record_.ops[span.op];
      if (span.spent == Spent::issue)
        add(row, mnemonic_of(op), category_of(op), op, span);
      else
        add(row, name_of(span.spent), "wait", op, span);
    }
  }

  void add_unit(const UnitSpan& span) {
    const Op& op = record_.ops[span.by.op];
    const std::string unit = std::visit([](auto each) { return name_of(each); }, span.unit);
    const auto number = std::visit([](auto each) { return static_cast<uint32_t>(each); }, span.unit) +
                        (std::holds_alternative<Pipe>(span.unit) ? 0 : pipes);
    const uint32_t simd = is_of_simd(span.unit) ? span.by.simd : simds_per_cu;
    const Row row{span.by.cu, first_unit_row + simd * pipes + number};
    name(row, is_of_simd(span.unit) ? fmt::format("SIMD {} {}", simd, unit) : "CU " + unit);
    add(row, mnemonic_of(op), category_of(op), op, span,
        fmt::format(R"("wave":"workgroup {} wave {}",)", span.by.workgroup, span.by.wave));
  }

  std::string json(const std::string& kernel) const {
    return fmt::format("{{\"otherData\":{{\"kernel\":{},\"what\":\"modelled, 1 us is 1 clock\"}},\n"
                       "\"traceEvents\":[\n{}\n]}}\n",
                       quoted(kernel), text_);
  }

 private:
  struct Row {
    uint32_t cu, number;
    uint32_t process() const { return cu + 1; }
    auto operator<=>(const Row&) const = default;
  };

  void name(const Row& row, const std::string& name) {
    if (named_.insert(row).second) add_name("thread_name", row, name);
  }
  void add_name(const char* what, const Row& row, const std::string& name) {
    add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what, row.process(),
                    row.number, quoted(name)));
  }
  void add(const Row& row, const std::string& name, const char* category, const Op& op, const auto& span,
           const std::string& more = {}) {
    add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}",)"
                    R"("args":{{{}"instruction":{},"source":{}}}}})",
                    row.process(), row.number, span.clock, span.clocks, quoted(name), category, more,
                    quoted(op.text), quoted(op.source)));
  }
  void add(const std::string& event) { text_ += (text_.empty() ? "" : ",\n") + event; }

  const KernelRecord& record_;
  std::string text_;
  std::set<Row> named_;
};

} // namespace

std::string perfetto(const std::string& kernel, const KernelRecord& record, const Simulation& run) {
  Events events(record);
  for (int cu = 0; cu < run.cus; ++cu) events.add_cu(static_cast<uint32_t>(cu));
  for (const UnitSpan& span : run.timeline.units) events.add_unit(span);
  for (const WaveTimeline& wave : run.timeline.waves) events.add_wave(wave);
  return events.json(kernel);
}

} // namespace fmha950::timing
