// What clang made of the attention kernels: the promises of their sources hold in the machine code.
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
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

struct Instruction {
  uint64_t address;
  std::string text; // mnemonic and operands
  uint64_t target;  // of a branch, else 0
};

std::vector<Instruction> disassemble(const std::string& variant) {
  const std::string text =
      output_of(std::string(LLVM_OBJDUMP) + " -d --mcpu=gfx950 " CODE_OBJECTS "/" + variant + ".co");
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

const char* const variants[] = {"prepass_attention_bf16", "prepass_attention_bf16_blockscale",
                                "prepass_attention_fp16"};

} // namespace

TEST_CASE("the loop over tiles never drains the memory pipeline") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const auto loop = main_loop(disassemble(variant));
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

TEST_CASE("the code objects use no scratch memory and fit two waves per SIMD") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const std::string notes =
      output_of(std::string(LLVM_READOBJ) + " --notes " CODE_OBJECTS "/" + variant + ".co");
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
