#include "tests/support/machine_code.hpp"

#include "tests/support/code_object.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fmha950::test {
namespace {

std::optional<uint64_t> hexadecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "\ts_cbranch_scc0 1140    // 000000003260: BF840474 <kernel+0x1f34>"
std::optional<Instruction> instruction_of(std::string_view line, uint64_t kernel_begin) {
  const size_t comment = line.find("// ");
  if (!line.starts_with('\t') || comment == line.npos) return std::nullopt;
  const auto address = hexadecimal(line.substr(comment + 3));
  if (!address) return std::nullopt;
  std::string_view text = line.substr(1, comment - 1);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  uint64_t target = 0;
  if (text.find("branch") != text.npos) {
    const size_t offset = line.find("+0x", comment);
    target = kernel_begin + (offset == line.npos ? 0 : hexadecimal(line.substr(offset + 3)).value_or(0));
  }
  return Instruction{*address, std::string(text), target};
}

// Which instructions may follow which.
class Flow {
 public:
  explicit Flow(const MachineCode& code) : before_(code.size()), after_(code.size()) {
    for (size_t i = 0; i < code.size(); ++i) {
      const Instruction& instruction = code[i];
      const bool falls_through =
          !instruction.text.starts_with("s_branch") && !instruction.text.starts_with("s_endpgm");
      if (falls_through && i + 1 < code.size()) connect(i, i + 1);
      if (instruction.target == 0) continue;
      const auto target = std::lower_bound(code.begin(), code.end(), instruction.target,
                                           [](const Instruction& a, uint64_t b) { return a.address < b; });
      if (target != code.end()) connect(i, target - code.begin());
    }
  }

  bool is_backward_target(size_t i) const {
    return std::any_of(before_[i].begin(), before_[i].end(), [&](size_t from) { return from >= i; });
  }

  // Everything that is reached from here and leads back here: a loop, wherever it is entered. In an order in
  // which a round comes to it, also where blocks lie elsewhere that are seldom needed.
  std::vector<size_t> cycle_through(size_t first) const {
    std::vector<bool> inside = reached(first, after_);
    const std::vector<bool> leads_back = reached(first, before_);
    for (size_t k = 0; k < inside.size(); ++k) inside[k] = inside[k] && leads_back[k];

    std::vector<size_t> left; // in the order in which a depth-first search is done with them
    std::vector<std::pair<size_t, size_t>> path;
    const auto enter = [&](size_t i) {
      inside[i] = false;
      path.emplace_back(i, 0);
    };
    if (inside[first]) enter(first);
    while (!path.empty()) {
      auto& [i, next] = path.back();
      if (next == after_[i].size()) {
        left.push_back(i);
        path.pop_back();
      } else if (const size_t successor = after_[i][next++]; inside[successor]) {
        enter(successor);
      }
    }
    return {left.rbegin(), left.rend()};
  }

 private:
  void connect(size_t from, size_t to) {
    after_[from].push_back(to);
    before_[to].push_back(from);
  }

  static std::vector<bool> reached(size_t from, const std::vector<std::vector<size_t>>& edges) {
    std::vector<bool> seen(edges.size());
    std::vector<size_t> open = {from};
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (seen[i]) continue;
      seen[i] = true;
      open.insert(open.end(), edges[i].begin(), edges[i].end());
    }
    return seen;
  }

  std::vector<std::vector<size_t>> before_, after_;
};

} // namespace

std::map<std::string, MachineCode> disassemble(const std::string& file) {
  const std::string text = output_of(std::string(LLVM_OBJDUMP) + " -d --mcpu=gfx950 " + file);
  std::map<std::string, MachineCode> kernels;
  MachineCode* code = nullptr;
  uint64_t begin_of_kernel = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const size_t name = line.find(" <");
    if (line.ends_with(">:") && name != line.npos) { // "0000000000002500 <kernel>:"
      begin_of_kernel = hexadecimal(line).value_or(0);
      code = &kernels[std::string(line.substr(name + 2, line.size() - name - 4))];
    } else if (const auto instruction = instruction_of(line, begin_of_kernel); instruction && code) {
      code->push_back(*instruction);
    }
  }
  return kernels;
}

int count(const MachineCode& code, std::string_view text) {
  return static_cast<int>(std::count_if(code.begin(), code.end(), [&](const Instruction& instruction) {
    return instruction.text.find(text) != std::string::npos;
  }));
}

MachineCode main_loop(const MachineCode& code) {
  const Flow flow(code);
  MachineCode best;
  for (size_t target = 0; target < code.size(); ++target) {
    if (!flow.is_backward_target(target)) continue;
    MachineCode body;
    for (const size_t i : flow.cycle_through(target)) body.push_back(code[i]);
    if (count(body, "v_mfma") > count(best, "v_mfma")) best = std::move(body);
  }
  return best;
}

} // namespace fmha950::test
