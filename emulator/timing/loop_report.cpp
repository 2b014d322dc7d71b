#include "emulator/timing/loop_report.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/loop_cost.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <map>

namespace fmha950::timing {
namespace {

std::string text_of(const Count& count) {
  return count.conditional ? fmt::format("{} ({} conditional)", count.all, count.conditional)
                           : fmt::format("{}", count.all);
}

// "what N, what N": parts that are not zero.
class Parts {
 public:
  void add(const Count& count, const char* what) {
    if (count.all) parts_.push_back(fmt::format("{} {}", text_of(count), what));
  }
  void add(const Count& count, const Count& bytes, const char* what) {
    if (count.all) parts_.push_back(fmt::format("{} {} of {} B", text_of(count), what, bytes.all));
  }
  void add(std::string text) { parts_.push_back(std::move(text)); }
  std::string text() const { return parts_.empty() ? "none" : fmt::format("{}", fmt::join(parts_, ", ")); }

 private:
  std::vector<std::string> parts_;
};

// "a.hip:10-20, b.hpp:3": the source lines of a loop, files with most instructions first.
std::string source_range(const loader::CodeObject& code, const isa::Program::Block& function,
                         const isa::ControlFlow& flow, const isa::Loop& loop) {
  struct Lines {
    unsigned long first = ULONG_MAX, last = 0;
    size_t instructions = 0;
  };
  std::map<std::string, Lines> files;
  for (size_t block : loop.blocks)
    for (size_t i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i) {
      const std::string place = code.source_line(function.instructions[i].address);
      const size_t colon = place.rfind(':');
      if (colon == std::string::npos) continue;
      const unsigned long line = std::stoul(place.substr(colon + 1));
      Lines& lines = files[place.substr(0, colon)];
      lines = {std::min(lines.first, line), std::max(lines.last, line), lines.instructions + 1};
    }
  if (files.empty()) return "no source lines";
  std::vector<std::pair<std::string, Lines>> sorted(files.begin(), files.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.instructions != b.second.instructions ? a.second.instructions > b.second.instructions
                                                          : a.first < b.first;
  });
  std::vector<std::string> parts;
  for (const auto& [file, lines] : sorted)
    parts.push_back(lines.first == lines.last ? fmt::format("{}:{}", file, lines.first)
                                              : fmt::format("{}:{}-{}", file, lines.first, lines.last));
  constexpr size_t shown = 3;
  if (parts.size() <= shown) return fmt::format("{}", fmt::join(parts, ", "));
  const size_t hidden = parts.size() - shown;
  parts.resize(shown);
  return fmt::format("{} and {} other file{}", fmt::join(parts, ", "), hidden, hidden == 1 ? "" : "s");
}

std::string matrix_text(const LoopCost& cost) {
  Parts parts;
  int passes = 0;
  for (const auto& [name, count] : cost.mfma) {
    parts.add(fmt::format("{} {} of {} passes", text_of(count), name, cost.passes.at(name)));
    passes += count.all * cost.passes.at(name);
  }
  return cost.mfma.empty() ? "none" : fmt::format("{} passes: {}", passes, parts.text());
}

std::string valu_text(const LoopCost& cost) {
  Parts parts;
  parts.add(cost.of(Kind::plain_valu), "plain");
  parts.add(cost.of(Kind::packed_valu), "packed");
  parts.add(cost.of(Kind::transcendental), "transcendental");
  parts.add(cost.of(Kind::conversion), "conversion");
  return parts.text();
}

std::string lds_text(const LoopCost& cost, int waves_per_simd) {
  Parts parts;
  parts.add(cost.of(Kind::lds_read), cost.lds_read_bytes, "reads");
  parts.add(cost.of(Kind::lds_transpose), cost.lds_transpose_bytes, "transpose reads");
  parts.add(cost.of(Kind::lds_write), cost.lds_write_bytes, "writes");
  parts.add(cost.of(Kind::lds_exchange), cost.lds_exchange_bytes, "exchanges");
  parts.add(cost.of(Kind::lds_atomic), cost.lds_atomic_bytes, "atomics");
  parts.add(cost.of(Kind::lds_dma), cost.dma_bytes, "written by LDS DMA");
  if (cost.lds_read_clocks.all) // machine_gfx950.md section 7 point 4: the sources disagree
    parts.add(fmt::format("{} clocks if reads come at 128 B/clk",
                          waves_per_simd * simds_per_cu *
                              (2 * cost.lds_read_clocks.all + cost.lds_write_clocks.all)));
  return parts.text();
}

std::string vmem_text(const LoopCost& cost, int waves_per_simd) {
  Parts parts;
  parts.add(cost.of(Kind::vmem_load), cost.load_bytes, "loads");
  parts.add(cost.of(Kind::lds_dma), cost.dma_bytes, "LDS DMA loads");
  parts.add(cost.of(Kind::vmem_store), cost.store_bytes, "stores");
  parts.add(cost.of(Kind::vmem_atomic), cost.atomic_bytes, "atomics");
  parts.add(cost.of(Kind::cache_control), "cache control");
  if (const double bytes = 1.0 * waves_per_simd * simds_per_cu * cost.vmem_bytes().all; bytes > 0)
    parts.add(fmt::format("{:.0f} clocks from L2, {:.0f} from HBM", bytes / l2_port_bytes_per_clock,
                          bytes * target.compute_units() / hbm_bytes_per_clock));
  return parts.text();
}

std::string waits_text(const LoopCost& cost) {
  Parts parts;
  for (const auto& [name, count] : cost.waits)
    parts.add(count.all == 1 && !count.conditional ? name : fmt::format("{} x {}", text_of(count), name));
  return parts.text();
}

std::string binding_text(const char* title, const LoopClocks& clocks) {
  const LoopUnit binding = clocks.binding();
  std::vector<std::string> shares;
  for (LoopUnit other : {LoopUnit::matrix, LoopUnit::valu, LoopUnit::lds, LoopUnit::vmem, LoopUnit::scalar})
    if (other != binding && clocks.of(other) > 0)
      shares.push_back(
          fmt::format("{} {:.0f} %", name_of(other), 100 * clocks.of(other) / clocks.of(binding)));
  return fmt::format("    {}: {}, {:.0f} clocks modelled{}{}\n", title, name_of(binding), clocks.of(binding),
                     shares.empty() ? "" : "; of it busy ", fmt::join(shares, ", "));
}

std::string cost_text(const LoopCost& cost, int waves_per_simd) {
  const LoopClocks clocks = clocks_of(cost, waves_per_simd);
  std::string text;
  const auto unit = [&](LoopUnit unit, const std::string& what) {
    text += fmt::format("    {:<11}{:6.0f} clocks  {}\n", name_of(unit), clocks.of(unit), what);
  };
  const auto line = [&](const char* name, const std::string& what) {
    text += fmt::format("    {:<26}{}\n", name, what);
  };
  Parts scalar, branches, issue;
  scalar.add(cost.of(Kind::salu), "SALU");
  scalar.add(cost.of(Kind::smem), cost.smem_bytes, "SMEM");
  branches.add(text_of(cost.of(Kind::branch)));
  branches.add(cost.of(Kind::call), "calls, whose functions are not counted");
  issue.add(cost.issued, "instructions");
  issue.add(cost.wait_states, "wait states of s_nop");
  unit(LoopUnit::matrix, matrix_text(cost));
  unit(LoopUnit::valu, valu_text(cost));
  unit(LoopUnit::lds, lds_text(cost, waves_per_simd));
  unit(LoopUnit::vmem, vmem_text(cost, waves_per_simd));
  unit(LoopUnit::scalar, scalar.text());
  unit(LoopUnit::branch, branches.text());
  unit(LoopUnit::wave_issue, issue.text());
  line("waits", waits_text(cost));
  line("barriers", text_of(cost.of(Kind::barrier)));
  line("s_nop", text_of(cost.of(Kind::nop)));
  if (cost.of(Kind::other_internal).all) line("other internal", text_of(cost.of(Kind::other_internal)));
  if (cost.of(Kind::unknown).all) line("not decoded, not counted", text_of(cost.of(Kind::unknown)));

  text += binding_text("binding", clocks);
  if (cost.issued.conditional)
    text += binding_text("binding without the conditional", clocks_of(cost, waves_per_simd, Arms::none));
  return text;
}

std::string function_text(const loader::CodeObject& code, const loader::CodeObject::Function& function,
                          const loader::Kernel* kernel, int waves_per_simd) {
  const uint32_t accum_offset = kernel ? kernel->accum_offset : 0;
  const isa::Program::Block& block = code.program().decode(function.begin, function.end, accum_offset);
  const isa::ControlFlow flow(block);
  const isa::Loops found = isa::find_loops(flow);
  if (!kernel && found.loops.empty()) return "";
  std::string text = kernel ? fmt::format("kernel {}, {} VGPRs: waves per SIMD at most {}", kernel->name,
                                          kernel->vgpr_count, target.waves_by_vgprs(kernel->vgpr_count))
                            : fmt::format("function {}", function.name);
  text += found.loops.empty() ? ", no loops\n" : "\n";
  if (found.irreducible)
    text += fmt::format("  {} cycle{} with several entries: not shown\n", found.irreducible,
                        found.irreducible == 1 ? "" : "s");
  if (kernel && flow.has_indirect_jump) text += "  jumps through a register (s_setpc_b64): not followed\n";
  for (size_t i = 0; i < found.loops.size(); ++i) {
    const isa::Loop& loop = found.loops[i];
    size_t instructions = 0, first = SIZE_MAX, end = 0;
    for (size_t b : loop.blocks) {
      instructions += flow.blocks[b].end - flow.blocks[b].begin;
      first = std::min(first, flow.blocks[b].begin);
      end = std::max(end, flow.blocks[b].end);
    }
    const bool holds_others = found.own_blocks[i].size() != loop.blocks.size();
    text += fmt::format(
        "  {:{}}loop {}, depth {}, {}\n  {:{}}  code {:#x} to {:#x} of the function, {} instructions in "
        "{} block{}{}\n",
        "", 2 * (loop.depth - 1), i + 1, loop.depth, source_range(code, block, flow, loop), "",
        2 * (loop.depth - 1), block.instructions[first].address - function.begin,
        block.instructions[end - 1].address + block.instructions[end - 1].bytes - function.begin,
        instructions, loop.blocks.size(), loop.blocks.size() == 1 ? "" : "s",
        holds_others ? "; the loops inside are not in the figures" : "");
    text += cost_text(cost_of(block, flow, loop, found.own_blocks[i]), waves_per_simd);
  }
  return text;
}

} // namespace

std::string loop_report(const loader::CodeObject& code, int waves_per_simd) {
  if (code.kernels().empty()) throw loader::LoadError("the code object has no kernels");
  std::string text = fmt::format("modelled: clocks per iteration, with {} wave{} on each SIMD of a CU in the "
                                 "same loop. Counts are one wave's, all "
                                 "lanes active,\nboth arms of branches counted (conditional: not on every "
                                 "path through an iteration). No bank "
                                 "conflicts, VMEM from L1.\nMatrix and VALU clocks are a SIMD's, LDS and "
                                 "VMEM clocks those that the CU needs for "
                                 "its four SIMDs; wave issue is one wave's.\n",
                                 waves_per_simd, waves_per_simd == 1 ? "" : "s");
  for (const loader::CodeObject::Function& function : code.functions()) {
    const auto kernel = std::find_if(code.kernels().begin(), code.kernels().end(),
                                     [&](const loader::Kernel& k) { return k.entry == function.begin; });
    text +=
        function_text(code, function, kernel == code.kernels().end() ? nullptr : &*kernel, waves_per_simd);
  }
  return text;
}

} // namespace fmha950::timing
