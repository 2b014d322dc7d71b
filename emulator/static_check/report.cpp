#include "emulator/static_check/report.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/hazards.hpp"
#include "emulator/static_check/superfluous.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::static_check {
namespace {

using nlohmann::json;

// What is superfluous in a loop, or outside of all (Code::none).
struct Saved {
  int waits = 0, nops = 0;
  int all_waits = 0, all_nops = 0;
};

// The report on one kernel, or on one function that kernels call.
class PartReport {
 public:
  explicit PartReport(const loader::Kernel& kernel)
      : PartReport("kernel", kernel.name, *kernel.object, kernel.entry, Code(kernel)) {}
  PartReport(const loader::CodeObject& object, const loader::CodeObject::Function& function)
      : PartReport("function", function.name, object, function.begin, Code(object, function)) {}

 private:
  PartReport(const char* kind, std::string name, const loader::CodeObject& object, uint64_t begin, Code code)
      : kind_(kind), name_(std::move(name)), object_(object), begin_(begin), code_(std::move(code)),
        findings_(find_hazards(code_)), superfluous_(find_superfluous(code_)) {
    for (size_t i = 0; i < code_.size(); ++i) {
      if (code_.block_of(i) == Code::none) continue;
      const isa::ControlRole role = isa::control_of(code_.instruction(i));
      saved_[code_.loop_of(i)].all_waits += role == isa::ControlRole::waitcnt;
      saved_[code_.loop_of(i)].all_nops += role == isa::ControlRole::nop;
    }
    for (const Superfluous& each : superfluous_) {
      Saved& saved = saved_[code_.loop_of(each.at)];
      ++(each.kind == Superfluous::Kind::wait ? saved.waits : saved.nops);
    }
  }

 public:
  void count(Report& report) const {
    for (const Finding& finding : findings_)
      ++(finding.severity == Severity::error     ? report.errors
         : finding.severity == Severity::warning ? report.warnings
                                                 : report.unknown);
  }

  std::string text() const {
    std::string text = fmt::format("{} {}\n", kind_, name_);
    for (const Finding& finding : findings_) {
      text += fmt::format("  {} {}: {}\n", name_of(finding.severity), finding.kind, finding.what);
      if (finding.earlier != Code::none) text += fmt::format("    earlier {}\n", place(finding.earlier));
      text += fmt::format("    later   {}\n", place(finding.later));
      if (!finding.missing.empty()) text += fmt::format("    missing {}\n", finding.missing);
    }
    for (const Superfluous& each : superfluous_)
      text += fmt::format("  superfluous {}: {}\n    {}{}\n", each.what,
                          each.enough.empty() ? each.reason : each.enough + " is enough: " + each.reason,
                          place(each.at), loop_text(each.at));
    for (const auto& [loop, saved] : saved_)
      if (saved.waits + saved.nops > 0)
        text += fmt::format("  {}: superfluous {} of {} waits, {} of {} s_nops\n", name_of_loop(loop),
                            saved.waits, saved.all_waits, saved.nops, saved.all_nops);
    return text;
  }

  std::string json_lines() const {
    std::string lines;
    const auto add = [&](json line) {
      line["schema"] = 1;
      line[kind_] = name_;
      lines += line.dump() + "\n";
    };
    for (const Finding& finding : findings_)
      add({{"severity", name_of(finding.severity)},
           {"kind", finding.kind},
           {"what", finding.what},
           {"earlier", json_of(finding.earlier)},
           {"later", json_of(finding.later)},
           {"missing", finding.missing}});
    for (const Superfluous& each : superfluous_)
      add({{"severity", "superfluous"},
           {"kind", each.kind == Superfluous::Kind::wait ? "wait" : "nop"},
           {"what", each.what},
           {"enough", each.enough},
           {"reason", each.reason},
           {"later", json_of(each.at)},
           {"loop", json_of_loop(code_.loop_of(each.at))}});
    for (const auto& [loop, saved] : saved_)
      add({{"severity", "loop"},
           {"loop", json_of_loop(loop)},
           {"waits", saved.all_waits},
           {"superfluous_waits", saved.waits},
           {"nops", saved.all_nops},
           {"superfluous_nops", saved.nops}});
    return lines;
  }

 private:
  uint64_t offset(size_t index) const { return code_.instruction(index).address - begin_; }
  std::string source(size_t index) const { return object_.source_line(code_.instruction(index).address); }
  // "file:line" and, in a line of its own, "+0x34 v_add_..."
  std::string place(size_t index) const {
    const std::string line = source(index);
    return fmt::format("+{:#x} {}{}", offset(index), isa::disassemble(code_.instruction(index)),
                       line.empty() ? "" : "  at " + line);
  }
  size_t head_of(size_t loop) const { return code_.flow().blocks[code_.loops().loops[loop].head].begin; }
  std::string name_of_loop(size_t loop) const {
    if (loop == Code::none) return "outside of loops";
    const std::string line = source(head_of(loop));
    return fmt::format("loop at +{:#x} of depth {}{}", offset(head_of(loop)), code_.loops().loops[loop].depth,
                       line.empty() ? "" : ", " + line);
  }
  std::string loop_text(size_t index) const {
    const size_t loop = code_.loop_of(index);
    return loop == Code::none ? "" : fmt::format("  (loop at +{:#x})", offset(head_of(loop)));
  }
  json json_of(size_t index) const {
    if (index == Code::none) return nullptr;
    return {{"offset", offset(index)},
            {"source", source(index)},
            {"instruction", isa::disassemble(code_.instruction(index))}};
  }
  json json_of_loop(size_t loop) const {
    if (loop == Code::none) return nullptr;
    return {{"offset", offset(head_of(loop))},
            {"depth", code_.loops().loops[loop].depth},
            {"source", source(head_of(loop))}};
  }

  const char* kind_;
  std::string name_;
  const loader::CodeObject& object_;
  uint64_t begin_; // what offsets count from
  Code code_;
  std::vector<Finding> findings_;
  std::vector<Superfluous> superfluous_;
  std::map<size_t, Saved> saved_; // by loop, those outside of loops last
};

std::string plural(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

} // namespace

Report report(const loader::CodeObject& object, std::string_view kernel, Form form) {
  Report result;
  bool found = false;
  const auto add = [&](const PartReport& part) {
    part.count(result);
    result.text += form == Form::text ? part.text() : part.json_lines();
  };
  for (const loader::Kernel& each : object.kernels()) {
    if (!kernel.empty() && each.name != kernel) continue;
    found = true;
    add(PartReport(each));
  }
  const auto is_kernel = [&](const loader::CodeObject::Function& function) {
    return std::ranges::any_of(object.kernels(),
                               [&](const loader::Kernel& each) { return each.entry == function.begin; });
  };
  if (kernel.empty())
    for (const loader::CodeObject::Function& function : object.functions())
      if (!is_kernel(function)) add(PartReport(object, function));
  if (!found)
    throw loader::LoadError(kernel.empty() ? "the code object has no kernels"
                                           : fmt::format("the code object has no kernel {}", kernel));
  result.text += form == Form::text ? fmt::format("{}, {}, {} unknown\n", plural(result.errors, "error"),
                                                  plural(result.warnings, "warning"), result.unknown)
                                    : json{{"schema", 1},
                                           {"severity", "sum"},
                                           {"errors", result.errors},
                                           {"warnings", result.warnings},
                                           {"unknown", result.unknown}}
                                              .dump() +
                                          "\n";
  return result;
}

} // namespace fmha950::static_check
