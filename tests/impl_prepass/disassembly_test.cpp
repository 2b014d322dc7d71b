// What clang made of the attention kernels: the promises of their sources hold in the machine code.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t bytes = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), bytes);
  return text;
}

std::string code_object(const std::string& variant) { return CODE_OBJECTS "/" + variant + ".co"; }

struct Instruction {
  uint64_t address;
  std::string text; // mnemonic and operands
  uint64_t target;  // of a branch, else 0
};

std::vector<Instruction> disassemble(const std::string& file) {
  const std::string text = output_of(std::string(LLVM_OBJDUMP) + " -d --mcpu=gfx950 " + file);
  const std::regex line_form("\t(.*?) *// ([0-9A-F]+):([^<]*)(?:<[^+>]*(?:\\+0x([0-9a-f]+))?>)?.*");
  const std::regex label_form("([0-9a-f]+) <.*>:");
  std::vector<Instruction> result;
  uint64_t kernel_begin = 0;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    std::smatch match;
    if (std::regex_match(line, match, label_form)) kernel_begin = std::stoull(match[1], nullptr, 16);
    if (!std::regex_match(line, match, line_form)) continue;
    const bool branch = match[1].str().find("branch") != std::string::npos;
    const uint64_t offset = match[4].matched ? std::stoull(match[4], nullptr, 16) : 0;
    result.push_back({std::stoull(match[2], nullptr, 16), match[1], branch ? kernel_begin + offset : 0});
  }
  return result;
}

int count(const std::vector<Instruction>& code, const std::string& text) {
  return static_cast<int>(std::count_if(code.begin(), code.end(), [&](const Instruction& instruction) {
    return instruction.text.find(text) != std::string::npos;
  }));
}

// The instructions between the target of a backward branch and the branch: the shortest such range with all
// matrix instructions is the loop over tiles.
std::vector<Instruction> main_loop(const std::vector<Instruction>& code) {
  const int all = count(code, "v_mfma");
  std::vector<Instruction> best;
  for (const Instruction& branch : code) {
    if (branch.target == 0 || branch.target >= branch.address) continue;
    std::vector<Instruction> range;
    for (const Instruction& instruction : code)
      if (instruction.address >= branch.target && instruction.address <= branch.address)
        range.push_back(instruction);
    if (count(range, "v_mfma") == all && (best.empty() || range.size() < best.size())) best = range;
  }
  return best;
}

// Numbers of the vector registers that an operand list names.
std::set<int> registers_of(const std::string& text) {
  static const std::regex form("\\bv(?:([0-9]+)\\b|\\[([0-9]+):([0-9]+)\\])");
  std::set<int> registers;
  for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match) {
    const int first = std::stoi((*match)[1].matched ? (*match)[1] : (*match)[2]);
    const int last = std::stoi((*match)[1].matched ? (*match)[1] : (*match)[3]);
    for (int r = first; r <= last; ++r) registers.insert(r);
  }
  return registers;
}

// Loads in flight that count in one counter, oldest first; LDS DMA has no registers.
struct InFlight {
  std::deque<std::set<int>> loads;
  std::regex wait;
  void finish(const std::string& text) {
    std::smatch match;
    if (!std::regex_search(text, match, wait)) return;
    while (static_cast<int>(loads.size()) > std::stoi(match[1])) loads.pop_front();
  }
  bool holds(const std::set<int>& registers) const {
    return std::any_of(loads.begin(), loads.end(), [&](const std::set<int>& load) {
      return std::any_of(registers.begin(), registers.end(), [&](int r) { return load.contains(r); });
    });
  }
};

// The first instruction of a loop that touches a register which a load still fills; "" if none does.
std::string touches_load_in_flight(const std::vector<Instruction>& loop) {
  InFlight vector{{}, std::regex("vmcnt\\(([0-9]+)\\)")}, lds{{}, std::regex("lgkmcnt\\(([0-9]+)\\)")};
  for (int round = 0; round < 2; ++round) // the second goes on from what the first left in flight
    for (const Instruction& instruction : loop) {
      const std::string& text = instruction.text;
      vector.finish(text);
      lds.finish(text);
      const auto registers = registers_of(text);
      if (vector.holds(registers) || lds.holds(registers)) return text;
      const bool is_vector = text.starts_with("global_load") || text.starts_with("buffer_load");
      if (!is_vector && !text.starts_with("ds_read")) continue;
      const bool to_lds = text.find(" lds") != std::string::npos;
      const auto destination = to_lds ? std::set<int>{} : registers_of(text.substr(0, text.find(',')));
      (is_vector ? vector : lds).loads.push_back(destination);
    }
  return "";
}

const char* const variants[] = {"prepass_attention_bf16", "prepass_attention_bf16_blockscale",
                                "prepass_attention_fp16"};

} // namespace

TEST_CASE("the loop over tiles never drains the memory pipeline") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const auto loop = main_loop(disassemble(code_object(variant)));
  REQUIRE(!loop.empty());
  CHECK(count(loop, "v_mfma_f32_32x32x16") == 32); // 16 for S^T, 16 for O^T
  CHECK(count(loop, "vmcnt(0)") == 0);
  CHECK(count(loop, "vmcnt") == 2); // one for V, one for K and the slots
  CHECK(count(loop, "s_barrier") == 4);
  const bool block_scale = variant == "prepass_attention_bf16_blockscale";
  CHECK(count(loop, " lds") == (block_scale ? 6 : 4));
  CHECK(count(loop, "ds_read_b64_tr_b16") == 32);
  CHECK(count(loop, "ds_read_b128") == (block_scale ? 32 : 16));
  CHECK(count(loop, "scratch_") == 0);
  CHECK(count(loop, "v_accvgpr") == 0);
}

// The compiler takes registers that inline assembly loads for filled at once: it must not touch them before
// our wait.
TEST_CASE("no register of a load in flight is touched") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  CHECK(touches_load_in_flight(main_loop(disassemble(code_object(variant)))) == "");
}

TEST_CASE("a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(as<std::string>(), "k_read", "v_read", "k_arrived");
  CAPTURE(mutant);
  CHECK(touches_load_in_flight(main_loop(disassemble(MUTANTS "/" + mutant + ".co"))) != "");
}

TEST_CASE("the code objects use no scratch memory and fit two waves per SIMD") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const std::string notes = output_of(std::string(LLVM_READOBJ) + " --notes " + code_object(variant));
  std::map<std::string, int> values;
  const std::regex form("\\.([a-z_]+): +([0-9]+)");
  for (std::sregex_iterator match(notes.begin(), notes.end(), form), end; match != end; ++match)
    values[(*match)[1]] = std::stoi((*match)[2]);
  CHECK(values.at("vgpr_spill_count") == 0);
  CHECK(values.at("sgpr_spill_count") == 0);
  CHECK(values.at("private_segment_fixed_size") == 0);
  CHECK(values.at("vgpr_count") + values.at("agpr_count") <= 256);
  CHECK(values.at("group_segment_fixed_size") <= 160 * 1024);
  CHECK(values.at("max_flat_workgroup_size") == 512);
}
